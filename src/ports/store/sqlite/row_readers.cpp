#include "ports/store/sqlite/row_readers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "model/event_details.h"
#include "ports/store/row_codec.h"
#include "text/json.h"

namespace weft::sqlite {

std::string json_list(std::span<const std::int64_t> numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

std::string json_list(std::span<const std::string_view> texts) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string_view text : texts) list.push_back(text);
  return write_json(list);
}

MessageRow read_message(const Statement& at) {
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
}

BlockRow read_block(const Statement& at) {
  const auto zone = static_cast<std::int32_t>(at.integer(10));
  return {BlockId(at.text(2)),
          ScopeKey(at.text(0)),
          SessionId(at.text(1)),
          TopicId(at.text(3)),
          static_cast<BlockStatus>(at.integer(4)),
          at.integer(5),
          at.integer(6),
          at.integer(7),
          Time{at.integer(8), zone},
          Time{at.integer(9), zone},
          at.integer(11) != 0};
}

TopicRow read_topic(const Statement& at) {
  const auto zone = static_cast<std::int32_t>(at.integer(9));
  return {TopicId(at.text(2)),
          ScopeKey(at.text(0)),
          SessionId(at.text(1)),
          static_cast<TopicStatus>(at.integer(3)),
          static_cast<FlushReason>(at.integer(4)),
          at.integer(5),
          at.integer(6),
          Time{at.integer(7), zone},
          Time{at.integer(8), zone},
          at.integer(10),
          std::string(at.blob(11)),
          at.text(12),
          at.integer(13) != 0};
}

ItemRow read_item(const Statement& at) {
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
}

ItemRow read_indexed_item(const Statement& at, const ScopeKey& scope) {
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
}

}  // namespace weft::sqlite
