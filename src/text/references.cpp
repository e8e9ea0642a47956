#include "text/references.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "base/strings.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"

namespace weft {
namespace {

using Words = LexiconWords;

struct Pronoun {
  ReferenceKind kind;
  int person;
  bool plural;
  Gender gender;
  PronounForm form;
};

constexpr auto kP = ReferenceKind::kPerson;
constexpr auto kU = Gender::kUnknown;
constexpr auto kMale = Gender::kMale;
constexpr auto kFemale = Gender::kFemale;

const std::unordered_map<std::string_view, Pronoun>& pronouns() {
  using F = PronounForm;
  constexpr auto kT = ReferenceKind::kThing;
  constexpr auto kA = ReferenceKind::kAny;
  static const std::unordered_map<std::string_view, Pronoun> words = {
      {"i", {kP, 1, false, kU, F::kSubject}},          {"me", {kP, 1, false, kU, F::kObject}},
      {"my", {kP, 1, false, kU, F::kDeterminer}},      {"mine", {kP, 1, false, kU, F::kPossessive}},
      {"myself", {kP, 1, false, kU, F::kReflexive}},   {"you", {kP, 2, false, kU, F::kSubject}},
      {"ya", {kP, 2, false, kU, F::kObject}},          {"y'all", {kP, 2, true, kU, F::kSubject}},
      {"your", {kP, 2, false, kU, F::kDeterminer}},    {"yours", {kP, 2, false, kU, F::kPossessive}},
      {"yourself", {kP, 2, false, kU, F::kReflexive}}, {"yourselves", {kP, 2, true, kU, F::kReflexive}},
      {"he", {kP, 3, false, kMale, F::kSubject}},      {"him", {kP, 3, false, kMale, F::kObject}},
      {"his", {kP, 3, false, kMale, F::kDeterminer}},  {"she", {kP, 3, false, kFemale, F::kSubject}},
      {"her", {kP, 3, false, kFemale, F::kObject}},    {"hers", {kP, 3, false, kFemale, F::kPossessive}},
      {"it", {kT, 3, false, kU, F::kSubject}},         {"its", {kT, 3, false, kU, F::kDeterminer}},
      {"we", {kP, 1, true, kU, F::kSubject}},          {"us", {kP, 1, true, kU, F::kObject}},
      {"our", {kP, 1, true, kU, F::kDeterminer}},      {"ours", {kP, 1, true, kU, F::kPossessive}},
      {"ourselves", {kP, 1, true, kU, F::kReflexive}}, {"they", {kA, 3, true, kU, F::kSubject}},
      {"them", {kA, 3, true, kU, F::kObject}},         {"'em", {kA, 3, true, kU, F::kObject}},
      {"their", {kA, 3, true, kU, F::kDeterminer}},    {"theirs", {kA, 3, true, kU, F::kPossessive}}};
  return words;
}

// The words around one, empty beyond the ends; protected words count as names, so as nothing that grammar knows.
class Around {
 public:
  explicit Around(const LatinWords& words) : words_(words) {}

  std::string_view at(std::size_t i, std::ptrdiff_t offset) const {
    const auto index = static_cast<std::ptrdiff_t>(i) + offset;
    if (index < 0 || index >= static_cast<std::ptrdiff_t>(words_.size())) return {};
    const LatinWord& word = words_[static_cast<std::size_t>(index)];
    return word.protected_by_span ? std::string_view("\x01") : std::string_view(word.lower);
  }

  bool is_stop(std::size_t i, std::ptrdiff_t offset) const {
    const std::string_view word = at(i, offset);
    static const Words kStops = {".", "!", "?", ";", ",", ":",  "…",  "-",  "—",
                                 "–", "(", ")", "[", "]", "。", "，", "！", "？"};
    return word.empty() || kStops.contains(word);
  }

 private:
  const LatinWords& words_;
};

bool is_be(std::string_view w) {
  static const Words kBe = {"is", "was", "be", "been", "being", "isn't", "wasn't", "are", "were", "'s"};
  return kBe.contains(w);
}

// ---- it ----

const Words& weather() {
  static const LexiconWords words = lexicon_words("en/references", "weather");
  return words;
}

const Words& when_words() {
  static const LexiconWords words = lexicon_words("en/references", "when");
  return words;
}

// Nouns of feeling and judging that stand before "to" and "that" without anything being meant by "it".
const Words& judging_nouns() {
  static const LexiconWords words = lexicon_words("en/references", "judging nouns");
  return words;
}

// Whether "to" is followed by a verb: what is no determiner, pronoun or preposition.
bool is_infinitive(const Around& around, std::size_t i, std::ptrdiff_t k) {
  static const LexiconWords kNot = lexicon_words("en/references", "no infinitive");
  const std::string_view word = around.at(i, k);
  return !around.is_stop(i, k) && word != "\x01" &&
         (is_base_verb(word) || (!kNot.contains(word) && !pronouns().contains(word)));
}

// A subject of its own: "inspiring and now I am".
bool begins_clause(const Around& around, std::size_t i, std::ptrdiff_t k) {
  const std::string_view word = around.at(i, k);
  return word == "\x01" || is_mid_adverb(word) || pronouns().contains(word.substr(0, word.find('\'')));
}

// Whether what stands from `i` on to the end of the clause begins what "it" only announces: "to …", "that …", "how …",
// "seeing you". `bare` adjectives alone come before it, or a judging noun.
bool announces(const Around& around, std::size_t i) {
  static const LexiconWords kOpeners = lexicon_words("en/references", "openers");
  static const Words kDeterminers = {"a", "an", "the", "my", "your", "his", "our", "their", "this", "one", "some"};
  bool noun = false;
  for (std::ptrdiff_t k = 0; k < 16; ++k) {
    const std::string_view word = around.at(i, k);
    if (word.empty() || around.is_stop(i, k)) return false;
    if (word == "but" || (word == "and" && begins_clause(around, i, k + 1))) return false;
    if (word == "to") return !noun && is_infinitive(around, i, k + 1);
    if (kOpeners.contains(word)) return k > 0 && !noun;
    // "great bonding over it", but not "fun and exciting".
    const std::string_view left = around.at(i, k - 1);
    if (k > 0 && word.size() > 4 && word.substr(word.size() - 3) == "ing" && left != "and" && left != "or" &&
        !is_mid_adverb(left) && left != "very")
      return !noun && !around.is_stop(i, k + 1);
    if (word == "for" || word == "of") {
      // "important for me to", "kind of you to": the person stands between.
      for (std::ptrdiff_t j = k + 1; j <= k + 4 && !around.is_stop(i, j); ++j) {
        if (around.at(i, j) == "to" && is_infinitive(around, i, j + 1)) return !noun;
      }
      if (word == "for" || noun) return false;
    }
    if (kDeterminers.contains(word)) noun = true;
    if (noun && judging_nouns().contains(word)) noun = false;
  }
  return false;
}

bool is_idle_verb(std::string_view w) {
  static const LexiconWords kIdle = lexicon_words("en/references", "idle verbs");
  return kIdle.contains(w);
}

// Set phrases in which "it" stands for nothing: the words before and behind it.
bool is_idiomatic_it(const Around& around, std::size_t i) {
  const std::string_view before = around.at(i, -1), after = around.at(i, 1);
  static const Words kMade = {"make", "made", "makes", "making"};
  static const Words kKilled = {"nailed", "crushed", "crushing", "killed", "killing", "nail", "rocked", "rock"};
  static const Words kKeep = {"keep", "keeping", "kept", "keeps"};
  if (kKeep.contains(before) && (after == "up" || after == "going")) return true;
  if ((before == "take" || before == "taking") && (after == "easy" || (after == "slow") || after == "one")) return true;
  if (before == "got" && around.is_stop(i, 1) && around.is_stop(i, -2)) return true;
  if (before == "believe" && after == "or") return true;
  if (before == "for" && (around.at(i, -2) == "go" || around.at(i, -2) == "going" || around.at(i, -2) == "goes" ||
                          around.at(i, -2) == "went"))
    return true;
  if (kMade.contains(before) && (after == "to" || after == "through" || around.at(i, 2) == "to" ||
                                 around.at(i, 2) == "that" || after == "happen"))
    return after != "happen";
  if (before == "find" || before == "found") return announces(around, i + 1);
  if ((before == "when" || before == "as") && (after == "comes" || after == "is") &&
      (around.at(i, 2) == "to" || around.is_stop(i, 2)))
    return true;
  if ((kKilled.contains(before) || before == "kill") && (around.is_stop(i, 1) || after == "in" || after == "at"))
    return true;
  if (kMade.contains(before) && (around.is_stop(i, 1) || after == "and")) return true;
  if (before == "worth" || (after == "up" && (before == "live" || before == "living"))) return true;
  if (before == "that's" && around.is_stop(i, 1)) return true;
  if ((before == "hit" && after == "off") || (before == "call" && after == "a")) return true;
  return (before == "how's" || before == "how") && (after == "going" || after == "goes");
}

struct Split {
  std::string_view stem, rest;
};

// "I'm" → I, 'm; "im" and "ive" as people type them.
Split split_contraction(std::string_view word) {
  static const std::unordered_map<std::string_view, std::size_t> kTyped = {
      {"im", 1}, {"ive", 1}, {"youre", 3}, {"youve", 3}, {"theyre", 4}};
  if (const auto typed = kTyped.find(word); typed != kTyped.end())
    return {word.substr(0, typed->second), word.substr(typed->second)};
  const std::size_t mark = word.find('\'');
  if (mark == std::string_view::npos || mark == 0) return {word, {}};
  if (pronouns().contains(word)) return {word, {}};
  return {word.substr(0, mark), word.substr(mark)};
}

// "It sounds like the trip was": a whole clause is compared.
bool is_verb_later(const Around& around, std::size_t i) {
  for (std::ptrdiff_t k = 0; k < 5 && !around.is_stop(i, k); ++k) {
    if (is_auxiliary(around.at(i, k)) || is_past_form(around.at(i, k))) return true;
  }
  return false;
}

// "It seems …", "it turns out", "it takes an hour to …".
bool is_idle(const Around& around, std::size_t verb) {
  const std::string_view head = around.at(verb, 0);
  if (head.substr(0, 4) == "seem" || head.substr(0, 4) == "appe") return true;
  if (head.substr(0, 4) == "turn") return around.at(verb, 1) == "out";
  if (head.substr(0, 4) == "happ") return around.at(verb, 1) == "that";
  for (std::ptrdiff_t k = 1; k < 9 && !around.is_stop(verb, k); ++k) {
    if (around.at(verb, k) == "to" && is_infinitive(around, verb, k + 1)) return true;
  }
  return false;
}

bool is_expletive_it(const Around& around, std::size_t i) {
  if (is_idiomatic_it(around, i)) return true;
  // The verb: contracted in the word itself, behind the pronoun, or before it in a question.
  std::size_t next = i + 1;
  const std::string_view self = around.at(i, 0);
  bool verb = self != "it";
  if (!verb && is_auxiliary(around.at(i, -1)) && !around.is_stop(i, -1)) verb = true;
  while (is_auxiliary(around.at(next, 0)) || is_be(around.at(next, 0)) || is_mid_adverb(around.at(next, 0)) ||
         around.at(next, 0) == "not" || around.at(next, 0) == "going") {
    verb = verb || !is_mid_adverb(around.at(next, 0));
    ++next;
  }
  if (weather().contains(around.at(next, 0))) return true;
  for (std::ptrdiff_t k = 0; verb && k < 3; ++k) {
    if (when_words().contains(around.at(next, k)) && !is_mid_adverb(around.at(next, k)) &&
        (k == 0 || around.at(next, 0) == "about" || around.at(next, 0) == "almost" || around.at(next, 0) == "high" ||
         around.at(next, 0) == "already" || around.at(next, 0) == "been"))
      return true;
    if (around.at(next, k) == "while" && k > 0) return true;  // it has been a while
  }
  const std::string_view head = around.at(next, 0);
  if (is_idle_verb(head)) return is_idle(around, next);
  static const Words kLooks = {"looks", "sounds", "feels", "looked", "felt", "feel", "look", "sound"};
  if (kLooks.contains(head) && around.at(next, 1) == "like") {
    const std::string_view subject = around.at(next, 2);
    return pronouns().contains(split_contraction(subject).stem) || subject == "\x01" || subject == "those" ||
           subject == "there's" || is_verb_later(around, next + 3);
  }
  static const LexiconWords kJudging = lexicon_words("en/references", "judging verbs");
  if (verb || kJudging.contains(head)) return announces(around, verb ? next : next + 1);
  return false;
}

// ---- here and there ----

const Words& existential_verbs() {
  static const LexiconWords words = lexicon_words("en/references", "existential verbs");
  return words;
}

bool is_existential_there(const Around& around, std::size_t i) {
  const std::string_view self = around.at(i, 0), before = around.at(i, -1), after = around.at(i, 1);
  if (self != "there") return true;  // there's, there'll, there're
  if (before == "over" || before == "up" || before == "down" || before == "from") return false;
  static const Words kGreets = {"hi", "hey", "hello", "hiya", "oh"};
  if (kGreets.contains(before) || before == "out" || before == "in" || before == "is" || before == "are" ||
      before == "was" || before == "were" || before == "isn't" || before == "aren't" || before == "will" ||
      before == "wasn't" || before == "has" || before == "have")
    return before != "will" || after == "be";
  const std::string_view left = around.at(i, -2);
  const bool has = left.size() > 3 && left.substr(left.size() - 3) == "'ve";
  if (before == "got" && (has || left == "have" || left == "has")) return true;  // the plan you've got there
  if (before == "been" && (after == "through" || after == "when" || around.is_stop(i, 1))) return true;
  if (after == "for" || (after == "to" && is_infinitive(around, i, 2) && before != "go" && before != "went"))
    return true;  // be there for somebody, to help
  if (around.is_stop(i, -1) && (after == "you" || after == "we")) return true;   // there you go
  return existential_verbs().contains(after) || (is_mid_adverb(after) && existential_verbs().contains(around.at(i, 2)));
}

bool is_presenting_here(const Around& around, std::size_t i) {
  const std::string_view self = around.at(i, 0), after = around.at(i, 1);
  if (self != "here") return true;  // here's, here're: shows something
  if (around.at(i, 2) == "to" && around.at(i, -1) != "from" && after == ",") return true;
  if (after == "to" && is_infinitive(around, i, 2) && around.at(i, 2) != "live")
    return around.at(i, -1) != "came" && around.at(i, -1) != "come" && around.at(i, -1) != "moved";  // here to help
  if (after == "for") return true;
  return around.is_stop(i, -1) &&
         (after == "is" || after == "are" || after == "was" || after == "were" || after == "goes" || after == "comes" ||
          after == "you" || after == "we" || after == "they" || after == "it" || after == "he" || after == "she" ||
          after == "those" || after == "\x01");
}

// ---- reading one word ----

// "I" that numbers something, "mine" that is dug.
bool is_no_pronoun(const LatinWord& word, const Around& around, std::size_t i) {
  static const LexiconWords kNumbered = lexicon_words("en/references", "numbered");
  static const Words kDug = {"a", "the", "gold", "coal", "salt", "this", "land", "diamond"};
  const std::string_view before = around.at(i, -1);
  if (word.lower == "i")
    return kNumbered.contains(before) || around.at(i, 1) == "/" || before == "/" ||
           (around.at(i, 1) == "." && around.at(i, 2) == "e");
  // "its been a while", "its a lamp": the apostrophe was left out.
  static const LexiconWords kVerbal = lexicon_words("en/references", "its");
  if (word.lower == "its" && kVerbal.contains(around.at(i, 1))) return true;
  if (word.lower == "mine") return kDug.contains(before);
  return word.lower == "ya" && around.at(i, -1) != "see" && around.at(i, -1) != "love" && around.at(i, -1) != "thank";
}

// Whether a noun follows, so that "her" is a possessive.
bool noun_follows(const Around& around, std::size_t i) {
  const std::string_view next = around.at(i, 1);
  if (around.is_stop(i, 1) || is_auxiliary(next)) return false;
  static const LexiconWords kOther = lexicon_words("en/references", "no noun");
  static const Words kBeforeNouns = {"first", "only", "own", "early", "family"};
  return !kOther.contains(next) && (!is_mid_adverb(next) || kBeforeNouns.contains(next)) && !pronouns().contains(next);
}

// "Gave her money", "wished her luck": two objects, unless the second one is given to somebody: "gave her money to
// Bob".
bool takes_two_objects(const Around& around, std::size_t i) {
  static const LexiconWords kVerbs = lexicon_words("en/references", "of two objects");
  if (!kVerbs.contains(around.at(i, -1))) return false;
  for (std::ptrdiff_t k = 2; k <= 4; ++k)
    if (around.at(i, k) == "to" || around.at(i, k) == "about") return false;
  return true;
}

PronounForm form_of(std::string_view word, PronounForm given, const Around& around, std::size_t i) {
  static const LexiconWords kBareVerbs = lexicon_words("en/references", "before bare verbs");
  if (word == "her" &&
      (takes_two_objects(around, i) || (kBareVerbs.contains(around.at(i, -1)) && is_base_verb(around.at(i, 1)))))
    return PronounForm::kObject;
  if (word == "her") return noun_follows(around, i) ? PronounForm::kDeterminer : PronounForm::kObject;
  if (word == "his") return noun_follows(around, i) ? PronounForm::kDeterminer : PronounForm::kPossessive;
  return given;
}

// US, IT, ME: names, unless the neighbours are shouted too.
bool is_initials(const LatinWords& words, std::size_t i) {
  if (!words[i].all_capitals) return false;
  const auto shouted = [&](std::size_t k) { return k < words.size() && words[k].all_capitals; };
  return !(i > 0 && shouted(i - 1)) && !shouted(i + 1);
}

void read_place(const LatinWords& words, std::size_t i, const Around& around, std::vector<Reference>& out) {
  const LatinWord& word = words[i];
  const std::string_view stem = split_contraction(word.lower).stem;
  Reference reference;
  reference.begin = word.begin;
  reference.end = word.end;
  reference.person = 0;
  reference.word = i;
  if (stem == "here") {
    if (is_presenting_here(around, i)) return;
    reference.kind = ReferenceKind::kHere;
  } else if (stem == "there") {
    if (is_existential_there(around, i)) return;
    reference.kind = ReferenceKind::kThere;
  } else if (stem == "locally") {
    reference.kind = ReferenceKind::kHere;
  } else {
    return;
  }
  out.push_back(reference);
}

}  // namespace

std::vector<Reference> find_references(std::string_view text, const std::vector<Span>& protected_by) {
  auto references = find_english_references(read_latin_words(text, protected_by));
  const auto chinese = find_chinese_references(text, protected_by);
  references.insert(references.end(), chinese.begin(), chinese.end());
  std::sort(references.begin(), references.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return references;
}

bool is_pronoun(std::string_view word) {
  const auto found = find_references(word, {});
  return found.size() == 1 && found[0].begin == 0 && found[0].end == word.size();
}

std::vector<Reference> find_english_references(const LatinWords& words) {
  std::vector<Reference> out;
  const Around around(words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const LatinWord& word = words[i];
    if (!word.is_word || word.protected_by_span) continue;
    // 'em: the apostrophe is a word of its own before it.
    const bool clipped = word.lower == "em" && i > 0 && words[i - 1].end == word.begin &&
                         (words[i - 1].lower == "'" || words[i - 1].lower == "’");
    const Split split = clipped ? Split{"them", {}} : split_contraction(word.lower);
    const bool lets = word.lower == "let's";
    const auto found = pronouns().find(lets ? std::string_view("us") : split.stem);
    if (found == pronouns().end()) {
      read_place(words, i, around, out);
      continue;
    }
    const Pronoun& pronoun = found->second;
    if (!lets && (is_no_pronoun(word, around, i) || is_initials(words, i))) continue;
    if (pronoun.person == 3 && pronoun.form == PronounForm::kReflexive) continue;
    if (split.stem == "it" && is_expletive_it(around, i)) continue;
    Reference reference;
    reference.begin = clipped ? words[i - 1].begin : word.begin;
    reference.end = lets || split.rest.empty() ? word.end : word.begin + split.stem.size();
    reference.kind = pronoun.kind;
    reference.person = pronoun.person;
    reference.plural = pronoun.plural;
    reference.gender = pronoun.gender;
    reference.form = form_of(split.stem, pronoun.form, around, i);
    reference.inclusive = lets;
    reference.word = i;
    out.push_back(reference);
  }
  return out;
}

namespace {

struct Entry {
  std::string_view word;
  ReferenceKind kind;
  int person;
  bool plural;
  Gender gender;
  bool inclusive;
};

constexpr auto kPronoun = ReferenceKind::kPerson;
constexpr auto kT = ReferenceKind::kThing;
constexpr auto kA = ReferenceKind::kAny;
constexpr auto kH = ReferenceKind::kHere;
constexpr auto kTh = ReferenceKind::kThere;

// Longer words before those that they begin with.
constexpr std::array<Entry, 41> kWords = {{
    {"我们", kPronoun, 1, true, Gender::kUnknown, false},  {"咱们", kPronoun, 1, true, Gender::kUnknown, true},
    {"咱俩", kPronoun, 1, true, Gender::kUnknown, true},   {"我俩", kPronoun, 1, true, Gender::kUnknown, false},
    {"俺们", kPronoun, 1, true, Gender::kUnknown, false},  {"你我", kPronoun, 1, true, Gender::kUnknown, true},
    {"咱", kPronoun, 1, true, Gender::kUnknown, true},     {"我", kPronoun, 1, false, Gender::kUnknown, false},
    {"俺", kPronoun, 1, false, Gender::kUnknown, false},   {"本人", kPronoun, 1, false, Gender::kUnknown, false},
    {"你们", kPronoun, 2, true, Gender::kUnknown, false},  {"您们", kPronoun, 2, true, Gender::kUnknown, false},
    {"你俩", kPronoun, 2, true, Gender::kUnknown, false},  {"你", kPronoun, 2, false, Gender::kUnknown, false},
    {"您", kPronoun, 2, false, Gender::kUnknown, false},   {"妳", kPronoun, 2, false, Gender::kUnknown, false},
    {"他们", kA, 3, true, Gender::kUnknown, false},        {"她们", kPronoun, 3, true, Gender::kFemale, false},
    {"它们", kT, 3, true, Gender::kUnknown, false},        {"他俩", kPronoun, 3, true, Gender::kUnknown, false},
    {"她俩", kPronoun, 3, true, Gender::kFemale, false},   {"他", kPronoun, 3, false, Gender::kMale, false},
    {"她", kPronoun, 3, false, Gender::kFemale, false},    {"它", kT, 3, false, Gender::kUnknown, false},
    {"牠", kT, 3, false, Gender::kUnknown, false},         {"这位", kPronoun, 3, false, Gender::kUnknown, false},
    {"那位", kPronoun, 3, false, Gender::kUnknown, false}, {"这里", kH, 0, false, Gender::kUnknown, false},
    {"这儿", kH, 0, false, Gender::kUnknown, false},       {"这边", kH, 0, false, Gender::kUnknown, false},
    {"本地", kH, 0, false, Gender::kUnknown, false},       {"此地", kH, 0, false, Gender::kUnknown, false},
    {"此处", kH, 0, false, Gender::kUnknown, false},       {"这裡", kH, 0, false, Gender::kUnknown, false},
    {"這裡", kH, 0, false, Gender::kUnknown, false},       {"那里", kTh, 0, false, Gender::kUnknown, false},
    {"那儿", kTh, 0, false, Gender::kUnknown, false},      {"那边", kTh, 0, false, Gender::kUnknown, false},
    {"那裡", kTh, 0, false, Gender::kUnknown, false},      {"当地", kTh, 0, false, Gender::kUnknown, false},
    {"當地", kTh, 0, false, Gender::kUnknown, false},
}};

// Whether one of the words stands around `at` such that its `part` is what begins there.
bool inside(std::string_view text, std::size_t at, std::string_view part, std::span<const std::string_view> list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view word) {
    for (std::size_t i = word.find(part); i != std::string_view::npos; i = word.find(part, i + 1)) {
      if (i <= at && starts_at(text, at - i, word)) return true;
    }
    return false;
  });
}

// 这位置, 那位数: the character behind belongs to another word.
bool other_measure(std::string_view text, std::size_t end) {
  for (const std::string_view next : {"置", "数", "于", "移", "面", "址"}) {
    if (starts_at(text, end, next)) return true;
  }
  return false;
}

const Entry* entry_at(std::string_view text, std::size_t at) {
  // All words begin with one of few characters; most positions are decided by the first byte.
  if (static_cast<unsigned char>(text[at]) < 0xE4) return nullptr;
  const auto found =
      std::find_if(kWords.begin(), kWords.end(), [&](const Entry& e) { return starts_at(text, at, e.word); });
  return found == kWords.end() ? nullptr : &*found;
}

bool harmless(std::string_view text, std::size_t at, const Entry& entry) {
  const std::size_t end = at + entry.word.size();
  const bool place = entry.kind == kH || entry.kind == kTh;
  // One character is three bytes: 你好 around 你.
  if (inside(text, at, place ? entry.word : entry.word.substr(0, 3), lexicon("zh/references", "no pronoun")))
    return true;
  if (place) {
    if (inside(text, at, entry.word, lexicon("zh/references", "no place"))) return true;
    return entry.word == "此处" && starts_at(text, end, "理");
  }
  if (entry.word == "这位" || entry.word == "那位") return other_measure(text, end);
  if (entry.word == "本人") return at >= 3 && starts_at(text, at - 3, "日");  // 日本人
  return false;
}

}  // namespace

std::vector<Reference> find_chinese_references(std::string_view text, const std::vector<Span>& protected_by) {
  std::vector<Reference> found;
  SpanCursor cursor(protected_by);
  for (std::size_t at = 0; at < text.size();) {
    const Entry* entry = entry_at(text, at);
    if (entry == nullptr || cursor.covers(at, at + entry->word.size()) || harmless(text, at, *entry)) {
      ++at;
      continue;
    }
    Reference reference;
    reference.begin = at;
    reference.end = at + entry->word.size();
    reference.kind = entry->kind;
    reference.person = entry->person;
    reference.plural = entry->plural;
    reference.gender = entry->gender;
    reference.inclusive = entry->inclusive;
    reference.language = Language::kChinese;
    found.push_back(reference);
    at = reference.end;
  }
  return found;
}

}  // namespace weft
