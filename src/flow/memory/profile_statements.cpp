// Two small grammars, one a language. English is read by words: a verb phrase from a table with the subject before it
// and the value behind it. Chinese is read by clauses: a phrase, or a frame such as 在…工作 or 对…过敏, with the
// subject before it. What they do not see is kept as a note, so that they may miss but should not misread.
#include "flow/memory/profile_statements.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "flow/memory/standing_wish.h"
#include "flow/memory/statement_readers.h"
#include "text/cues.h"
#include "text/han_fold.h"
#include "text/lexicon.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMaxSentence = 2000;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// "next friday [27 november 2026]": what was set beside the words said is no part of them.
std::string without_notes(std::string text) {
  constexpr std::size_t kLongest = 80;
  for (auto open = text.find('['); open != std::string::npos; open = text.find('[', open)) {
    const auto close = text.find(']', open);
    if (close == std::string::npos) break;
    if (close - open > kLongest) {
      open = close;
      continue;
    }
    const bool blank = open > 0 && text[open - 1] == ' ';
    text.erase(open - (blank ? 1 : 0), close + 1 - open + (blank ? 1 : 0));
  }
  return text;
}

// Folded so that both grammars compare plain bytes: simplified, lower case, ASCII punctuation.
std::string folded(std::string_view sentence) {
  std::string text = fold_han(sentence);
  for (char& c : text) c = to_lower(c);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kForms{{{"’", "'"},
                                                                                 {"，", ","},
                                                                                 {"；", ";"},
                                                                                 {"。", "."},
                                                                                 {"！", "!"},
                                                                                 {"？", "?"},
                                                                                 {"：", ":"},
                                                                                 {"（", "("},
                                                                                 {"）", ")"}}};
  for (const auto& [from, to] : kForms) text = replaced(std::move(text), from, to);
  return without_notes(std::move(text));
}

// The parts of a value that may be a list.
void split_value(ProfileStatement& made) {
  if (!made.single) {
    std::string list = made.value;
    for (const std::string_view separator : {", and ", " and ", " or ", ", ", "/", "、", "以及", "和", "与"}) {
      list = replaced(std::move(list), separator, "\n");
    }
    for (std::string_view rest = list; !rest.empty();) {
      const auto end = rest.find('\n');
      if (const auto part = trim_words(rest.substr(0, end)); !part.empty()) made.parts.emplace_back(part);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
  if (made.parts.empty()) made.parts.push_back(made.value);
  for (const auto& part : made.parts) made.values.push_back(value_key(part));
}

bool has_cjk(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_cjk(next_code_point(text, at))) return true;
  }
  return false;
}

}  // namespace

std::string_view trim_words(std::string_view text, std::string_view blanks) { return trimmed(text, blanks); }

std::string_view trim_marks(std::string_view text) {
  for (bool cut = true; cut;) {
    text = trim_words(text);
    cut = false;
    for (const std::string_view mark : {"。", "，", "；", "：", "！", "“", "”", "、"}) {
      if (text.starts_with(mark)) text.remove_prefix(mark.size()), cut = true;
      if (text.ends_with(mark)) text.remove_suffix(mark.size()), cut = true;
    }
  }
  return text;
}

std::optional<ProfileStatement> make_statement(std::string_view subject, const Phrase& phrase, std::string_view value) {
  value = trim_words(value);
  if (value.empty()) return std::nullopt;
  ProfileStatement made;
  made.subject = subject;
  made.attribute = phrase.attribute;
  made.single = phrase.single;
  made.polarity = phrase.polarity;
  made.value = value;
  split_value(made);
  return made;
}

std::string value_key(std::string_view value) {
  std::string key;
  for (const auto& word : index_words(value)) key += (key.empty() ? "" : " ") + word;
  return key.empty() ? normalize(value) : key;
}

std::vector<ProfileStatement> read_statements(std::string_view sentence) {
  if (sentence.size() > kMaxSentence || find_invalid_utf8(sentence)) return {};
  const std::string text = folded(sentence);
  const std::string_view end = trim_words(text, " \t\r\n\"'");
  if (end.ends_with('?') || end.ends_with("吗") || end.ends_with("呢")) return {};
  if (auto wish = read_wish_line(sentence)) return {std::move(*wish)};
  auto statements = has_cjk(text) ? read_chinese(text) : read_english(text, sentence);
  if (tells_of_addition(text))
    for (ProfileStatement& one : statements) one.single = false;
  return statements;
}

bool is_preference(std::string_view attribute) {
  return attribute == "likes" || attribute == "prefers" || attribute == "eats" || attribute == "drinks" ||
         attribute.starts_with("favourite") || attribute.starts_with("wish:");
}

// The tables of the grammar: verbs of state and the nouns that people keep about each other,
// lexicon/{en,zh}/profile.txt. Their forms and negations are made here, so that an entry is a verb and not ten phrases.

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
