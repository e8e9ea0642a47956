#pragma once

#include <string>
#include <vector>

#include "flow/historian/antecedents.h"

namespace weft {

/// How many messages before a text a name is still certain.
inline constexpr int kFarthestName = 3;

/// Who is spoken of by pronouns goes on to be, unless somebody else became what a sentence is about. `fitting`: what
/// may be meant, nearest first; returned whole where nothing tells.
std::vector<Mention> going_on(std::vector<Mention> fitting);

/// Of those that may be meant by a pronoun of one in an English text, those of whom more is known: a word that says
/// "she" by itself tells more than one that may be said of anybody, "my sister" than "the artist". Looks farther back,
/// except for `not_these`, where nothing is known of any.
std::vector<Mention> more_telling(std::vector<Mention> fitting, const Reference& reference,
                                  const Antecedents& antecedents, std::vector<std::string> not_these);

}  // namespace weft
