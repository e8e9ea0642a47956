#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weft/memory.h"

namespace weft {

/// The metadata of an event as a JSON object, as it is kept and as surfaces show it.
std::string to_json(const EventDetails& details);

/// Reads what `to_json` wrote; nothing for an empty text or one that is no such object.
std::optional<EventDetails> read_details(std::string_view json);

/// How an event got its words, as a JSON object: {"annotations": [[begin, end], …], "model", "prompt"}, each only where
/// there is something to say.
std::string to_json(const Writing& writing);

/// The details of an item and how it got its words, as a store keeps both in one text: the object of `to_json` with a
/// member "writing". Empty for an item that has neither.
std::string kept_details(const Item& item);

/// Puts into an item what `kept_details` wrote.
void take_details(std::string_view kept, Item& item);

}  // namespace weft
