#include "growth/trace_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "base/strings.h"
#include "flow/compaction/failure.h"
#include "text/json.h"
#include "text/line_diff.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {

// What a trace shows without a model.

namespace {

constexpr double kSlowMs = 10'000, kSlowFactor = 5;
constexpr std::size_t kLongEnough = 200;   // bytes of an output whose use is looked for
constexpr std::size_t kFirstWords = 400;   // bytes of a failure that say of which kind it is
constexpr std::size_t kShortLine = 160;    // a verdict stands in a short first line
constexpr std::size_t kTroubleWithin = 8;  // words
constexpr std::size_t kLongestCommand = 30;

std::string words_of_name(std::string_view name) {
  std::string words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (is_upper(c) && i > 0 && !is_upper(name[i - 1])) words += ' ';
    words += c == '_' || c == '-' || c == '.' || c == '/' ? ' ' : c;
  }
  return words;
}

bool has_phrase(const PhraseTable& table, std::string_view text) { return table.any_in(plain_words(text)); }

std::string_view first_line(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
}

ToolCall call_of(const ReportStep& step) { return {{}, step.tool, step.arguments}; }

// "Wrong flag!", "Your edit has introduced new syntax error(s)": a verdict of a tool in its own words. What a call that
// only looks gives back is somebody else's text.
bool begins_with_trouble(const ReportStep& step) {
  static const PhraseTable kTrouble = phrase_table("reflection", "trouble");
  const std::string_view line = first_line(step.output);
  if (line.empty() || line.size() > kShortLine || line.starts_with('{') || line.starts_with('[')) return false;
  if (only_reads(call_of(step))) return false;
  const auto words = plain_words(line);
  for (std::size_t at = 0; at < std::min(words.size(), kTroubleWithin); ++at) {
    // "no errors", "0 failed", 没有错误
    const bool denied =
        at > 0 && (words[at - 1].text == "no" || words[at - 1].text == "0" || words[at - 1].text == "not" ||
                   words[at - 1].text == "without" || words[at - 1].text == "没" || words[at - 1].text == "有" ||
                   words[at - 1].text == "无");
    if (!denied && kTrouble.longest(words, at).words > 0) return true;
  }
  return false;
}

// The commands of a line, and statements of a query, each from its beginning; moves between folders are none.
std::vector<std::string_view> commands_of(std::string_view text) {
  std::vector<std::string_view> commands;
  std::size_t begin = 0;
  while (begin < text.size()) {
    auto end = text.find_first_of(";|&\n", begin);
    if (end == std::string_view::npos) end = text.size();
    std::string_view one = text.substr(begin, end - begin);
    one.remove_prefix(std::min(one.find_first_not_of(" \t\r"), one.size()));
    if (one.starts_with("sudo ")) one.remove_prefix(5);
    if (!one.empty() && !one.starts_with("cd ")) commands.push_back(one);
    begin = end + 1;
  }
  return commands;
}

// What a call runs, where that is an argument; empty where it is none.
std::string command_in(const ReportStep& step) {
  if (!step.arguments.starts_with('{') || !check_json(step.arguments, {}, "arguments").ok()) return {};
  for (const char* name : {"command", "cmd", "query", "sql", "script"}) {
    auto text = json_text(json_member(step.arguments, name));
    if (text.ok() && !text->empty()) return std::move(text).value();
  }
  return {};
}

bool destroys(std::string_view command) {
  static const PhraseTable kDestroys = phrase_table("reflection", "destroys");
  const auto words = plain_words(command);
  const std::size_t at = !words.empty() && words.front().text == "git" ? 1 : 0;
  return at < words.size() && kDestroys.longest(words, at).words > 0;
}

// Of a tool that runs commands, which one: a shell that lists files well has not put right a build that failed.
std::string tool_of(const ReportStep& step) {
  const std::string text = command_in(step);
  const auto commands = commands_of(text);
  if (commands.empty()) return step.tool;
  const std::string_view word = commands.front().substr(0, commands.front().find_first_of(" \t"));
  const bool plain = word.size() <= kLongestCommand && std::all_of(word.begin(), word.end(), [](char c) {
                       return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
                     });
  return plain && word != step.tool ? step.tool + " " + std::string(word) : step.tool;
}

class Findings {
 public:
  explicit Findings(const TaskReport& report) : report_(report) {}

  std::vector<TraceFinding> all() {
    find_failures();
    find_loops();
    find_slow();
    find_unused();
    find_ends();
    rank();
    return std::move(found_);
  }

 private:
  void find_failures() {
    std::map<std::pair<TraceSign, std::string>, std::size_t> places;
    for (const ReportStep& step : report_.steps) {
      if (step.tool.empty() || !step_failed(step)) continue;
      const TraceSign sign = failure_sign(step);
      const std::string tool = tool_of(step);
      const auto [at, is_new] = places.emplace(std::pair(sign, tool), found_.size());
      std::string why(first_line(failure_in(step.output)));
      if (why.empty()) why = first_line(step.output);
      if (is_new) found_.push_back({sign, tool, {}, why, false, true});
      TraceFinding& finding = found_[at->second];
      finding.steps.push_back(step.number);
      finding.same_error = finding.same_error && why == finding.example;
    }
    for (TraceFinding& finding : found_) {
      const auto later = [&](const ReportStep& step) {
        return step.number > finding.steps.back() && tool_of(step) == finding.tool && !step.output.empty() &&
               !step_failed(step);
      };
      finding.recovered = std::any_of(report_.steps.begin(), report_.steps.end(), later);
    }
  }

  // A check that is run again after a change gives another output, or is not meant to.
  void find_loops() {
    std::map<std::string, std::vector<std::int64_t>> same;
    std::map<std::string, std::string> tools;
    for (const ReportStep& step : report_.steps) {
      if (step.tool.empty()) continue;
      const std::string key = step.tool + '\0' + step.arguments + '\0' + step.output;
      same[key].push_back(step.number);
      tools[key] = tool_of(step);
    }
    std::map<std::string, std::vector<std::int64_t>> by_tool;
    for (const auto& [key, steps] : same) {
      const bool in_a_row = steps.size() == 2 && steps[1] == steps[0] + 1;
      if (steps.size() < 3 && !in_a_row) continue;
      auto& all = by_tool[tools[key]];
      all.insert(all.end(), steps.begin() + 1, steps.end());
    }
    for (auto& [tool, steps] : by_tool) {
      std::sort(steps.begin(), steps.end());
      found_.push_back({TraceSign::kLoop, tool, std::move(steps), {}, false, true});
    }
  }

  void find_slow() {
    std::vector<double> times;
    for (const ReportStep& step : report_.steps)
      if (step.ms > 0) times.push_back(step.ms);
    if (times.size() < 3) return;
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    const double usual = times[times.size() / 2];
    std::map<std::string, std::vector<std::int64_t>> slow;
    for (const ReportStep& step : report_.steps)
      if (!step.tool.empty() && step.ms >= kSlowMs && step.ms >= kSlowFactor * usual)
        slow[tool_of(step)].push_back(step.number);
    for (auto& [tool, steps] : slow) found_.push_back({TraceSign::kSlow, tool, std::move(steps), {}, false, false});
  }

  // From behind: the terms that were said after each step.
  void find_unused() {
    std::set<Term> later, before;
    for (const Term term : index_terms(report_.task)) before.insert(term);
    for (const Term term : index_terms(report_.output)) later.insert(term);
    std::map<std::string, std::vector<std::int64_t>> unused;
    for (auto step = report_.steps.rbegin(); step != report_.steps.rend(); ++step) {
      if (!step->tool.empty() && !step->failed && step->output.size() >= kLongEnough && only_reads(call_of(*step))) {
        std::set<Term> own;
        for (const Term term : index_terms(step->tool + " " + step->arguments + " " + step->thought)) own.insert(term);
        const auto terms = index_terms(step->output);
        const bool used = std::any_of(terms.begin(), terms.end(), [&](Term term) {
          return later.contains(term) && !before.contains(term) && !own.contains(term);
        });
        if (!used) {
          auto& steps = unused[tool_of(*step)];
          steps.insert(steps.begin(), step->number);
        }
      }
      for (const std::string* text : {&step->thought, &step->arguments})
        for (const Term term : index_terms(*text)) later.insert(term);
    }
    for (auto& [tool, steps] : unused) found_.push_back({TraceSign::kUnused, tool, std::move(steps), {}, false, false});
  }

  void find_ends() {
    if (!report_.limit.empty()) found_.push_back({TraceSign::kLimitReached, {}, {}, report_.limit, false, false});
    if (report_.outcome == Outcome::kFailure && report_.outcome_by == Witness::kVerifier)
      found_.push_back({TraceSign::kVerdict, {}, {}, {}, false, false});
    if (report_.output.empty() && !report_.steps.empty() && report_.provenance != Provenance::kImported)
      found_.push_back({TraceSign::kEmpty, {}, {}, {}, false, false});
  }

  // First what takes away, then errors that stayed, then those that were overcome, then waste.
  void rank() {
    const auto weight = [](const TraceFinding& finding) {
      if (finding.sign == TraceSign::kDestructive) return 0;
      if (finding.sign == TraceSign::kSlow || finding.sign == TraceSign::kUnused) return 5;
      if (finding.sign == TraceSign::kVerdict || finding.sign == TraceSign::kEmpty) return 4;
      if (finding.sign == TraceSign::kLoop) return 2;
      return finding.recovered ? 3 : 1;
    };
    std::stable_sort(found_.begin(), found_.end(), [&](const TraceFinding& a, const TraceFinding& b) {
      if (weight(a) != weight(b)) return weight(a) < weight(b);
      return a.steps.size() > b.steps.size();
    });
  }

  const TaskReport& report_;
  std::vector<TraceFinding> found_;
};

}  // namespace

std::string_view key_of(TraceSign sign) {
  switch (sign) {
    case TraceSign::kDestructive: return "destructive";
    case TraceSign::kRefused: return "refused";
    case TraceSign::kMisuse: return "misuse";
    case TraceSign::kMissing: return "missing";
    case TraceSign::kLimits: return "limits";
    case TraceSign::kFailed: return "failed";
    case TraceSign::kLoop: return "loop";
    case TraceSign::kLimitReached: return "limit_reached";
    case TraceSign::kVerdict: return "verdict";
    case TraceSign::kEmpty: return "empty";
    case TraceSign::kSlow: return "slow";
    case TraceSign::kUnused: return "unused";
  }
  return "failed";
}

std::vector<TraceFinding> findings_of(const TaskReport& report) { return Findings(report).all(); }

bool step_failed(const ReportStep& step) { return step.failed || (!step.tool.empty() && begins_with_trouble(step)); }

bool is_destructive(const ReportStep& step) {
  static const PhraseTable kDestroys = phrase_table("reflection", "destroys");
  if (has_phrase(kDestroys, words_of_name(step.tool))) return true;
  const std::string text = command_in(step);
  const auto commands = commands_of(text);
  return std::any_of(commands.begin(), commands.end(), destroys);
}

TraceSign failure_sign(const ReportStep& step) {
  static const std::array<std::pair<TraceSign, PhraseTable>, 4> kKinds{
      {{TraceSign::kRefused, phrase_table("reflection", "refused")},
       {TraceSign::kLimits, phrase_table("reflection", "limits")},
       {TraceSign::kMissing, phrase_table("reflection", "missing")},
       {TraceSign::kMisuse, phrase_table("reflection", "misuse")}}};
  std::string why = failure_in(step.output);
  if (why.empty()) why = std::string_view(step.output).substr(0, kFirstWords);
  const auto words = plain_words(why);
  // Of several commands in a row another one may have failed.
  const bool alone = commands_of(command_in(step)).size() <= 1;
  if (is_destructive(step) && (alone || kKinds.front().second.any_in(words))) return TraceSign::kDestructive;
  for (const auto& [sign, table] : kKinds)
    if (table.any_in(words)) return sign;
  return TraceSign::kFailed;
}

Provenance provenance_of(const ReportStep& step) {
  static const PhraseTable kWeb = phrase_table("reflection", "web");
  if (step.tool.empty()) return Provenance::kOwnRun;
  if (has_phrase(kWeb, words_of_name(step.tool))) return Provenance::kWeb;
  if (step.arguments.find("://") != std::string::npos) return Provenance::kWeb;
  return Provenance::kTool;
}

// What users say of a result.

namespace {

constexpr double kSameQuestion = 0.8;  // likeness
constexpr double kEditedShare = 0.5;  // of the lines of an output that an edited one keeps
constexpr std::size_t kLongestJudgement = 2000;  // bytes that are looked at
constexpr std::size_t kDenialReach = 3;  // words
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
