#pragma once

#include <string_view>
#include <vector>

#include "model/rows.h"
#include "weft/config.h"

namespace weft {

/// Marks an item that is found by its words only and is never embedded.
inline constexpr const char* kWordsOnly = "-";

/// The words under which an item of this kind with this text stands in the index.
std::vector<Term> indexed_terms(ItemKind kind, std::string_view text);

/// What recall finds of a message as soon as it is written: one item, or one for each part of a long one. System
/// messages and empty ones give none. Outputs of tools are found by their words only: they are long, and embedding them
/// would cost more than they are asked for. The items have no numbers yet.
void add_message_items(const LimitsSettings& limits, const MessageRow& message, std::vector<ItemRow>& items);

}  // namespace weft
