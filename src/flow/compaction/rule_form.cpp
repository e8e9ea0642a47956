#include "flow/compaction/rule_form.h"

#include <algorithm>
#include <string>

#include "text/english_verbs.h"
#include "text/lexicon.h"

namespace weft {
namespace {

using Words = std::vector<PlainWord>;

bool is_word(const PlainWord& word) { return word.kind == WordKind::kWord; }

bool is_break(const PlainWord& word) { return word.kind == WordKind::kComma || word.kind == WordKind::kStop; }

// ---- English ----

// Bound the cases that a sentence holds for.
bool bounds_a_case(const std::string& word) {
  static const LexiconWords words = lexicon_words("en/modality", "cases");
  return words.contains(word);
}

bool is_connector(const std::string& word) {
  static const LexiconWords words = lexicon_words("en/modality", "connectors");
  return words.contains(word);
}

bool is_speaker(const std::string& word) { return word == "i" || word == "we" || word == "my" || word == "me"; }

bool is_determiner(const std::string& word) {
  static const LexiconWords words = lexicon_words("en/modality", "before nouns");
  return words.contains(word);
}

// "goes", "carries", "holds": the base of a third person, empty where there is none.
bool is_third_person(const std::string& word) {
  if (word == "is" || word == "has" || word == "does" || word == "are") return true;
  if (word.size() < 4 || !word.ends_with("s") || word.ends_with("ss")) return false;
  const std::string stem = word.substr(0, word.size() - 1);
  if (is_base_verb(stem)) return true;
  if (word.ends_with("ies")) return is_base_verb(word.substr(0, word.size() - 3) + "y");
  return word.ends_with("es") && is_base_verb(word.substr(0, word.size() - 2));
}

/// Reads one English sentence from left to right.
class English {
 public:
  explicit English(const Words& words) : words_(words) {}

  RuleForm form() const {
    if (tells_what_was() || speaks_of_oneself()) return RuleForm::kNone;
    const bool bound = std::any_of(words_.begin(), words_.end(),
                                   [](const PlainWord& word) { return is_word(word) && bounds_a_case(word.text); });
    const bool order = gives_an_order();
    const bool present = order || tells_how_it_is();
    if (!present && !bound) return RuleForm::kNone;
    return bound || order ? RuleForm::kStanding : RuleForm::kGeneric;
  }

 private:
  // Past tense outside a passive ("are saved") and outside what stands before a noun ("the signed form").
  bool tells_what_was() const {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      const std::string& word = words_[at].text;
      if (word == "was" || word == "were" || word == "did" || word == "ago" || word == "yesterday") return true;
      if (at == 0 || !is_speaker(words_[at - 1].text)) continue;
      if (is_past_form(word) || word == "have" || word == "am") return true;
    }
    return false;
  }

  bool speaks_of_oneself() const {
    const std::size_t at = begin_of_clause(0);
    return at < words_.size() && (words_[at].text == "i" || words_[at].text == "it" || words_[at].text == "there");
  }

  std::size_t begin_of_clause(std::size_t at) const {
    while (at < words_.size() && (is_break(words_[at]) || is_connector(words_[at].text))) ++at;
    return at;
  }

  bool is_order_at(std::size_t at) const {
    if (at >= words_.size() || !is_word(words_[at]) || !is_base_verb(words_[at].text)) return false;
    if (at + 1 >= words_.size()) return false;
    // "Plan is", "Works best": a noun before its verb.
    const std::string& next = words_[at + 1].text;
    return !is_third_person(next) && !is_modal(next) && !is_auxiliary(next);
  }

  bool gives_an_order() const {
    if (is_order_at(begin_of_clause(0))) return true;
    for (std::size_t at = 0; at < words_.size(); ++at)
      if (is_break(words_[at]) && is_order_at(begin_of_clause(at + 1))) return true;
    return false;
  }

  bool tells_how_it_is() const {
    for (std::size_t at = 1; at < words_.size(); ++at) {
      const std::string& word = words_[at].text;
      const std::string& before = words_[at - 1].text;
      if (!is_word(words_[at]) || is_determiner(before) || is_break(words_[at - 1])) continue;
      if (is_third_person(word)) return true;
      const bool plural = before.size() > 3 && before.ends_with("s");
      if (plural && is_base_verb(word)) return true;
    }
    return false;
  }

  const Words& words_;
};

// ---- Chinese: a word a character ----

bool has_any(std::string_view text, std::string_view list) {
  const auto phrases = lexicon("zh/modality", list);
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return text.find(phrase) != std::string_view::npos; });
}

RuleForm chinese_form(std::string_view text) {
  // Aspect and adverbs of what has happened; 了 before 解, 除了 and 为了 is none.
  static constexpr std::string_view kNoAspect[] = {"了解", "除了", "为了", "了如", "明了"};
  std::size_t done = 0;
  for (std::size_t at = text.find("了"); at != std::string_view::npos; at = text.find("了", at + 1)) ++done;
  for (const std::string_view word : kNoAspect)
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
      if (done > 0) --done;
  const bool past = has_any(text, "past");
  const bool speaker = text.starts_with("我") || text.starts_with("咱");
  const bool bound = has_any(text, "cases");
  if (past || speaker || done > 0) return RuleForm::kNone;
  const bool pronoun =
      text.starts_with("他") || text.starts_with("她") || text.starts_with("它") || text.starts_with("这");
  if (bound) return RuleForm::kStanding;
  return pronoun ? RuleForm::kNone : RuleForm::kGeneric;
}

}  // namespace

RuleForm rule_form(std::string_view sentence, const Words& words) {
  if (words.size() < 3 || sentence.ends_with("?") || sentence.ends_with("？")) return RuleForm::kNone;
  const auto han =
      std::count_if(words.begin(), words.end(), [](const PlainWord& word) { return word.kind == WordKind::kHan; });
  if (han * 2 >= static_cast<std::ptrdiff_t>(words.size())) return chinese_form(sentence);
  return English(words).form();
}

}  // namespace weft
