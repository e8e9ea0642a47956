#include "growth/preference_signs.h"

#include <algorithm>

#include "base/prompts.h"
#include "base/strings.h"
#include "flow/memory/standing_wish.h"
#include "text/cues.h"
#include "text/lexicon.h"
#include "text/line_diff.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kShortQuestion = 120;  // bytes: a longer message asks for something of its own
constexpr std::size_t kLongEnough = 60;      // bytes: of a text that is worth comparing
constexpr double kSameText = 0.3;            // share of the longer one that a changed copy keeps at least
constexpr std::size_t kMostOptions = 9;

BeliefSignal signal_of(SignalKind kind, std::string_view dimension, std::string_view value, Language language) {
  BeliefSignal sign;
  sign.kind = kind;
  sign.dimension = dimension;
  sign.value = value;
  sign.told = preference_text(dimension, value, language);
  return sign;
}

void add_all(SignalKind kind, const std::map<std::string, std::string>& named, Language language,
             std::vector<BeliefSignal>& signs) {
  for (const auto& [dimension, value] : named) {
    const auto same = [&name = dimension](const BeliefSignal& one) { return one.dimension == name; };
    if (std::none_of(signs.begin(), signs.end(), same)) signs.push_back(signal_of(kind, dimension, value, language));
  }
}

// "I prefer …", "from now on …", 不要用…: what holds beyond this one answer.
void add_wishes(std::string_view message, std::vector<BeliefSignal>& signs) {
  static const PhraseTable prefers = phrase_table("preferences", "prefers");
  const auto all = sentences(message);
  for (const std::string_view sentence : all) {
    const auto words = plain_words(sentence);
    const bool asks = !words.empty() && words.back().kind == WordKind::kQuestion;
    const bool outright = !asks && prefers.any_in(words);
    const Language language = language_of(sentence);
    for (const std::string& wish : standing_wishes(sentence, all.size() == 1))
      add_all(SignalKind::kExplicit, named_preferences(wish), language, signs);
    if (outright) add_all(SignalKind::kExplicit, named_preferences(sentence), language, signs);
  }
}

// The label before an option, and how many bytes it takes: 1 for "A", "1", 一; 0 where there is none.
std::pair<int, std::size_t> label_of(std::string_view line) {
  static const auto before = lexicon_both("curiosity", "option words");
  const std::size_t whole = line.size();
  while (!line.empty() && (line.front() == '*' || line.front() == '-' || line.front() == ' ')) line.remove_prefix(1);
  for (const std::string_view word : before) {
    const bool stands = line.size() > word.size() && std::equal(word.begin(), word.end(), line.begin(),
                                                                [](char a, char b) { return a == to_lower(b); });
    if (!stands) continue;
    line.remove_prefix(word.size());
    line = trimmed(line);
    break;
  }
  static constexpr std::string_view kHan[] = {"一", "二", "三", "四", "五", "六", "七", "八", "九"};
  int label = 0;
  if (!line.empty() && line[0] >= '1' && line[0] <= '9') label = line[0] - '0', line.remove_prefix(1);
  if (label == 0 && !line.empty() && is_upper(line[0]) && line[0] < 'J')
    label = line[0] - 'A' + 1, line.remove_prefix(1);
  for (int i = 0; label == 0 && i < 9; ++i)
    if (line.starts_with(kHan[i])) label = i + 1, line.remove_prefix(kHan[i].size());
  if (label == 0) return {0, 0};
  while (line.starts_with("**")) line.remove_prefix(2);
  for (const std::string_view mark : {".", ")", ":", "、", "：", "）", "．", " —", " -", "—"})
    if (line.starts_with(mark)) return {label, whole - line.size() + mark.size()};
  return {0, 0};
}

// Parts that the user's text has in common with the answer, by sentences.
bool is_changed_copy(std::string_view answer, std::string_view message) {
  if (answer.size() < kLongEnough || message.size() < kLongEnough) return false;
  std::string old_lines, new_lines;
  for (const std::string_view line : sentences(answer)) old_lines.append(line) += '\n';
  for (const std::string_view line : sentences(message)) new_lines.append(line) += '\n';
  std::size_t same = 0, left = 0;
  for (const DiffLine& line : line_diff(old_lines, new_lines)) {
    same += line.kind == DiffLine::Kind::kSame ? line.text.size() : 0;
    left += line.kind == DiffLine::Kind::kAdded ? line.text.size() : 0;
  }
  const auto longer = static_cast<double>(std::min(old_lines.size(), new_lines.size()));
  return static_cast<double>(same) >= kSameText * longer && same + left > 0 && old_lines != new_lines;
}

void add_choice(std::string_view answer, std::string_view message, std::vector<BeliefSignal>& signs) {
  const auto options = offered_options(answer);
  const auto chosen = chosen_option(options, message);
  if (!chosen) return;
  const Language language = language_of(options[*chosen]);
  auto named = named_preferences(options[*chosen]);
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (i == *chosen) continue;
    // What another option names alike was not chosen.
    for (const auto& [dimension, value] : named_preferences(options[i]))
      if (const auto at = named.find(dimension); at != named.end() && at->second == value) named.erase(at);
  }
  add_all(SignalKind::kChoice, named, language, signs);
}

void add_follow_up(std::string_view message, std::vector<BeliefSignal>& signs) {
  if (message.size() > kShortQuestion) return;
  static const PhraseTable table = [] {
    PhraseTable made;
    int index = 0;
    for (const PreferenceName& name : preference_names())
      made.add_list("preferences", "follow " + std::string(name.dimension) + " " + std::string(name.value), index++);
    return made;
  }();
  const auto words = plain_words(message);
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto match = table.longest(words, at);
    if (match.words == 0) continue;
    const PreferenceName& name = preference_names()[static_cast<std::size_t>(match.value)];
    add_all(SignalKind::kFollowUp, {{std::string(name.dimension), std::string(name.value)}}, language_of(message),
            signs);
    return;
  }
}

}  // namespace

std::vector<std::string> offered_options(std::string_view answer) {
  std::vector<std::string> options;
  bool asks = false;
  for (const std::string_view raw : lines_of(answer)) {
    const std::string_view line = trimmed(raw);
    if (line.empty()) continue;
    asks = asks || line.ends_with("?") || line.ends_with("？");
    const auto [label, bytes] = label_of(line);
    if (label == 0) continue;
    if (label != static_cast<int>(options.size()) + 1) return {};
    options.emplace_back(trimmed(line.substr(bytes)));
  }
  if (!asks || options.size() < 2 || options.size() > kMostOptions) options.clear();
  return options;
}

std::optional<std::size_t> chosen_option(std::span<const std::string> options, std::string_view reply) {
  reply = trimmed(reply);
  if (reply.empty() || options.empty()) return std::nullopt;
  const std::string said = normalize(reply);
  for (std::size_t i = 0; i < options.size(); ++i)
    if (said == normalize(options[i])) return i;
  static const auto ordinals = [] {
    PhraseTable table;
    for (const char* file : {"en/curiosity", "zh/curiosity"})
      for (const auto& [word, number] : lexicon_pairs(file, "ordinals"))
        table.add(word, number.empty() ? 0 : number.front() - '0');
    return table;
  }();
  static const PhraseTable filler = phrase_table("curiosity", "choosing words");
  std::optional<std::size_t> chosen;
  bool other = false;  // words that neither choose nor stand around a choice
  const auto words = plain_words(reply);
  for (std::size_t at = 0; at < words.size();) {
    const auto ordinal = ordinals.longest(words, at);
    const auto empty = filler.longest(words, at);
    std::size_t number = 0;
    if (ordinal.words > empty.words) number = static_cast<std::size_t>(ordinal.value);
    const std::string& word = words[at].text;
    if (number == 0 && empty.words == 0 && word.size() == 1) {
      if (word[0] >= 'a' && word[0] <= 'i') number = static_cast<std::size_t>(word[0] - 'a' + 1);
      if (word[0] >= '1' && word[0] <= '9') number = static_cast<std::size_t>(word[0] - '0');
    }
    if (number > 0) {
      if (number > options.size() || (chosen && *chosen != number - 1)) return std::nullopt;
      chosen = number - 1;
    } else if (empty.words == 0 && words[at].kind != WordKind::kComma && words[at].kind != WordKind::kStop) {
      other = true;
    }
    at += std::max<std::size_t>({1, ordinal.words, empty.words});
  }
  if (chosen && !other) return chosen;
  // The option's own words, where one option alone has them.
  std::optional<std::size_t> holds;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string option = normalize(options[i]);
    const bool within =
        option.find(said) != std::string::npos || (option.size() > 3 && said.find(option) != std::string::npos);
    if (!within) continue;
    if (holds) return std::nullopt;
    holds = i;
  }
  return holds;
}

std::vector<BeliefSignal> signs_of_message(std::string_view answer, std::string_view message) {
  std::vector<BeliefSignal> signs;
  if (trimmed(message).empty()) return signs;
  if (is_changed_copy(answer, message)) return signs_of_edit(answer, message);
  add_wishes(message, signs);
  if (answer.empty()) return signs;
  add_choice(answer, message, signs);
  if (signs.empty()) add_follow_up(message, signs);
  if (signs.empty()) signs.emplace_back();
  return signs;
}

// Preferences by the words that name them.

namespace {

constexpr PreferenceName kNames[] = {
    {"detail", "brief", "detailed"},
    {"detail", "detailed", "brief"},
    {"format", "list", ""},
    {"format", "table", ""},
    {"format", "prose", ""},
    {"language", "english", ""},
    {"language", "chinese", ""},
    {"tone", "formal", "casual"},
    {"tone", "casual", "formal"},
    {"units", "metric", "imperial"},
    {"units", "imperial", "metric"},
    {"examples", "with", "without"},
    {"order", "conclusion first", ""},
    {"order", "step by step", ""},
    {"autonomy", "ask first", "go ahead"},
    {"autonomy", "go ahead", "ask first"},
    {"emoji", "with", "without"},
    {"sources", "with", "without"},
    {"reasons", "with", "without"},
    {"time format", "h24", "h12"},
    {"time format", "h12", "h24"},
};
constexpr int kNegation = -1, kNone = -2;
constexpr std::size_t kReach = 6;  // words between a negation and what it negates

const PhraseTable& named_table() {
  static const PhraseTable made = [] {
    PhraseTable table;
    int index = 0;
    for (const PreferenceName& name : kNames)
      table.add_list("preferences", std::string(name.dimension) + " " + std::string(name.value), index++);
    table.add_list("preferences", "negates", kNegation);
    return table;
  }();
  return made;
}

// Lines "detail brief: Keep answers short."
std::map<std::string, std::string> told_texts(const char* language) {
  std::map<std::string, std::string> texts;
  for (const std::string_view line : lines_of(shipped_prompt("preferences", language).text)) {
    const auto colon = line.find(": ");
    if (colon != std::string_view::npos) texts.emplace(line.substr(0, colon), trimmed(line.substr(colon + 2)));
  }
  return texts;
}

bool is_break(const PlainWord& word) {
  return word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.kind == WordKind::kQuestion;
}

// What begins at a word: an index of kNames, kNegation, or kNone; and how many words it takes.
PhraseTable::Match read_at(const std::vector<PlainWord>& words, std::size_t at) {
  constexpr Moods kNot(Mood::kForbids, Mood::kNotTo, Mood::kNotToDo, Mood::kNegates, Mood::kHoldsOff,
                       Mood::kNoNegation);
  const PhraseTable::Match named = named_table().longest(words, at);
  const Modal modal = modal_at(words, at, kNot);
  if (modal.words > named.words) return {modal.words, modal.moods.has(Mood::kNoNegation) ? kNone : kNegation};
  return named.words == 0 ? PhraseTable::Match{1, kNone} : named;
}

}  // namespace

std::span<const PreferenceName> preference_names() { return kNames; }

std::map<std::string, std::string> named_preferences(std::string_view text) {
  const std::vector<PlainWord> words = plain_words(text);
  std::map<std::string, std::string> found;
  std::size_t negated_until = 0;
  for (std::size_t at = 0; at < words.size();) {
    if (is_break(words[at])) {
      negated_until = 0;
      ++at;
      continue;
    }
    const auto [length, value] = read_at(words, at);
    if (value == kNegation) negated_until = at + length + kReach;
    if (value >= 0) {
      const PreferenceName& name = kNames[value];
      const std::string_view meant = at < negated_until ? name.opposite : name.value;
      if (!meant.empty()) found[std::string(name.dimension)] = meant;
    }
    at += length;
  }
  return found;
}

std::string preference_text(std::string_view dimension, std::string_view value, Language language) {
  static const auto english = told_texts("en"), chinese = told_texts("zh");
  const auto& texts = language == Language::kChinese ? chinese : english;
  const auto at = texts.find(std::string(dimension) + " " + std::string(value));
  return at == texts.end() ? std::string(dimension) + ": " + std::string(value) : at->second;
}

// Preferences by what somebody made of an answer, and by what shows in it.

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
