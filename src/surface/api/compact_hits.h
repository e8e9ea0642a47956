#pragma once

#include <string>

#include "weft/memory.h"

namespace weft {

/// What a model needs of a search's result: for each hit a short id, its day, who said it, what it says, and until when
/// it held; nothing empty, no scores:
/// {"known":true,"hits":[{"id":"9f3a01c2","date":"2026-05-03","who":"Ann","text":"…","until":"2026-05-20"}]}
std::string compact_json(const SearchResult& result);

/// The short id of an item: eight hexadecimal digits made from its id. Two of a scope may share one by chance.
std::string short_id(const ItemId& id);

}  // namespace weft
