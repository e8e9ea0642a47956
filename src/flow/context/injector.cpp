#include "flow/context/injector.h"

#include <algorithm>

#include "flow/context/filament.h"
#include "flow/context/shorten.h"

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

namespace {

// A shorter entry than this says nothing.
constexpr std::int64_t kLeastEntry = 40;

ReportItem report_of(const CuratedEntry& entry, std::int64_t tokens, bool kept, std::string why) {
  return {entry.id, std::string(source_of(entry.chain)), entry.score, tokens, kept, std::move(why), entry.name};
}

/// The room as it is used up.
class Fitting {
 public:
  Fitting(const CurationRoom& room, const TokenCounter& tokens, const EntriesToWeave& entries)
      : room_(room), tokens_(tokens), query_(entries.query) {
    left_ = room.tokens - tokens.count(render_entries({CuratedEntry()}, entries.labels));
  }

  void take(CuratedEntry entry, const std::string& why) {
    const auto same = [&](const CuratedEntry& one) { return one.id == entry.id && one.chain == entry.chain; };
    if (std::any_of(kept_.begin(), kept_.end(), same)) return;
    if (entry.item && room_.shown && room_.shown(*entry.item)) {
      items_.push_back(report_of(entry, 0, false, "stands in the prompt already"));
      return;
    }
    std::int64_t cost = cost_of(entry);
    std::string kept_why = why;
    if (cost > left_ && left_ >= kLeastEntry && cost > room_.tokens / 2) {
      cost = shorten(entry);
      kept_why += ", shortened";
    }
    const bool keep = cost <= left_ && !entry.text.empty();
    items_.push_back(report_of(entry, cost, keep, keep ? kept_why : "over budget"));
    if (!keep) return;
    left_ -= cost;
    kept_.push_back(std::move(entry));
  }

  std::vector<CuratedEntry> kept() { return std::move(kept_); }
  std::vector<ReportItem> items() { return std::move(items_); }

 private:
  // Fencing lengthens a text by what depends on it: a little less each time until it fits.
  std::int64_t shorten(CuratedEntry& entry) const {
    const std::string whole = entry.text;
    std::int64_t cost = cost_of(entry);
    const std::int64_t around = std::min(cost - tokens_.count(whole), left_ / 2);
    for (double part = 1; cost > left_ && part > 0.2; part -= 0.2) {
      entry.text =
          shorten_profile(whole, query_, static_cast<std::int64_t>(part * static_cast<double>(left_ - around)));
      cost = cost_of(entry);
    }
    return cost;
  }

  std::int64_t cost_of(const CuratedEntry& entry) const {
    static const CuratedEntry nothing;
    return tokens_.count(render_entries({entry}, {})) - tokens_.count(render_entries({nothing}, {})) + 4;
  }

  const CurationRoom& room_;
  const TokenCounter& tokens_;
  const std::string& query_;
  std::int64_t left_ = 0;
  std::vector<CuratedEntry> kept_;
  std::vector<ReportItem> items_;
};

}  // namespace

Curated weave_entries(EntriesToWeave entries, const CurationRoom& room, const TokenCounter& tokens) {
  Fitting fitting(room, tokens, entries);
  std::stable_sort(entries.called.begin(), entries.called.end(), [](const CuratedEntry& a, const CuratedEntry& b) {
    return a.placement.priority.value_or(0) > b.placement.priority.value_or(0);
  });
  for (CuratedEntry& entry : entries.called) fitting.take(std::move(entry), "called up by its keys");
  for (CuratedEntry& entry : entries.chosen) fitting.take(std::move(entry), "curated");
  Curated curated;
  const std::vector<CuratedEntry> kept = fitting.kept();
  curated.items = fitting.items();
  for (const CuratedEntry& entry : kept)
    if (entry.item) curated.shown.push_back(*entry.item);
  curated.blocks = make_blocks(kept, entries.labels, entries.options);
  return curated;
}

std::string standing_lore(const std::vector<const LoreEntry*>& constant) {
  std::vector<const LoreEntry*> sorted = constant;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const LoreEntry* a, const LoreEntry* b) { return a->order < b->order; });
  std::vector<LayerEntry> entries;
  for (const LoreEntry* lore : sorted)
    entries.push_back({lore->id,
                       lore->tags.empty() ? "" : lore->tags.front(),
                       lore->title,
                       lore->text,
                       {},
                       std::string(source_of(Chain::kLore))});
  return filament_world(entries);
}

}  // namespace weft
