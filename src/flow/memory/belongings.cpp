#include "flow/memory/belongings.h"

#include <algorithm>

#include "base/lowered.h"
#include "flow/memory/said_parts.h"
#include "flow/memory/statement_readers.h"
#include "text/english_verbs.h"
#include "text/function_words.h"
#include "text/given_names.h"
#include "text/latin_words.h"
#include "text/lexicon.h"

namespace weft {
namespace {

constexpr std::size_t kLongest = 5;  // words of a thing

const LexiconWords& belongings() {
  static const LexiconWords words = lexicon_words("en/lasting", "belongings");
  return words;
}

const LexiconWords& belongings_of_a_kind() {
  static const LexiconWords words = lexicon_words("en/lasting", "belongings of a kind");
  return words;
}

const LexiconWords& pets() {
  static const LexiconWords words = lexicon_words("en/people", "animals");
  return words;
}

bool is_pet(const std::string& word) {
  return pets().contains(word) || (word.ends_with('s') && pets().contains(word.substr(0, word.size() - 1)));
}

bool is_several(const std::string& word) {
  return word.ends_with('s') || word == "children" || word == "grandchildren" || word == "people";
}

class Reader {
 public:
  Reader(std::string_view text, const LatinWords& words) : text_(text), words_(words) {}

  /// The words of the thing behind "my" at `at`, with its article; empty where it is none that tells something.
  std::string thing(std::size_t at) const {
    const std::size_t begin = at + 1;
    if (!is_word(begin) || tells_of_moment(begin)) return {};
    for (std::size_t end = begin; end < begin + kLongest && is_word(end); ++end) {
      if (is_function_word(words_[end].lower) || (end > begin && is_called(end))) break;
      if (!ends_phrase(end + 1)) continue;
      const std::string head = words_[end].lower;
      const std::string pair = end > begin ? words_[end - 1].lower + " " + head : head;
      const bool known = belongings().contains(head) || belongings().contains(pair) || is_pet(head);
      if (known || (end > begin && belongings_of_a_kind().contains(head))) return written(begin, end, head);
      break;
    }
    return product(begin);
  }

  /// "sister called Claire" of "my little sister Claire": a name behind one of those that have one; else empty.
  std::string named(std::size_t at) const {
    constexpr std::size_t kAdjectives = 2;
    static const LexiconWords gone = {"late", "ex", "former", "deceased", "first"};
    if (at + 1 < words_.size() && gone.contains(words_[at + 1].lower)) return {};
    for (std::size_t noun = at + 1; noun <= at + 1 + kAdjectives && is_word(noun) && is_word(noun + 1); ++noun) {
      if (words_[noun].capital || is_function_word(words_[noun].lower)) return {};
      if (!is_kept_thing_english(words_[noun].lower) || is_several(words_[noun].lower)) continue;
      const LatinWord& name = words_[noun + 1];
      const bool is_name = name.capital && !name.all_capitals && name.lower.size() > 1 && !names_time(name.lower) &&
                           !is_function_word(name.lower);
      const bool goes_on = noun + 2 < words_.size() && words_[noun + 2].is_word && words_[noun + 2].capital;
      if (!is_name || goes_on) return {};
      return words_[noun].lower + " called " + std::string(text_.substr(name.begin, name.end - name.begin));
    }
    return {};
  }

 private:
  bool is_word(std::size_t at) const {
    return at < words_.size() && words_[at].is_word && words_[at].lower.find('\'') == std::string::npos;
  }

  // "My partner Fenna keeps two rabbits", "our dog Bruno": a name behind who bears it, and the phrase is over.
  bool is_called(std::size_t at) const {
    static const LexiconWords kBearers = lexicon_words("en/telling", "people");
    return words_[at].capital && kBearers.contains(words_[at - 1].lower);
  }

  bool tells_of_moment(std::size_t at) const {
    static const LexiconWords kWords = lexicon_words("en/lasting", "not of belongings");
    return kWords.contains(words_[at].lower);
  }

  // Whether the phrase is over before this word: a mark, the end, a verb or a function word.
  bool ends_phrase(std::size_t at) const {
    if (at >= words_.size() || !words_[at].is_word) return at >= words_.size() || words_[at].lower != "'";
    const std::string& word = words_[at].lower;
    return is_function_word(word) || is_auxiliary(word) || is_modal(word) || is_mid_adverb(word) ||
           (is_base_verb(word) && !belongings_of_a_kind().contains(word)) || is_past_form(word);
  }

  std::string written(std::size_t begin, std::size_t end, const std::string& head) const {
    const std::string words(text_.substr(words_[begin].begin, words_[end].end - words_[begin].begin));
    if (is_several(head) || words_[begin].lower[0] <= '9') return words;
    constexpr std::string_view kVowels = "aeio";
    return (kVowels.find(words_[begin].lower[0]) != std::string_view::npos ? "an " : "a ") + words;
  }

  // "My PlayStation 5", "my Fender guitar": made under a name that is no person's.
  std::string product(std::size_t begin) const {
    std::size_t end = begin;
    while (end < begin + kLongest && is_word(end) && (words_[end].capital || (end > begin && is_model(end)))) ++end;
    if (end == begin || (words_[begin].all_capitals && end == begin + 1)) return {};
    NameGender gender = NameGender::kUnknown;
    if (is_first_name(words_[begin].lower, gender) || names_time(words_[begin].lower)) return {};
    if (!ends_phrase(end) || (end < words_.size() && words_[end].capital)) return {};
    return "a " + std::string(text_.substr(words_[begin].begin, words_[end - 1].end - words_[begin].begin));
  }

  bool is_model(std::size_t at) const {
    return std::any_of(words_[at].lower.begin(), words_[at].lower.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  static bool names_time(const std::string& word) {
    static const LexiconWords kWords = lexicon_words("en/people", "no names");
    return kWords.contains(word);
  }

  std::string_view text_;
  const LatinWords& words_;
};

}  // namespace

std::vector<SaidFact> english_belongings(std::string_view sentence, const std::string& subject) {
  const LatinWords words = read_latin_words(sentence, {});
  const Reader reader(sentence, words);
  std::vector<SaidFact> facts;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].lower != "my" && words[i].lower != "our") continue;
    const std::string who(subject.empty() ? "The user" : subject);
    if (const std::string one = reader.named(i); !one.empty()) {
      add_facts(who + " has a " + one + ".", sentence, who, facts);
      continue;
    }
    const std::string thing = reader.thing(i);
    if (thing.empty()) continue;
    facts.push_back(told_fact(who + " has " + thing + ".", sentence));
  }
  return facts;
}

}  // namespace weft
