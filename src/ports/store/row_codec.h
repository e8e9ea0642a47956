#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/rows.h"
#include "weft/ids.h"
#include "weft/message.h"

namespace weft {

/// What a message has beyond role, name, time and content, as JSON; empty when there is nothing. The original JSON is
/// kept only where the parts cannot say the same, as for images.
std::string encode_extra(const Message& message);
void decode_extra(std::string_view json, Message& message);

std::string encode_sources(const std::vector<MessageId>& sources);
std::vector<MessageId> decode_sources(std::string_view json);

/// Numbers as their bytes; the store is read on machines of the same byte order only.
template <class T>
std::string_view as_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::vector<T> from_bytes(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy_n(bytes.data(), values.size() * sizeof(T), reinterpret_cast<char*>(values.data()));
  return values;
}

// Rows of tables as structs, from the columns in the order in which each reader takes them. `at` is a row of whatever
// store: it gives the column of a number by `integer`, `text` and `blob`.

#define WEFT_MESSAGE_COLUMNS \
  "seq,scope,session,id,parent,digest,role,name,time,zone,content,extra,tokens,block,active,chain,sender_id"
/// As above without contents.
#define WEFT_BRIEF_COLUMNS \
  "seq,scope,session,id,parent,digest,role,name,time,zone,'','',tokens,block,active,chain,sender_id"
#define WEFT_BLOCK_COLUMNS "scope,session,id,topic,status,first_seq,last_seq,tokens,started,last,zone,active"
// Blocks that are closed and have no topic; as in the index blocks_waiting, so that only its rows are read.
#define WEFT_BLOCK_WAITS "topic='' AND active=1 AND status<>0"
#define WEFT_TOPIC_COLUMNS "scope,session,id,status,reason,tokens,blocks,started,last,zone,touched,trace,lead,done"

/// From `WEFT_MESSAGE_COLUMNS` or `WEFT_BRIEF_COLUMNS`.
inline constexpr auto read_message = [](const auto& at) {
  MessageRow row;
  row.seq = at.integer(0);
  row.scope = ScopeKey(at.text(1));
  row.session = SessionId(at.text(2));
  row.message.id = MessageId(at.text(3));
  row.parent = at.integer(4);
  row.digest = static_cast<std::uint64_t>(at.integer(5));
  row.message.role = static_cast<Role>(at.integer(6));
  row.message.name = at.text(7);
  row.message.time = Time{at.integer(8), static_cast<std::int32_t>(at.integer(9))};
  row.message.content = at.text(10);
  decode_extra(at.text(11), row.message);
  row.tokens = at.integer(12);
  row.block = BlockId(at.text(13));
  row.active = at.integer(14) != 0;
  row.chain = static_cast<std::uint64_t>(at.integer(15));
  row.message.sender_id = UserId(at.text(16));
  return row;
};

/// From `WEFT_BLOCK_COLUMNS`.
inline constexpr auto read_block = [](const auto& at) {
  BlockRow row;
  row.scope = ScopeKey(at.text(0));
  row.session = SessionId(at.text(1));
  row.id = BlockId(at.text(2));
  row.topic = TopicId(at.text(3));
  row.status = static_cast<BlockStatus>(at.integer(4));
  row.first_seq = at.integer(5);
  row.last_seq = at.integer(6);
  row.tokens = at.integer(7);
  row.started = {at.integer(8), static_cast<std::int32_t>(at.integer(10))};
  row.last = {at.integer(9), static_cast<std::int32_t>(at.integer(10))};
  row.active = at.integer(11) != 0;
  return row;
};

/// From `WEFT_TOPIC_COLUMNS`.
inline constexpr auto read_topic = [](const auto& at) {
  TopicRow row;
  row.scope = ScopeKey(at.text(0));
  row.session = SessionId(at.text(1));
  row.id = TopicId(at.text(2));
  row.status = static_cast<TopicStatus>(at.integer(3));
  row.reason = static_cast<FlushReason>(at.integer(4));
  row.tokens = at.integer(5);
  row.blocks = at.integer(6);
  row.started = {at.integer(7), static_cast<std::int32_t>(at.integer(9))};
  row.last = {at.integer(8), static_cast<std::int32_t>(at.integer(9))};
  row.touched_ms = at.integer(10);
  row.trace = at.blob(11);
  row.lead = at.text(12);
  row.done = at.integer(13) != 0;
  return row;
};

/// From number, scope, id, kind, session, topic, block, time, zone, position, made_by, role, speaker, active, model,
/// terms, vector, details, sources and text.
inline constexpr auto read_item = [](const auto& at) {
  ItemRow row;
  row.row = at.integer(0);
  row.scope = ScopeKey(at.text(1));
  row.item.id = ItemId(at.text(2));
  row.item.kind = static_cast<ItemKind>(at.integer(3));
  row.item.session = SessionId(at.text(4));
  row.item.topic = TopicId(at.text(5));
  row.item.block = BlockId(at.text(6));
  row.item.time = {at.integer(7), static_cast<std::int32_t>(at.integer(8))};
  row.item.position = at.integer(9);
  row.item.by = enum_of<MadeBy>(at.text(10)).value_or(MadeBy::kFloor);
  row.role = static_cast<Role>(at.integer(11));
  row.speaker = at.text(12);
  row.active = at.integer(13) != 0;
  row.model = at.text(14);
  row.terms = from_bytes<Term>(at.blob(15));
  row.vector = from_bytes<float>(at.blob(16));
  take_details(at.text(17), row.item);
  row.item.sources = decode_sources(at.text(18));
  row.item.text = at.text(19);
  return row;
};

/// From number, kind, session, time, zone, position, role, speaker, active, model, terms and vector.
inline constexpr auto read_indexed_item = [](const auto& at, const ScopeKey& scope) {
  ItemRow row;
  row.row = at.integer(0);
  row.scope = scope;
  row.item.kind = static_cast<ItemKind>(at.integer(1));
  row.item.session = SessionId(at.text(2));
  row.item.time = {at.integer(3), static_cast<std::int32_t>(at.integer(4))};
  row.item.position = at.integer(5);
  row.role = static_cast<Role>(at.integer(6));
  row.speaker = at.text(7);
  row.active = at.integer(8) != 0;
  row.model = at.text(9);
  row.terms = from_bytes<Term>(at.blob(10));
  row.vector = from_bytes<float>(at.blob(11));
  return row;
};

}  // namespace weft
