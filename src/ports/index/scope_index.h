#pragma once
#include <vector>
#include "model/rows.h"
namespace weft {
/// Stand-in until the real index lands.
class ScopeIndex {
 public:
  void add(ItemRow row) { for (auto& r : rows) if (r.row == row.row) { r = std::move(row); return; } rows.push_back(std::move(row)); }
  std::vector<ItemRow> rows;
};
}  // namespace weft
