#include "flow/historian/absolutise.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "flow/historian/antecedents.h"
#include "flow/historian/resolve.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"

namespace weft {
namespace {

/// A replacement in the original text. `listed` ones are reported as changes, the others are verb forms.
struct Edit {
  std::size_t begin = 0, end = 0;
  std::string by;
  bool listed = true;
  ChangeKind kind = ChangeKind::kPerson;
};

// A time that is the subject of its sentence has no preposition: "yesterday was", "tomorrow works".
std::string as_subject(std::string by, std::string_view text, std::size_t begin, std::size_t end) {
  if (by.rfind("on ", 0) != 0 && by.rfind("in ", 0) != 0) return by;
  if (begin > 0 && std::string_view(".!?\n,;").find(
                       text[begin > 1 && text[begin - 1] == ' ' ? begin - 2 : begin - 1]) == std::string_view::npos)
    return by;
  constexpr auto kVerbs = std::to_array<std::string_view>(
      {" is ", " was ", " will ", " would ", " works", " sounds", " has been", " isn't ", " wasn't "});
  const bool subject =
      std::any_of(kVerbs.begin(), kVerbs.end(), [&](auto verb) { return text.compare(end, verb.size(), verb) == 0; });
  return subject ? by.substr(3) : by;
}

// A replacement keeps the capital of a sentence's beginning.
std::string with_case(std::string by, std::string_view what, bool starts_sentence) {
  const bool capital = !what.empty() && is_upper(what.front()) && (what.size() > 1 ? what != "I'" : starts_sentence);
  if ((capital || starts_sentence) && !by.empty() && is_lower(by.front()) && !what.empty() && is_upper(what.front()))
    by.front() = static_cast<char>(by.front() - 'a' + 'A');
  return by;
}

bool begins_sentence(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '"' || text[at - 1] == '*')) --at;
  return at == 0 || std::string_view(".!?\n").find(text[at - 1]) != std::string_view::npos;
}

// The same for Chinese, which has no forms.
void replace_chinese(const std::vector<Resolution>& resolutions, std::vector<Edit>& edits) {
  for (const Resolution& resolution : resolutions)
    if (resolution.reference.language == Language::kChinese && resolution.sure())
      edits.push_back({resolution.begin, resolution.end, resolution.meant.front(), true, resolution.kind});
}

// The same for times: "on 5 March 2026", 2026年3月5日.
void replace_times(TextAnalysis& analysis, std::vector<Edit>& edits) {
  for (const TimeExpression& time : analysis.times()) {
    if (!time.relative || time.notes.size() != 1 || time.absolute.empty()) continue;
    edits.push_back({time.begin, time.end, as_subject(time.absolute, analysis.text(), time.begin, time.end), true,
                     ChangeKind::kTime});
  }
}

// The text with its edits, which may come in any order; of two that overlap the first holds. A capital at the
// beginning of a sentence stays one.
Absolute apply_edits(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  Absolute out;
  std::size_t at = 0;
  for (Edit& edit : edits) {
    if (edit.begin < at || edit.end > text.size()) continue;  // two parts saw the same words: the first holds
    const std::string_view what = text.substr(edit.begin, edit.end - edit.begin);
    std::string by = with_case(std::move(edit.by), what, begins_sentence(text, edit.begin));
    out.text += text.substr(at, edit.begin - at);
    out.text += by;
    at = edit.end;
    if (edit.listed)
      out.changes.push_back({edit.begin, edit.end, edit.kind, std::string(what), std::move(by), true, {}});
  }
  out.text += text.substr(at);
  return out;
}

using Words = LexiconWords;

bool is_stop(std::string_view word) {
  static const Words kStops = {"", ".", "!", "?", ";", ",", ":", "…", "-", "—", "–", "(", ")", "[", "]", "*", "\""};
  return kStops.contains(word);
}

bool is_preposition(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/verbs", "prepositions");
  return words.contains(word);
}

// Verbs whose object is followed by a bare verb: "help you find".
bool takes_bare_verb(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/verbs", "before bare verbs");
  return words.contains(word);
}

// Verbs behind which "you" is the object even where a word that may be a verb follows: "give you hope".
bool takes_object(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/verbs", "before objects");
  return words.contains(word);
}

// Present and past alike, so that the form after a name does not show which is meant; left as they are.
bool is_invariant(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/verbs", "invariant");
  return words.contains(word);
}

// Words that cannot be the verb behind a subject.
bool is_no_verb(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/verbs", "no verbs");
  const bool letters = !word.empty() && word.front() >= 'a' && word.front() <= 'z';
  return !letters || is_preposition(word) || words.contains(word) || is_stop(word);
}

struct Meant {
  std::string text;
  bool plural = false;
};

class Editor {
 public:
  Editor(std::string_view text, const LatinWords& words, std::vector<Edit>& edits)
      : text_(text), words_(words), edits_(edits) {}

  void run(const std::vector<Resolution>& resolutions) {
    for (const Resolution& resolution : resolutions) {
      const Reference& reference = resolution.reference;
      if (reference.language != Language::kEnglish || resolution.begin < done_ || !resolution.sure()) continue;
      const Meant meant{resolution.meant.front(), resolution.plural};
      if (resolution.kind == ChangeKind::kPlace) {
        place(reference, meant);
      } else if (reference.person < 3) {
        if (!idiom(reference)) speaker(reference, meant);
      } else {
        third(reference, resolution.kind, meant);
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

  void replace(std::size_t begin, std::size_t end, ChangeKind kind, std::string by) {
    edits_.push_back({begin, end, std::move(by), true, kind});
    done_ = std::max(done_, end);
  }

  // A verb form that follows from another edit.
  void inflect(std::size_t begin, std::size_t end, std::string by) {
    if (text_.substr(begin, end - begin) == by) return;
    const char first = text_[begin];
    if (is_upper(first) && is_lower(by.front())) by.front() = static_cast<char>(by.front() - 'a' + 'A');
    edits_.push_back({begin, end, std::move(by), false, ChangeKind::kPerson});
  }

  // ---- phrases in which the pronoun means nobody in particular; they stay ----

  bool idiom(const Reference& reference) const {
    const std::size_t i = reference.word;
    const std::string_view word = at(i), before = at(i, -1), next = at(i, 1), after = at(i, 2);
    if ((word == "you" || word == "ya") && before == "thank") return true;
    if (word == "you're" && next == "welcome" && is_stop(after)) return true;
    if (word == "you" && next == "are" && after == "welcome" && is_stop(at(i, 3))) return true;
    if (word == "you" && next == "know" && (is_stop(before) || before == "\x01") && is_stop(after)) return true;
    if (word == "i" && (next == "bet" || next == "mean") && is_stop(before) && is_stop(after)) return true;
    if (word == "you" && next == "bet") return true;
    const bool there = (before == "here" || before == "there") && is_stop(at(i, -2));
    if ((word == "you" || word == "we") && there && next == "go") return true;
    return word == "let's" && next == "see" && is_stop(after);
  }

  // ---- I, you, we ----

  void speaker(const Reference& reference, const Meant& meant) {
    const std::size_t end = std::max(swallowed(reference), reference.end);
    if (reference.inclusive) return replace(reference.begin, end, ChangeKind::kPerson, meant.text + " should");
    switch (reference.form) {
      case PronounForm::kDeterminer:
      case PronounForm::kPossessive:
        return replace(reference.begin, end, ChangeKind::kPerson, possessive(meant.text, false));
      case PronounForm::kReflexive: return reflexive(reference, meant);
      default: break;
    }
    if (reference.person == 1 && reference.plural) us_sentence_ = sentence_of(reference.word);
    replace(reference.begin, end, ChangeKind::kPerson, meant.text);
    const bool subject =
        reference.form == PronounForm::kSubject && (reference.person == 1 || is_subject_you(reference.word));
    if (subject)
      agree(reference, meant.plural);
    else
      expand_contraction(reference, meant.plural);
  }

  // "You guys" are one word.
  std::size_t swallowed(const Reference& reference) const {
    const bool guys = reference.person == 2 && at(reference.word, 1) == "guys";
    return guys ? words_[reference.word + 1].end : reference.end;
  }

  void reflexive(const Reference& reference, const Meant& meant) {
    const std::size_t i = reference.word;
    if (at(i, -1) == "by")
      return replace(words_[i - 1].begin, reference.end, ChangeKind::kPerson,
                     meant.plural ? "without others" : "alone");
    // "Enjoy yourself": nobody was named before, so there is nobody to repeat.
    if (reference.person == 2 && done_sentence_ != sentence_of(i))
      return replace(reference.begin, reference.end, ChangeKind::kPerson, "oneself");
    if (meant.plural) {
      const bool bound = us_sentence_ == sentence_of(i);
      return replace(reference.begin, reference.end, ChangeKind::kPerson, bound ? "themselves" : "oneself");
    }
    const bool emphatic = is_stop(at(i, 1)) && has_object(i);
    replace(reference.begin, reference.end, ChangeKind::kPerson, emphatic ? "personally" : meant.text);
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

  void third(const Reference& reference, ChangeKind kind, const Meant& meant) {
    const bool owns = reference.form == PronounForm::kDeterminer || reference.form == PronounForm::kPossessive;
    if (owns) return replace(reference.begin, reference.end, kind, possessive(meant.text, meant.plural));
    replace(reference.begin, reference.end, kind, meant.text);
    if (reference.form == PronounForm::kObject) return;
    if (reference.plural && !meant.plural) return agree(reference, false);
    expand_contraction(reference, meant.plural);
  }

  // ---- places ----

  void place(const Reference& reference, const Meant& meant) {
    const std::size_t i = reference.word;
    const std::string_view before = at(i, -1);
    static const Words kMotion = {"go",    "went", "going", "get",  "getting", "got",  "goes", "come",  "travel",
                                  "drive", "been", "gone",  "walk", "back",    "head", "move", "moved", "fly"};
    static const Words kAnyway = {"over", "out", "up", "down", "right"};
    const bool lead_word = kAnyway.contains(before) && !is_preposition(at(i, -2));
    std::string_view preposition = reference.kind == ReferenceKind::kHere ? "in " : "at ";
    if (reference.kind == ReferenceKind::kThere && kMotion.contains(before)) preposition = "to ";
    if (is_preposition(before) && !lead_word) preposition = "";
    replace(lead_word ? words_[i - 1].begin : reference.begin, reference.end, ChangeKind::kPlace,
            std::string(preposition) + meant.text);
  }

  std::string_view text_;
  const LatinWords& words_;
  std::vector<Edit>& edits_;
  std::size_t done_ = 0;  // bytes before this are settled
  std::size_t counted_ = 0, sentences_ = 0, done_sentence_ = 0, us_sentence_ = 0;
};

// Appends the edits that put what is certain in the place of English pronouns and places, with the verb forms that
// follow from them: "I am" becomes "Ann is".
void replace_english(TextAnalysis& analysis, const std::vector<Resolution>& resolutions, std::vector<Edit>& edits) {
  Editor(analysis.text(), analysis.words(), edits).run(resolutions);
}

std::vector<std::string> names_of(const Speech& speech) {
  std::vector<std::string> names = People(speech, {}).names();
  for (const EarlierMessage& message : speech.earlier) {
    if (!message.speaker.empty() && std::find(names.begin(), names.end(), message.speaker) == names.end())
      names.push_back(message.speaker);
  }
  return names;
}

bool is_chinese(std::string_view text, std::size_t end) {
  return end > 0 && static_cast<unsigned char>(text[end - 1]) >= 0x80;
}

std::string either(const std::vector<std::string>& meant, bool chinese) {
  std::string text;
  for (std::size_t i = 0; i < meant.size(); ++i) {
    if (i > 0) text += i + 1 == meant.size() ? (chinese ? "或" : " or ") : (chinese ? "、" : ", ");
    text += meant[i];
  }
  return text;
}

// Sets meanings beside words. Who I and you are is told once a text, who he is once a sentence.
class Annotator {
 public:
  Annotator(TextAnalysis& analysis, std::vector<Resolution> resolutions)
      : analysis_(analysis), text_(analysis.text()), resolutions_(std::move(resolutions)) {
    std::stable_sort(resolutions_.begin(), resolutions_.end(),
                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
  }

  Absolute run() {
    for (const Resolution& resolution : resolutions_) {
      const std::size_t end = behind(resolution);
      if (end < copied_ || resolution.begin < done_ || is_told(resolution)) continue;
      done_ = resolution.end;
      put(resolution, end);
    }
    out_.text += text_.substr(copied_);
    return std::move(out_);
  }

 private:
  void put(const Resolution& resolution, std::size_t end) {
    const bool chinese = is_chinese(text_, end);
    std::vector<std::string> meant = resolution.meant;
    const PronounForm form = resolution.reference.form;
    const bool owns = resolution.kind != ChangeKind::kTime && !chinese &&
                      (form == PronounForm::kDeterminer || form == PronounForm::kPossessive);
    if (owns)
      for (std::string& name : meant) name = possessive(name, resolution.plural);
    const std::string by = either(meant, chinese);
    out_.text += text_.substr(copied_, end - copied_);
    copied_ = end;
    const std::size_t begin = out_.text.size();
    out_.text += (chinese ? "[" : " [") + by + "]";
    out_.annotations.push_back({begin, out_.text.size()});
    out_.changes.push_back({resolution.begin, resolution.end, resolution.kind,
                            std::string(text_.substr(resolution.begin, resolution.end - resolution.begin)), by,
                            resolution.sure(), resolution.sure() ? std::vector<std::string>() : resolution.meant});
  }

  // Behind the whole word: "he's [Tom]", "yesterday's [21 November 2026]".
  std::size_t behind(const Resolution& resolution) {
    const LatinWords& words = analysis_.words();
    const auto next = std::lower_bound(words.begin(), words.end(), resolution.end,
                                       [](const LatinWord& word, std::size_t at) { return word.begin < at; });
    if (next == words.begin() || !std::prev(next)->is_word) return resolution.end;
    return std::max(resolution.end, std::prev(next)->end);
  }

  bool is_told(const Resolution& resolution) {
    if (resolution.kind == ChangeKind::kTime) return false;
    const bool speaker = resolution.kind == ChangeKind::kPerson && resolution.reference.person < 3;
    const std::size_t where = speaker ? 0 : sentence_of(resolution.begin);
    return !told_.emplace(where, resolution.reference.plural, either(resolution.meant, false)).second;
  }

  std::size_t sentence_of(std::size_t at) {
    const auto& sentences = analysis_.sentences();
    const auto found = std::lower_bound(sentences.begin(), sentences.end(), at,
                                        [](const Span& sentence, std::size_t place) { return sentence.end <= place; });
    return static_cast<std::size_t>(found - sentences.begin()) + 1;
  }

  TextAnalysis& analysis_;
  std::string_view text_;
  std::vector<Resolution> resolutions_;
  std::set<std::tuple<std::size_t, bool, std::string>> told_;
  Absolute out_;
  std::size_t copied_ = 0, done_ = 0;
};

}  // namespace

Absolute absolutise(std::string_view text, const Speech& speech) {
  TextAnalysis analysis(text, speech.time, names_of(speech));
  std::vector<Resolution> resolutions = resolve_references(analysis, speech);
  if (speech.style == Style::kReplace) {
    std::vector<Edit> edits;
    replace_times(analysis, edits);
    replace_english(analysis, resolutions, edits);
    replace_chinese(resolutions, edits);
    return apply_edits(text, std::move(edits));
  }
  auto times = resolve_times(analysis);
  resolutions.insert(resolutions.end(), std::make_move_iterator(times.begin()), std::make_move_iterator(times.end()));
  return Annotator(analysis, std::move(resolutions)).run();
}

std::string without(std::string_view text, const std::vector<TextSpan>& spans) {
  std::string out;
  std::size_t at = 0;
  for (const TextSpan& span : spans) {
    if (span.begin < at || span.end > text.size()) continue;
    out += text.substr(at, span.begin - at);
    at = span.end;
  }
  out += text.substr(at);
  return out;
}

namespace {

constexpr std::size_t kMostCandidates = 3;
constexpr std::size_t kSmallCircle = 4;  // others: among so few, everybody can be named

bool is_word_byte(char c) { return is_letter(c) || (static_cast<unsigned char>(c) >= 0x80); }

// Whether a text calls somebody by name: "Ann, can you …", "thanks, Ann!", 小王，….
bool calls(std::string_view text, const std::string& name) {
  constexpr std::string_view kSeparators = ",!?.:";
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    const bool stop_behind = end == text.size() || kSeparators.find(text[end]) != std::string_view::npos ||
                             text.compare(end, 3, "，") == 0 || text.compare(end, 3, "！") == 0 ||
                             text.compare(end, 3, "：") == 0;
    if (!stop_behind) continue;
    std::size_t before = at;
    while (before > 0 && text[before - 1] == ' ') --before;
    if (before == 0 || text[before - 1] == ',' || text[before - 1] == '@' ||
        (before >= 3 && text.compare(before - 3, 3, "，") == 0))
      return true;
    // "Hey Ann!": one word before it.
    std::size_t word = before;
    while (word > 0 && is_word_byte(text[word - 1])) --word;
    if (word == 0 && before - word <= 6) return true;
  }
  return false;
}

void add_name(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The one who is spoken to, where it is certain.
std::string find_addressee(const Speech& speech, std::string_view text, const std::vector<std::string>& others) {
  if (speech.addressee) return name_of(*speech.addressee);
  if (speech.mentions.size() == 1) return name_of(speech.mentions.front());
  if (speech.reply_to) return name_of(*speech.reply_to);
  if (others.size() == 1) return others.front();
  std::vector<std::string> called;
  std::copy_if(others.begin(), others.end(), std::back_inserter(called),
               [&](const auto& name) { return calls(text, name); });
  return called.size() == 1 ? called.front() : std::string();
}

std::string joined(const std::vector<std::string>& names, Language language) {
  const bool chinese = language == Language::kChinese;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? (chinese ? "和" : " and ") : (chinese ? "、" : ", ");
    text += names[i];
  }
  return text;
}

}  // namespace

std::string name_of(const Person& person) { return person.name.empty() ? person.id : person.name; }

People::People(const Speech& speech, std::string_view text) {
  sender_ = name_of(speech.sender);
  std::vector<std::string> rest;
  for (const Person& person : speech.participants) add_name(rest, name_of(person));
  for (const Person& person : speech.mentions) add_name(rest, name_of(person));
  if (speech.addressee) add_name(rest, name_of(*speech.addressee));
  if (speech.reply_to) add_name(rest, name_of(*speech.reply_to));
  rest.erase(std::remove(rest.begin(), rest.end(), sender_), rest.end());
  addressee_ = find_addressee(speech, text, rest);
  add_name(names_, sender_);
  for (const std::string& name : rest) add_name(names_, name);
}

std::vector<std::string> People::others() const {
  std::vector<std::string> rest;
  std::copy_if(names_.begin(), names_.end(), std::back_inserter(rest),
               [&](const auto& name) { return name != sender_; });
  return rest;
}

std::vector<std::string> People::me() const {
  return sender_.empty() ? std::vector<std::string>() : std::vector<std::string>{sender_};
}

std::vector<std::string> People::you() const {
  if (!addressee_.empty()) return {addressee_};
  auto rest = others();
  return rest.size() <= kMostCandidates ? rest : std::vector<std::string>();
}

std::vector<std::string> People::you_all(Language language, bool& plural) const {
  const auto rest = others();
  plural = true;
  // In a small circle everybody else is meant.
  if (rest.size() > 1 && rest.size() <= kSmallCircle) return {joined(rest, language)};
  plural = false;
  return addressee_.empty() ? std::vector<std::string>() : std::vector<std::string>{addressee_};
}

std::vector<std::string> People::us(Language language, bool inclusive) const {
  if (sender_.empty()) return {};
  if (inclusive && !addressee_.empty()) return {joined({sender_, addressee_}, language)};
  const auto rest = others();
  if (inclusive && !rest.empty() && rest.size() <= kSmallCircle) {
    std::vector<std::string> all = {sender_};
    all.insert(all.end(), rest.begin(), rest.end());
    return {joined(all, language)};
  }
  // The speaker is meant for certain; who else, only the speaker knows.
  return {sender_ + (language == Language::kChinese ? "等人" : " and others")};
}

}  // namespace weft
