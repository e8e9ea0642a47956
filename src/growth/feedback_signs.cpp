// What users say of a result.
#include "growth/feedback_signs.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "text/line_diff.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr double kSameQuestion = 0.8;     // likeness
constexpr double kEditedShare = 0.5;      // of the lines of an output that an edited one keeps
constexpr std::size_t kLongestJudgement = 2000;  // bytes that are looked at
constexpr std::size_t kDenialReach = 3;   // words
constexpr std::size_t kLeastEdited = 40;  // bytes of an output that is worth an edit

struct Tables {
  PhraseTable praise = phrase_table("feedback", "praise"), praise_first = phrase_table("feedback", "praise first"),
              correction = phrase_table("feedback", "correction"),
              correction_first = phrase_table("feedback", "correction first"),
              complaint = phrase_table("feedback", "complaint"), trouble = phrase_table("feedback", "trouble"),
              result = phrase_table("feedback", "result"), accuses = phrase_table("feedback", "accuses"),
              task = phrase_table("feedback", "task"), denies = phrase_table("feedback", "denies"),
              again = phrase_table("feedback", "again");
};

const Tables& tables() {
  static const Tables kTables;
  return kTables;
}

struct Clause {
  std::vector<PlainWord> words;
  bool asks = false;
};

std::vector<Clause> clauses_of(std::string_view text) {
  std::vector<Clause> clauses(1);
  for (PlainWord& word : plain_words(text)) {
    const bool ends = word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.kind == WordKind::kQuestion;
    if (!ends) {
      clauses.back().words.push_back(std::move(word));
      continue;
    }
    clauses.back().asks = word.kind == WordKind::kQuestion;
    if (!clauses.back().words.empty()) clauses.emplace_back();
  }
  if (clauses.back().words.empty()) clauses.pop_back();
  return clauses;
}

bool begins(const PhraseTable& table, const Clause& clause) {
  return !clause.words.empty() && table.longest(clause.words, 0).words > 0;
}

// How many phrases of the table the clause has; `denied` counts those behind a denial.
int count(const PhraseTable& table, const Clause& clause, int* denied = nullptr) {
  int found = 0;
  for (std::size_t at = 0; at < clause.words.size();) {
    const auto match = table.longest(clause.words, at);
    if (match.words == 0) {
      ++at;
      continue;
    }
    bool turned = false;
    for (std::size_t back = 1; denied != nullptr && back <= std::min(at, kDenialReach); ++back)
      turned = turned || tables().denies.longest(clause.words, at - back).words > 0;
    ++(turned ? *denied : found);
    at += match.words;
  }
  return found;
}

struct Weights {
  int praise = 0, correction = 0, complaint = 0;
};

void weigh(const Clause& clause, bool is_first, Weights& into) {
  const Tables& in = tables();
  if (in.accuses.any_in(clause.words)) {
    into.complaint += 2;
    return;
  }
  if (clause.asks) return;
  int denied = 0;
  const int praise = count(in.praise, clause, &denied);
  const int correction = count(in.correction, clause), complaint = count(in.complaint, clause);
  // "Great, now write the tests" judges in its first clause; "write a great text" judges nothing.
  if (begins(in.task, clause) && correction + complaint == 0) return;
  into.praise += praise;
  into.complaint += denied + 2 * complaint;
  into.correction += 2 * correction;
  if (in.trouble.any_in(clause.words) && in.result.any_in(clause.words)) ++into.complaint;
  if (!is_first) return;
  if (begins(in.praise_first, clause)) ++into.praise;
  if (begins(in.correction_first, clause) && praise == 0) ++into.correction;
}

// An output line by line; one paragraph is compared sentence by sentence.
std::string in_lines(std::string_view text) {
  std::string lines;
  for (const std::string_view sentence : sentences(text)) {
    lines += sentence;
    lines += '\n';
  }
  return lines;
}

// The lines that were put in where the text is another version of the output; empty where it is none.
std::string edited(std::string_view text, std::string_view output) {
  if (output.size() < kLeastEdited || text.size() < output.size() / 3) return {};
  const std::string before = in_lines(output), after = in_lines(text);
  std::size_t same = 0, all = 0, same_lines = 0, all_lines = 0;
  std::string added;
  const auto diff = line_diff(before, after);
  for (const DiffLine& line : diff) {
    const std::size_t weight = line.text.size();
    if (line.kind == DiffLine::Kind::kAdded) added += (added.empty() ? "" : "\n") + std::string(line.text);
    if (line.kind == DiffLine::Kind::kAdded) continue;
    all += weight;
    ++all_lines;
    if (line.kind != DiffLine::Kind::kSame) continue;
    same += weight;
    ++same_lines;
  }
  // By bytes or by lines: of a letter the greeting stays, of a list the long entries.
  const bool is_version = same > 0 && (static_cast<double>(same) >= kEditedShare * static_cast<double>(all) ||
                                       static_cast<double>(same_lines) > kEditedShare * static_cast<double>(all_lines));
  if (!is_version || (same == all && added.empty())) return {};
  return added.empty() ? "-" : added;
}

// Whether the text asks for nothing but the task. "Deploy the other server" is another task than "Deploy the server",
// however similar the two are.
bool adds_no_word(std::string_view text, std::string_view task) {
  std::set<std::string> known;
  for (PlainWord& word : plain_words(task)) known.insert(std::move(word.text));
  const std::vector<PlainWord> words = plain_words(text);
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t again = tables().again.longest(words, at).words;
    const WordKind kind = words[at].kind;
    const bool says = kind == WordKind::kWord || kind == WordKind::kHan || kind == WordKind::kNumber;
    if (again == 0 && says && !known.contains(words[at].text)) return false;
    at += std::max<std::size_t>(again, 1);
  }
  return true;
}

}  // namespace

std::string_view to_string(FeedbackSign sign) {
  switch (sign) {
    case FeedbackSign::kNone: return "none";
    case FeedbackSign::kPraise: return "praise";
    case FeedbackSign::kCorrection: return "correction";
    case FeedbackSign::kComplaint: return "complaint";
    case FeedbackSign::kRepeat: return "repeat";
    case FeedbackSign::kEdit: return "edit";
  }
  return "none";
}

FeedbackSign judged(std::string_view text) {
  const auto clauses = clauses_of(cut_bytes(text, kLongestJudgement));
  Weights all;
  for (const Clause& clause : clauses) weigh(clause, &clause == &clauses.front(), all);
  const int most = std::max({all.praise, all.correction, all.complaint});
  if (most == 0) return FeedbackSign::kNone;
  // Politeness in front of a complaint does not take it back.
  if (all.complaint == most) return FeedbackSign::kComplaint;
  return all.correction == most ? FeedbackSign::kCorrection : FeedbackSign::kPraise;
}

Feedback feedback_in(std::string_view text, const TaskReport& report, const Likeness& likeness) {
  Feedback found;
  found.text = text;
  if (found.changed = edited(text, report.output); !found.changed.empty()) {
    found.sign = FeedbackSign::kEdit;
    return found;
  }
  found.sign = judged(text);
  if (found.sign == FeedbackSign::kNone && adds_no_word(text, report.task) &&
      likeness.between(text, report.task) >= kSameQuestion)
    found.sign = FeedbackSign::kRepeat;
  return found;
}

UserReaction reaction_of(FeedbackSign sign) {
  switch (sign) {
    case FeedbackSign::kNone: return UserReaction::kNone;
    case FeedbackSign::kPraise: return UserReaction::kSatisfied;
    case FeedbackSign::kRepeat: return UserReaction::kAskedAgain;
    case FeedbackSign::kEdit: return UserReaction::kEdited;
    case FeedbackSign::kCorrection:
    case FeedbackSign::kComplaint: return UserReaction::kComplained;
  }
  return UserReaction::kNone;
}

void take_feedback(const Feedback& feedback, TaskReport& report) {
  report.reaction = reaction_of(feedback.sign);
  if (feedback.sign == FeedbackSign::kNone) return;
  report.reaction_text = feedback.sign == FeedbackSign::kEdit ? feedback.changed : feedback.text;
  if (report.outcome_by >= Witness::kVerifier || feedback.sign == FeedbackSign::kEdit) return;
  report.outcome = feedback.sign == FeedbackSign::kPraise ? Outcome::kSuccess : Outcome::kFailure;
  report.outcome_by = Witness::kUser;
}

}  // namespace weft
