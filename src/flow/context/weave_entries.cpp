#include "flow/context/weave_entries.h"

#include <algorithm>

#include "flow/context/filament.h"
#include "flow/context/shorten.h"

namespace weft {
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
