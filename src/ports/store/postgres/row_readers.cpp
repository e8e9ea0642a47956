#include "ports/store/postgres/row_readers.h"

#include "model/event_details.h"
#include "ports/store/row_codec.h"

namespace weft::postgres {
namespace {

std::int32_t small(const Row& at, int column) { return static_cast<std::int32_t>(at.integer(column)); }

}  // namespace

MessageRow read_message(const Row& at) {
  MessageRow row;
  row.seq = at.integer(0);
  row.scope = ScopeKey(at.text(1));
  row.session = SessionId(at.text(2));
  row.message.id = MessageId(at.text(3));
  row.parent = at.integer(4);
  row.digest = static_cast<std::uint64_t>(at.integer(5));
  row.message.role = static_cast<Role>(at.integer(6));
  row.message.name = at.text(7);
  row.message.time = Time{at.integer(8), small(at, 9)};
  row.message.content = at.text(10);
  decode_extra(at.text(11), row.message);
  row.tokens = at.integer(12);
  row.block = BlockId(at.text(13));
  row.active = at.integer(14) != 0;
  row.chain = static_cast<std::uint64_t>(at.integer(15));
  row.message.sender_id = UserId(at.text(16));
  return row;
}

BlockRow read_block(const Row& at) {
  BlockRow row;
  row.scope = ScopeKey(at.text(0));
  row.session = SessionId(at.text(1));
  row.id = BlockId(at.text(2));
  row.topic = TopicId(at.text(3));
  row.status = static_cast<BlockStatus>(at.integer(4));
  row.first_seq = at.integer(5);
  row.last_seq = at.integer(6);
  row.tokens = at.integer(7);
  row.started = {at.integer(8), small(at, 10)};
  row.last = {at.integer(9), small(at, 10)};
  row.active = at.integer(11) != 0;
  return row;
}

TopicRow read_topic(const Row& at) {
  TopicRow row;
  row.scope = ScopeKey(at.text(0));
  row.session = SessionId(at.text(1));
  row.id = TopicId(at.text(2));
  row.status = static_cast<TopicStatus>(at.integer(3));
  row.reason = static_cast<FlushReason>(at.integer(4));
  row.tokens = at.integer(5);
  row.blocks = at.integer(6);
  row.started = {at.integer(7), small(at, 9)};
  row.last = {at.integer(8), small(at, 9)};
  row.touched_ms = at.integer(10);
  row.trace = at.blob(11);
  row.lead = at.text(12);
  row.done = at.integer(13) != 0;
  return row;
}

ItemRow read_item(const Row& at) {
  ItemRow row;
  row.row = at.integer(0);
  row.scope = ScopeKey(at.text(1));
  row.item.id = ItemId(at.text(2));
  row.item.kind = static_cast<ItemKind>(at.integer(3));
  row.item.session = SessionId(at.text(4));
  row.item.topic = TopicId(at.text(5));
  row.item.block = BlockId(at.text(6));
  row.item.time = {at.integer(7), small(at, 8)};
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
}

ItemRow read_indexed_item(const Row& at, const ScopeKey& scope) {
  ItemRow row;
  row.row = at.integer(0);
  row.scope = scope;
  row.item.kind = static_cast<ItemKind>(at.integer(1));
  row.item.session = SessionId(at.text(2));
  row.item.time = {at.integer(3), small(at, 4)};
  row.item.position = at.integer(5);
  row.role = static_cast<Role>(at.integer(6));
  row.speaker = at.text(7);
  row.active = at.integer(8) != 0;
  row.model = at.text(9);
  row.terms = from_bytes<Term>(at.blob(10));
  row.vector = from_bytes<float>(at.blob(11));
  return row;
}

Result<std::int64_t> read_number(Pool& pool, const Query& query) {
  WEFT_TRY(const Rows rows, pool.run(query));
  return rows.count() > 0 && !Row(rows, 0).is_null(0) ? Row(rows, 0).integer(0) : 0;
}

}  // namespace weft::postgres
