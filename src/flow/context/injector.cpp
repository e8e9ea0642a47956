#include "flow/context/injector.h"

#include "flow/context/filament.h"

namespace weft {
namespace {

LayerEntry layer_entry(const CuratedEntry& entry) {
  LayerEntry written{entry.id, entry.type, entry.name, entry.text, {}, std::string(source_of(entry.chain))};
  if (entry.turn > 0) written.turn = entry.turn;
  if (entry.type == to_string(entry.chain)) written.type.clear();
  return written;
}

}  // namespace

std::vector<CuratedEntry> fetch_entries(const CandidatePool& pool, const std::vector<std::size_t>& places,
                                        const FetchEntry& fetch, std::vector<std::string>& notes) {
  std::vector<CuratedEntry> entries;
  for (const std::size_t place : places) {
    if (place >= pool.items.size() || !fetch) continue;
    const CurationCandidate& candidate = pool.items[place];
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
  ProbabilisticLayer layer{labels.model, labels.rationale, {}};
  for (const CuratedEntry& entry : entries) layer.entries.push_back(layer_entry(entry));
  return filament_layer(layer);
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
