#pragma once

#include <string>

#include "weft/memory.h"

namespace weft {

/// What a model needs of a search's result: for each hit a short id, who said it, what it says, and since when it no
/// longer holds; one date a day; nothing empty, no scores. Best first, neighbours of one day together:
/// {"known":true,"days":[{"date":"2026-05-03","hits":[{"id":"9f3a01c2","who":"Ann","text":"…","until":"2026-05-20"}]}]}
std::string compact_json(const SearchResult& result);

/// The short id of an item: eight hexadecimal digits made from its id. Two of a scope may share one by chance.
std::string short_id(const ItemId& id);

}  // namespace weft
