#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "growth/growth_files.h"
#include "ports/files/document_files.h"
#include "weft/config.h"
#include "weft/growth.h"
#include "weft/task.h"

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

/// The text of a belief, as prompts and questions show it.
std::string told_text(const Belief& belief);

/// Users' preferences and how sure each of them is: one YAML document a scope, shown in a file that people may edit at
/// any time. Each value that was seen in a dimension has an entry of its own: what agrees with one contradicts the
/// others. Entries that cannot be read are reported and stay as they stand; a file that is no YAML is left alone, and
/// nothing new is kept of that scope until it is mended. Safe from many threads.
class BeliefBook {
 public:
  static constexpr const char* kKind = "beliefs";
  static constexpr std::string_view kAbout = "belief:";  ///< begins the subject of a question; the dimension follows

  BeliefBook(DocumentFiles& documents, GrowthFiles places, const Clock& clock, const AdaptationSettings& settings)
      : documents_(documents), places_(std::move(places)), clock_(clock), settings_(settings) {}

  /// Takes signals in, in their order, as a change that is written with other rows. One whose source stands at its
  /// belief already changes nothing. Gives the leading beliefs that are in doubt then, each with its rivals behind it.
  Result<std::vector<std::vector<Belief>>> take(const std::string& owner, std::span<const BeliefSignal> signals,
                                                WriteBatch& batch);
  /// Brings the file up to beliefs that were written with other rows.
  Status show(const std::string& owner);

  /// All, those of a dimension beside one another, the leading one first; as they are now, after fading.
  Result<std::vector<Belief>> beliefs(const std::string& owner);
  /// What prompts are told: of each dimension the leading belief, where it is sure enough and not in doubt.
  Result<std::vector<Belief>> told(const std::string& owner);

  /// The same as preferences, but for dimensions that `known` says something of: the user's own words.
  Result<std::vector<Preference>> preferences(const std::string& owner, std::span<const Preference> known);

  /// A person says that a value holds, also one that was not seen yet; the others of its dimension go.
  Result<Belief> confirm(const std::string& owner, const std::string& dimension, const std::string& value);
  /// The same as a change that is written with other rows. Call `show` after the write.
  Status confirm(const std::string& owner, const std::string& dimension, const std::string& value, WriteBatch& batch);
  /// If the answer to a question about a dimension names a value of it, adds the confirmed belief to `batch`.
  Status settle(const Question& answered, WriteBatch& batch);
  /// A person says that it does not. kNotFound where there is none; an empty value means the leading one.
  Result<Belief> reject(const std::string& owner, const std::string& dimension, const std::string& value);
  /// Takes a dimension out, or one value of it; gives how many entries went.
  Result<std::size_t> forget(const std::string& owner, const std::string& dimension, const std::string& value = {});

  /// Takes out what stands on erased messages ("SESSION/MESSAGE"): all of a belief that has no other source, of others
  /// their share. A file that is no YAML and names such a message is removed whole. Returns how many beliefs were
  /// touched.
  Result<std::size_t> erase_sources(const std::string& owner, const std::set<std::string>& sources);
  /// Takes out all of an owner.
  Status erase(const std::string& owner);

  /// What is wrong in an owner's file, with line and key.
  std::vector<std::string> problems(const std::string& owner);

 private:
  struct Shelf {
    std::string content;  ///< that it was read from
    bool broken = false;
    std::vector<Belief> beliefs;
    std::int64_t silent = 0;
    std::vector<std::string> problems, bad_text;
  };

  DocumentPlace place_of(const std::string& owner) const;
  Result<Shelf> open(const std::string& owner);
  Result<Shelf> shelf_of(const std::string& owner, const std::string& content);
  Status parse(const std::string& owner, Shelf& shelf);
  static std::string text_of(const Shelf& shelf);
  Status change(const std::string& owner, const std::function<Status(Shelf&)>& make);
  Belief confirm(const std::string& owner, const std::string& dimension, const std::string& value, Shelf& shelf) const;
  void apply(const std::string& owner, const BeliefSignal& signal, Shelf& shelf);
  std::vector<std::vector<Belief>> by_dimension(const Shelf& shelf) const;
  std::vector<std::vector<Belief>> doubts(const Shelf& shelf) const;

  DocumentFiles& documents_;
  const GrowthFiles places_;
  const Clock& clock_;
  const AdaptationSettings settings_;
  std::mutex mutex_;  ///< of the cache
  std::map<std::string, Shelf> shelves_;
};

}  // namespace weft
