#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flow/historian/antecedents.h"
#include "text/analysis.h"

namespace weft {

/// A pronoun of the third person that was read before, and whom it means.
struct PronounBefore {
  std::size_t begin = 0, end = 0;
  Gender gender = Gender::kUnknown;
  std::vector<Mention> meant;
};

/// Where a Chinese pronoun stands and who takes part in the talk.
struct ChinesePronoun {
  TextAnalysis& analysis;
  const Reference& reference;
  const std::vector<Mention>& seen;        ///< what was named before it, as `Antecedents::seen`
  const std::vector<std::string>& not_these;  ///< names of those who talk with each other
  bool between_two = false;                ///< only two talk: who was spoken of stays in sight longer
  const PronounBefore* last = nullptr;     ///< the pronoun of the same number before it in the text; null: none
  int earlier_pronoun = 0;  ///< how many messages before the text the same pronoun stood; 0: it did not
};

/// Whom 他, 她 or 他们 means: one is certain, several are candidates, none is not known. By sieves, the surest first:
/// what stands right before it; who the pronoun before it means, where nobody is named between them; who is named in
/// the same sentence, a person before people of a kind; the sentence before; of two who talk, whoever was spoken of
/// last, alone, in the messages before. What may be meant as well and cannot be told, 这个人 or a company, stops the
/// search. Linear in `seen`.
std::vector<Mention> chinese_antecedents(const ChinesePronoun& pronoun);

}  // namespace weft
