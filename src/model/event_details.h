#pragma once

#include <string>
#include <string_view>

#include "weft/memory.h"

namespace weft {

/// The details of an item and how it got its words, as a store keeps both in one text: the JSON object of
/// the details with a member "writing". Of a message it holds the sender. Empty for an item that has none of it.
std::string kept_details(const Item& item);

/// Puts into an item what `kept_details` wrote.
void take_details(std::string_view kept, Item& item);

/// Whether a tool said it and it reads as if it gave a model orders (`reads_like_instructions`): then whoever hands it
/// to a model announces it (`suspect_remark`). Looks through the whole text.
bool is_suspect(const Item& item);

}  // namespace weft
