#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/ascii.h"
#include "flow/historian/absolutise_parts.h"
#include "text/english_verbs.h"

namespace weft {
namespace {

using Words = std::unordered_set<std::string_view>;

bool is_stop(std::string_view word) {
  static const Words kStops = {"", ".", "!", "?", ";", ",", ":", "…", "-", "—", "–", "(", ")", "[", "]", "*", "\""};
  return kStops.contains(word);
}

bool is_preposition(std::string_view word) {
  static const Words words = {"of",   "for",    "with",    "to",      "from",   "at",      "about",   "on",      "by",
                              "in",   "around", "without", "near",    "behind", "beside",  "besides", "between", "into",
                              "onto", "over",   "under",   "towards", "toward", "against", "except"};
  return words.contains(word);
}

// Verbs whose object is followed by a bare verb: "help you find".
bool takes_bare_verb(std::string_view word) {
  static const Words words = {"let",     "lets", "make",  "makes",   "made",   "making",  "see",    "saw",
                              "seeing",  "seen", "help",  "helps",   "helped", "helping", "watch",  "watching",
                              "watched", "hear", "heard", "hearing", "have",   "had",     "having", "lets"};
  return words.contains(word);
}

// Verbs behind which "you" is the object even where a word that may be a verb follows: "give you hope".
bool takes_object(std::string_view word) {
  static const Words words = {"give",    "gives",    "gave",   "giving", "bring",  "brings", "brought", "send",
                              "sends",   "sent",     "show",   "shows",  "showed", "tell",   "tells",   "told",
                              "ask",     "asked",    "offer",  "thank",  "love",   "miss",   "support", "remind",
                              "reminds", "teach",    "taught", "get",    "gets",   "got",    "keep",    "keeps",
                              "inspire", "inspires", "meet",   "met",    "join"};
  return words.contains(word);
}

// Present and past alike, so that the form after a name does not show which is meant; left as they are.
bool is_invariant(std::string_view word) {
  static const Words words = {"put",  "cut",    "set",  "read", "hit",  "quit",
                              "shut", "spread", "beat", "cost", "hurt", "split"};
  return words.contains(word);
}

// Words that cannot be the verb behind a subject.
bool is_no_verb(std::string_view word) {
  static const Words words = {
      "a",    "an",      "the",   "and",   "or",     "but",     "who",   "that",  "which", "if",   "when",  "as",
      "than", "because", "one",   "too",   "either", "neither", "not",   "two",   "three", "yes",  "no",    "what",
      "how",  "why",     "where", "my",    "your",   "his",     "her",   "our",   "their", "this", "these", "those",
      "back", "up",      "out",   "off",   "down",   "here",    "there", "today", "again", "some", "any",   "more",
      "much", "well",    "guy",   "folks", "i",      "you",     "he",    "she",   "it",    "we",   "they"};
  const bool letters = !word.empty() && word.front() >= 'a' && word.front() <= 'z';
  return !letters || is_preposition(word) || words.contains(word) || is_stop(word);
}

class Editor {
 public:
  Editor(std::string_view text, const LatinWords& words, const Speech& speech, Antecedents& antecedents,
         std::vector<Edit>& edits)
      : text_(text),
        words_(words),
        speech_(speech),
        people_(speech, text, Language::kEnglish),
        antecedents_(antecedents),
        edits_(edits) {}

  void run(const std::vector<Reference>& references) {
    for (const Reference& reference : references) {
      antecedents_.advance(reference.begin);
      if (reference.begin < done_) continue;
      if (reference.kind == ReferenceKind::kHere) {
        here(reference);
      } else if (reference.kind == ReferenceKind::kThere) {
        there(reference);
      } else if (reference.person < 3) {
        if (speech_.name_speakers && !idiom(reference)) speaker(reference);
      } else {
        third(reference);
      }
    }
  }

 private:
  std::string_view at(std::size_t i, std::ptrdiff_t offset = 0) const {
    const auto index = static_cast<std::ptrdiff_t>(i) + offset;
    if (index < 0 || index >= static_cast<std::ptrdiff_t>(words_.size())) return {};
    const LatinWord& word = words_[static_cast<std::size_t>(index)];
    return word.protected_by_span ? std::string_view("\x01") : std::string_view(word.lower);
  }

  void replace(std::size_t begin, std::size_t end, ChangeKind kind, const Meant& meant, std::string by) {
    Edit edit;
    edit.begin = begin;
    edit.end = end;
    edit.by = std::move(by);
    edit.kind = kind;
    edit.sure = meant.sure;
    edit.candidates = meant.candidates;
    edits_.push_back(std::move(edit));
    done_ = std::max(done_, end);
  }

  // A verb form that follows from another edit.
  void inflect(std::size_t begin, std::size_t end, std::string by) {
    if (text_.substr(begin, end - begin) == by) return;
    const char first = text_[begin];
    if (is_upper(first) && is_lower(by.front())) by.front() = static_cast<char>(by.front() - 'a' + 'A');
    Edit edit;
    edit.begin = begin;
    edit.end = end;
    edit.by = std::move(by);
    edit.listed = false;
    edits_.push_back(std::move(edit));
  }

  // ---- phrases in which the pronoun means nobody in particular ----

  // `length` words from `i` become `by`.
  bool phrase(std::size_t i, std::size_t length, std::string by) {
    replace(words_[i].begin, words_[i + length - 1].end, ChangeKind::kPerson, {by, false, true, {}}, by);
    return true;
  }

  bool idiom(const Reference& reference) {
    const std::size_t i = reference.word;
    const std::string_view word = at(i), before = at(i, -1), next = at(i, 1), after = at(i, 2);
    static const Words kAsks = {"to",     "i",     "want",  "would", "wanna", "we",   "must", "should", "can",
                                "cannot", "can't", "could", "let",   "not",   "will", "i'll", "and"};
    if ((word == "you" || word == "ya") && before == "thank" && (!kAsks.contains(at(i, -2)) || at(i, -2) == "and"))
      return phrase(i - 1, 2, "thanks");
    if (word == "you're" && next == "welcome" && is_stop(after)) return phrase(i, 2, "no problem");
    if (word == "you" && next == "are" && after == "welcome" && is_stop(at(i, 3))) return phrase(i, 3, "no problem");
    if (word == "you" && next == "know" && (is_stop(before) || before == "\x01") && after == ",")
      return phrase(i, 2, "well");
    if (word == "you" && next == "know" && before == "," && is_stop(after))
      return phrase(i, 2, after == "?" ? "right" : "indeed");
    if (word == "i" && next == "bet" && is_stop(before) && is_stop(after)) return phrase(i, 2, "no doubt");
    if (word == "you" && next == "bet") return phrase(i, 2, "certainly");
    if (word == "i" && next == "mean" && is_stop(before) && after == ",") return phrase(i, 2, "that is");
    if (word == "you" && (before == "here" || before == "there") && is_stop(at(i, -2)) &&
        (next == "go" || (next == "are" && is_stop(after))))
      return phrase(i - 1, 3, "well");
    if (word == "we" && (before == "here" || before == "there") && is_stop(at(i, -2)) && next == "go")
      return phrase(i - 1, 3, "well");
    if (word == "let's" && next == "see" && is_stop(after)) return phrase(i, 2, "well");
    return false;
  }

  // ---- I, you, we ----

  Meant meant_speaker(const Reference& reference) {
    if (reference.person == 1)
      return reference.plural ? people_.us(reference.inclusive || proposes(reference)) : people_.me();
    const std::string_view next = at(reference.word, 1);
    const std::string_view after = at(reference.word, 2);
    const bool all =
        (next == "all" && after != "the" && after != "of" && after != "my" && after != "this" && after != "that") ||
        next == "both";
    const bool several = reference.plural || next == "guys" || all;
    if (several && next == "guys") swallow_ = words_[reference.word + 1].end;
    return several ? people_.you_all() : people_.you();
  }

  // "Shall we", "should we", "can we": the hearer is asked along.
  bool proposes(const Reference& reference) const {
    const std::string_view before = at(reference.word, -1);
    return before == "shall" || before == "should" ||
           (at(reference.word, 1) == "should" && reference.form == PronounForm::kSubject);
  }

  void speaker(const Reference& reference) {
    swallow_ = reference.end;
    const Meant meant = meant_speaker(reference);
    const std::string remark = candidates_.remark(meant, Language::kEnglish);
    const std::size_t end = std::max(swallow_, reference.end);
    if (reference.inclusive) return replace(reference.begin, end, ChangeKind::kPerson, meant, meant.text + " should");
    switch (reference.form) {
      case PronounForm::kDeterminer:
      case PronounForm::kPossessive:
        return replace(reference.begin, end, ChangeKind::kPerson, meant,
                       possessive(meant.text,
                                  meant.plural && !people_.names().empty() && meant.text.back() == 's' && !meant.sure) +
                           remark);
      case PronounForm::kReflexive: return reflexive(reference, meant);
      default: break;
    }
    if (reference.person == 1 && reference.plural) us_sentence_ = sentence_of(reference.word);
    replace(reference.begin, end, ChangeKind::kPerson, meant, meant.text + remark);
    const bool subject =
        reference.form == PronounForm::kSubject && (reference.person == 1 || is_subject_you(reference.word));
    if (subject)
      agree(reference, meant.plural);
    else
      expand_contraction(reference, meant.plural);
  }

  void reflexive(const Reference& reference, const Meant& meant) {
    const std::size_t i = reference.word;
    if (at(i, -1) == "by")
      return replace(words_[i - 1].begin, reference.end, ChangeKind::kPerson, meant,
                     meant.plural ? "without others" : "alone");
    // "Enjoy yourself": nobody was named before, so there is nobody to repeat.
    if (reference.person == 2 && done_sentence_ != sentence_of(i))
      return replace(reference.begin, reference.end, ChangeKind::kPerson, meant, "oneself");
    if (meant.plural) {
      const bool bound = us_sentence_ == sentence_of(i);
      return replace(reference.begin, reference.end, ChangeKind::kPerson, meant, bound ? "themselves" : "oneself");
    }
    const bool emphatic = is_stop(at(i, 1)) && has_object(i);
    replace(reference.begin, reference.end, ChangeKind::kPerson, meant, emphatic ? "personally" : meant.text);
  }

  // "I painted the wall myself": the verb has its object already.
  bool has_object(std::size_t i) const {
    static const Words kObjects = {"it", "that", "this", "them", "everything", "all",   "one", "work",
                                   ",",  "the",  "a",    "an",   "these",      "those", "my",  "your"};
    if (is_preposition(at(i, -1)) || is_base_verb(at(i, -1))) return false;
    for (std::ptrdiff_t k = 1; k <= 4 && (k == 1 || !is_stop(at(i, -k))); ++k) {
      if (is_preposition(at(i, -k))) return false;
      if (kObjects.contains(at(i, -k))) return true;
    }
    return false;
  }

  // The number of the sentence of a word; read forward only.
  std::size_t sentence_of(std::size_t i) {
    for (; counted_ <= i && counted_ < words_.size(); ++counted_)
      sentences_ += words_[counted_].starts_sentence ? 1U : 0U;
    return sentences_;
  }

  // "how're", "what've", "how'd".
  static bool contracted_question(std::string_view word) {
    static const Words kAsking = {"what", "how", "where", "who", "why", "when"};
    const std::size_t mark = word.find('\'');
    return mark != std::string_view::npos && kAsking.contains(word.substr(0, mark)) && word.substr(mark) != "'s";
  }

  bool is_subject_you(std::size_t i) {
    done_sentence_ = sentence_of(i);
    const std::string_view before = at(i, -1);
    if (is_preposition(before)) return false;
    std::size_t next = i + 1;
    while (is_mid_adverb(at(next)) && next < i + 4) ++next;
    const std::string_view verb = at(next);
    if (contracted_question(before)) return true;
    if (verb == "to") return is_auxiliary(before);
    if (takes_bare_verb(before) && !is_auxiliary(before)) return false;
    if (is_auxiliary(verb) || words_[i].lower.find('\'') != std::string::npos || words_[i].lower.size() > 3)
      return true;
    if (is_auxiliary(before)) return true;
    // "You never shy away": behind such an adverb, at the beginning, any word is a verb.
    if (next > i + 1 && is_stop(before) && !is_no_verb(verb) && at(i, 1) != "all" && at(i, 1) != "too") return true;
    return is_base_verb(verb) && !takes_object(before);
  }

  // ---- verbs ----

  // The contracted verb of "I'm", "you've", "they'd" as a word of its own, in the form of the subject.
  bool expand_contraction(const Reference& reference, bool plural) {
    const LatinWord& word = words_[reference.word];
    const std::string rest = word.lower.substr(std::min(word.lower.size(), stem_size(reference)));
    if (rest.empty() || reference.inclusive) return false;
    std::size_t next = reference.word + 1;
    while (is_mid_adverb(at(next)) || at(next) == "not") ++next;
    const std::string_view after = at(next);
    static const Words kHas = {"been", "got", "had", "gone", "become", "gotten"};
    static const Words kObjects = {"a",     "an",   "the", "my", "your", "his",  "her", "our",
                                   "their", "such", "me",  "us", "you",  "them", "it",  "so"};
    const bool has = kHas.contains(after) || (is_participle(after) && kObjects.contains(at(next + 1)));
    std::string by;
    if (rest == "'m" || rest == "m" || rest == "'re" || rest == "re") by = plural ? " are" : " is";
    if (rest == "'ve" || rest == "ve") by = plural ? " have" : " has";
    if (rest == "'ll") by = " will";
    if (rest == "'d" || rest == "'d've")
      by = after == "better" || after == "been" || (is_participle(after) && !is_base_verb(after)) ? " had" : " would";
    if (rest == "'s") by = has ? " has" : (plural ? " are" : " is");
    if (rest == "'d've") by = " would have";
    if (rest == "'re" && after == "gonna") by = plural ? " are" : " is";
    if (by.empty()) return false;
    inflect(reference.end, word.end, by);
    done_ = std::max(done_, word.end);
    return true;
  }

  std::size_t stem_size(const Reference& reference) const { return reference.end - reference.begin; }

  // Puts the verb of a subject in the form of a name. Only I, you, we and they have another form than a name has.
  void agree(const Reference& reference, bool plural) {
    const std::size_t i = reference.word;
    const bool contracted = expand_contraction(reference, plural);
    if (contracted) {
      if (!plural && !is_progressive(i + 1)) agree_coordinated(i + 1);
      return;
    }
    if (invert(i, plural, reference.person == 1 && !reference.plural)) return;
    if (plural) return agree_plural(i);
    std::size_t next = i + 1;
    while (next < i + 5 && is_mid_adverb(at(next))) ++next;
    const std::string_view verb = at(next);
    if (next >= words_.size() || is_no_verb(verb) || verb == "\x01" || !words_[next].is_word) return;
    if (takes_bare_verb(at(i, -1)) && !is_auxiliary(verb)) return;
    if (is_modal(verb) || is_past_form(verb) || is_invariant(verb)) {
      if (verb != "were" || at(i, -1) == "if" || at(i, -1) == "wish" || reference.person == 1) return;
    }
    if (verb.size() > 3 && verb.substr(verb.size() - 3) == "ing") return;
    if (is_clitic(verb) || hedges(next)) return;
    inflect(words_[next].begin, words_[next].end, third_person(verb));
    if (!is_auxiliary(verb) || ((verb == "am" || verb == "are") && !is_progressive(next + 1)))
      agree_coordinated(next + 1);
  }

  // "is chasing", "will": what goes on behind "and" would have that form too.
  bool is_progressive(std::size_t i) const {
    while (is_mid_adverb(at(i)) || at(i) == "not") ++i;
    const std::string_view word = at(i);
    return word == "gonna" ||
           (word.size() > 4 && word.substr(word.size() - 3) == "ing" && word != "inspiring" && word != "amazing");
  }

  // "Sort of made": no verb.
  bool hedges(std::size_t i) const { return (at(i) == "sort" || at(i) == "kind") && at(i, 1) == "of"; }

  static bool is_clitic(std::string_view verb) {
    return verb.find('\'') != std::string_view::npos && !is_auxiliary(verb) && verb != "ain't";
  }

  // "I am" that became "Ann and others": only this form changes.
  void agree_plural(std::size_t i) {
    if (at(i, 1) == "am") inflect(words_[i + 1].begin, words_[i + 1].end, "are");
  }

  // "do you", "am I", "how've you": the verb stands before.
  bool invert(std::size_t i, bool plural, bool first) {
    if (i == 0 || plural)
      return i > 0 && is_auxiliary(at(i, -1)) && !is_stop(at(i, -1)) && plural && opens_question(i - 1, first);
    const LatinWord& verb = words_[i - 1];
    if (verb.protected_by_span) return false;
    const std::string& lower = verb.lower;
    if (!contracted_question(lower) && !is_auxiliary(lower)) return false;
    const std::size_t mark = lower.size() > 3 ? lower.size() - 3 : 0;
    if (contracted_question(lower)) {
      if (lower.substr(mark) == "'re" || lower.substr(mark) == "'ve")
        inflect(verb.end - 3, verb.end, lower.substr(mark) == "'re" ? "'s" : " has");
      return true;
    }
    if (!opens_question(i - 1, first)) return false;
    static const Words kForms = {"am", "are", "do", "have", "don't", "haven't", "aren't", "weren't", "were"};
    if (kForms.contains(lower) && !(lower == "were" && first)) inflect(verb.begin, verb.end, third_person(lower));
    return true;
  }

  // Whether the verb at `i` stands before its subject: at the beginning, behind a word of asking, "so" or "nor".
  bool opens_question(std::size_t i, bool first) const {
    if (first && at(i) != "have" && at(i) != "had") return true;  // "I" is never the object of what stands before it
    const std::string_view before = at(i, -1);
    static const Words kSubjects = {"i",     "you",   "we",     "they", "he",  "she",   "it",   "who",  "that", "to",
                                    "could", "would", "should", "will", "can", "might", "must", "i'll", "we'll"};
    return is_stop(before) || !kSubjects.contains(before);
  }

  // "I get up and make tea": the verbs that go on with the same subject.
  void agree_coordinated(std::size_t i) {
    constexpr std::size_t kReach = 24;
    for (std::size_t k = i; k < words_.size() && k < i + kReach; ++k) {
      const std::string_view word = at(k);
      if (is_stop(word) && word != ",") return;
      static const Words kEnds = {"to",    "i",     "you", "we",      "they", "he",   "she", "it",
                                  "that",  "when",  "if",  "because", "who",  "what", "i'm", "gonna",
                                  "wanna", "gotta", "let", "help",    "how",  "where"};
      if (kEnds.contains(word) || (is_modal(word) && word != "can")) return;
      if (word != "and" && word != "but") continue;
      std::size_t verb = k + 1;
      while (is_mid_adverb(at(verb))) ++verb;
      const std::string_view found = at(verb), after = at(verb + 1);
      if (!is_base_verb(found) || is_invariant(found) || found == "be") continue;
      static const Words kObjects = {"a",   "an",  "the", "my", "your", "it", "to",    "that", "some", "them", "this",
                                     "new", "for", "how", "in", "on",   "up", "about", "with", "me",   "you"};
      const bool gerund = after.size() > 4 && after.substr(after.size() - 3) == "ing";
      if (!gerund && !kObjects.contains(after)) continue;
      inflect(words_[verb].begin, words_[verb].end, third_person(found));
      if (after == "to") return;
    }
  }

  // ---- he, she, it, they ----

  void third(const Reference& reference) {
    if (reference.kind == ReferenceKind::kThing) return thing(reference);
    const std::vector<std::string> talkers = {people_.sender(), people_.addressee()};
    auto fitting = antecedents_.find(MentionKind::kPerson, reference.plural, reference.gender, talkers);
    // A name that may be a pet's or a company's is a candidate too.
    auto things = antecedents_.find(MentionKind::kThing, reference.plural, Gender::kUnknown, talkers);
    if (reference.kind != ReferenceKind::kAny) {
      things.erase(std::remove_if(
                       things.begin(), things.end(),
                       [](const Mention& m) { return !m.proper || m.aside || m.text.find(' ') != std::string::npos; }),
                   things.end());
    }
    // They are people where any were named.
    const bool nearer = !things.empty() && (fitting.empty() || things.front().distance <= fitting.front().distance);
    if (reference.kind == ReferenceKind::kAny && nearer &&
        things.front().distance < (fitting.empty() ? 99 : fitting.front().distance))
      fitting.clear();
    if (fitting.empty() || (reference.kind != ReferenceKind::kAny && nearer))
      fitting.insert(fitting.end(), things.begin(), things.end());
    if (reference.kind == ReferenceKind::kAny && !fitting.empty() && fitting.front().distance > 0)
      fitting.erase(std::remove_if(fitting.begin(), fitting.end(),
                                   [](const Mention& m) { return m.kind == MentionKind::kThing; }),
                    fitting.end());
    const bool only_things = !fitting.empty() && std::all_of(fitting.begin(), fitting.end(), [](const Mention& m) {
      return m.kind == MentionKind::kThing;
    });
    const std::string fallback = reference.plural ? (only_things ? "those" : "those concerned") : "the one concerned";
    Meant meant = meant_by(fitting, fallback, reference.plural);
    if (meant.sure && fitting.front().distance > (reference.plural ? 0 : 1))
      meant = {fallback, reference.plural, false, {meant.text}};
    if (meant.sure && reference.plural && only_things && !fitting.front().leads)
      meant = {fallback, true, false, {meant.text}};
    const ChangeKind kind = reference.kind == ReferenceKind::kAny ? ChangeKind::kThing : ChangeKind::kPerson;
    write_third(reference, kind, meant);
  }

  void write_third(const Reference& reference, ChangeKind kind, const Meant& meant) {
    const std::string remark = candidates_.remark(meant, Language::kEnglish);
    const bool owns = reference.form == PronounForm::kDeterminer || reference.form == PronounForm::kPossessive;
    if (owns && !meant.sure && reference.plural) {
      // "the kids" for "their kids": whose they are stays open rather than guessed.
      return replace(reference.begin, reference.end, kind, meant,
                     reference.form == PronounForm::kDeterminer ? "the" : "that of those concerned" + remark);
    }
    if (owns)
      return replace(reference.begin, reference.end, kind, meant, possessive(meant.text, meant.plural) + remark);
    replace(reference.begin, reference.end, kind, meant, meant.text + remark);
    if (reference.form == PronounForm::kObject) return;
    if (reference.plural && !meant.plural) return agree(reference, false);
    expand_contraction(reference, meant.plural);
  }

  // "It" goes back to a thing less often than to what was told as a whole. A thing is put in its place only where it is
  // the only one and the sentence says something about a thing; else "that" leaves open what it leaves open.
  void thing(const Reference& reference) {
    if (at(reference.word) == "it" && at(reference.word, 1) == "all" &&
        (is_stop(at(reference.word, 2)) || at(reference.word, 2) == "and" || is_preposition(at(reference.word, 2))))
      return replace(reference.begin, words_[reference.word + 1].end, ChangeKind::kThing,
                     {"everything", false, false, {}}, "everything");
    auto fitting = antecedents_.find(MentionKind::kThing, false, Gender::kUnknown, {});
    fitting.erase(std::remove_if(fitting.begin(), fitting.end(), [](const Mention& m) { return m.aside; }),
                  fitting.end());
    prefer_names(fitting);
    const bool sums_up = judges_the_whole(reference);
    if (sums_up || (fitting.size() > 1 && fitting.front().distance > 0)) fitting.clear();
    Meant meant = meant_by(fitting, "that", false);
    const bool near = !fitting.empty() &&
                      (fitting.front().distance == 0 || (fitting.front().proper && fitting.front().distance == 1));
    if (meant.sure && !near)
      meant = {"that", false, false,
               fitting.front().proper ? std::vector<std::string>{meant.text} : std::vector<std::string>()};
    if (meant.candidates.size() > 2) meant.candidates.clear();
    if (reference.form == PronounForm::kDeterminer && !meant.sure)
      return replace(reference.begin, reference.end, ChangeKind::kThing, meant, "the");
    write_third(reference, ChangeKind::kThing, meant);
  }

  // "It was so much fun", "it means a lot": a new sentence that judges what was told before.
  bool judges_the_whole(const Reference& reference) const {
    if (reference.form != PronounForm::kSubject) return false;
    const std::size_t i = reference.word;
    const std::string_view before = at(i, -1);
    if (is_preposition(before) || (is_base_verb(before) && !is_auxiliary(before)) || is_past_form(before)) return false;
    std::size_t next = i + 1;
    const bool contracted = words_[i].lower.size() > 2;
    bool judging = contracted || (is_auxiliary(before) && !is_stop(before));
    while (is_mid_adverb(at(next)) || is_auxiliary(at(next)) || at(next) == "been" || at(next) == "be" ||
           at(next) == "not") {
      judging = judging || !is_mid_adverb(at(next));
      ++next;
    }
    static const Words kVerbs = {
        "means", "meant",    "feels",    "felt",    "makes",    "made",    "helps",     "helped",   "sounds",
        "looks", "gives",    "gave",     "reminds", "reminded", "keeps",   "brings",    "shows",    "took",
        "takes", "inspires", "inspired", "showed",  "taught",   "teaches", "changed",   "happened", "happens",
        "gets",  "got",      "went",     "worked",  "works",    "turned",  "motivates", "feel",     "make",
        "help",  "give",     "take",     "bring",   "allows",   "paid",    "pays"};
    if (kVerbs.contains(at(next))) return true;
    static const Words kThings = {"in",  "at",   "on",        "from", "made",  "called", "located", "near",
                                  "for", "open", "available", "by",   "about", "named",  "with"};
    return judging && !kThings.contains(at(next));
  }

  // A name stays in the focus of a conversation; a common noun near it mostly says something about it.
  static void prefer_names(std::vector<Mention>& fitting) {
    if (fitting.size() < 2) return;
    const auto names = std::count_if(fitting.begin(), fitting.end(), [](const Mention& m) { return m.proper; });
    if (names == 1)
      fitting.erase(std::remove_if(fitting.begin(), fitting.end(), [](const Mention& m) { return !m.proper; }),
                    fitting.end());
  }

  // ---- places ----

  void here(const Reference& reference) {
    const std::size_t i = reference.word;
    const std::string& place = speech_.place.empty() ? speech_.speaker_place : speech_.place;
    const bool behind = is_preposition(at(i, -1));
    const bool over =
        at(i, -1) == "over" || at(i, -1) == "out" || at(i, -1) == "right" || at(i, -1) == "up" || at(i, -1) == "down";
    const std::size_t begin = over ? words_[i - 1].begin : reference.begin;
    if (!place.empty())
      return replace(begin, reference.end, ChangeKind::kPlace, {place, false, true, {}}, (behind ? "" : "in ") + place);
    const Meant nowhere{"", false, false, {}};
    static const Words kNeed = {"live", "lives", "lived", "living", "be",     "is",     "are",   "was",
                                "were", "am",    "i'm",   "stay",   "stayed", "you're", "we're", "it's"};
    if (behind || kNeed.contains(at(i, -1)) || i == 0 || is_stop(at(i, -1)) || words_[i].lower == "locally") {
      const std::string whereabouts = possessive(people_.me().text, false) + " location";
      return replace(reference.begin, reference.end, ChangeKind::kPlace, nowhere, (behind ? "" : "at ") + whereabouts);
    }
    replace(begin, reference.end, ChangeKind::kPlace, nowhere, "");
  }

  std::string_view before_word(std::size_t i) const { return at(i, -1); }

  void there(const Reference& reference) {
    const std::size_t i = reference.word;
    const auto fitting = antecedents_.find(MentionKind::kPlace, false, Gender::kUnknown, {});
    Meant meant = meant_by(fitting, "that place", false);
    if (meant.sure && fitting.front().distance > 1) meant = {"that place", false, false, {meant.text}};
    const std::string remark = candidates_.remark(meant, Language::kEnglish);
    if (before_word(i) == "on")
      return replace(reference.begin, reference.end, ChangeKind::kPlace, {"that", false, false, {}}, "that");
    static const Words kMotion = {"go",    "went", "going", "get",  "getting", "got",  "goes", "come",  "travel",
                                  "drive", "been", "gone",  "walk", "back",    "head", "move", "moved", "fly"};
    static const Words kAnyway = {"over", "out", "up", "down"};
    const std::string_view before = at(i, -1);
    const bool lead_word = kAnyway.contains(before) && !is_preposition(at(i, -2));
    std::string_view preposition = "at ";
    if (is_preposition(before) && before != "over" && before != "in") preposition = "";
    if (before == "in") preposition = "";
    if (kMotion.contains(before)) preposition = "to ";
    const std::size_t begin = lead_word ? words_[i - 1].begin : reference.begin;
    replace(begin, reference.end, ChangeKind::kPlace, meant, std::string(preposition) + meant.text + remark);
  }

  std::string_view text_;
  const LatinWords& words_;
  const Speech& speech_;
  People people_;
  Antecedents& antecedents_;
  std::vector<Edit>& edits_;
  Candidates candidates_;
  std::size_t done_ = 0;  // bytes before this are settled
  std::size_t swallow_ = 0;  // the end of "you guys"
  std::size_t counted_ = 0, sentences_ = 0, done_sentence_ = 0, us_sentence_ = 0;
};

}  // namespace

void edit_english(std::string_view text, const LatinWords& words, const Speech& speech, Antecedents& antecedents,
                  std::vector<Edit>& edits) {
  Editor(text, words, speech, antecedents, edits).run(find_english_references(words));
}

}  // namespace weft
