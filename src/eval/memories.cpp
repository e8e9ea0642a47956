#include "eval/memories.h"

#include <algorithm>

#include "base/log.h"
#include "flow/memory/message_items.h"

namespace weft {

Status fill_memory(EvalMemory& memory, const LimitsSettings& limits, const std::vector<SaidMessage>& messages,
                   Embedder* embedder) {
  std::int64_t seq = 0, item_rows = 0;
  std::size_t chinese = 0;
  for (const SaidMessage& said : messages) {
    MessageRow row;
    row.seq = ++seq;
    row.session = said.session;
    row.message = said.message;
    std::vector<ItemRow> items;
    add_message_items(limits, row, items);
    for (ItemRow& item : items) {
      item.row = ++item_rows;
      if (embedder != nullptr && item.model != kWordsOnly)
        item.vector = embedder->embed(item.item.text, EmbedUse::kPassage, Deadline()).value_or({});
      memory.ids[item.row] = said.message.id.str();
      WEFT_CHECK(memory.index.add(item));
    }
    chinese += language_of(said.message.content) == Language::kChinese ? 1 : 0;
  }
  memory.language = chinese * 2 > messages.size() ? Language::kChinese : Language::kEnglish;
  return {};
}

RecallQuery query_for(const EvalMemory& memory, const std::string& text, Embedder* embedder) {
  RecallQuery query;
  query.text = text;
  query.kinds = {ItemKind::kMessage};
  if (embedder != nullptr)
    query.vector =
        embedder->embed(text_to_embed(text, memory.index.speakers()), EmbedUse::kQuery, Deadline()).value_or({});
  return query;
}

std::vector<std::string> messages_of(const EvalMemory& memory, const std::vector<ScoredRow>& rows) {
  std::vector<std::string> ids;
  for (const ScoredRow& row : rows)
    if (const std::string& id = memory.ids.at(row.row); std::find(ids.begin(), ids.end(), id) == ids.end())
      ids.push_back(id);
  return ids;
}

}  // namespace weft
