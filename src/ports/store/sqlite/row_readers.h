#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/store/sqlite/connection.h"
#include "ports/store/store.h"

/// Rows of tables as structs: the columns that a query asks for, in the order in which they are read.
namespace weft::sqlite {

#define WEFT_MESSAGE_COLUMNS \
  "seq,scope,session,id,parent,digest,role,name,time,zone,content,extra,tokens,block,active,chain,sender_id"
/// As above without contents.
#define WEFT_BRIEF_COLUMNS \
  "seq,scope,session,id,parent,digest,role,name,time,zone,'','',tokens,block,active,chain,sender_id"
#define WEFT_BLOCK_COLUMNS "scope,session,id,topic,status,first_seq,last_seq,tokens,started,last,zone,active"
// Blocks that are closed and have no topic; as in the index blocks_waiting, so that only its rows are read.
#define WEFT_BLOCK_WAITS "topic='' AND active=1 AND status<>0"
#define WEFT_TOPIC_COLUMNS "scope,session,id,status,reason,tokens,blocks,started,last,zone,touched,trace,lead,done"
/// Sources and text follow, or constants in their place.
#define WEFT_ITEM_COLUMNS \
  "row,scope,id,kind,session,topic,block,time,zone,position,made_by,role,speaker,active,model,terms,vector,details,"

/// The numbers or ids of a `json_list`, with their places.
#define WEFT_WANTED "(SELECT key AS place, value AS wanted FROM json_each(?))"

/// From `WEFT_MESSAGE_COLUMNS` or `WEFT_BRIEF_COLUMNS`.
MessageRow read_message(const Statement& at);
/// From `WEFT_BLOCK_COLUMNS`.
BlockRow read_block(const Statement& at);
/// From `WEFT_TOPIC_COLUMNS`.
TopicRow read_topic(const Statement& at);
/// From `WEFT_ITEM_COLUMNS` with sources and text.
ItemRow read_item(const Statement& at);
/// Reads a row of the columns that `ItemRows::scan` selects.
ItemRow read_indexed_item(const Statement& at, const ScopeKey& scope);

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
