#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/strings.h"
#include "flow/historian/antecedents.h"
#include "flow/historian/people_words.h"
#include "text/english_verbs.h"
#include "text/speaker_prefix.h"
#include "text/words.h"

namespace weft {
namespace {

// Which words of an English text are written as names. Refers to the words; each question costs constant time.
class EnglishNames {
 public:
  EnglishNames(const LatinWords& words, bool no_capitals) : words_(words), no_capitals_(no_capitals) {}

  /// Whether a word may stand in a noun phrase.
  bool nounlike(std::size_t k) const;

  /// The same, or a word that praises what follows: "my good friend".
  bool in_phrase(std::size_t k) const;

  /// Whether a word is a name by its capital, or by what it is where nobody writes capitals.
  bool capital_name(std::size_t k) const;

  /// "swift" of "taylor swift".
  bool is_small_surname(std::size_t i, std::size_t k) const;

  /// How many words from `i` on are a name by where they stand, in a text without capitals: "named redfoo", "taylor
  /// swift", "i like marshal he is"; 0 where none are.
  std::size_t small_run(std::size_t i) const;

  /// "NASA", where not everything is shouted and something is said of it or done with it.
  bool is_acronym(std::size_t i) const;

  /// "T." of "Jonathan T. Miller".
  bool is_initial(std::size_t k) const;

  /// "Canadians", "Italians".
  bool names_a_people(std::size_t i) const;

 private:
  bool small_name(std::size_t k) const;
  bool unheard(std::size_t k) const;
  bool asks_for_name(std::size_t i) const;

  const LatinWords& words_;
  bool no_capitals_;
};

bool EnglishNames::nounlike(std::size_t k) const {
  if (k >= words_.size() || !words_[k].is_word) return false;
  const std::string& word = words_[k].lower;
  if (no_nouns().contains(word) || is_modal(word) || is_auxiliary(word) || is_mid_adverb(word)) return false;
  return word.find('\'') == std::string::npos || word.size() - word.find('\'') > 3;
}

bool EnglishNames::in_phrase(std::size_t k) const {
  static const NounWords kPraise = {"good", "great", "nice", "cool", "amazing"};
  return nounlike(k) || (k < words_.size() && kPraise.contains(words_[k].lower) && nounlike(k + 1));
}

// Who writes without capitals writes names so, too: those that are nothing else are read as names.
bool EnglishNames::small_name(std::size_t k) const {
  NameGender gender = NameGender::kUnknown;
  return no_capitals_ && words_[k].lower.size() > 3 && !names_that_are_words().contains(words_[k].lower) &&
         is_first_name(words_[k].lower, gender) && gender != NameGender::kUnknown && !is_base_verb(words_[k].lower) &&
         !is_function_word(words_[k].lower);
}

bool EnglishNames::is_small_surname(std::size_t i, std::size_t k) const {
  return small_name(i) && nounlike(k) && words_[k].lower.size() > 2 && !is_verb_form(words_[k].lower) &&
         !is_function_word(words_[k].lower) && !is_plural_noun(words_[k].lower);
}

// No word of any list: where a name is asked for, it is one.
bool EnglishNames::unheard(std::size_t k) const {
  if (!nounlike(k)) return false;
  const std::string_view word = without_possessive(words_[k].lower);
  if (word.size() < 3 || is_digit(word.front()) || words_[k].protected_by_span) return false;
  const bool thing = place_nouns().contains(word) || empty_heads().contains(word) || collectives().contains(word) ||
                     firms().contains(word) || determiners().contains(word) || no_names().contains(word);
  const bool person = relatives().contains(word) || is_role(word) || is_plural_person(word) || is_animal(word);
  return !thing && !person && !is_verb_form(word) && !is_function_word(word) && !is_plural_noun(word) &&
         !is_plural_animal(word) && !word.ends_with("ing");
}

// Whether a name is all that can stand at `i`: "named …", "my favorite singer is …", "i married …", "i like … he is".
bool EnglishNames::asks_for_name(std::size_t i) const {
  if (i == 0) return false;
  const auto at = [&](std::size_t k) { return k < words_.size() ? std::string_view(words_[k].lower) : ""; };
  const std::string_view before = at(i - 1);
  const bool is = before == "is" || before == "was" || before == "be";
  if (before == "named" || (is && i > 1 && at(i - 2) == "name")) return true;
  const std::size_t behind = i + (unheard(i + 1) ? 2 : 1);
  if (is && i > 1) {
    static const NounWords kEnds = {"", ".", ",", "!", "?", ";", "and", "but", "lol", "he", "she"};
    const bool somebody = relatives().contains(at(i - 2)) || is_role(at(i - 2));
    return somebody && i > 2 && kEnds.contains(at(behind)) && behind == i + 2;
  }
  static const NounWords kMarry = {"married", "marry", "dating", "met"};
  static const NounWords kGoOn = {"", ".", "!", "the", "and", "who", "he", "she"};
  if (kMarry.contains(before)) return kGoOn.contains(at(behind));
  static const NounWords kLike = {"like", "likes", "love", "loves", "adore", "admire", "know", "miss", "hate"};
  const std::string_view be = at(behind + 1);
  return kLike.contains(before) && (at(behind) == "he" || at(behind) == "she") &&
         (be == "is" || be == "was" || be == "has" || is_modal(be));
}

std::size_t EnglishNames::small_run(std::size_t i) const {
  if (!no_capitals_ || words_[i].protected_by_span) return 0;
  NameGender gender = NameGender::kUnknown;
  const bool first = is_first_name(words_[i].lower, gender);
  if (asks_for_name(i) && (first || unheard(i))) return unheard(i + 1) ? 2 : 1;
  // "taylor swift": a first name of either that is no other word, and another name.
  const bool led = i > 0 && determiners().contains(words_[i - 1].lower);
  return first && !led && gender == NameGender::kUnknown && words_[i].lower.size() > 3 &&
                 !names_that_are_words().contains(words_[i].lower) && unheard(i + 1)
             ? 2
             : 0;
}

bool EnglishNames::is_acronym(std::size_t i) const {
  const LatinWord& word = words_[i];
  const std::string_view name = without_possessive(word.lower);
  if (!word.all_capitals || name.size() < 2 || name.size() > 6 || word.protected_by_span) return false;
  const auto shouted = [&](std::size_t k) { return k < words_.size() && words_[k].all_capitals; };
  if ((i > 0 && shouted(i - 1)) || shouted(i + 1) || no_names().contains(name)) return false;
  static const NounWords kThings = lexicon_words("en/nouns", "initials of things");
  if (kThings.contains(name) || nounlike(i + 1)) return false;
  if (i == 0 || name.size() < word.lower.size()) return true;
  static const NounWords kLeads = {"with",    "at",   "by",     "from",   "to",   "for",  "of",    "about", "and",
                                   "contact", "call", "called", "follow", "join", "like", "asked", "tell"};
  return kLeads.contains(words_[i - 1].lower) || word.starts_sentence;
}

bool EnglishNames::capital_name(std::size_t k) const {
  if (k >= words_.size() || !words_[k].is_word) return false;
  if (small_name(k)) return true;
  if (!words_[k].capital || words_[k].all_capitals) return false;
  return !no_names().contains(words_[k].lower) && !no_nouns().contains(words_[k].lower) &&
         !determiners().contains(words_[k].lower);
}

// "T." of "Jonathan T. Miller".
bool EnglishNames::is_initial(std::size_t k) const {
  return k + 1 < words_.size() && words_[k].lower.size() == 1 && words_[k].capital && words_[k + 1].lower == ".";
}

// "Canadians", "Italians".
bool EnglishNames::names_a_people(std::size_t i) const {
  const std::string& word = words_[i].lower;
  return words_[i].capital && word.size() > 5 && word.ends_with("ans");
}

// Where phrases of an English text stand, by the index of their first word and the one behind their last. Each costs
// constant time.

std::string_view word_at(const LatinWords& words, std::size_t i) {
  return i < words.size() ? std::string_view(words[i].lower) : std::string_view();
}

// "I like", "to like", "would really like": a verb, where "they are like" has a preposition.
bool likes(const LatinWords& words, std::size_t i) {
  if (words[i].lower != "like" || i == 0) return false;
  std::size_t before = i - 1;
  while (before > 0 && is_mid_adverb(words[before].lower)) --before;
  static const NounWords kBefore = {"i", "you", "we", "they", "to", "do", "don't", "dont", "did", "didn't"};
  return kBefore.contains(words[before].lower) || is_modal(words[before].lower);
}

// Whether a phrase is not what its sentence is about: "in the loop".
bool is_aside(const LatinWords& words, std::size_t i) {
  return i > 0 && before_asides().contains(words[i - 1].lower) && !likes(words, i - 1);
}

// Whether a phrase says what somebody is: "LeBron is the man", "they are like family". "There is a man" does not, nor
// does "I like cats".
bool is_predicate(const LatinWords& words, std::size_t i) {
  const auto between = [](const std::string& word) { return is_mid_adverb(word) || word == "such" || word == "not"; };
  while (i > 1 && between(words[i - 1].lower)) --i;
  if (i > 0 && words[i - 1].lower == "what" && words[i].lower.starts_with("a")) return true;  // "What a cool kid!"
  if (i == 0 || !before_predicates().contains(words[i - 1].lower) || likes(words, i - 1)) return false;
  if (i < 2) return words[i - 1].lower == "like" || words[i - 1].lower == "as";  // "Is your mother …?"
  // "There is a man", "how is your mother", "how old is your son".
  static const NounWords kAsking = {"there", "how", "where", "why", "when"};
  const bool stands = is_auxiliary(words[i - 1].lower);
  return !(stands && (kAsking.contains(words[i - 2].lower) || (i > 2 && words[i - 3].lower == "how")));
}

// Whether a phrase is what its sentence is about: begins it, or its verb follows.
bool is_subject(const LatinWords& words, std::size_t i, std::size_t end) {
  if (words[i].starts_sentence) return true;
  std::size_t next = end;
  while (next < words.size() && is_mid_adverb(words[next].lower)) ++next;
  if (next >= words.size() || !words[next].is_word) return false;
  const std::string& word = words[next].lower;
  return is_modal(word) || is_auxiliary(word) || is_verb_form(word);
}

// Whether what stands around a name is said of people: "met Anneke", "Anneke told".
bool is_among_people(const LatinWords& words, std::size_t i, std::size_t end) {
  std::size_t before = i;
  if (before > 0 && words[before - 1].lower == ".") --before;  // "Dr."
  const std::string_view left = before > 0 ? word_at(words, before - 1) : std::string_view();
  return before_names().contains(left) || relatives().contains(left) || behind_names().contains(word_at(words, end));
}

// Whether a role is called by it, not told of: "Mr. Chair, I would …".
bool is_addressed(const LatinWords& words, std::size_t i, std::size_t end) {
  if (end != i + 1 || !(is_role(words[i].lower) || words[i].lower == "chair")) return false;
  const std::size_t title = i > 1 && words[i - 1].lower == "." ? i - 2 : i - 1;
  static const NounWords kTitles = {"mr", "mrs", "madam", "madame", "sir"};
  return i > 0 && kTitles.contains(words[title].lower);
}

// Whether the words from `i` on say when: "next year".
bool begins_time(const LatinWords& words, std::size_t i) {
  static const NounWords kLeads = {"next", "last", "this", "every", "each"};
  static const NounWords kUnits = {"time",    "day",    "week",   "weekend", "month",   "year",     "night",
                                   "morning", "summer", "winter", "spring",  "evening", "semester", "season"};
  const std::string_view unit = word_at(words, i + 1);
  return kLeads.contains(word_at(words, i)) && (kUnits.contains(unit) || unit.ends_with("day"));
}

// How far phrases of an English text go. Each costs constant time.

// A word for one person: by whom they are to somebody or by what they do.
bool is_person_noun(std::string_view word) { return relatives().contains(word) || is_role(word); }

bool asks_for_noun(std::string_view word) {
  return before_nouns().contains(word) || (is_base_verb(word) && !is_auxiliary(word));
}

// Whether the word at `k`, in a phrase of which something stands already, is its verb rather than its noun.
bool reads_as_verb(const LatinWords& words, const EnglishNames& written, std::size_t k) {
  if (!is_verb_form(words[k].lower)) return false;
  if (words[k].lower.size() > 3 && is_past_form(words[k].lower)) return true;
  if (is_person_noun(words[k - 1].lower) && words[k].lower.ends_with("s")) return true;  // "if a customer complains"
  if (k + 1 >= words.size() || !words[k + 1].is_word) return false;
  const std::string& next = words[k + 1].lower;
  const std::string& last = words[k - 1].lower;
  // "The customer support team": one does not "support".
  if (is_person_noun(last) && !words[k].lower.ends_with("s") && written.nounlike(k + 1)) return false;
  return !(is_auxiliary(next) || next == "of" || next == "in" || next == "at" || next == "for" || next == "and");
}

// "Does your mom live here?": in a question the verb stands behind whom it is asked of.
bool asked_of(const LatinWords& words, std::size_t i, std::size_t k) {
  if (i == 0 || !is_auxiliary(words[i - 1].lower) || !is_base_verb(words[k].lower)) return false;
  return is_person_noun(words[k - 1].lower) || is_animal(words[k - 1].lower) || is_plural_noun(words[k - 1].lower);
}

// Whether a phrase ends before `k`: "the kids playing", "my sister visiting", "my kid next year".
bool is_over(const LatinWords& words, const EnglishNames& written, std::size_t k) {
  const std::string& last = words[k - 1].lower;
  const std::string& next = words[k].lower;
  if (begins_time(words, k)) return true;
  const bool alive = relatives().contains(last) || is_plural_person(last) || is_plural_animal(last);
  return alive && next.size() > 5 && next.ends_with("ing") && !written.nounlike(k + 1);
}

// Whether a capital word behind a noun is who is meant: "my instructor Alex".
bool names_somebody(const LatinWords& words, std::size_t k) {
  NameGender gender = NameGender::kUnknown;
  return is_person_noun(words[k - 1].lower) ||
         is_first_name(words[k].lower.substr(0, without_possessive(words[k].lower).size()), gender);
}

// Whether a phrase is over before `k`, a word that could go on with it.
bool ends_phrase(const LatinWords& words, const EnglishNames& written, std::size_t i, std::size_t k) {
  return reads_as_verb(words, written, k) || (words[k].capital && names_somebody(words, k)) || asked_of(words, i, k) ||
         is_over(words, written, k);
}

// Behind the last word of the phrase whose determiner stands at `i`; `i` + 1 where it begins none. It is over before
// its verb, before when it was, before a name and before what somebody is doing there.
std::size_t end_of_phrase(const LatinWords& words, const EnglishNames& written, std::size_t i) {
  constexpr std::size_t kLongest = 5;
  static const NounWords kPointing = {"this", "that", "these", "those"};
  std::size_t end = i + 1;
  if (kPointing.contains(words[i].lower) && end < words.size() && is_verb_form(words[end].lower))
    return end;  // "that sounds", "this keeps"
  while (end < words.size() && end < i + kLongest && written.in_phrase(end) &&
         (end == i + 1 || !ends_phrase(words, written, i, end)))
    ++end;
  // "My best friend's party": of somebody.
  if (end < words.size() && end < i + kLongest && is_person_noun(without_possessive(words[end].lower))) ++end;
  while (end > i + 1 && is_past_form(words[end - 1].lower)) --end;  // "the painted", cut before its noun
  return end;
}

// Whether a word without a determiner is several things or animals of a kind: "brownies", "old guitars".
bool is_bare_plural(const LatinWords& words, const EnglishNames& written, std::size_t i) {
  const std::string& word = words[i].lower;
  if (words[i].capital && !words[i].starts_sentence) return false;
  const bool several = is_plural_animal(word) || (word.size() > 3 && is_plural_noun(word));
  if (!several || !written.nounlike(i) || empty_heads().contains(word) || is_function_word(word)) return false;
  if (word.find('\'') != std::string::npos) return false;
  NameGender gender = NameGender::kUnknown;
  if (is_first_name(word, gender)) return false;
  // "She plays", "he likes": a verb, unless what stands before it asks for a noun.
  return is_plural_animal(word) || !is_verb_form(word) || (i > 0 && asks_for_noun(words[i - 1].lower));
}

// Behind the square brackets that open at `i`: what stands in them describes a picture or an attachment, not what is
// talked about.
std::size_t skip_brackets(const LatinWords& words, std::size_t i) {
  constexpr std::size_t kLongest = 80;
  for (std::size_t k = i + 1; k < words.size() && k < i + kLongest; ++k) {
    if (words[k].lower == "]") return k + 1;
  }
  return i + 1;
}

// Where the name of a firm ends that may go on at `end`: "the Department | of Justice".
std::size_t end_of_name(const LatinWords& words, const EnglishNames& written, std::size_t end) {
  if (end + 1 >= words.size() || words[end].lower != "of" || !written.capital_name(end + 1)) return end;
  std::size_t last = end + 2;
  while (last < words.size() && written.capital_name(last)) ++last;
  return last;
}

// Whether a phrase begins a title in quotation marks: "The Silent Patient".
bool opens_title(const LatinWords& words, std::string_view text, std::size_t i) {
  const std::string_view before = text.substr(0, words[i].begin);
  return words[i].capital && (before.ends_with('"') || before.ends_with("“"));
}

using Words = NounWords;

class Reader {
 public:
  Reader(const LatinWords& words, std::string_view text, const Voices& voices, const std::vector<std::string>& names)
      : words_(words),
        text_(text),
        voices_(voices),
        names_(names.begin(), names.end()),
        written_(words, std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {}

  std::vector<Mention> run() {
    for (std::size_t i = 0; i < words_.size();) {
      std::size_t next = i + 1;
      read_quote(i);
      if (words_[i].lower == "[") {
        next = skip_brackets(words_, i);
      } else if (words_[i].is_word) {
        const std::string& word = words_[i].lower;
        next = std::max(next, determiners().contains(word)          ? phrase(i)
                              : is_owner(word)                      ? relative_of(i)
                              : is_plural_person(word)              ? people(i)
                              : is_bare_plural(words_, written_, i) ? things(i)
                              : is_kin(i)                           ? kin(i)
                                                                    : name(i));
      }
      i = next;
    }
    return std::move(found_);
  }

 private:
  // "My brother, Tom", "a dog named Rex".
  bool names_of(std::size_t k) const {
    const std::string& word = words_[k].lower;
    if (word == "," || word == "named") return true;
    if (word != "called" || found_.empty()) return false;
    return found_.back().animal || text_[found_.back().begin] == 'a';  // "my brother called Tom"
  }

  // "My brother Tom" is one, under his name.
  void merge_with_relative(Mention& mention, std::size_t i) {
    if (i == 0 || found_.empty() || found_.back().kind != MentionKind::kPerson || found_.back().proper) return;
    const Mention& relative = found_.back();
    const bool apposed =
        words_[i - 1].end == relative.end || (names_of(i - 1) && i > 1 && words_[i - 2].end == relative.end);
    if (!apposed || relative.plural) return;
    mention.begin = relative.begin;
    if (relative.gender != Gender::kUnknown) mention.gender = relative.gender;
    found_.pop_back();
  }

  static bool is_owner(std::string_view word) { return word == "his" || word == "her" || word == "their"; }

  // A person in the words from `first` to `last`.
  Mention person(std::size_t first, std::size_t last) const {
    Mention mention;
    mention.begin = words_[first].begin;
    mention.end = words_[last].end;
    mention.text = std::string(text_.substr(mention.begin, mention.end - mention.begin));
    mention.kind = MentionKind::kPerson;
    mention.subject = is_subject(words_, first, last + 1);
    return mention;
  }

  // "His dad", "her new cousin": somebody, told by whose.
  std::size_t relative_of(std::size_t i) {
    constexpr std::size_t kLongest = 4;
    for (std::size_t k = i + 1; k < words_.size() && k < i + kLongest && written_.in_phrase(k); ++k) {
      const bool several = is_plural_person(words_[k].lower) || words_[k].lower == "family";
      if (!several && !is_person_noun(words_[k].lower)) continue;
      Mention mention = person(i, k);
      mention.plural = several;
      mention.bound = true;
      if (const auto known = relatives().find(words_[k].lower); known != relatives().end())
        mention.gender = known->second;
      found_.push_back(mention);
      return k + 1;
    }
    return i + 1;
  }

  bool is_kin(std::size_t i) const { return is_called_by_kinship(words_[i].lower) && !words_[i].protected_by_span; }

  // "Mom called": the speaker's, unless the speaker is told of by name as well.
  std::size_t kin(std::size_t i) {
    const bool surname = i + 1 < words_.size() && words_[i + 1].capital && words_[i + 1].begin == words_[i].end + 1;
    if (surname || is_predicate(words_, i) || voices_.speaker.empty()) return name(i);
    Mention mention = person(i, i);
    const bool told_by_name = text_.find(voices_.speaker) != std::string_view::npos;
    // "Anna's father": not the speaker's.
    const std::string_view before = text_.substr(0, words_[i].begin);
    mention.bound = before.ends_with("'s ") || before.ends_with("’s ");
    if (!told_by_name && !mention.bound) mention.text = possessive(voices_.speaker, false) + " " + words_[i].lower;
    mention.aside = is_aside(words_, i);
    mention.leads = words_[i].starts_sentence;
    if (const auto known = relatives().find(words_[i].lower); known != relatives().end())
      mention.gender = known->second;
    found_.push_back(mention);
    return i + 1;
  }

  // "Mechanics", "working professionals": people of a kind.
  std::size_t people(std::size_t i) {
    if (words_[i].lower == "guys" || is_predicate(words_, i)) return i + 1;
    Mention mention = person(i, i);
    mention.plural = true;
    mention.bare = true;
    mention.leads = words_[i].starts_sentence;
    found_.push_back(mention);
    return i + 1;
  }

  std::size_t things(std::size_t i) {
    const bool heads_another =
        i + 1 < words_.size() && is_bare_plural(words_, written_, i + 1) && words_[i + 1].begin == words_[i].end + 1;
    if (heads_another || is_predicate(words_, i)) return i + 1;
    Mention mention;
    mention.text = "the " + std::string(text_.substr(words_[i].begin, words_[i].end - words_[i].begin));
    mention.bare = true;
    mention.animal = is_plural_animal(words_[i].lower);
    mention.kind = mention.animal ? MentionKind::kPerson : MentionKind::kThing;
    mention.plural = true;
    mention.begin = words_[i].begin;
    mention.end = words_[i].end;
    mention.aside = is_aside(words_, i);
    mention.subject = is_subject(words_, i, i + 1);
    mention.leads = words_[i].starts_sentence;
    found_.push_back(mention);
    return i + 1;
  }

  // "Tom, a nurse, …": says who he is.
  bool is_apposed(std::size_t i, std::size_t end) {
    if (i < 2 || words_[i - 1].lower != "," || found_.empty() || !found_.back().proper) return false;
    if (found_.back().end != words_[i - 2].end || found_.back().plural) return false;
    static const Words kBehind = {",", ".", "and", "who", "at", "from", "!", "?", ";"};
    return end >= words_.size() || kBehind.contains(words_[end].lower);
  }

  std::size_t phrase(std::size_t i) {
    const std::string& determiner = words_[i].lower;
    std::size_t end = end_of_phrase(words_, written_, i);
    if (end == i + 1) return end;
    const std::string head(without_possessive(words_[end - 1].lower));
    if (head.empty() || empty_heads().contains(head) || is_digit(head[0])) return end;
    const bool whose = head.size() < words_[end - 1].lower.size();
    if (determiner == "one" && is_role(head)) return end;  // "has one parent": a number
    const bool alive = is_person_noun(head) || is_plural_person(head) || is_animal(head) || is_plural_animal(head) ||
                       collectives().contains(head);
    if (is_predicate(words_, i) && !whose && alive) return end;
    const std::string lead = leading(words_[i].lower);
    if (lead.empty()) return end;
    if (is_person_noun(head) && !whose && is_apposed(i, end)) {
      found_.back().kind = MentionKind::kPerson;
      if (const auto known = relatives().find(head); known != relatives().end() && known->second != Gender::kUnknown)
        found_.back().gender = known->second;
      return end;
    }
    Mention mention;
    mention.text =
        lead +
        std::string(without_possessive(text_.substr(words_[i + 1].begin, words_[end - 1].end - words_[i + 1].begin)));
    if (mention.text.find('\n') != std::string::npos) return end;
    mention.begin = words_[i].begin;
    mention.plural = is_plural_noun(head);
    mention.owns = whose;
    if (firms().contains(head) && !whose) {
      const std::size_t last = end_of_name(words_, written_, end);
      mention.text += text_.substr(words_[end - 1].end, words_[last - 1].end - words_[end - 1].end);
      end = last;
    }
    if (collectives().contains(head)) {
      // "My family": they as well as it.
      mention.plural = mention.collective = true;
      mention.end = words_[end - 1].end;
      mention.kind = MentionKind::kPerson;
      mention.subject = is_subject(words_, i, end);
      found_.push_back(mention);
      mention.collective = false;
      mention.kind = MentionKind::kThing;
      mention.plural = false;
    }
    mention.end = words_[end - 1].begin + without_possessive(words_[end - 1].lower).size();
    mention.aside = is_aside(words_, i);
    mention.subject = is_subject(words_, i, end);
    mention.leads = words_[i].starts_sentence ||
                    (i > 0 && (!words_[i - 1].is_word || words_[i - 1].lower == "and" || words_[i - 1].lower == "but"));
    add(mention, head, i);
    return end;
  }

  // In quotation marks "my" and "your" are somebody else's.
  void read_quote(std::size_t i) {
    const std::string& mark = words_[i].lower;
    if (mark == "“" || mark == "”") quoted_ = mark == "“";
    if (mark != "\"") return;
    const std::size_t at = words_[i].begin;
    quoted_ = at == 0 || text_[at - 1] == ' ' || text_[at - 1] == '\n' || text_[at - 1] == '(';
  }

  // How the phrase begins when somebody else says it: "my" → "Ann's"; empty where the owner is not known.
  std::string leading(std::string_view determiner) const {
    if (quoted_ && (determiner == "my" || determiner == "your")) return "";
    if (determiner == "my") return voices_.speaker.empty() ? "" : possessive(voices_.speaker, false) + " ";
    if (determiner == "your") return voices_.hearer.empty() ? "" : possessive(voices_.hearer, false) + " ";
    return "the ";
  }

  // Who works there is they.
  void add_firm(Mention mention) {
    mention.kind = MentionKind::kFirm;
    mention.plural = false;
    found_.push_back(std::move(mention));
  }

  void add(Mention mention, const std::string& head, std::size_t determiner) {
    if (opens_title(words_, text_, determiner)) {
      found_.push_back(mention);
      return;
    }
    if (is_animal(head) || is_plural_animal(head)) {
      mention.kind = MentionKind::kPerson;
      mention.animal = true;
    } else if (is_plural_person(head) || is_role(head)) {
      mention.kind = MentionKind::kPerson;
    } else if (const auto relative = relatives().find(head); relative != relatives().end()) {
      mention.kind = MentionKind::kPerson;
      mention.gender = relative->second;
    }
    found_.push_back(mention);
    const bool named = words_[determiner].lower == "the" && mention.plural && written_.capital_name(determiner + 1);
    if (mention.kind == MentionKind::kThing && (named || (!mention.plural && firms().contains(head))))
      add_firm(mention);
    if (mention.kind == MentionKind::kThing && place_nouns().contains(head) && determiner > 0 &&
        before_places().contains(words_[determiner - 1].lower)) {
      mention.kind = MentionKind::kPlace;
      found_.push_back(mention);
    }
  }

  std::size_t name(std::size_t i) {
    if (written_.names_a_people(i)) return people(i);
    if (const std::size_t count = written_.small_run(i); count > 0) return small_name(i, i + count);
    if (written_.is_acronym(i)) return acronym(i);
    if (!written_.capital_name(i) || is_addressed(words_, i, i + 1)) return i + 1;
    std::size_t end = i + 1;
    while (written_.is_initial(end - 1) && end + 1 < words_.size() && words_[end + 1].capital) end += 2;  // "J.K. Hill"
    while (end < i + 6 && without_possessive(words_[end - 1].lower).size() == words_[end - 1].lower.size()) {
      const bool near =
          end < words_.size() && text_[words_[end].begin - 1] == ' ' && words_[end].begin == words_[end - 1].end + 1;
      if (near && written_.is_initial(end) && end + 2 < words_.size() && written_.capital_name(end + 2))
        end += 3;
      else if (near && (written_.capital_name(end) || (end == i + 1 && written_.is_small_surname(i, end))))
        ++end;
      else
        break;
    }
    // "Ring Eva": the first word of a sentence is a name only by itself.
    NameGender second = NameGender::kUnknown, own = NameGender::kUnknown;
    if (words_[i].starts_sentence && end == i + 2 && is_first_name(words_[i + 1].lower, second) &&
        !is_first_name(words_[i].lower, own) && gender_of_title(words_[i].lower) == Gender::kUnknown)
      return i + 1;
    const std::string written(without_possessive(text_.substr(words_[i].begin, words_[end - 1].end - words_[i].begin)));
    const bool known = names_.contains(written);
    NameGender gender = NameGender::kUnknown;
    const bool first_name =
        is_first_name(words_[i].lower.substr(0, without_possessive(words_[i].lower).size()), gender);
    // At the beginning of a sentence every word has a capital; two of them, or a known name, still are one.
    const bool titled = has_title(i);
    if (!known && !first_name && !titled && words_[i].starts_sentence && end == i + 1) return end;
    Mention mention;
    mention.text = written;
    mention.proper = true;
    mention.begin = words_[i].begin;
    mention.end = words_[end - 1].begin + without_possessive(words_[end - 1].lower).size();
    mention.leads = words_[i].starts_sentence;
    mention.aside = is_aside(words_, i);
    mention.subject = is_subject(words_, i, end);
    if (gender != NameGender::kUnknown) mention.gender = gender == NameGender::kMale ? Gender::kMale : Gender::kFemale;
    const bool initials = mention.text.find(". ") != std::string::npos;
    classify(mention, i, end, known || titled || (first_name && (end <= i + 2 || initials)));
    return end;
  }

  // "taylor swift", "a singer named redfoo": a name by where it stands.
  std::size_t small_name(std::size_t i, std::size_t end) {
    Mention mention;
    mention.text =
        std::string(without_possessive(text_.substr(words_[i].begin, words_[end - 1].end - words_[i].begin)));
    mention.kind = MentionKind::kPerson;
    mention.proper = true;
    mention.begin = words_[i].begin;
    mention.end = words_[i].begin + mention.text.size();
    mention.subject = is_subject(words_, i, end);
    NameGender gender = NameGender::kUnknown;
    if (is_first_name(words_[i].lower, gender) && gender != NameGender::kUnknown)
      mention.gender = gender == NameGender::kMale ? Gender::kMale : Gender::kFemale;
    merge_with_relative(mention, i);
    found_.push_back(mention);
    return end;
  }

  // "NASA", "IBM".
  std::size_t acronym(std::size_t i) {
    Mention mention;
    mention.text = std::string(without_possessive(text_.substr(words_[i].begin, words_[i].end - words_[i].begin)));
    mention.proper = true;
    mention.begin = words_[i].begin;
    mention.end = words_[i].begin + mention.text.size();
    mention.subject = is_subject(words_, i, i + 1);
    add_firm(std::move(mention));
    return i + 1;
  }

  // "Dr. Overpeck", "Mrs Lin".
  bool has_title(std::size_t i) const {
    std::size_t before = i;
    if (before > 0 && words_[before - 1].lower == ".") --before;
    return before > 0 && person_titles().contains(words_[before - 1].lower);
  }

  // "The bride, Jen, …", "a dog called Rex": said of somebody.
  bool is_said_whose_name(std::size_t i) const {
    if (i < 2 || found_.empty() || !names_of(i - 1)) return false;
    const Mention& last = found_.back();
    return last.kind == MentionKind::kPerson && !last.proper && !last.plural && last.end == words_[i - 2].end;
  }

  void classify(Mention& mention, std::size_t i, std::size_t end, bool known) {
    std::size_t title = i;
    while (title > 0 && words_[title - 1].lower == ".") --title;
    const std::string_view before = title > 0 ? std::string_view(words_[title - 1].lower) : std::string_view();
    const std::string_view after = end < words_.size() ? std::string_view(words_[end].lower) : std::string_view();
    // "Thanks, Mel!": called, not talked about.
    if (before == "," && (after == "!" || after == "?" || after == "." || after.empty())) return;
    if (before_places().contains(before) && !known) {
      mention.kind = MentionKind::kPlace;
      found_.push_back(mention);
      mention.kind = MentionKind::kThing;
      mention.aside = true;
      if (before == "in") return;
    }
    if (known || is_said_whose_name(i) || (end == i + 1 && is_among_people(words_, i, end))) {
      mention.kind = MentionKind::kPerson;
      if (const Gender said = gender_of_title(before); said != Gender::kUnknown) mention.gender = said;
      merge_with_relative(mention, i);
      found_.push_back(mention);
      return;
    }
    mention.kind = MentionKind::kThing;
    found_.push_back(mention);
    // "Instagram account", "Tim Hortons or Starbucks": no one who acts.
    const bool leads = mention.end == words_[end - 1].end && written_.nounlike(end);
    if (!words_[i].starts_sentence && !leads && before != "or" && before != "of" && after != "or") add_firm(mention);
  }

  const LatinWords& words_;
  std::string_view text_;
  const Voices& voices_;
  std::unordered_set<std::string> names_;
  EnglishNames written_;
  bool quoted_ = false;
  std::vector<Mention> found_;
};

}  // namespace

std::vector<Mention> english_mentions(const LatinWords& words, std::string_view text, const Voices& voices,
                                      const std::vector<std::string>& names) {
  return Reader(words, text, voices, names).run();
}

}  // namespace weft
