// The tables of the grammar: verbs of state and the nouns that people keep about each other,
// lexicon/{en,zh}/profile.txt. Their forms and negations are made here, so that an entry is a verb and not ten phrases.
#include "flow/memory/profile_phrases.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/lexicon.h"

namespace weft {
namespace {

using View = std::string_view;

constexpr auto kYes = Polarity::kYes, kNo = Polarity::kNo, kNoLonger = Polarity::kNoLonger;

/// "living in=residence".
struct Entry {
  View words, attribute;
};

std::vector<Entry> entries(View file, View list) {
  std::vector<Entry> all;
  for (const View entry : lexicon(file, list)) {
    const auto sign = entry.find('=');
    all.push_back({entry.substr(0, sign), sign == View::npos ? kAnyAttribute : entry.substr(sign + 1)});
  }
  return all;
}

bool listed(const char* file, const char* list, View word) {
  const auto words = lexicon(file, list);
  return std::find(words.begin(), words.end(), word) != words.end();
}

Phrase phrase_of(View attribute, Polarity polarity) {
  return {std::string(attribute), listed("en/profile", "single", attribute), polarity};
}

// The first word of a text, which is taken off.
std::string take_word(View& text) {
  const View word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return std::string(word);
}

using EnglishTable = std::unordered_map<std::string, std::vector<EnglishPhrase>>;

void add(EnglishTable& table, const std::string& words, View attribute, Polarity polarity) {
  table[words.substr(0, words.find(' '))].push_back({words, phrase_of(attribute, polarity)});
}

// "lives live living in": no longer lives in, stopped living in, does not live in, used to live in.
void add_verb(EnglishTable& table, Entry verb, bool negative) {
  const std::string third = take_word(verb.words), base = take_word(verb.words), gerund = take_word(verb.words);
  const std::string rest = verb.words.empty() ? std::string() : " " + std::string(verb.words);
  // "I do like mushrooms"
  for (const std::string& states : {third, "does " + base})
    add(table, states + rest, verb.attribute, negative ? kNo : kYes);
  // "does not dislike" is not "likes": it only takes the dislike back.
  for (const char* negation : {"does not ", "doesn't "})
    add(table, negation + base + rest, verb.attribute, negative ? kNoLonger : kNo);
  for (const std::string& over : {"no longer " + third, "stopped " + gerund, "used to " + base})
    add(table, over + rest, verb.attribute, kNoLonger);
}

EnglishTable english_table() {
  EnglishTable table;
  for (const Entry& verb : entries("en/profile", "verbs")) add_verb(table, verb, false);
  for (const Entry& verb : entries("en/profile", "verbs of dislike")) add_verb(table, verb, true);
  for (const Entry& state : entries("en/profile", "is")) {
    const std::string words(state.words);
    add(table, "is " + words, state.attribute, kYes);
    for (const char* negation : {"is not ", "isn't "}) add(table, negation + words, state.attribute, kNo);
    add(table, "is no longer " + words, state.attribute, kNoLonger);
  }
  for (const Entry& since : entries("en/profile", "since")) add(table, std::string(since.words), since.attribute, kYes);
  for (const Entry& verb : entries("en/profile", "cannot"))
    for (const char* cannot : {"cannot ", "can't ", "can not ", "is not allowed to ", "isn't allowed to "})
      add(table, cannot + std::string(verb.words), verb.attribute, kNo);
  for (const Entry& over : entries("en/profile", "over"))
    for (const char* before : {"", "has "}) add(table, before + std::string(over.words), over.attribute, kNoLonger);
  return table;
}

}  // namespace

std::span<const EnglishPhrase> english_phrases(std::string_view first_word) {
  static const EnglishTable table = english_table();
  const auto at = table.find(std::string(first_word));
  return at == table.end() ? std::span<const EnglishPhrase>() : std::span<const EnglishPhrase>(at->second);
}

std::string owned_attribute(std::string_view noun) {
  static const auto owned = lexicon_pairs("en/profile", "owned");
  for (const View favourite : {"favourite ", "favorite "}) {
    if (noun.starts_with(favourite)) return "favourite " + value_key(noun.substr(favourite.size()));
  }
  const auto at = owned.find(noun);
  return at == owned.end() ? std::string() : std::string(at->second);
}

std::span<const ChinesePhrase> chinese_phrases() {
  static const std::vector<ChinesePhrase> phrases = [] {
    std::vector<ChinesePhrase> made;
    const auto take = [&made](const std::vector<Entry>& list, Polarity polarity) {
      for (const Entry& verb : list) made.push_back({std::string(verb.words), phrase_of(verb.attribute, polarity)});
    };
    take(entries("zh/profile", "verbs"), kYes);
    take(entries("zh/profile", "verbs not"), kNo);
    take(entries("zh/profile", "verbs no longer"), kNoLonger);
    return made;
  }();
  return phrases;
}

std::span<const ChineseFrame> chinese_frames() {
  static const std::vector<ChineseFrame> frames = [] {
    std::vector<ChineseFrame> made;
    const auto take = [&made](const std::vector<Entry>& list, Polarity polarity) {
      constexpr View kValue = "…";
      for (const Entry& frame : list) {
        const auto at = frame.words.find(kValue);
        made.push_back({std::string(frame.words.substr(0, at)), std::string(frame.words.substr(at + kValue.size())),
                        phrase_of(frame.attribute, polarity)});
      }
    };
    take(entries("zh/profile", "frames no longer"), kNoLonger);
    take(entries("zh/profile", "frames not"), kNo);
    take(entries("zh/profile", "frames"), kYes);
    return made;
  }();
  return frames;
}

bool is_unsure_english(std::string_view word) { return listed("en/profile", "unsure", word); }

bool is_unsure_chinese(std::string_view before_verb) {
  const auto words = lexicon("zh/profile", "unsure");
  return std::any_of(words.begin(), words.end(), [&](View word) { return before_verb.find(word) != View::npos; });
}

bool is_adverb_english(std::string_view word) { return listed("en/profile", "adverbs", word); }

std::span<const std::string_view> adverbs_chinese() { return lexicon("zh/profile", "adverbs"); }

bool is_no_name_english(std::string_view subject) {
  if (subject == "the user" || subject == "the group" || subject.starts_with("the user's ")) return false;
  return listed("en/profile", "no names", subject.substr(0, subject.find(' '))) ||
         subject.find_first_of("*`#[]{}<>|") != View::npos;
}

bool is_no_name_chinese(std::string_view subject) {
  const auto words = lexicon("zh/profile", "no names");
  return std::any_of(words.begin(), words.end(),
                     [&](View word) { return subject.starts_with(word) || subject.ends_with(word); }) ||
         subject.find_first_of("*`#[]{}<>|:") != View::npos;
}

bool is_pronoun_english(std::string_view word) { return listed("en/profile", "pronouns", word); }
bool is_pronoun_chinese(std::string_view word) { return listed("zh/profile", "pronouns", word); }

bool ends_value_english(std::string_view word) { return listed("en/profile", "value ends", word); }

}  // namespace weft
