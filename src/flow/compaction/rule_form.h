#pragma once

#include <string_view>
#include <vector>

#include "text/plain_words.h"

namespace weft {

/// How much the form of a sentence says that it holds from now on, whatever words it is said in.
enum class RuleForm {
  kNone,      ///< a question, a report, something about the speaker
  kGeneric,   ///< tells how things are done in general: present tense, or an order without a scope
  kStanding,  ///< an order or a general statement that says for which cases it holds: every, whenever, before …, 凡是,
              ///< 一律
};

/// Judges by grammar, English and Chinese: tense and aspect, person, the mood of the verb, and the closed classes of
/// words that bound a case (quantifiers, conjunctions, prepositions). No list of what rules are about. Linear.
RuleForm rule_form(std::string_view sentence, const std::vector<PlainWord>& words);

}  // namespace weft
