#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ports/store/postgres/connection.h"
#include "ports/store/row_codec.h"
#include "ports/store/store.h"

/// Queries whose rows become structs.
namespace weft::postgres {

/// Sources and text follow, or constants in their place.
#define WEFT_PG_ITEM                                                                                            \
  "number,scope,id,kind,session,topic,block,time,zone,position,made_by,role,speaker,active,model,terms,vector," \
  "details,"
/// The columns of an item that an index needs.
#define WEFT_PG_INDEXED "number,kind,session,time,zone,position,role,speaker,active,model,terms,vector"

/// Indexes of all scopes are read anew: the items of all were changed.
inline constexpr const char* kAllAreNews =
    "UPDATE weft.heads SET before=version, removed=version, version=nextval('weft.versions')";

template <class T>
std::vector<T> list_of(std::span<const T> values) {
  return {values.begin(), values.end()};
}
template <class Tag>
std::vector<std::string> list_of(std::span<const Id<Tag>> ids) {
  std::vector<std::string> texts;
  for (const Id<Tag>& id : ids) texts.push_back(id.str());
  return texts;
}

/// All rows that the query gives, each read by `read`.
template <class Read>
auto read_all(Pool& pool, const Query& query, Read read) -> Result<std::vector<decltype(read(std::declval<Row>()))>> {
  WEFT_TRY(const Rows found, pool.run(query));
  std::vector<decltype(read(std::declval<Row>()))> rows;
  rows.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i) rows.push_back(read(Row(found, i)));
  return rows;
}

/// The first row, if there is one.
template <class Read>
auto read_one(Pool& pool, const Query& query, Read read) -> Result<std::optional<decltype(read(std::declval<Row>()))>> {
  WEFT_TRY(auto rows, read_all(pool, query, read));
  std::optional<decltype(read(std::declval<Row>()))> first;
  if (!rows.empty()) first = std::move(rows.front());
  return first;
}

/// The number in the first column of the first row; 0: there is none.
Result<std::int64_t> read_number(Pool& pool, const Query& query);

/// Rows behind a number, some at a time, in the order of the number, which is their first column. `query(last, limit)`
/// gives the query for those behind `last`. No connection is held while `take` works.
constexpr std::int64_t kSlice = 2000;
template <class MakeQuery, class Take>
Status scan_slices(Pool& pool, MakeQuery query, Take take) {
  for (std::int64_t last = 0;;) {
    WEFT_TRY(const Rows rows, pool.run(query(last, kSlice)));
    for (int i = 0; i < rows.count(); ++i) {
      const Row row(rows, i);
      last = row.integer(0);
      take(row);
    }
    if (rows.count() < kSlice) return {};
  }
}

}  // namespace weft::postgres
