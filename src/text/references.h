#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "text/protected_spans.h"
#include "text/words.h"

namespace weft {

enum class ReferenceKind {
  kPerson,     ///< I, you, she, 我, 你们, 这位
  kThing,      ///< it, its, 它, 它们
  kAny,        ///< they, them: persons or things
  kHere,       ///< the speaker's place: here, locally, 这里, 本地
  kThere,      ///< a place that was named: there, 那边, 当地
};

enum class PronounForm {
  kSubject,
  kObject,
  kDeterminer,  ///< my, her: a noun follows
  kPossessive,  ///< mine, hers: stands alone
  kReflexive,   ///< myself; those of the third person are bound by their sentence and are not references
};

enum class Gender { kUnknown, kMale, kFemale };

/// A word that means nothing without its speaker, hearer, place or what was said before.
struct Reference {
  std::size_t begin = 0, end = 0;  ///< bytes of the text, without contracted verbs ("I" of "I'm")
  ReferenceKind kind = ReferenceKind::kPerson;
  int person = 3;  ///< grammatical person; 0 for places
  bool plural = false;
  Gender gender = Gender::kUnknown;
  PronounForm form = PronounForm::kSubject;
  bool inclusive = false;  ///< the hearer is meant as well: let's, 咱们
  Language language = Language::kEnglish;
  std::size_t word = 0;  ///< English: the index in the list of words
};

/// The pronouns and relative places of a Chinese, English or mixed text, as words, outside the protected spans, in
/// order. Uses that refer to nothing are left out: "it rains", "it is clear that", "there is", "be there for", 其他,
/// 自我, 本地化. Linear. Safe from any thread.
std::vector<Reference> find_references(std::string_view text, const std::vector<Span>& protected_by);

/// The same for English, over words that were read already.
std::vector<Reference> find_english_references(const LatinWords& words);

/// The same for Chinese.
std::vector<Reference> find_chinese_references(std::string_view text, const std::vector<Span>& protected_by);

/// Whether a whole string is one pronoun of either language.
bool is_pronoun(std::string_view word);

}  // namespace weft
