#include "flow/memory/profile_statements.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/standing_wish.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/han_text.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/time_expressions.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {

// Two small grammars, one a language. English is read by words: a verb phrase from a table with the subject before it
// and the value behind it. Chinese is read by clauses: a phrase, or a frame such as 在…工作 or 对…过敏, with the
// subject before it. What they do not see is kept as a note, so that they may miss but should not misread.

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

namespace {

using View = std::string_view;
using WordSet = LexiconWords;

View last_word(View text) {
  const auto space = text.find_last_of(' ');
  return space == View::npos ? text : text.substr(space + 1);
}

View without_article(View text) {
  for (const View article : {"a ", "an ", "the "})
    if (text.starts_with(article)) return text.substr(article.size());
  return text;
}

bool ends_with_any(View text, View list) {
  const auto endings = lexicon("zh/profile", list);
  return std::any_of(endings.begin(), endings.end(), [&](View one) { return text.ends_with(one); });
}

// Of one person there is one at a time, under several names.
const std::unordered_map<View, View>& synonyms() {
  static const auto map = lexicon_pairs("profile", "things");
  return map;
}

// "new", "current": which one of several it is does not matter, there is one at a time.
View without_which(View noun) {
  for (bool cut = true; cut;) {
    cut = false;
    for (const View word :
         {"new ", "current ", "usual ", "own ", "present ", "actual ", "latest ", "regular ", "main "})
      if (noun.starts_with(word)) {
        noun.remove_prefix(word.size());
        cut = true;
      }
    for (const View word : {"新的", "现在的", "目前的", "新", "最新的", "当前的"})
      if (noun.starts_with(word) && noun.size() > word.size()) {
        noun.remove_prefix(word.size());
        cut = true;
      }
  }
  return noun;
}

// Journeys are told apart by where they go.
std::string journey_key(View noun) {
  static const WordSet journeys = lexicon_words("en/profile", "journeys");
  const auto to = noun.find(" to ");
  if (to == View::npos || !journeys.contains(last_word(noun.substr(0, to)))) return {};
  return "trip to " + value_key(noun.substr(to + 4));
}

}  // namespace

std::string_view kind_of_person(std::string_view word) {
  static const auto kinds = lexicon_pairs("profile", "kinds");
  const auto at = kinds.find(word);
  return at == kinds.end() ? View() : at->second;
}

bool is_occupation_english(std::string_view value) {
  static const WordSet jobs = lexicon_words("en/profile", "occupations");
  for (const View place : {" at ", " for ", " in ", " with ", " on "}) value = value.substr(0, value.find(place));
  const View head = last_word(without_article(value));
  return jobs.contains(head) && std::count(value.begin(), value.end(), ' ') <= 5;
}

bool is_occupation_chinese(std::string_view value) {
  constexpr std::size_t kLongest = 24;
  return value.size() <= kLongest && value.find("的") == View::npos && ends_with_any(value, "occupations");
}

namespace {

// "son's new coach" is the son's coach, 儿子的新教练 as well.
std::string without_inner_which(std::string_view noun, std::string_view of) {
  std::string key;
  for (std::size_t at = 0; at <= noun.size();) {
    const auto end = noun.find(of, at);
    key += without_which(noun.substr(at, end == View::npos ? View::npos : end - at));
    if (end == View::npos) break;
    key += of;
    at = end + of.size();
  }
  return key;
}

}  // namespace

std::string thing_key_english(std::string_view said) {
  const std::string noun = without_inner_which(said, "'s ");
  if (std::string journey = journey_key(noun); !journey.empty()) return journey;
  const auto known = synonyms().find(noun);
  if (known != synonyms().end()) return std::string(known->second);
  return "of " + value_key(noun);
}

std::string thing_key_chinese(std::string_view said) {
  const std::string noun = without_inner_which(said, "的");
  const auto known = synonyms().find(noun);
  return known != synonyms().end() ? std::string(known->second) : "of " + noun;
}

bool has_value_english(std::string_view noun) {
  static const WordSet values = lexicon_words("en/profile", "with values");
  static const WordSet called = lexicon_words("en/profile", "with values by name");
  if (noun.starts_with("favourite ") || noun.starts_with("favorite ")) return true;
  if (values.contains(last_word(noun))) return true;
  const auto known = synonyms().find(without_which(noun));
  return known != synonyms().end() &&
         (called.contains(known->second) || known->second == "time zone" || known->second == "native language");
}

bool has_value_chinese(std::string_view noun) { return ends_with_any(noun, "with values"); }

bool is_person_chinese(std::string_view noun) { return ends_with_any(noun, "persons"); }

bool is_name_chinese(std::string_view value) {
  constexpr std::size_t kLongestName = 21;
  if (value.size() > kLongestName || value.ends_with("人") || value.ends_with("的")) return false;
  const auto opens = lexicon("zh/profile", "no names begin");
  return std::none_of(opens.begin(), opens.end(), [&](View word) { return value.starts_with(word); });
}

bool is_kept_thing_english(std::string_view noun) {
  static const WordSet kept = lexicon_words("en/profile", "kept");
  return kept.contains(last_word(noun));
}

bool is_kept_thing_chinese(std::string_view noun) {
  static const WordSet kept = lexicon_words("zh/profile", "kept");
  return kept.contains(noun);
}

bool is_count(std::string_view word) {
  static const WordSet counts = lexicon_both_words("profile", "counts");
  return counts.contains(word) ||
         (!word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c); }));
}

namespace {

constexpr Time kSomeTime{1'772'323'200'000,
                         0};  // where an expression begins and ends does not depend on when it is said

bool ends_with_word(std::string_view text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  const auto before = text.size() - word.size();
  return before > 0 && (text[before - 1] == ' ' || static_cast<unsigned char>(word.front()) >= 0x80);
}

// "since march", "on friday", 在周五: the word belongs to the time.
std::string_view without_preposition(std::string_view text) {
  for (bool cut = true; cut;) {
    cut = false;
    text = trim_words(text);
    for (const std::string_view word :
         {"since", "on",    "in",   "at",   "from",  "as of", "starting", "for", "until", "till",
          "by",    "about", "just", "only", "early", "late",  "从",       "自",  "在",    "于"}) {
      if (!ends_with_word(text, word)) continue;
      text.remove_suffix(word.size());
      cut = true;
    }
  }
  return trim_words(text);
}

}  // namespace

std::string_view without_time_at_end(std::string_view value) {
  for (int round = 0; round < 3; ++round) {
    value = trim_words(value);
    const auto times = find_time_expressions(value, kSomeTime);
    if (!times.empty() && times.back().end >= value.size() && times.back().begin > 0) {
      const auto rest = without_preposition(value.substr(0, times.back().begin));
      if (rest.empty()) return value;
      value = rest;
      continue;
    }
    bool cut = false;
    for (const std::string_view word :
         {"recently", "lately", "for now", "at the moment", "these days", "at last", "again", "for good", "for a while",
          "already", "permanently", "full time", "part time"}) {
      if (!ends_with_word(value, word)) continue;
      value = trim_words(value.substr(0, value.size() - word.size()));
      cut = true;
    }
    if (!cut) break;
  }
  return value;
}

std::size_t begins_again(std::string_view text) {
  const auto times = find_time_expressions(text, kSomeTime);
  const bool again = !times.empty() && times.front().kind == TimeKind::kSet && times.front().begin <= 3;
  return again ? times.front().end : 0;
}

std::optional<TimedClause> split_at_time(std::string_view clause) {
  const auto times = find_time_expressions(clause, kSomeTime);
  const auto at = std::find_if(times.rbegin(), times.rend(), [](const TimeExpression& one) {
    return one.kind != TimeKind::kDuration && one.kind != TimeKind::kSet;
  });
  if (at == times.rend()) return std::nullopt;
  return TimedClause{without_preposition(clause.substr(0, at->begin)), clause.substr(at->begin, at->end - at->begin)};
}

namespace {

using View = std::string_view;

// The verb of "I": its form for one who is spoken of.
std::string verb_of(View word, bool past) {
  const std::string verb = lower_words(word);
  if ((past || verb == "quit") && is_base_and_past(verb)) return verb;
  if (verb == "am" || verb == "are") return "is";
  if (verb == "were") return "was";
  if (is_modal(verb) || is_past_form(verb) || verb == "was") return verb;
  return third_person(verb);
}

// "… two years ago", "… on Monday": of the past, whatever its verb looks like.
bool tells_of_past(const std::vector<View>& words) {
  constexpr Time kSomeDay{1'772'700'000'000, 0};
  std::string text;
  for (const View word : words) text += (text.empty() ? "" : " ") + std::string(word);
  const auto times = find_time_expressions(text, kSomeDay);
  if (std::any_of(times.begin(), times.end(), [&](const TimeExpression& one) {
        return one.kind == TimeKind::kDate && one.from_ms && *one.from_ms < kSomeDay.ms;
      }))
    return true;
  return std::any_of(words.begin(), words.end(), [](View word) {
    const std::string plain = lower_words(trim_words(word, " ,.;:!"));
    return plain == "ago" || plain == "last" || plain == "yesterday" || plain == "finally" || plain == "just" ||
           plain == "recently";
  });
}

// Pronouns of the speaker behind the verb.
std::string named(View word, const std::string& subject) {
  const std::string plain = lower_words(word);
  const View bare = trim_words(plain, ".,;:!");
  const std::string tail(
      word.substr(std::min(word.size(), static_cast<std::size_t>(bare.data() - plain.data()) + bare.size())));
  const bool country = word.starts_with("US");
  if (bare == "my" || bare == "our" || bare == "mine" || bare == "ours") return subject + "'s" + tail;
  if (bare == "me" || (bare == "us" && !country) || bare == "i") return subject + tail;
  if (bare == "myself" || bare == "ourselves") return "themselves" + tail;
  return std::string(word);
}

// "Do I", "should I", "am I": the auxiliary stands before its subject and has its form, the verb behind it has none.
// Puts the auxiliary at the end of `text` into the third person; false where none is there.
bool turn_auxiliary(std::string& text) {
  const auto at = text.rfind(' ') + 1;  // 0 where there is one word
  const std::string word = lower_words(View(text).substr(at));
  if (word == "did" || word == "didn't" || (is_modal(word) && word != "need")) return true;
  static const std::array<std::pair<View, View>, 8> kForms{{{"do", "does"},
                                                            {"don't", "doesn't"},
                                                            {"have", "has"},
                                                            {"haven't", "hasn't"},
                                                            {"am", "is"},
                                                            {"are", "is"},
                                                            {"was", "was"},
                                                            {"were", "was"}}};
  for (const auto& [own, other] : kForms) {
    if (word != own) continue;
    const bool capital = text[at] >= 'A' && text[at] <= 'Z';
    text.replace(at, View::npos, other);
    if (capital) text[at] = static_cast<char>(text[at] - 'a' + 'A');
    return true;
  }
  return false;
}

}  // namespace

std::string lower_words(View text) {
  std::string out = lowered(text);
  for (auto at = out.find("’"); at != std::string::npos; at = out.find("’")) out.replace(at, 3, "'");
  return out;
}

std::vector<View> words_in(View text) {
  std::vector<View> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r\n", at)) != View::npos;) {
    const auto end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_between(View word) {
  const std::string plain = lower_words(trim_words(word, " ,"));
  return is_mid_adverb(plain) || is_adverb_english(plain) || plain == "no" || plain == "longer";
}

void append_word(std::string& text, View word) { text += (text.empty() ? "" : " ") + std::string(word); }

std::string with_stop(std::string text) {
  while (!text.empty() && std::string_view(" ,;.!").find(text.back()) != View::npos) text.pop_back();
  return text.ends_with('?') ? text : text + ".";
}

namespace {

// The words from `at` on, each pronoun of the speaker as `inner` and its verb in the other form. Words in quotation
// marks stay.
void append_told(std::string& text, const std::vector<View>& words, std::size_t at, const std::string& inner) {
  bool quoted = false;
  for (; at < words.size(); ++at) {
    const View said = words[at];
    const bool opens = said.find('"') != View::npos || said.find("“") != View::npos || said.find("”") != View::npos;
    if (quoted || opens) {
      append_word(text, said);
      const auto marks = std::count(said.begin(), said.end(), '"');
      if (marks % 2 == 1) quoted = !quoted;
      if (said.find("“") != View::npos) quoted = true;
      if (said.find("”") != View::npos) quoted = false;
      continue;
    }
    const std::string plain = lower_words(trim_words(said, " ,.;:!"));
    const bool have = plain == "i've" || plain == "ive" || plain == "we've";
    if (plain == "i'm" || plain == "im" || plain == "we're" || have) {
      append_word(text, inner + (have ? " has" : " is"));
    } else if (plain == "i'll" || plain == "we'll" || plain == "i'd" || plain == "we'd") {
      append_word(text, inner + (plain.ends_with("'ll") ? " will" : " would"));
    } else if (plain == "i" && at + 1 < words.size() && words[at + 1].size() > 1 && is_upper(words[at + 1][0])) {
      append_word(text, said);  // "I Will Survive"
    } else if (plain == "i" && at > 0 && is_upper(words[at - 1].front()) &&
               (at + 1 == words.size() || said.size() > 1)) {
      append_word(text, said);  // "Euclid's Elements, Book I"
    } else if (plain == "i" || plain == "we") {
      const bool turned = turn_auxiliary(text);
      append_word(text, inner);
      if (turned) continue;
      for (; at + 1 < words.size() && is_between(words[at + 1]); ++at) append_word(text, words[at + 1]);
      if (at + 1 == words.size()) break;
      const View word = words[++at];
      const View bare = trim_words(word, ",.;:!");
      append_word(text, verb_of(bare, tells_of_past(words)) + std::string(word.substr(bare.size())));
    } else {
      append_word(text, named(said, inner));
    }
  }
}

}  // namespace

// "I'm" → "The user is", "my" → "The user's", and the verb behind "I" in its other form.
std::string words_in_third_person(const std::vector<View>& words, std::size_t at, const std::string& subject) {
  const std::string first = lower_words(trim_words(words[at], " ,"));
  const std::string inner = subject == "The user" ? "the user" : subject;
  std::string text;
  std::size_t next = at + 1;
  if (first == "my" || first == "our") {
    text = subject + "'s";
  } else {
    text = subject;
    if (first == "i'm" || first == "im" || first == "we're") {
      append_word(text, "is");
    } else if (first == "i've" || first == "ive" || first == "we've") {
      append_word(text, "has");
    } else if (first == "i'll" || first == "we'll") {
      append_word(text, "will");
    } else {
      for (; next < words.size() && is_between(words[next]); ++next) append_word(text, words[next]);
      if (next < words.size()) {
        const View word = words[next];
        const View bare = trim_words(word, ",.;:!");
        append_word(text, verb_of(bare, tells_of_past(words)) + std::string(word.substr(bare.size())));
        ++next;
      }
    }
  }
  append_told(text, words, next, inner);
  return text;
}

std::string english_in_third_person(std::string_view sentence, const std::string& name) {
  const std::string inner = name.empty() ? "the user" : name;
  std::string text;
  append_told(text, words_in(trim_words(sentence, " \t\r\n")), 0, inner);
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return with_stop(std::move(text));
}

}  // namespace weft
