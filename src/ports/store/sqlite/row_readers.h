#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/store/row_codec.h"
#include "ports/store/sqlite/connection.h"
#include "ports/store/store.h"

/// Rows of tables as structs: the columns that a query asks for, in the order in which they are read.
namespace weft::sqlite {

/// Sources and text follow, or constants in their place.
#define WEFT_ITEM_COLUMNS \
  "row,scope,id,kind,session,topic,block,time,zone,position,made_by,role,speaker,active,model,terms,vector,details,"

/// The numbers or ids of a `json_list`, with their places.
#define WEFT_WANTED "(SELECT key AS place, value AS wanted FROM json_each(?))"

/// A JSON array for `json_each`, so that one statement reads the whole list.
std::string json_list(std::span<const std::int64_t> numbers);
std::string json_list(std::span<const std::string_view> texts);
template <class Tag>
std::string json_list(std::span<const Id<Tag>> ids) {
  std::vector<std::string_view> texts;
  for (const Id<Tag>& id : ids) texts.push_back(id.str());
  return json_list(texts);
}

/// All rows that the statement gives, each read by `read`.
template <class Read>
auto read_all(Statement& statement, Read read) -> Result<std::vector<decltype(read(statement))>> {
  std::vector<decltype(read(statement))> rows;
  while (statement.step()) rows.push_back(read(statement));
  WEFT_CHECK(statement.status());
  return rows;
}

/// All rows of a statement whose first parameter is a `json_list` and whose second one is a scope.
template <class Pools, class Read>
auto read_wanted(Pools& pools, const char* sql, const std::string& wanted, const ScopeKey& scope, Read read) {
  auto connection = pools.readers().take();
  Statement statement = connection->prepare(sql);
  statement.bind(wanted).bind(scope);
  return read_all(statement, read);
}

/// The first row, if there is one.
template <class Read>
auto read_one(Statement& statement, Read read) -> Result<std::optional<decltype(read(statement))>> {
  std::optional<decltype(read(statement))> row;
  if (statement.step()) row = read(statement);
  WEFT_CHECK(statement.status());
  return row;
}

}  // namespace weft::sqlite
