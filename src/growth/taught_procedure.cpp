#include "growth/taught_procedure.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/lowered.h"
#include "base/strings.h"
#include "growth/skill_lesson.h"
#include "text/lexicon.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
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

}  // namespace weft
