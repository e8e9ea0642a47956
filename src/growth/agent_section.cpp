#include "growth/agent_section.h"

#include <algorithm>

#include "base/strings.h"
#include "growth/rule_book.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLongest = 600;  // bytes of a text of a rule

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

// On one line, and no comment of Markdown begins or ends in it.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : preview(std::string(text), kLongest)) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  replace_all(line, "<!--", "<! --");
  replace_all(line, "-->", "-- >");
  return line;
}

bool is_chinese(const Rule& rule) { return language_of(rule.strategy) == Language::kChinese; }

std::string line_of(const Rule& rule) {
  std::string line = "- " + one_line(rule.strategy);
  if (rule.applies_to.empty()) return line + "\n";
  if (is_chinese(rule)) return line + "（适用：" + one_line(rule.applies_to) + "）\n";
  const std::string when = one_line(rule.applies_to);
  return line + (when.starts_with("when ") ? " (" : " (when: ") + when + ")\n";
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool has_returns(std::string_view text) {
  const auto end = text.find('\n');
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r';
}

Error broken(std::string_view file, std::size_t line, std::string_view what) {
  return conflict(std::string(file) + ", line " + std::to_string(line) + ": " + std::string(what),
                  "put the lines \"" + std::string(kSectionBegin) + "\" and \"" + std::string(kSectionEnd) +
                      "\" right, or take both out");
}

}  // namespace

std::string section_of(std::span<const Rule> rules) {
  std::string active, trial;
  std::size_t chinese = 0;
  for (const Rule& rule : rules) {
    if (!is_told(rule)) continue;
    chinese += is_chinese(rule);
    (rule.stage == LifeStage::kActive ? active : trial) += line_of(rule);
  }
  if (active.empty() && trial.empty()) return {};
  const bool zh = 2 * chinese > rules.size();
  std::string text = zh ? "## 学到的规则\n\n来自以往任务的经验；适用时请遵守。\n"
                        : "## Learnt rules\n\nLearnt from earlier tasks; follow a rule where it applies.\n";
  if (!active.empty()) text += "\n" + active;
  if (!trial.empty())
    text += (zh ? "\n试用中（尚未证实，适用时可以一试）：\n\n"
                : "\nOn trial (not proven yet; try one where it fits):\n\n") +
            trial;
  return text;
}

Result<std::optional<SectionPlace>> find_section(std::string_view text, std::string_view file) {
  SectionPlace place;
  std::size_t at = 0, number = 0, began = 0, ended = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    const std::size_t next = std::min(at + line.size() + 1, text.size());
    if (without_return(line) == kSectionBegin) {
      if (began != 0) return broken(file, number, "a second section of learnt rules begins");
      began = number;
      place.begin = at;
      place.inner_begin = next;
    } else if (without_return(line) == kSectionEnd) {
      if (began == 0 || ended != 0) return broken(file, number, "a section of learnt rules ends that did not begin");
      ended = number;
      place.inner_end = at;
      place.end = next;
    }
    at = next;
  }
  if (began == 0) return std::optional<SectionPlace>();
  if (ended == 0) return broken(file, began, "the section of learnt rules does not end");
  return std::optional<SectionPlace>(place);
}

Result<std::optional<std::string>> section_in(std::string_view text, std::string_view file) {
  WEFT_TRY(const auto place, find_section(text, file));
  if (!place) return std::optional<std::string>();
  std::string inner(text.substr(place->inner_begin, place->inner_end - place->inner_begin));
  if (has_returns(text)) replace_all(inner, "\r\n", "\n");
  return std::optional<std::string>(std::move(inner));
}

Result<std::string> with_section(std::string_view text, std::string_view content, std::string_view file) {
  WEFT_TRY(const auto place, find_section(text, file));
  std::string section;
  if (content.find_first_not_of(" \t\n") != std::string_view::npos) {
    section = std::string(kSectionBegin) + "\n" + std::string(content);
    if (!content.ends_with('\n')) section += "\n";
    section += std::string(kSectionEnd) + "\n";
  }
  std::string before(text.substr(0, place ? place->begin : text.size()));
  const std::string_view after = place ? text.substr(place->end) : std::string_view();
  const bool returns = has_returns(text);
  const std::string_view line_end = returns ? "\r\n" : "\n";
  if (returns) replace_all(section, "\n", "\r\n");
  if (!place && !section.empty() && !before.empty()) {
    if (!before.ends_with('\n')) before += line_end;
    if (!before.ends_with(returns ? "\r\n\r\n" : "\n\n")) before += line_end;
  }
  // A file whose last line was the section's without a line end keeps it so.
  if (place && after.empty() && !text.ends_with('\n') && section.ends_with(line_end))
    section.resize(section.size() - line_end.size());
  return before + section + std::string(after);
}

}  // namespace weft
