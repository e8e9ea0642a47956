#include "flow/context/injector.h"

#include "flow/context/fence.h"

namespace weft {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? std::string() : " " + std::string(name) + "=\"" + escape_text(value) + "\"";
}

std::string knowledge(const CuratedEntry& entry) {
  std::string text = "    <entry" + attribute("id", entry.id) + attribute("type", entry.type) + ">\n";
  if (!entry.name.empty()) text += "      <name>" + escape_text(entry.name) + "</name>\n";
  return text + "      <desc>" + escape_text(entry.text) + "</desc>\n    </entry>\n";
}

std::string memory(const CuratedEntry& entry) {
  std::string text = "    <memory" + attribute("id", entry.id);
  if (entry.type != to_string(Chain::kNarrative)) text += attribute("type", entry.type);
  text += attribute("turn", entry.turn > 0 ? std::to_string(entry.turn) : std::string());
  if (!entry.name.empty() && !entry.text.starts_with(entry.name)) text += attribute("name", entry.name);
  return text + ">\n      " + escape_text(entry.text) + "\n    </memory>\n";
}

std::string group(std::string_view tag, const std::string& entries) {
  if (entries.empty()) return {};
  return "  <" + std::string(tag) + ">\n" + entries + "  </" + std::string(tag) + ">\n";
}

}  // namespace

std::vector<CuratedEntry> fetch_entries(const CandidatePool& pool, const std::vector<std::size_t>& places,
                                        const FetchEntry& fetch, std::vector<std::string>& notes) {
  std::vector<CuratedEntry> entries;
  for (const std::size_t place : places) {
    if (place >= pool.items.size() || !fetch) continue;
    const Candidate& candidate = pool.items[place];
    Result<CuratedEntry> entry = fetch(candidate);
    if (!entry.ok()) {
      notes.push_back(candidate.id + ": " + entry.error().message);
      continue;
    }
    if (entry->text.empty()) continue;
    entry->id = candidate.id;
    entry->chain = candidate.chain;
    entry->score = candidate.score;
    if (entry->name.empty()) entry->name = candidate.name;
    if (entry->type.empty()) entry->type = to_string(candidate.chain);
    entries.push_back(std::move(*entry));
  }
  return entries;
}

std::string render_entries(const std::vector<CuratedEntry>& entries, const LayerLabels& labels) {
  std::string lore, memories;
  for (const CuratedEntry& entry : entries)
    (entry.chain == Chain::kLore ? lore : memories) += entry.chain == Chain::kLore ? knowledge(entry) : memory(entry);
  if (lore.empty() && memories.empty()) return {};
  std::string text = "<context_layer type=\"probabilistic\"" + attribute("model", labels.model) + ">\n";
  if (!labels.rationale.empty()) text += "  <rationale>" + escape_text(labels.rationale) + "</rationale>\n";
  return text + group("knowledge_base", lore) + group("relevant_memories", memories) + "</context_layer>";
}

std::vector<FloatingBlock> make_blocks(const std::vector<CuratedEntry>& entries, const LayerLabels& labels,
                                       const InjectOptions& options, const RenderEntries& render) {
  std::vector<FloatingBlock> blocks;
  const auto add = [&](const std::string& id, const std::vector<CuratedEntry>& of, const EntryPlacement& placement) {
    FloatingBlock block;
    block.id = id;
    block.content = render ? render(of, labels) : render_entries(of, labels);
    block.role = placement.role.value_or(options.role);
    block.position = placement.position.value_or(options.position);
    block.depth = placement.depth.value_or(options.depth);
    block.priority = placement.priority.value_or(options.priority);
    if (!block.content.empty()) blocks.push_back(std::move(block));
  };
  std::vector<CuratedEntry> together;
  for (const CuratedEntry& entry : entries)
    if (!options.block_per_entry && !entry.placement.any()) together.push_back(entry);
  if (!together.empty()) add("curation", together, {});
  for (const CuratedEntry& entry : entries)
    if (options.block_per_entry || entry.placement.any()) add(entry.id, {entry}, entry.placement);
  return blocks;
}

}  // namespace weft
