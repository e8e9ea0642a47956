#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/compaction/key_facts.h"
#include "text/plain_words.h"
#include "text/words.h"
#include "weft/compaction.h"
#include "weft/message.h"
#include "weft/task.h"

namespace weft {

/// What the wording of a sentence says about its part in a conversation; bits that go together.
enum Sign : std::uint32_t {
  kSignMust = 1U << 0,        ///< obligation and prohibition without exception
  kSignShould = 1U << 1,      ///< instructions of a milder kind
  kSignLimit = 1U << 2,       ///< a bound; counts where a number stands with it
  kSignDecision = 1U << 3,    ///< something was chosen
  kSignDone = 1U << 4,        ///< something is finished
  kSignOpen = 1U << 5,        ///< something is still to be done
  kSignRisk = 1U << 6,        ///< something failed or may fail
  kSignPrefers = 1U << 7,     ///< a liking or habit of the speaker
  kSignLongTerm = 1U << 8,    ///< an aim beyond this conversation
  kSignSafety = 1U << 9,      ///< a rule about permission, secrecy or danger
  kSignSensitive = 1U << 10,  ///< something worth protecting: with an obligation it is a rule of safety
  kSignRemember = 1U << 11,   ///< the speaker asks to keep it in mind
  kSignRequest = 1U << 12,    ///< asks for something
};

struct Signs {
  std::uint32_t bits = 0;
  bool number = false;    ///< holds a number
  bool question = false;  ///< ends as a question
  bool negated = false;   ///< holds a negation

  bool any(std::uint32_t which) const { return (bits & which) != 0; }
  /// A rule that holds from now on: an obligation, a bound with its number, a rule of safety.
  bool constraint() const { return !question && any(kSignMust | kSignLimit | kSignSafety); }
};

/// The signs of a sentence, English and Chinese, by the moods of text/modality.h. Linear; safe from any thread.
Signs find_signs(const std::vector<PlainWord>& words);

/// The lists of a summary, by the order in which they were fixed.
enum class SummaryList : std::uint8_t { kGoals, kDecisions, kDone, kOpen, kConstraints, kFacts, kRisks };
inline constexpr std::size_t kSummaryLists = 7;

std::vector<std::string>& list_of(Summary& summary, SummaryList list);
const std::vector<std::string>& list_of(const Summary& summary, SummaryList list);

/// A statement that may stand in a summary, in the words in which it was said.
struct SummaryPiece {
  SummaryList list = SummaryList::kFacts;
  std::string text;        ///< one line
  double weight = 0;       ///< how much is lost without it, 0 to about 3
  std::size_t order = 0;   ///< place in the conversation
  bool must = false;       ///< a constraint, a goal or an open item that has to stand somewhere in the result
};

/// A key fact of the turns that are summarised.
struct RankedFact {
  std::string text;
  std::string name;        ///< what it stands under in a tool's data; may be empty
  FactKind kind = FactKind::kId;
  double weight = 0;
  std::size_t order = 0;
  bool said = false;       ///< stands in what user or assistant said or did, not only in a tool's output
};

/// What a summary is made from.
struct MaterialSource {
  std::vector<const Message*> messages;  ///< to be summarised, oldest first; must outlive the call
  const Summary* earlier = nullptr;      ///< of the turns before them
  std::vector<std::string> constraints;  ///< of the mode, and whatever else must stay
  TaskState task;
  std::string focus;                     ///< what the summary should dwell on; may be empty
};

struct Material {
  std::vector<SummaryPiece> pieces;  ///< oldest first, each said once
  std::vector<RankedFact> facts;     ///< each once, the weightiest first
  std::size_t cut = 0;               ///< messages without anything to keep: small talk and repeats
  std::vector<bool> low_signal;      ///< of each message: it is one of those
  Language language = Language::kEnglish;
};

/// Reads the turns once: every statement that may matter with its list and weight, every key fact with its weight.
/// Linear; nothing is invented, so each piece can be found in its message (apart from white space and cuts).
Material gather_material(const MaterialSource& source);

}  // namespace weft
