#pragma once

#include <string>
#include <vector>

#include "model/records.h"

namespace weft {

/// What a model needs of a hit: a short id, its day, who said it, what it says, until when it held, and a warning where
/// a tool said it and it reads as if it gave orders.
struct CompactHit {
  std::string id, date, who, text, until, warning;
};

/// What a model needs of a search's result; nothing empty, no scores:
/// {"known":true,"hits":[{"id":"9f3a01c2","date":"2026-05-03","who":"Ann","text":"…","until":"2026-05-20"}]}
struct CompactResult {
  bool known = false;
  std::vector<CompactHit> hits;
};

WEFT_DESCRIBED(CompactHit);
WEFT_DESCRIBED(CompactResult);

CompactResult compact_result(const SearchResult& result);

/// The short id of an item: eight hexadecimal digits made from its id. Two of a scope may share one by chance.
std::string short_id(const ItemId& id);

}  // namespace weft
