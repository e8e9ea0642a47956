// Preferences by what somebody made of an answer, and by what shows in it.
#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "growth/preference_signs.h"
#include "text/line_diff.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr double kShorter = 0.7, kLonger = 1.4;  // of the length before

bool is_list_line(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("• ")) return true;
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  if (digits == 0 || digits > 2) return false;
  line.remove_prefix(digits);
  return line.starts_with(". ") || line.starts_with(") ") || line.starts_with("、") || line.starts_with("．");
}

bool is_table_line(std::string_view line) {
  line = trimmed(line);
  return line.starts_with('|') && std::count(line.begin(), line.end(), '|') >= 3;
}

// Empty where there is too little to tell.
std::string format_of(std::string_view text) {
  std::size_t lists = 0, tables = 0, lines = 0;
  for (const std::string_view line : lines_of(text)) {
    if (trimmed(line).empty()) continue;
    ++lines;
    lists += is_list_line(line) ? 1 : 0;
    tables += is_table_line(line) ? 1 : 0;
  }
  if (tables >= 2) return "table";
  if (lists >= 2 && lists * 2 >= lines) return "list";
  return sentences(text).size() >= 2 && lists == 0 ? "prose" : "";
}

struct Marks {
  int emoji = 0, formal = 0, casual = 0, metric = 0, imperial = 0, examples = 0, links = 0;
};

Marks marks_of(std::string_view text) {
  enum { kFormal = 1, kCasual, kMetric, kImperial, kExample };
  static const PhraseTable table = [] {
    PhraseTable made;
    made.add_list("preferences", "formal words", kFormal);
    made.add_list("preferences", "casual words", kCasual);
    made.add_list("preferences", "metric units", kMetric);
    made.add_list("preferences", "imperial units", kImperial);
    made.add_list("preferences", "example words", kExample);
    return made;
  }();
  Marks marks;
  const auto words = plain_words(text);
  for (std::size_t at = 0; at < words.size();) {
    if (words[at].kind == WordKind::kEmoji) ++marks.emoji;
    const auto match = table.longest(words, at);
    const bool measured = at > 0 && words[at - 1].kind == WordKind::kNumber;  // "5 m", not "I'm"
    if (match.value == kFormal) ++marks.formal;
    if (match.value == kCasual) ++marks.casual;
    if (match.value == kMetric && measured) ++marks.metric;
    if (match.value == kImperial && measured) ++marks.imperial;
    if (match.value == kExample) ++marks.examples;
    at += std::max<std::size_t>(1, match.words);
  }
  for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 3)) ++marks.links;
  return marks;
}

// One sentence a line, so that what was changed can be told from what stayed.
std::string by_sentence(std::string_view text) {
  std::string out;
  for (const std::string_view sentence : sentences(text)) out.append(sentence) += '\n';
  return out;
}

class SignList {
 public:
  explicit SignList(Language language) : language_(language) {}
  void add(std::string_view dimension, std::string_view value) {
    BeliefSignal sign;
    sign.kind = SignalKind::kEdit;
    sign.dimension = dimension;
    sign.value = value;
    sign.told = preference_text(dimension, value, language_);
    all_.push_back(std::move(sign));
  }
  std::vector<BeliefSignal> take() { return std::move(all_); }

 private:
  Language language_;
  std::vector<BeliefSignal> all_;
};

}  // namespace

std::map<std::string, std::string> visible_preferences(std::string_view answer) {
  std::map<std::string, std::string> seen;
  if (trimmed(answer).empty()) return seen;
  seen["language"] = language_of(answer) == Language::kChinese ? "chinese" : "english";
  if (const std::string format = format_of(answer); !format.empty()) seen["format"] = format;
  const Marks marks = marks_of(answer);
  if (marks.emoji > 0) seen["emoji"] = "with";
  if ((marks.metric > 0) != (marks.imperial > 0)) seen["units"] = marks.metric > 0 ? "metric" : "imperial";
  return seen;
}

std::vector<BeliefSignal> signs_of_edit(std::string_view before, std::string_view after) {
  SignList signs(language_of(after));
  const std::string old_lines = by_sentence(before), new_lines = by_sentence(after);
  if (old_lines.empty() || new_lines.empty() || old_lines == new_lines) return {};
  std::string removed, added;
  for (const DiffLine& line : line_diff(old_lines, new_lines)) {
    if (line.kind == DiffLine::Kind::kRemoved) removed.append(line.text) += '\n';
    if (line.kind == DiffLine::Kind::kAdded) added.append(line.text) += '\n';
  }
  const bool translated = language_of(before) != language_of(after);
  if (translated) {
    signs.add("language", language_of(after) == Language::kChinese ? "chinese" : "english");
  } else {
    // Lengths and words of two languages do not compare.
    const double ratio = static_cast<double>(after.size()) / static_cast<double>(before.size());
    if (ratio < kShorter) signs.add("detail", "brief");
    if (ratio > kLonger) signs.add("detail", "detailed");
  }
  const std::string old_format = format_of(before), new_format = format_of(after);
  if (!new_format.empty() && !old_format.empty() && old_format != new_format) signs.add("format", new_format);
  const Marks gone = marks_of(removed), come = marks_of(added), stays = marks_of(after), was = marks_of(before);
  if (was.emoji > 0 && stays.emoji == 0) signs.add("emoji", "without");
  if (was.emoji == 0 && stays.emoji > 0) signs.add("emoji", "with");
  if (was.imperial > 0 && come.metric > 0 && stays.imperial == 0) signs.add("units", "metric");
  if (was.metric > 0 && come.imperial > 0 && stays.metric == 0) signs.add("units", "imperial");
  if (was.examples > 0 && stays.examples == 0 && gone.examples > 0) signs.add("examples", "without");
  if (was.examples == 0 && come.examples > 0) signs.add("examples", "with");
  if (was.links == 0 && stays.links > 0) signs.add("sources", "with");
  if (was.links > 0 && stays.links == 0) signs.add("sources", "without");
  const int formal = (come.formal - gone.formal) - (come.casual - gone.casual);
  if (!translated && formal != 0) signs.add("tone", formal > 0 ? "formal" : "casual");
  return signs.take();
}

}  // namespace weft
