#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flow/recall/item_words.h"
#include "flow/recall/query.h"
#include "text/words.h"
#include "weft/memory.h"

namespace weft {

/// A question to which askings are compared.
struct Asking {
  std::string text;
  TermSet terms;  ///< its words, without those that only ask
};

/// Of a question and its words by `index_words`.
Asking asking_of(std::string_view question, const std::vector<std::string>& words);

/// Whether an item adds nothing to the question: it asks the same in nearly the same words, and says nothing else, or
/// it is the question itself. A statement in the question's words is none. Both languages; linear.
bool is_same_asking(const Item& item, const ItemWords& words, const Asking& question);

/// Puts messages that answer nothing behind all other hits, which keep their order: those that only asked the same
/// before, and those that say nothing at all (see `says_nothing`), whose vectors mean little and whose neighbours lend
/// them words. A statement stays where it is, also where it is looked for by its very words.
void put_empty_last(std::vector<Hit>& hits, const QueryText& question);

}  // namespace weft
