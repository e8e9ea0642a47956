#include "growth/skill_lesson.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>

#include "base/ascii.h"
#include "base/lowered.h"
#include "base/strings.h"
#include "text/sentences.h"
#include "text/utf8.h"

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

}  // namespace weft
