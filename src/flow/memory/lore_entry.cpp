#include "flow/memory/lore_entry.h"

#include <utility>

#include "flow/memory/lore_fields.h"
#include "flow/memory/lore_pattern.h"
#include "model/records.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr JsonLimits kLimits{4 * 1024 * 1024, 16};

}  // namespace

std::string to_json(const LoreEntry& entry) { return to_json<LoreEntry>(entry); }

Result<LoreEntry> parse_lore_entry(std::string_view json) {
  WEFT_TRY(const Value value, parse_value(json, kLimits, "lore entry"));
  LoreNotes notes;
  return read_lore_entry(value, LoreEntry(), "lore entry", notes);
}

std::string lore_text(const LoreEntry& entry) {
  const std::string known = normalize(entry.title + "\n" + entry.text);
  std::string keys;
  for (const std::string& key : entry.keys) {
    if (is_lore_pattern(key) || known.find(normalize(key)) != std::string::npos) continue;
    keys += (keys.empty() ? "" : ", ") + key;
  }
  std::string text = entry.title;
  if (!keys.empty()) text += text.empty() ? keys : " (" + keys + ")";
  if (!text.empty() && !entry.text.empty()) text += "\n";
  return text + entry.text;
}

Item lore_item(const LoreEntry& entry, ItemKind kind) {
  Item item;
  item.id = ItemId(entry.id);
  item.kind = kind;
  item.text = lore_text(entry);
  return item;
}

FloatingBlock lore_block(const LoreEntry& entry, std::string escaped) {
  FloatingBlock block;
  block.id = entry.id;
  block.content = std::move(escaped);
  block.role = entry.role;
  block.source = "lore";
  block.position = entry.position;
  block.depth = entry.position == BlockPlace::kHistoryBottom ? entry.depth : 0;
  block.priority += entry.order - kLoreOrder;
  return block;
}

}  // namespace weft
