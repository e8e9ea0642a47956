#include "text/cues.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/strings.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/references.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using Phrases = std::span<const std::string_view>;

/// Where in a message the phrases of a cue count.
enum class Place { kStart, kHead, kBegin, kAnywhere };

struct CueList {
  Cue cue;
  Place english_place;
  SpacedPhrases english;
  Place chinese_place;
  Phrases chinese;
};

constexpr std::size_t kEnglishHeadBytes = 400;
constexpr std::size_t kChineseHeadChars = 90;
constexpr std::size_t kEnglishBeginWords = 4;
constexpr std::size_t kChineseBeginChars = 6;
constexpr double kWordsPerChineseCharacter = 0.6;

CueList cue_list(Cue cue, Place english_place, Place chinese_place, std::string_view name) {
  return {cue, english_place, SpacedPhrases(lexicon("en/cues", name)), chinese_place, lexicon("zh/cues", name)};
}

// English phrases are whole words, lower case, one space between; Chinese ones any run of characters.
const std::vector<CueList>& cue_lists() {
  static const std::vector<CueList> lists{
      cue_list(Cue::kChange, Place::kHead, Place::kHead, "change"),
      cue_list(Cue::kAdds, Place::kStart, Place::kStart, "adds"),
      cue_list(Cue::kMore, Place::kHead, Place::kHead, "more"),
      cue_list(Cue::kRequest, Place::kHead, Place::kHead, "request"),
      cue_list(Cue::kAsksYou, Place::kHead, Place::kHead, "asks you"),
      cue_list(Cue::kContinues, Place::kBegin, Place::kBegin, "continues"),
      cue_list(Cue::kAnswers, Place::kBegin, Place::kBegin, "answers"),
      cue_list(Cue::kRefersLater, Place::kHead, Place::kHead, "refers"),
      cue_list(Cue::kThanks, Place::kAnywhere, Place::kAnywhere, "thanks"),
      cue_list(Cue::kCloses, Place::kAnywhere, Place::kAnywhere, "closes"),
      cue_list(Cue::kGreets, Place::kBegin, Place::kBegin, "greets"),
      cue_list(Cue::kNamesTopic, Place::kHead, Place::kHead, "names topic"),
      cue_list(Cue::kHandsOver, Place::kHead, Place::kHead, "hands over"),
      cue_list(Cue::kWh, Place::kStart, Place::kHead, "wh"),
      cue_list(Cue::kFirstPerson, Place::kBegin, Place::kBegin, "first person"),
  };
  return lists;
}

/// A text prepared for matching.
struct Prepared {
  std::string english;             ///< " word word ", lower case
  std::size_t english_head = 0;    ///< bytes of it that are the head
  std::string chinese;             ///< the text from its first visible character, empty without any CJK
  std::size_t chinese_head = 0;
  std::size_t chinese_begin = 0;   ///< bytes of its first few characters
};

bool is_word_byte(unsigned char c) { return is_lower(c) || is_digit(c) || c == '\''; }

/// Lower-case words with one space around each; a curly apostrophe counts as a straight one, other characters as gaps.
std::string english_words(std::string_view text, double& words) {
  std::string out = " ";
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    unsigned char byte = c < 128 ? static_cast<unsigned char>(c) : ' ';
    byte = to_lower(byte);
    if (c == U'\u2019' || c == U'\u2018') byte = '\'';
    if (is_word_byte(byte)) {
      out += static_cast<char>(byte);
    } else if (out.back() != ' ') {
      out += ' ';
      words += 1;
    }
  }
  if (out.back() != ' ') {
    out += ' ';
    words += 1;
  }
  return out;
}

void measure_chinese(std::string_view text, Prepared& prepared, double& words) {
  std::size_t chars = 0;
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (is_cjk(c)) {
      any = true;
      words += kWordsPerChineseCharacter;
    }
    if (++chars == kChineseBeginChars) prepared.chinese_begin = at;
    if (chars == kChineseHeadChars) prepared.chinese_head = at;
  }
  if (!any) return;
  prepared.chinese = text;
  if (prepared.chinese_begin == 0) prepared.chinese_begin = text.size();
  if (prepared.chinese_head == 0) prepared.chinese_head = text.size();
}

std::string_view skip_english_fillers(std::string_view row) {
  static const SpacedPhrases fillers(lexicon("en/cues", "fillers"));
  for (auto filler = fillers.begin_of(row); !filler.empty(); filler = fillers.begin_of(row))
    row.remove_prefix(filler.size() + 1);
  return row;
}

std::string_view skip_chinese_fillers(std::string_view text) {
  for (bool again = true; again;) {
    again = false;
    for (const auto filler : lexicon("zh/cues", "fillers")) {
      if (!text.starts_with(filler)) continue;
      text.remove_prefix(filler.size());
      again = true;
      break;
    }
  }
  return text;
}

bool match_english(const Prepared& prepared, Place place, const SpacedPhrases& phrases) {
  const std::string_view all = prepared.english;
  switch (place) {
    case Place::kBegin: return !phrases.begin_of(all).empty();
    // What follows the fillers counts, and so do the fillers themselves where they are the cue.
    case Place::kStart: return !phrases.begin_of(skip_english_fillers(all)).empty();
    case Place::kHead: return phrases.any_in(all.substr(0, prepared.english_head));
    case Place::kAnywhere: return phrases.any_in(all);
  }
  return false;
}

bool match_chinese(const Prepared& prepared, Place place, Phrases phrases) {
  const std::string_view all = prepared.chinese;
  if (all.empty()) return false;
  const auto begins = [&](std::string_view text) {
    return std::any_of(phrases.begin(), phrases.end(), [&](auto phrase) { return text.starts_with(phrase); });
  };
  switch (place) {
    case Place::kBegin: return begins(all);
    case Place::kStart: return begins(skip_chinese_fillers(all));
    case Place::kHead: return holds_any(all.substr(0, prepared.chinese_head), phrases);
    case Place::kAnywhere: return holds_any(all, phrases);
  }
  return false;
}

/// References in the first words, which say more than later ones.
bool refers_at_once(const Prepared& prepared) {
  std::size_t end = 0;
  for (std::size_t i = 0; i <= kEnglishBeginWords && end != std::string::npos; ++i)
    end = prepared.english.find(' ', end + (i > 0 ? 1 : 0));
  const std::string_view begin = std::string_view(prepared.english).substr(0, end == std::string::npos ? end : end + 1);
  static const SpacedPhrases refers(lexicon("en/cues", "refers"));
  const std::string_view chinese = std::string_view(prepared.chinese).substr(0, prepared.chinese_begin);
  return refers.any_in(begin) || holds_any(chinese, lexicon("zh/cues", "refers"));
}

bool ends_asking(std::string_view text) {
  constexpr std::string_view kTails[] = {" ", ".", "!", "~", "。", "！", "～", "\"", ")", "”", "）"};
  for (bool again = true; again;) {
    again = false;
    for (const auto tail : kTails) {
      if (!text.ends_with(tail)) continue;
      text.remove_suffix(tail.size());
      again = true;
    }
  }
  return text.ends_with("?") || text.ends_with("？");
}

using namespace std::string_view_literals;

constexpr std::size_t kHead = 200;        // bytes in which it is said
constexpr std::size_t kLongestName = 90;  // bytes

// A filler of English is a whole word; sentences of nothing else ("Thanks!") are passed over, too.
std::string_view without_fillers(std::string_view text, std::string_view file) {
  const bool words = file == "en/cues";
  const auto skip = [&](std::string_view mark) {
    const bool there = text.starts_with(mark);
    if (there) text.remove_prefix(mark.size());
    return there;
  };
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view filler : lexicon(file, "before going back")) {
      const bool whole = !words || text.size() == filler.size() ||
                         (text.size() > filler.size() && " ,.!"sv.find(text[filler.size()]) != std::string_view::npos);
      if (!whole || !skip(filler)) continue;
      while (skip(" ") || skip(",") || skip(".") || skip("!") || skip("，") || skip("。") || skip("！")) {
      }
      again = true;
    }
  }
  return text;
}

// Up to the end of the clause.
std::string_view clause(std::string_view text) {
  std::size_t end = std::min(text.find_first_of(".,;:?!\n"), text.size());
  for (const std::string_view mark : {"，"sv, "。"sv, "："sv, "；"sv, "？"sv, "！"sv, "、"sv, "—"sv, " - "sv})
    end = std::min(end, text.find(mark));
  return text.substr(0, std::min(end, text.size()));
}

std::string name_of(std::string_view text) {
  std::string_view name = clause(text);
  if (name.size() > kLongestName) return {};
  for (const std::string_view article : {"the "sv, "that "sv, "our "sv, "my "sv, "your "sv, "those "sv, "these "sv})
    if (name.starts_with(article)) name.remove_prefix(article.size());
  return std::string(trimmed(name, " "));
}

std::optional<std::string> in_english(std::string_view text) {
  std::string words;
  for (const char c : text.substr(0, kHead)) words += c == '\n' ? '.' : to_lower(c);
  const std::string_view rest = without_fillers(words, "en/cues");
  for (const std::string_view phrase : lexicon("en/cues", "goes back to nothing"))
    if (rest.starts_with(phrase) && clause(rest).size() <= phrase.size() + 1) return std::string();
  for (const std::string_view phrase : lexicon("en/cues", "goes back"))
    if (rest.starts_with(phrase) && starts_at(rest, phrase.size(), " ")) return name_of(rest.substr(phrase.size() + 1));
  const std::string_view first = clause(rest);
  for (const std::string_view about : lexicon("en/cues", "about")) {
    if (!first.starts_with(about) || !starts_at(first, about.size(), " ")) continue;
    for (const std::string_view before : lexicon("en/cues", "spoken of before"))
      if (const auto at = first.find(" " + std::string(before)); at != std::string_view::npos && at > about.size() + 1)
        return name_of(first.substr(about.size() + 1, at - about.size() - 1));
  }
  return std::nullopt;
}

std::optional<std::string> in_chinese(std::string_view text) {
  const std::string_view rest = without_fillers(text, "zh/cues");
  for (const std::string_view phrase : lexicon("zh/cues", "goes back to nothing"))
    if (rest.starts_with(phrase)) return std::string();
  for (const std::string_view phrase : lexicon("zh/cues", "goes back")) {
    if (!rest.starts_with(phrase)) continue;
    std::string name = name_of(rest.substr(phrase.size()));
    for (const std::string_view empty : lexicon("zh/cues", "no name"))
      if (name == empty) name.clear();
    return name;
  }
  return std::nullopt;
}

constexpr std::array<const char*, kMoodCount> kLists{
    "forbids", "not to",    "not to do", "can not",   "does not", "unasked",  "negates",  "holds off",   "no negation",
    "no rule", "must",      "should",    "needs",     "at most",  "at least", "not over", "below",       "above",
    "over",    "limits",    "safety",    "sensitive", "prefers",  "habits",   "likes",    "remember",    "from now on",
    "request", "long term", "role",      "decision",  "done",     "open",     "risk",     "modal verbs", "borders"};

const PhraseTable& phrases() {
  static const PhraseTable table = [] {
    PhraseTable made;
    for (std::size_t i = 0; i < kLists.size(); ++i) made.add_list("modality", kLists[i], static_cast<int>(i));
    return made;
  }();
  return table;
}

}  // namespace

Cues find_cues(std::string_view text) {
  text = trimmed(text);
  Cues cues;
  Prepared prepared;
  prepared.english = english_words(text, cues.words);
  prepared.english_head = std::min(prepared.english.size(), kEnglishHeadBytes);
  measure_chinese(text, prepared, cues.words);
  const auto set = [&](Cue cue, bool found) { cues.found.set(static_cast<std::size_t>(cue), found); };
  for (const auto& list : cue_lists()) {
    set(list.cue, match_english(prepared, list.english_place, list.english) ||
                      match_chinese(prepared, list.chinese_place, list.chinese));
  }
  set(Cue::kRefers, refers_at_once(prepared));
  set(Cue::kQuestion, text.find('?') != std::string_view::npos || text.find("？") != std::string_view::npos);
  set(Cue::kQuestionEnd, ends_asking(text));
  return cues;
}

bool opens_topic(const Cues& cues) {
  return cues.has(Cue::kChange) || cues.has(Cue::kAdds) || cues.has(Cue::kRequest) || cues.has(Cue::kGreets);
}

bool continues_topic(const Cues& cues) {
  return !cues.has(Cue::kChange) && (cues.has(Cue::kContinues) || cues.has(Cue::kAnswers) || cues.has(Cue::kRefers));
}

bool tells_of_change(std::string_view text) {
  static const PhraseTable changes = phrase_table("changes", "change"), additions = phrase_table("changes", "addition");
  const std::vector<PlainWord> words = plain_words(text);
  return changes.any_in(words) && !additions.any_in(words);
}

bool tells_of_replacement(std::string_view text) {
  static const PhraseTable table = phrase_table("changes", "replacement");
  if (table.any_in(plain_words(text))) return true;
  const auto no = text.find("不");  // 不学那个了
  return no != std::string_view::npos && text.find("了", no) != std::string_view::npos;
}

bool tells_of_addition(std::string_view text) {
  static const PhraseTable table = phrase_table("changes", "beside");
  return table.any_in(plain_words(text));
}

std::optional<std::string> goes_back_to(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  auto found = in_english(text);
  return found ? found : in_chinese(text);
}

bool changes_subject(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  std::string words;
  for (const char c : text.substr(0, kHead)) words += c == '\n' ? '.' : to_lower(c);
  const std::string_view english = without_fillers(words, "en/cues"), chinese = without_fillers(text, "zh/cues");
  const auto any = [](std::span<const std::string_view> phrases, const auto& test) {
    return std::any_of(phrases.begin(), phrases.end(), test);
  };
  const auto begins = [](std::string_view begun) {
    return [begun](std::string_view phrase) { return begun.starts_with(phrase); };
  };
  return any(lexicon("en/cues", "something else"), begins(english)) ||
         any(lexicon("en/cues", "something else alone"),
             [alone = clause(english)](std::string_view phrase) { return alone == phrase; }) ||
         any(lexicon("zh/cues", "something else"), begins(chinese));
}

Modal modal_at(const std::vector<PlainWord>& words, std::size_t at, Moods wanted) {
  Modal found;
  phrases().for_each(words, at, [&](std::size_t length, int value) {
    const auto mood = static_cast<Mood>(value);
    if (!wanted.has(mood) || (found.words != 0 && length != found.words)) return;
    found.words = length;
    found.moods.add(mood);
  });
  return found;
}

namespace {

// With more words than this, function words not counted, a question carries facts.
constexpr std::size_t kMostWords = 12;
constexpr std::size_t kMostBytes = 600;

// The text without blanks and without a last part in square brackets, which stands for an attached picture or file.
std::string_view without_attachment(std::string_view text) {
  const auto without_end = [](std::string_view whole) {
    return whole.substr(0, whole.find_last_not_of(" \t\r\n\"'") + 1);
  };
  text = without_end(text);
  if (text.ends_with(']'))
    if (const auto begin = text.rfind('['); begin != std::string_view::npos) text = text.substr(0, begin);
  return without_end(text);
}

// The question word is among the first words, and nothing makes a request for advice of it.
bool asks_for_a_fact(const LatinWords& words) {
  static const LexiconWords advice = lexicon_words("en/questions", "advice words"),
                            facts = lexicon_words("en/questions", "fact words"),
                            verbs = lexicon_words("en/questions", "verbs of asking");
  constexpr std::size_t kFirst = 3;
  bool asks = false;
  std::size_t place = 0;
  for (const LatinWord& word : words) {
    if (!word.is_word) continue;
    if (advice.contains(word.lower)) return false;
    asks = asks || (place < kFirst && facts.contains(word.lower)) || (place == 0 && verbs.contains(word.lower));
    ++place;
  }
  return asks;
}

bool speaks_of_oneself(std::string_view said, const LatinWords& words) {
  const auto is_first = [](const Reference& one) { return one.person == 1; };
  const auto any = [&](const std::vector<Reference>& found) {
    return std::any_of(found.begin(), found.end(), is_first);
  };
  return any(find_english_references(words)) || any(find_chinese_references(said, {}));
}

// Whether a text asks for a fact of the asker's own life: "Where do I live?", 我住在哪里？ Questions for advice ("How
// do I …?", 我该怎么…) and requests do not count: their answer is common knowledge.
bool asks_about_oneself(std::string_view said, const LatinWords& words) {
  if (!speaks_of_oneself(said, words)) return false;
  if (language_of(said) != Language::kChinese) return asks_for_a_fact(words);
  const auto has = [said](const auto& list) {
    return std::any_of(std::begin(list), std::end(list),
                       [said](std::string_view word) { return said.find(word) != std::string_view::npos; });
  };
  return has(lexicon("zh/questions", "fact words")) && !has(lexicon("zh/questions", "advice words"));
}

}  // namespace

bool is_bare_question(std::string_view text) {
  const std::string_view said = without_attachment(text);
  if (said.size() > kMostBytes || !(said.ends_with('?') || said.ends_with("\uff1f"))) return false;
  const auto words = index_words(said);
  // Chinese gives each character and each pair, about two terms for a character and three for a word.
  const bool chinese = language_of(said) == Language::kChinese;
  return words.size() <= (chinese ? kMostWords * 3 : kMostWords);
}

// "How do I", "tell me" and their kind ask for something that anybody could ask.
bool speaks_of_who_asks(std::string_view text) {
  constexpr int kSpeaks = 1, kOnlyAsks = 2;
  static const PhraseTable kSpeaker = [] {
    PhraseTable table;
    table.add_list("people", "the speaker", kSpeaks);
    table.add_list("people", "asks for the speaker", kOnlyAsks);
    return table;
  }();
  const std::vector<PlainWord> words = plain_words(text);
  for (std::size_t i = 0; i < words.size();) {
    std::size_t length = 0;
    int longest = 0;
    kSpeaker.for_each(words, i, [&](std::size_t count, int value) {
      if (count > length) length = count, longest = value;
    });
    if (longest == kSpeaks) return true;
    i += std::max<std::size_t>(length, 1);
  }
  return false;
}

bool only_asks(std::string_view text) {
  if (!is_bare_question(text)) return false;
  const std::string_view said = without_attachment(text);
  const LatinWords words = read_latin_words(said, {});
  return !speaks_of_oneself(said, words) || asks_about_oneself(said, words);
}

TermSet listed_terms(std::string_view file, std::string_view list) {
  std::vector<Term> all;
  for (const std::string_view entry : lexicon_both(file, list)) {
    const std::vector<Term> terms = index_terms(entry);
    all.insert(all.end(), terms.begin(), terms.end());
  }
  return TermSet(std::move(all));
}

Term question_mark_term() {
  static const Term term = term_of("?");
  return term;
}

Term chinese_term() {
  static const Term term = term_of("?zh");
  return term;
}

bool knows_no_answer(std::string_view text) {
  constexpr std::size_t kLongest = 240;
  if (text.size() > kLongest) return false;
  if (language_of(text) == Language::kChinese) return holds_any(text, lexicon("zh/questions", "no answers"));
  static const SpacedPhrases phrases(lexicon("en/questions", "no answers"));
  return phrases.any_in(spaced_words(normalize(text), ".,;:!?\"()"));
}

}  // namespace weft
