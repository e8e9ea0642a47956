#pragma once

#include <string>

#include "weft/config.h"
#include "weft/growth.h"

namespace weft {

/// How a user shows what is preferred. What each is worth, as a strength (0 to 1) where confidence is an average, and
/// as a number of plain observations where it is a posterior:
///
/// | signal | strength | as a number | observations |
/// |---|---|---|---|
/// | kExplicit, "I prefer …" | HIGH | 0.95 | 2 |
/// | kEdit, an answer was changed | MEDIUM-HIGH | 0.8 | 0.45 |
/// | kChoice, one of several offered | MEDIUM | 0.6 | 0.4 |
/// | kFollowUp, a question for more or less | LOW-MEDIUM | 0.4 | 0.25 |
/// | kSilence, neither | VERY LOW | 0.1 | 0: recorded only |
enum class SignalKind { kExplicit, kEdit, kChoice, kFollowUp, kSilence };
double strength_of(SignalKind kind);
double observations_of(SignalKind kind);

/// One sign of what somebody prefers.
struct BeliefSignal {
  SignalKind kind = SignalKind::kSilence;
  std::string dimension, value;  ///< "detail", "brief"
  std::string told;              ///< the preference in the user's language
  std::string source;            ///< "SESSION/MESSAGE"
  Time time;
};

/// A signal of this kind agrees with the belief, at a time not before the last one.
///
/// - 'average': new = (old · n + s) / (n + 1), n being the evidence before: what is reachable is the strength itself,
/// so
///   edits alone never pass 0.8 and choices alone never 0.6.
/// - 'posterior': the mean of a Beta distribution that begins at Beta(1, 1); it never falls by agreement, and passes
/// 0.6
///   by one explicit signal, two edits, three choices or three questions, 0.9 by five explicit ones.
///
/// Choices wait until there are `settings.choices` in a row, then count all. Silence changes nothing.
void agree(Belief& belief, SignalKind kind, Time time, const AdaptationSettings& settings);

/// A signal for another value in the same dimension. It is counted; the average stays as it is, since the formula says
/// nothing of it; the posterior falls. More than `settings.doubt` for each piece of evidence: it needs confirmation.
/// Call it for what has counted there only (see `agree`); `interrupt_choices` else.
void contradict(Belief& belief, SignalKind kind, Time time, const AdaptationSettings& settings);

/// A choice of something else, which does not count yet: those that wait here begin anew.
void interrupt_choices(Belief& belief, const AdaptationSettings& settings);

/// A person says that the belief holds: over 0.9 at once, and contradictions are settled.
void confirm(Belief& belief, Time time, const AdaptationSettings& settings);
/// A person says that it does not: it is told no more until much speaks for it.
void reject(Belief& belief, Time time, const AdaptationSettings& settings);

/// Takes the time that has passed into account: evidence of the posterior fades with its half-life. An average does not
/// fade.
void fade(Belief& belief, Time now, const AdaptationSettings& settings);

/// Whether prompts are told of it.
bool is_told(const Belief& belief, const AdaptationSettings& settings);

}  // namespace weft
