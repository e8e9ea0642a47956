#include "flow/compaction/anchors.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "flow/compaction/markdown_statements.h"
#include "text/cues.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Words = std::vector<PlainWord>;

// What a statement is by its wording.
struct Marks {
  bool forbids = false, orders = false, prefers = false, role = false, danger = false;

  bool any() const { return forbids || orders || prefers || role; }
};

constexpr Moods kForbids{Mood::kForbids, Mood::kNotTo, Mood::kCanNot, Mood::kDoesNot, Mood::kUnasked, Mood::kNotOver};
constexpr Moods kOrders{Mood::kMust, Mood::kShould, Mood::kNeeds, Mood::kAtMost, Mood::kAtLeast, Mood::kSafety};
constexpr Moods kPrefers{Mood::kPrefers, Mood::kHabit, Mood::kLikes};
constexpr Moods kNothing{Mood::kNoNegation, Mood::kNoRule};
constexpr Moods kMarks = kForbids | kOrders | kPrefers | kNothing | Moods(Mood::kRole, Mood::kSensitive);

Marks marks_of(const Words& words) {
  Marks marks;
  for (std::size_t at = 0; at < words.size();) {
    const Modal match = modal_at(words, at, kMarks);
    const bool nothing = match.moods.any(kNothing), prefers = match.moods.any(kPrefers);
    if (!nothing) {
      marks.forbids |= match.moods.any(kForbids);
      marks.orders |= match.moods.any(kOrders);
      marks.prefers |= prefers;
      marks.role |= match.moods.has(Mood::kRole);
      marks.danger |= match.moods.has(Mood::kSensitive);
    }
    const bool whole = nothing || prefers || match.moods.has(Mood::kRole);
    at += whole ? match.words : 1;
  }
  return marks;
}

std::optional<AnchorKind> kind_of_heading(std::string_view heading) {
  static const PhraseTable table = [] {
    PhraseTable phrases;
    phrases.add_list("modality", "headings safety", static_cast<int>(AnchorKind::kSafety));
    phrases.add_list("modality", "headings preference", static_cast<int>(AnchorKind::kPreference));
    phrases.add_list("modality", "headings role", static_cast<int>(AnchorKind::kRole));
    phrases.add_list("modality", "headings task", static_cast<int>(AnchorKind::kTask));
    return phrases;
  }();
  const std::vector<PlainWord> words = plain_words(heading);
  for (std::size_t at = 0; at < words.size(); ++at)
    if (const auto match = table.longest(words, at); match.words > 0) return static_cast<AnchorKind>(match.value);
  return std::nullopt;
}

AnchorKind kind_of_file(std::string_view file) {
  if (file.ends_with("USER.md")) return AnchorKind::kPreference;
  return file.ends_with("SOUL.md") ? AnchorKind::kRole : AnchorKind::kTask;
}

AnchorKind kind_of(const Marks& marks, const std::optional<AnchorKind>& heading, std::string_view file) {
  if (marks.forbids && marks.danger && heading != AnchorKind::kPreference) return AnchorKind::kSafety;
  if (heading && *heading != AnchorKind::kTask) return *heading;
  if (marks.prefers) return AnchorKind::kPreference;
  if (marks.role) return AnchorKind::kRole;
  return heading.value_or(kind_of_file(file));
}

bool starts_example(const Words& words) {
  static const PhraseTable table = phrase_table("modality", "examples");
  return !words.empty() && table.longest(words, 0).words > 0;
}

bool is_question(std::string_view sentence) { return sentence.ends_with("?") || sentence.ends_with("？"); }

// A statement longer than this is text that somebody pasted.
constexpr std::size_t kLongest = 600;

class Collector {
 public:
  void add(AnchorKind kind, std::string_view file, std::size_t line, std::string_view text, bool forbids) {
    const Claim claim = make_claim(text);
    // One word alone guards nothing that could be looked for.
    if (claim.terms.size() + claim.exact.size() < 2 || !seen_.insert(std::string(text)).second) return;
    anchors_.push_back({kind, std::string(file), line, std::string(text), forbids});
  }
  std::vector<Anchor> take() { return std::move(anchors_); }

 private:
  std::vector<Anchor> anchors_;
  std::unordered_set<std::string> seen_;
};

void collect(const AnchorSource& source, Collector& into) {
  const std::string text = repair_utf8(source.text);
  for (const MarkdownStatement& statement : markdown_statements(text)) {
    const auto heading = kind_of_heading(statement.heading);
    bool first = true;
    for (const std::string_view sentence : sentences(statement.text)) {
      const bool announced = heading.has_value() && statement.item && first;
      first = false;
      if (sentence.size() > kLongest || is_question(sentence)) continue;
      const Words words = plain_words(sentence);
      if (starts_example(words)) continue;
      const Marks marks = marks_of(words);
      if (!announced && !marks.any()) continue;
      into.add(kind_of(marks, heading, source.file), source.file, statement.line, sentence, marks.forbids);
    }
  }
}

// Whether a sentence that a user says is an order or a wish about how things are done, not a report.
bool is_spoken_constraint(const Marks& marks, const Words& words) {
  static const PhraseTable opening = phrase_table("modality", "spoken rules");
  if (!marks.forbids && !marks.orders && !marks.prefers) return false;
  constexpr std::size_t kLead = 4;  // words before an order: "Also, please do not …", 另外一定要
  bool fresh = true;  // an order may begin here
  std::size_t since = 0;
  const auto tells = [](const std::string& word) {
    return word == "i" || word == "it" || word == "he" || word == "she" || word == "they" || word == "there" ||
           word == "that" || word == "if" || word == "when";
  };
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].kind == WordKind::kComma) {
      since = 0;
      fresh = true;
      continue;
    }
    if (fresh && opening.longest(words, at).words > 0 && !modal_at(words, at, kMarks).moods.any(kNothing)) return true;
    fresh = fresh && ++since <= kLead && !tells(words[at].text);
  }
  return false;
}

}  // namespace

std::vector<Anchor> find_anchors(const std::vector<AnchorSource>& sources) {
  Collector collector;
  for (const AnchorSource& source : sources) collect(source, collector);
  return collector.take();
}

std::vector<Anchor> find_spoken_anchors(std::string_view message, std::string_view file) {
  Collector collector;
  const std::string text = repair_utf8(message);
  for (const MarkdownStatement& statement : markdown_statements(text, Tagged::kQuoted)) {
    for (const std::string_view sentence : sentences(statement.text)) {
      if (sentence.size() > kLongest || is_question(sentence)) continue;
      const Words words = plain_words(sentence);
      if (starts_example(words)) continue;
      const Marks marks = marks_of(words);
      if (!is_spoken_constraint(marks, words)) continue;
      const AnchorKind kind = kind_of(marks, std::nullopt, file);
      // A plain wish that forbids ("I don't want insurance") is a preference; an order not to is a limit.
      const bool forbids = marks.forbids && !marks.prefers;
      collector.add(forbids ? AnchorKind::kSafety : kind, file, statement.line, sentence, forbids);
    }
  }
  return collector.take();
}

bool anchor_stands(const Anchor& anchor, const StatedText& context) { return context.says(make_claim(anchor.text)); }

}  // namespace weft
