#include "engine/knowledge.h"

#include <xxhash.h>

#include <algorithm>
#include <set>

#include "base/log.h"
#include "engine/engine_core.h"
#include "ports/files/file_system.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr const char *kKind = "memory", *kArchiveKind = "memory_archive";
constexpr std::uint64_t kMostBytes = 4 << 20, kMostArchiveBytes = 64 << 20;
constexpr std::size_t kMostEntries = 1'000'000, kMostSeen = 10'000;
constexpr std::string_view kArchiveHead = "# What MEMORY.md had no room for\n\n";

ItemId id_of(const KnowledgeEntry& entry) {
  const std::string text = entry.section + "\n" + entry.text;
  return ItemId("knowledge:" + std::to_string(XXH3_64bits(text.data(), text.size())));
}

}  // namespace

DocumentPlace Knowledge::place_of(const ScopeKey& scope) const {
  return {scope,       kKind, "MEMORY.md", scope_folder(core_.config.workspace, "memory", scope) / "MEMORY.md", {}, 0,
          merge_lines, true,  kMostBytes};
}

DocumentPlace Knowledge::archive_of(const ScopeKey& scope) const {
  DocumentPlace place = place_of(scope);
  place.kind = kArchiveKind;
  place.id = "MEMORY.archive.md";
  place.max_bytes = kMostArchiveBytes;
  place.file.replace_filename(place.id);
  return place;
}

Result<Knowledge::Current> Knowledge::read(const ScopeKey& scope) {
  WEFT_TRY(DocumentRow row, core_.documents->read(place_of(scope), core_.clock->now()));
  MemoryFile file = MemoryFile::parse(row.body);
  return Current{std::move(row), std::move(file)};
}

// The items of the entries; entries that are gone lose theirs. What contradicts something waits for a person.
Status Knowledge::index(const ScopeKey& scope, const MemoryFile& file, WriteBatch& batch) const {
  WEFT_TRY(const auto before, core_.store->items().of_kind(scope, ItemKind::kKnowledge, kMostEntries));
  std::map<std::string, std::int64_t> old;
  for (const ItemRow& row : before) old[row.item.id.str()] = row.row;
  std::set<std::string> wanted;
  for (const KnowledgeEntry& entry : file.entries()) {
    const ItemId id = id_of(entry);
    if (!entry.against.empty() || find_invalid_utf8(entry.text) || !wanted.insert(id.str()).second) continue;
    if (old.erase(id.str()) > 0) continue;
    ItemRow row;
    row.scope = scope;
    row.item.id = id;
    row.item.kind = ItemKind::kKnowledge;
    row.item.text = entry.text;
    row.item.time = core_.clock->now();
    if (const auto day = parse_time(entry.date); day.ok()) row.item.time = *day;
    row.terms = index_terms(row.item.text);
    batch.items.push_back(std::move(row));
  }
  for (const auto& [id, row] : old) batch.erased_items.push_back(row);
  return {};
}

Status Knowledge::write(const ScopeKey& scope, WriteBatch& batch) {
  if (batch.empty()) return {};
  WEFT_CHECK(core_.keep_written(batch));
  if (!batch.erased_items.empty()) core_.change->serving()->memory.removed(scope, batch.erased_items);
  return {};
}

void Knowledge::refresh(const ScopeKey& scope) {
  if (core_.store->is_shared()) return;  // there is no file that a person could have changed
  const auto revision = disk().revision(place_of(scope).file);
  {
    auto seen = seen_.lock();
    const auto at = seen->find(scope);
    if (at != seen->end() && at->second == revision) return;
    if (seen->size() > kMostSeen) seen->clear();
  }
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  const auto current = read(scope);
  WriteBatch batch;
  Status indexed = current.ok() ? index(scope, current->file, batch) : Status(current.error());
  if (indexed.ok()) indexed = write(scope, batch);
  if (!indexed.ok()) log_warning("memory.read", indexed.error().message);
  const bool is_missing_for_a_moment = !revision && current.ok() && !current->row.body.empty();
  if (!is_missing_for_a_moment) (*seen_.lock())[scope] = revision;
}

// The oldest lines of the archive give way where it becomes too large.
Status Knowledge::archive(const ScopeKey& scope, const std::vector<KnowledgeEntry>& gone, WriteBatch& batch) {
  if (gone.empty()) return {};
  const DocumentPlace place = archive_of(scope);
  const Time now = core_.clock->now();
  WEFT_TRY(const DocumentRow before, core_.documents->read(place, now, true));
  std::string added;
  for (const KnowledgeEntry& entry : gone)
    added += "- " + entry.section + ": " + entry.text + " <!-- " + entry.date + " " + entry.source + ", until " +
             format_date(now) + " -->\n";
  std::string_view kept = before.body;
  if (kept.starts_with(kArchiveHead)) kept.remove_prefix(kArchiveHead.size());
  const std::uint64_t most =
      place.max_bytes - std::min<std::uint64_t>(place.max_bytes, kArchiveHead.size() + added.size());
  if (kept.size() > most) {
    const std::size_t end = kept.find('\n', kept.size() - most);
    kept.remove_prefix(end == std::string_view::npos ? kept.size() : end + 1);
    log_warning("memory.archive", place.file.string() + " is full: its oldest lines were removed");
  }
  return core_.documents->change(place, before, std::string(kArchiveHead) + std::string(kept) + added, now, batch);
}

// With the lock of the scope held.
Status Knowledge::keep(const ScopeKey& scope, Current& current, std::vector<KnowledgeEntry> gone, WriteBatch batch) {
  const DocumentPlace place = place_of(scope);
  const Time now = core_.clock->now();
  const auto most = static_cast<std::size_t>(core_.config.memory.file_kb) * 1024;
  if (most > 0 && current.file.text().size() > most)
    for (KnowledgeEntry& entry : current.file.shrink(most, *core_.likeness(), least_used(scope, current.file)))
      gone.push_back(std::move(entry));
  const bool is_archived = !gone.empty();
  WEFT_CHECK(archive(scope, gone, batch));
  WEFT_CHECK(core_.documents->change(place, current.row, current.file.text(), now, batch));
  WEFT_CHECK(index(scope, current.file, batch));
  WEFT_CHECK(write(scope, batch));
  if (is_archived)
    if (const auto shown = core_.documents->read(archive_of(scope), now, true); !shown.ok())
      log_warning("memory.show", shown.error().message);
  if (const auto shown = core_.documents->read(place, now); !shown.ok())
    log_warning("memory.show", shown.error().message);
  return {};
}

Result<KnowledgeFile> Knowledge::knowledge(const RequestContext& request) {
  const ScopeKey scope = request.scope.key();
  refresh(scope);
  WEFT_TRY(const Current current, read(scope));
  return KnowledgeFile{place_of(scope).file.string(), current.file.text(), current.file.entries()};
}

Result<KnowledgeAdded> Knowledge::add_knowledge(const RequestContext& request, const KnowledgeEntry& entry) {
  return add(request.scope.key(), entry, {});
}

Result<KnowledgeAdded> Knowledge::add(const ScopeKey& scope, const KnowledgeEntry& entry, WriteBatch batch) {
  if (entry.text.empty()) return invalid_argument("knowledge: an entry has no text");
  if (const auto broken = find_invalid_utf8(entry.text + entry.section + entry.source))
    return invalid_argument("knowledge: byte " + std::to_string(*broken) + " is no UTF-8");
  KnowledgeEntry dated = entry;
  if (dated.date.empty()) dated.date = format_date(core_.clock->now());
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(Current current, read(scope));
  const KnowledgeAdded added = current.file.add(dated, *core_.likeness());
  WEFT_CHECK(added == KnowledgeAdded::kKnown ? write(scope, batch) : keep(scope, current, {}, std::move(batch)));
  return added;
}

Result<KnowledgeFile> Knowledge::write_knowledge(const RequestContext& request, const std::string& text, bool force) {
  const ScopeKey scope = request.scope.key();
  if (const auto broken = find_invalid_utf8(text))
    return invalid_argument("knowledge: byte " + std::to_string(*broken) + " is no UTF-8");
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(Current current, read(scope));
  MemoryFile after = MemoryFile::parse(text);
  if (!force) WEFT_CHECK(MemoryFile::check_rewrite(current.file, after));
  current.file = std::move(after);
  WEFT_CHECK(keep(scope, current, {}));
  return KnowledgeFile{place_of(scope).file.string(), current.file.text(), current.file.entries()};
}

Result<KnowledgeEntry> Knowledge::confirm_knowledge(const RequestContext& request, const std::string& text) {
  const ScopeKey scope = request.scope.key();
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(Current current, read(scope));
  WEFT_TRY(const KnowledgeEntry gone, current.file.confirm(text));
  WEFT_CHECK(keep(scope, current, {gone}));
  return gone;
}

// The documents go before the items, so that a repeated erasure still finds what to take out.
Status Knowledge::erase(const ErasedMessages& gone) {
  const ScopeKey& scope = gone.scope;
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  const DocumentPlace place = place_of(scope), archive = archive_of(scope);
  WriteBatch batch;
  if (gone.everything) {
    for (const DocumentPlace& one : {place, archive})
      if (const auto removed = core_.documents->remove(one); !removed.ok()) return removed.error();
    auto uses = uses_.lock();  // held by who writes them
    uses->erase(scope);
    WEFT_CHECK(disk().remove(former_uses_path(scope)));
    WEFT_CHECK(index(scope, MemoryFile(), batch));
    return write(scope, batch);
  }
  const std::set<std::string> marks = gone.sources();
  const auto without = [&](const std::string& text) -> Result<std::string> {
    MemoryFile file = MemoryFile::parse(text);
    return file.remove_sources(marks) > 0 ? file.text() : text;
  };
  for (const DocumentPlace& one : {archive, place})
    if (const auto changed = core_.documents->rewrite(one, core_.clock->now(), without); !changed.ok())
      return changed.error();
  WEFT_TRY(const DocumentRow left, core_.documents->read(place, core_.clock->now(), true));
  WEFT_CHECK(index(scope, MemoryFile::parse(left.body), batch));
  return write(scope, batch);
}

}  // namespace weft
