#include "growth/skill_lesson.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/strings.h"
#include "growth/rule_book.h"
#include "growth/rule_words.h"
#include "growth/skill_match.h"
#include "growth/trace_findings.h"
#include "text/json.h"
#include "text/lexicon.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostSteps = 100, kLongestName = 80, kLongestAction = 80;

enum class LineKind { kNumbered, kBullet, kHeading, kText };

struct Line {
  LineKind kind = LineKind::kText;
  std::size_t indent = 0;
  std::string text;  ///< without its mark
};

// What counts as the number of a step: digits, Chinese numerals, circled ones, with what closes them. Bytes are
// matched, so characters beyond ASCII stand as alternatives, never in brackets. Blanks are bounded: the library walks
// each of them on the stack.
const std::regex& numbered() {
  static const std::string number = "(?:[0-9]{1,3}|(?:一|二|三|四|五|六|七|八|九|十){1,3})";
  static const std::regex made("^(?:(?:[Ss]tep|STEP)\\s{0,3}[0-9]{1,3}\\s{0,3}(?:[:.)-]|：)?\\s{0,3}|(?:\\(|（)?" +
                               number + "(?:[.)](?![0-9])|．|、|）|:|：)\\s{0,3}|步骤\\s{0,3}" + number +
                               "\\s{0,3}(?::|：|、|，|,|\\.)?\\s{0,3}|第\\s{0,3}" + number +
                               "\\s{0,3}步?\\s{0,3}(?::|：|、|，|,)?\\s{0,3}|(?:①|②|③|④|⑤|⑥|⑦|⑧|⑨|⑩)\\s{0,3})");
  return made;
}

Line line_of(std::string_view raw) {
  Line line;
  line.indent = std::min(raw.find_first_not_of(" \t"), raw.size());
  std::string text(trimmed(raw));
  std::smatch found;
  if (const auto marks = text.find_first_not_of('#'); marks > 0 && marks != std::string::npos && text[marks] == ' ') {
    line.kind = LineKind::kHeading;
    text = text.substr(marks + 1);
  } else if (std::regex_search(text, found, numbered(), std::regex_constants::match_continuous) &&
             static_cast<std::size_t>(found.length()) < text.size()) {
    line.kind = LineKind::kNumbered;
    text = text.substr(static_cast<std::size_t>(found.length()));
  } else {
    for (const std::string_view bullet : {"- ", "* ", "+ ", "• ", "•", "·", "– "})
      if (line.kind == LineKind::kText && text.starts_with(bullet)) {
        line.kind = LineKind::kBullet;
        text = text.substr(bullet.size());
      }
  }
  line.text = trimmed(text);
  return line;
}

// A word of programs: search_web, browser.open, Bash. Paths, options and sentences are none.
bool is_tool(std::string_view word) {
  if (word.size() < 2 || word.size() > 64 || !is_letter(word.front())) return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; });
}

void find_tools(std::string_view text, std::vector<std::string>& tools) {
  for (std::size_t at = text.find('`'); at != std::string_view::npos;) {
    const std::size_t end = text.find('`', at + 1);
    if (end == std::string_view::npos) return;
    const std::string word(text.substr(at + 1, end - at - 1));
    if (is_tool(word) && std::find(tools.begin(), tools.end(), word) == tools.end()) tools.push_back(word);
    at = text.find('`', end + 1);
  }
}

std::string without_marks(std::string text) {
  for (const std::string_view mark : {"**", "__"})
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.erase(at, mark.size());
  return text;
}

SkillStep step_of(const std::string& text) {
  SkillStep step;
  find_tools(text, step.tools);
  const std::string plain = without_marks(text);
  step.action = plain;
  // "Collect prices: from the shops' own pages" has its details behind the colon.
  for (const std::string_view colon : {"：", ": ", " — ", " – "}) {
    const std::size_t at = plain.find(colon);
    if (at == std::string::npos || at == 0 || at > kLongestAction || at + colon.size() >= plain.size()) continue;
    step.action = trimmed(std::string_view(plain).substr(0, at));
    step.details = trimmed(std::string_view(plain).substr(at + colon.size()));
    break;
  }
  return step;
}

bool names_occasion(std::string_view sentence) {
  const std::string low = lowered(sentence);
  for (const std::string_view word : {"when ", "whenever ", "if ", "every time ", "each time ", "as soon as ", "once "})
    if (low.starts_with(word) || low.find(" " + std::string(word)) != std::string::npos) return true;
  for (const std::string_view word :
       {"当", "每当", "每次", "如果", "若", "只要", "凡是", "时候", "之前", "以后", "时，", "时,"})
    if (sentence.find(word) != std::string_view::npos) return true;
  return false;
}

std::string joined(std::string_view a, std::string_view b) {
  return std::string(a) + (a.empty() || b.empty() ? "" : "\n") + std::string(b);
}

// Takes what stands before the steps: a name, what it is for, and when.
void describe(const std::vector<Line>& before, const SkillLesson& lesson, Skill& skill) {
  std::string about;
  for (const Line& line : before) {
    if (line.text.empty()) continue;
    if (line.kind == LineKind::kHeading && skill.name.empty())
      skill.name = line.text;
    else
      about += (about.empty() ? "" : " ") + line.text;
  }
  while (about.ends_with(":") || about.ends_with("：")) about.resize(about.size() - (about.ends_with(":") ? 1 : 3));
  if (!lesson.name.empty()) skill.name = lesson.name;
  if (skill.name.empty()) skill.name = about.empty() ? skill.steps.front().action : about;
  while (skill.name.ends_with(":") || skill.name.ends_with("："))
    skill.name.resize(skill.name.size() - (skill.name.ends_with(":") ? 1 : 3));
  skill.name = preview(skill.name, kLongestName);
  skill.description = about.empty() ? skill.name : about;
  for (const std::string_view sentence : sentences(about))
    if (names_occasion(sentence)) skill.trigger_conditions.emplace_back(trimmed(sentence));
  if (skill.trigger_conditions.empty()) skill.trigger_conditions.push_back(skill.name);
}

}  // namespace

Result<Skill> skill_from_lesson(const SkillLesson& lesson) {
  std::vector<Line> lines;
  for (const std::string_view raw : lines_of(lesson.text)) lines.push_back(line_of(raw));
  const auto has = [&](LineKind kind) {
    return std::any_of(lines.begin(), lines.end(), [kind](const Line& line) { return line.kind == kind; });
  };
  // Bullets below numbers are details; alone they are the steps.
  const LineKind mark = has(LineKind::kNumbered) ? LineKind::kNumbered : LineKind::kBullet;
  const auto first = std::find_if(lines.begin(), lines.end(), [mark](const Line& line) { return line.kind == mark; });
  if (first == lines.end())
    return invalid_argument("skill: no step was found in the text",
                            "write each step on a line of its own that begins with a number or a bullet");
  Skill skill;
  skill.origin = SkillOrigin::kTaught;
  for (auto line = first; line != lines.end(); ++line) {
    if (line->text.empty()) continue;
    if (line->kind == LineKind::kHeading) break;
    if (line->kind == mark && line->indent <= first->indent) {
      skill.steps.push_back(step_of(line->text));
      continue;
    }
    SkillStep& step = skill.steps.back();
    step.details = joined(step.details, without_marks(line->text));
    find_tools(line->text, step.tools);
  }
  if (skill.steps.size() > kMostSteps)
    return invalid_argument("skill: " + std::to_string(skill.steps.size()) + " steps are too many",
                            "at most " + std::to_string(kMostSteps));
  describe({lines.begin(), first}, lesson, skill);
  return skill;
}

namespace {

constexpr std::size_t kLongestText = 4000, kLongestOccasion = 120, kLongestStep = 300;
constexpr std::size_t kShortestStep = 4;  // bytes

using Phrases = std::vector<std::string>;

// The longest phrases first, so that "and then" is not taken for "then".
struct Words {
  Phrases standing, first, then, asks, tells_of, none;
};

const Words& words_of(Language language) {
  static const auto read = [](const std::string& file) {
    const auto list = [&](const char* name) {
      Phrases phrases;
      for (const auto& phrase : lexicon(file, name)) phrases.emplace_back(phrase);
      std::stable_sort(phrases.begin(), phrases.end(),
                       [](const auto& a, const auto& b) { return a.size() > b.size(); });
      return phrases;
    };
    return Words{list("standing"), list("first"), list("then"), list("asks"), list("tells of"), list("none")};
  };
  static const Words english = read("en/procedures"), chinese = read("zh/procedures");
  return language == Language::kChinese ? chinese : english;
}

constexpr std::string_view kStops[] = {"。", "！", "？", "!", "?", "\n"};
constexpr std::string_view kBreaks[] = {",", ";", ":", "，", "；", "：", "、", "。", "—", "–"};

bool is_word_byte(char c) { return is_letter(c) || is_digit(c) || c == '\''; }

// Whether `phrase` stands at `at` as words of its own. Chinese has no blanks: there it only must not be a part of a
// word that is known to be none.
bool stands_at(std::string_view low, std::size_t at, std::string_view phrase) {
  if (low.substr(at, phrase.size()) != phrase) return false;
  if (!is_letter(phrase.front())) return true;
  const std::size_t end = at + phrase.size();
  return (at == 0 || !is_word_byte(low[at - 1])) && (end == low.size() || !is_word_byte(low[end]));
}

std::string_view phrase_at(std::string_view low, std::size_t at, const Phrases& phrases) {
  for (const std::string& phrase : phrases)
    if (stands_at(low, at, phrase)) return phrase;
  return {};
}

bool is_part_of_none(std::string_view low, std::size_t at, const Words& words) {
  for (const std::string& none : words.none)
    for (std::size_t from = at >= none.size() ? at - none.size() + 1 : 0; from <= at; ++from)
      if (low.substr(from, none.size()) == none) return true;
  return false;
}

// Blanks, signs and conjunctions at both ends.
std::string bare(std::string_view text) {
  for (bool changed = true; changed;) {
    changed = false;
    text = trimmed(text);
    for (const std::string_view sign : {",", ";", ":", ".", "，", "；", "：", "、", "。", "—", "–", "-"}) {
      if (text.starts_with(sign)) text.remove_prefix(sign.size()), changed = true;
      if (text.ends_with(sign)) text.remove_suffix(sign.size()), changed = true;
    }
    if (lowered(text).ends_with(" and")) text.remove_suffix(4), changed = true;
  }
  return std::string(text);
}

bool after_break(std::string_view low, std::size_t at) {
  const std::string_view before = trimmed(low.substr(0, at));
  if (before.empty() || before.ends_with(" and")) return true;
  return std::any_of(std::begin(kBreaks), std::end(kBreaks), [&](auto sign) { return before.ends_with(sign); }) ||
         before.ends_with(".");
}

struct Mark {
  std::size_t at, size;
};

std::vector<Mark> marks_of(std::string_view low, const Words& words, Language language) {
  std::vector<Mark> marks;
  for (std::size_t at = 0; at < low.size();) {
    const std::string_view phrase = phrase_at(low, at, marks.empty() ? words.first : words.then);
    const bool placed =
        marks.empty() || language == Language::kChinese || phrase.starts_with("and ") || after_break(low, at);
    if (!phrase.empty() && placed && !is_part_of_none(low, at, words)) {
      marks.push_back({at, phrase.size()});
      at += phrase.size();
    } else {
      (void)next_code_point(low, at);
    }
  }
  return marks;
}

// What is left of the words before the first step when those that only ask are gone; empty: no occasion.
std::string occasion_of(std::string_view before, const Words& words) {
  std::string text = bare(before);
  for (std::size_t at = 0; at < text.size();) {  // the cue itself, wherever it stands
    const std::string_view cue = phrase_at(lowered(text), at, words.standing);
    const bool is_when = cue == "whenever" || cue == "every time" || cue == "each time";
    if (!cue.empty() && !is_when) {
      text.erase(at, cue.size());
      continue;
    }
    std::size_t next = at;
    (void)next_code_point(text, next);
    at = next;
  }
  for (bool changed = true; changed;) {
    changed = false;
    text = bare(text);
    for (const std::string& ask : words.asks)
      if (text.size() >= ask.size() && stands_at(lowered(text), text.size() - ask.size(), ask)) {
        text.resize(text.size() - ask.size());
        changed = true;
        break;
      }
  }
  return text;
}

bool tells_of_habit(std::string_view occasion, const Words& words, Language language) {
  const std::string low = lowered(occasion);
  for (const std::string& who : words.tells_of) {
    // "I first …", "when I cook, I first …"
    const bool ends = low.size() >= who.size() && stands_at(low, low.size() - who.size(), who);
    if (stands_at(low, 0, who) || (language == Language::kEnglish && ends)) return true;
  }
  return false;
}

bool asks_something(std::string_view text) {
  return text.ends_with("?") || text.ends_with("？") || text.ends_with("吗") || text.ends_with("吗。");
}

// "when you deploy: first run the tests, then tag the commit" as an occasion and numbered lines.
std::optional<SkillLesson> from_sentence(std::string_view text, const Words& words, Language language) {
  const std::string low = lowered(text);
  if (low.size() != text.size()) return std::nullopt;
  const auto marks = marks_of(low, words, language);
  if (marks.size() < 2) return std::nullopt;
  const std::string occasion = occasion_of(text.substr(0, marks.front().at), words);
  if (occasion.empty() || occasion.size() > kLongestOccasion || tells_of_habit(occasion, words, language))
    return std::nullopt;
  std::string lesson = occasion + "\n";
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::size_t from = marks[i].at + marks[i].size;
    const std::size_t to = i + 1 < marks.size() ? marks[i + 1].at : text.size();
    std::string_view said = text.substr(from, to - from);
    for (const std::string_view stop : kStops) said = said.substr(0, said.find(stop));
    said = said.substr(0, said.find(". "));
    const std::string step = bare(said);
    if (step.size() < kShortestStep || step.size() > kLongestStep) return std::nullopt;
    lesson += std::to_string(i + 1) + ". " + step + "\n";
  }
  return SkillLesson{lesson, {}, {}};
}

}  // namespace

std::optional<SkillLesson> taught_procedure(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.size() > kLongestText || asks_something(text)) return std::nullopt;
  const Language language = language_of(text);
  const Words& words = words_of(language);
  const std::string low = lowered(text);
  bool holds_on = false;
  for (std::size_t at = 0; at < low.size() && !holds_on; (void)next_code_point(low, at))
    holds_on = !phrase_at(low, at, words.standing).empty();
  if (!holds_on) return std::nullopt;
  // As a list: what stands before it must say when.
  const SkillLesson whole{std::string(text), {}, {}};
  if (const auto skill = skill_from_lesson(whole); skill.ok() && skill->steps.size() >= 2) {
    const auto first_line = text.substr(0, text.find('\n'));
    const std::string occasion = occasion_of(first_line, words);
    if (occasion.empty() || occasion.size() > kLongestOccasion || tells_of_habit(occasion, words, language))
      return std::nullopt;
    return whole;
  }
  return from_sentence(text, words, language);
}

namespace {

constexpr std::size_t kFewestSteps = 2, kMostCrystalSteps = 20, kMostConditions = 6;
constexpr std::size_t kLongestCrystalName = 80, kLongestTask = 300, kLongestValue = 120;  // bytes

// What was done, without what failed on the way.
std::vector<const ReportStep*> deeds_of(const TaskReport& report) {
  std::vector<const ReportStep*> deeds;
  for (const ReportStep& step : report.steps)
    if (!step.tool.empty() && !step_failed(step)) deeds.push_back(&step);
  return deeds;
}

bool same_way(const std::vector<const ReportStep*>& a, const std::vector<const ReportStep*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ReportStep* one, const ReportStep* other) { return one->tool == other->tool; });
}

// Whoever was told of a procedure shows that this one works, and no other.
bool may_witness(const TaskReport& report, const std::string& owner) {
  return report.owner == owner && report.provenance == Provenance::kOwnRun && report.skills.empty() &&
         !report.task.empty() && report.learn;
}

// The model's own word is not enough.
bool is_seen(const TaskReport& report) {
  return report.outcome_by == Witness::kVerifier || report.outcome_by == Witness::kUser;
}

struct Witnesses {
  std::vector<const TaskReport*> succeeded;
  std::size_t known = 0;
};

Witnesses witnesses_of(const TaskReport& newest, std::span<const TaskReport> all, const Likeness& likeness,
                       double related) {
  const auto way = deeds_of(newest);
  std::vector<const TaskReport*> same;
  std::vector<std::string> tasks;
  for (const TaskReport& report : all) {
    if (report.id == newest.id || !may_witness(report, newest.owner) || !is_seen(report)) continue;
    if (!same_way(way, deeds_of(report))) continue;
    same.push_back(&report);
    tasks.push_back(preview(report.task, kLongestTask));
  }
  Witnesses found{{&newest}, 1};
  const auto alike = likeness.to_all(preview(newest.task, kLongestTask), tasks);
  for (std::size_t i = 0; i < same.size(); ++i) {
    if (alike[i] < related) continue;
    ++found.known;
    if (settled_outcome(*same[i]) == Outcome::kSuccess) found.succeeded.push_back(same[i]);
  }
  return found;
}

bool are_independent(const std::vector<const TaskReport*>& reports, std::size_t needed) {
  std::vector<RuleEvidence> evidence;
  for (const TaskReport* report : reports)
    // A day of its own for each: here days do not count.
    evidence.push_back({{}, report->session, report->task, {report->id}, report->id, report->outcome, {}});
  return independent(evidence, needed);
}

std::map<std::string, std::string> arguments_of(const ReportStep& step) {
  std::map<std::string, std::string> members;
  const auto read = parse_value(step.arguments, {}, "arguments");
  const auto* object = read.ok() ? read->object() : nullptr;
  if (object == nullptr) return members;
  for (const auto& [name, value] : *object) members[name] = value.text() != nullptr ? *value.text() : to_json(value);
  return members;
}

// What was the same each time is said, of what was not only its name.
std::string details_of(const std::vector<const ReportStep*>& calls, bool chinese) {
  std::string same, own;
  for (const auto& [name, value] : arguments_of(*calls.front())) {
    const bool always = std::all_of(calls.begin(), calls.end(), [&, &name = name, &value = value](const auto* call) {
      const auto theirs = arguments_of(*call);
      const auto at = theirs.find(name);
      return at != theirs.end() && at->second == value;
    });
    if (always && value.size() <= kLongestValue)
      same += (same.empty() ? "" : ", ") + name + " = " + value;
    else
      own += (own.empty() ? "" : ", ") + name;
  }
  if (!own.empty()) own = (chinese ? "按任务而定：" : "as the task says: ") + own;
  return same + (same.empty() || own.empty() ? "" : "\n") + own;
}

}  // namespace

std::vector<std::string> tools_of(const Skill& skill) {
  std::vector<std::string> tools;
  for (const SkillStep& step : skill.steps) tools.insert(tools.end(), step.tools.begin(), step.tools.end());
  return tools;
}

bool is_for(const Skill& skill, std::string_view task, const Likeness& likeness, double related) {
  const auto alike = likeness.to_all(task, skill_phrases(skill));
  return std::any_of(alike.begin(), alike.end(), [related](double one) { return one >= related; });
}

std::optional<Skill> crystallised(const TaskReport& newest, std::span<const TaskReport> all, const Likeness& likeness,
                                  const EvolutionSettings& settings) {
  const auto way = deeds_of(newest);
  if (way.size() < kFewestSteps || way.size() > kMostCrystalSteps || !may_witness(newest, newest.owner))
    return std::nullopt;
  if (!is_seen(newest) || settled_outcome(newest) != Outcome::kSuccess) return std::nullopt;
  const Witnesses found = witnesses_of(newest, all, likeness, settings.related);
  const auto good = static_cast<double>(found.succeeded.size());
  if (good < settings.trial_rate * static_cast<double>(found.known)) return std::nullopt;
  if (!are_independent(found.succeeded, static_cast<std::size_t>(settings.reflections))) return std::nullopt;

  Skill skill;
  skill.owner = newest.owner;
  skill.origin = SkillOrigin::kReflection;
  skill.stage = LifeStage::kProbation;
  skill.name = preview(newest.task, kLongestCrystalName);
  const bool chinese = language_of(newest.task) == Language::kChinese;
  skill.description = (chinese ? "这样做过并成功的任务数：" : "the way in which tasks like this succeeded: ") +
                      std::to_string(found.succeeded.size());
  for (const TaskReport* report : found.succeeded) {
    skill.learned_from.push_back(report->id);
    if (skill.trigger_conditions.size() < kMostConditions)
      skill.trigger_conditions.push_back(preview(report->task, kLongestTask));
  }
  std::string text;
  for (std::size_t i = 0; i < way.size(); ++i) {
    std::vector<const ReportStep*> calls;
    for (const TaskReport* report : found.succeeded) calls.push_back(deeds_of(*report)[i]);
    SkillStep step{(chinese ? "调用 " : "Call ") + way[i]->tool, details_of(calls, chinese), {way[i]->tool}};
    text += step.action + "\n" + step.details + "\n";
    skill.steps.push_back(std::move(step));
  }
  if (loosens_safety(text)) return std::nullopt;
  return skill;
}

}  // namespace weft
