#include "flow/context/injector.h"

#include <algorithm>

#include "flow/context/filament.h"

namespace weft {
namespace {

LayerEntry layer_entry(const CuratedEntry& entry) {
  LayerEntry written{entry.id, entry.type, entry.name, entry.text, {}, std::string(source_of(entry.chain))};
  if (entry.turn > 0) written.turn = entry.turn;
  if (entry.type == to_string(entry.chain)) written.type.clear();
  return written;
}

bool same_place(const EntryPlacement& a, const EntryPlacement& b) {
  return a.position == b.position && a.depth == b.depth && a.role == b.role;
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
  std::vector<std::vector<CuratedEntry>> groups;
  for (const CuratedEntry& entry : entries) {
    const auto together = [&](const std::vector<CuratedEntry>& group) {
      return !options.block_per_entry && same_place(group.front().placement, entry.placement);
    };
    const auto group = std::find_if(groups.begin(), groups.end(), together);
    if (group == groups.end())
      groups.push_back({entry});
    else
      group->push_back(entry);
  }
  // What asks for no place of its own comes first. Entries that float alone stay in the order of their worth.
  if (!options.block_per_entry)
    std::stable_partition(groups.begin(), groups.end(),
                          [](const auto& group) { return !group.front().placement.any(); });
  std::vector<FloatingBlock> blocks;
  for (std::vector<CuratedEntry>& group : groups) {
    const auto priority = [&](const CuratedEntry& entry) {
      return entry.placement.priority.value_or(options.priority);
    };
    std::stable_sort(group.begin(), group.end(),
                     [&](const CuratedEntry& a, const CuratedEntry& b) { return priority(a) < priority(b); });
    const EntryPlacement& placement = group.back().placement;
    FloatingBlock block;
    block.id = group.size() == 1 && (options.block_per_entry || placement.any()) ? group.front().id : "curation";
    block.content = render ? render(group, labels) : render_entries(group, labels);
    block.role = placement.role.value_or(options.role);
    block.position = placement.position.value_or(options.position);
    block.depth = placement.depth.value_or(options.depth);
    block.priority = priority(group.back());
    if (!block.content.empty()) blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace weft
