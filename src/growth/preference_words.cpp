// Preferences by the words that name them.
#include "base/prompts.h"
#include "base/strings.h"
#include "growth/preference_signs.h"
#include "text/modality.h"
#include "text/plain_words.h"

namespace weft {
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

}  // namespace weft
