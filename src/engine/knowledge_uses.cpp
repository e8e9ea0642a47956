// How often the entries of MEMORY.md are recalled: kept over restarts, since what is used least goes first.
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "engine/engine_core.h"
#include "engine/knowledge.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds kBetweenWrites{5};
constexpr const char* kUses = "memory_uses";  // kind and id of the document

std::string digest_of_entry(std::string_view text) { return std::to_string(XXH3_64bits(text.data(), text.size())); }

}  // namespace

std::filesystem::path Knowledge::former_uses_path(const ScopeKey& scope) const {
  return place_of(scope).file.parent_path() / "MEMORY.uses.json";
}

// Counts that cannot be read are none: they only decide what goes first.
Knowledge::UseCounts& Knowledge::uses_of(const ScopeKey& scope, std::map<ScopeKey, UseCounts>& all) const {
  const auto [at, is_new] = all.try_emplace(scope);
  if (!is_new) return at->second;
  UseCounts& uses = at->second;
  const auto row = core_.store->documents().newest(scope, kUses, kUses);
  if (!row.ok()) {
    log_warning("memory.uses", row.error().message);
    return uses;
  }
  std::string text;
  if (*row) {
    text = (*row)->body;
    uses.version = (*row)->version;
  } else if (auto file = disk().read(former_uses_path(scope)); file.ok()) {
    text = std::move(file).value();
    uses.changed = true;
  }
  const Json read = Json::parse(text, nullptr, false);
  if (!read.is_object()) return uses;
  for (const auto& [entry, count] : read.items())
    if (count.is_number_integer()) uses.counts[entry] = count.get<std::int64_t>();
  return uses;
}

void Knowledge::used(const ScopeKey& scope, const std::vector<Hit>& hits) {
  const auto is_entry = [](const Hit& hit) { return hit.item.kind == ItemKind::kKnowledge; };
  if (std::none_of(hits.begin(), hits.end(), is_entry)) return;
  {
    auto all = uses_.lock();
    UseCounts& uses = uses_of(scope, *all);
    for (const Hit& hit : hits)
      if (is_entry(hit)) ++uses.counts[digest_of_entry(hit.item.text)];
    uses.changed = true;
  }
  core_.diarist.wake();
}

std::optional<std::chrono::milliseconds> Knowledge::keep_uses(std::stop_token stop) {
  auto all = uses_.lock();
  const auto changed = [](const auto& one) { return one.second.changed; };
  if (std::none_of(all->begin(), all->end(), changed)) return std::nullopt;
  const auto now = std::chrono::steady_clock::now();
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(uses_kept_ + kBetweenWrites - now);
  if (left.count() > 0 && uses_kept_.time_since_epoch().count() > 0 && !stop.stop_requested()) return left;
  uses_kept_ = now;
  for (auto& [scope, uses] : *all) {
    if (!std::exchange(uses.changed, false)) continue;
    WriteBatch batch;
    batch.repeatable = true;
    batch.erased_documents = {{scope, kUses, kUses}};
    batch.documents.push_back(
        {scope, kUses, kUses, uses.version + 1, core_.clock->now(), kByWeft, write_json(Json(uses.counts))});
    Status written = core_.store->write(batch);
    if (written.ok() && uses.version++ == 0) written = disk().remove(former_uses_path(scope));
    if (!written.ok()) log_warning("memory.uses", written.error().message);
  }
  return std::nullopt;
}

// Those that were never recalled are in no list: of equals the oldest go first. What is no entry any more is forgotten.
std::vector<std::string> Knowledge::least_used(const ScopeKey& scope, const MemoryFile& file) {
  auto all = uses_.lock();
  UseCounts& uses = uses_of(scope, *all);
  std::map<std::string, std::int64_t> still;
  std::vector<std::pair<std::int64_t, std::string>> ranked;
  for (const KnowledgeEntry& entry : file.entries()) {
    const std::string digest = digest_of_entry(entry.text);
    const auto at = uses.counts.find(digest);
    const std::int64_t count = at == uses.counts.end() ? 0 : at->second;
    if (count > 0) still[digest] = count;
    ranked.emplace_back(count, entry.text);
  }
  uses.changed = uses.changed || still.size() != uses.counts.size();
  uses.counts = std::move(still);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> texts;
  for (auto& [count, text] : ranked) texts.push_back(std::move(text));
  return texts;
}

}  // namespace weft
