#include "engine/knowledge.h"

#include <xxhash.h>

#include <algorithm>

#include "base/log.h"
#include "engine/engine_core.h"
#include "ports/files/scope_folder.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMostBytes = 4 * 1024 * 1024;

std::string digest(std::string_view text) { return std::to_string(XXH3_64bits(text.data(), text.size())); }

ItemId id_of(const KnowledgeEntry& entry) { return ItemId("knowledge:" + digest(entry.section + "\n" + entry.text)); }

}  // namespace

std::filesystem::path Knowledge::path_of(const ScopeKey& scope) const {
  return scope_folder(core_.config.workspace, "memory", scope) / "MEMORY.md";
}

Result<MemoryFile> Knowledge::read(const ScopeKey& scope) {
  auto text = disk().read(path_of(scope));
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return MemoryFile();
  if (!text.ok()) return text.error();
  if (text->size() > kMostBytes)
    return too_large(path_of(scope).string() + " is larger than 4 MB", "take out what is not needed");
  if (const auto broken = find_invalid_utf8(*text))
    return corrupt(path_of(scope).string() + ": byte " + std::to_string(*broken) + " is no UTF-8",
                   "save the file as UTF-8; until then it is left alone");
  return MemoryFile::parse(*text);
}

Status Knowledge::index(const ScopeKey& scope, const MemoryFile& file) {
  WriteBatch batch;
  std::set<std::string> wanted;
  for (const KnowledgeEntry& entry : file.entries()) {
    // What contradicts something waits for a person.
    if (!entry.against.empty() || !wanted.insert(id_of(entry).str()).second) continue;
    ItemRow row;
    row.row = core_.rows.next();
    row.scope = scope;
    row.item.id = id_of(entry);
    row.item.kind = ItemKind::kKnowledge;
    row.item.text = entry.text;
    row.item.time = core_.clock->now();
    if (const auto day = parse_time(entry.date); day.ok()) row.item.time = *day;
    row.terms = index_terms(row.item.text);
    batch.items.push_back(std::move(row));
  }
  WEFT_TRY(const auto before, core_.store->items().of_kind(scope, ItemKind::kKnowledge, kMostBytes));
  for (const ItemRow& row : before) {
    if (!wanted.contains(row.item.id.str())) batch.erased_items.push_back(row.row);
    std::erase_if(batch.items, [&](const ItemRow& now) { return now.item.id == row.item.id; });
  }
  if (batch.items.empty() && batch.erased_items.empty()) return {};
  WEFT_CHECK(core_.keep_written(batch));
  if (!batch.erased_items.empty()) core_.change->serving()->memory.removed(scope, batch.erased_items);
  return {};
}

void Knowledge::refresh(const ScopeKey& scope) {
  const auto revision = disk().revision(path_of(scope));
  {
    auto seen = seen_.lock();
    const auto at = seen->find(scope);
    // A scope without a file has nothing in the index either, unless the file was taken away.
    if (at != seen->end() ? at->second == revision : !revision) return;
  }
  const std::lock_guard lock(files_);
  const auto file = read(scope);
  Status indexed = file.ok() ? index(scope, *file) : Status(file.error());
  if (!indexed.ok()) log_warning("memory.read", indexed.error().message);
  (*seen_.lock())[scope] = revision;
}

Status Knowledge::archive(const ScopeKey& scope, const std::vector<KnowledgeEntry>& gone) {
  const auto path = path_of(scope).parent_path() / "MEMORY.archive.md";
  const auto before = disk().read(path);
  if (!before.ok() && before.error().code != ErrorCode::kNotFound) return before.error();
  std::string text = before.value_or("# What MEMORY.md had no room for\n\n");
  const std::string today = format_date(core_.clock->now());
  for (const KnowledgeEntry& entry : gone)
    text += "- " + entry.section + ": " + entry.text + " <!-- " + entry.date + " " + entry.source + ", until " + today +
            " -->\n";
  return write_file(disk(), path, text, true);
}

// What is to go is in the archive before it leaves the file.
Status Knowledge::keep(const ScopeKey& scope, MemoryFile& file) {
  WEFT_CHECK(disk().make_folder(path_of(scope).parent_path()));
  const auto most = static_cast<std::size_t>(core_.config.memory.file_kb) * 1024;
  if (most > 0 && file.text().size() > most) {
    const auto gone = file.shrink(most, *core_.likeness(), least_used(scope));
    if (!gone.empty()) WEFT_CHECK(archive(scope, gone));
  }
  WEFT_CHECK(write_file(disk(), path_of(scope), file.text(), true));
  WEFT_CHECK(index(scope, file));
  (*seen_.lock())[scope] = disk().revision(path_of(scope));
  return {};
}

Result<KnowledgeFile> Knowledge::knowledge(const RequestContext& request) {
  const ScopeKey scope = request.scope.key();
  refresh(scope);
  const std::lock_guard lock(files_);
  WEFT_TRY(const MemoryFile file, read(scope));
  return KnowledgeFile{path_of(scope).string(), file.text(), file.entries()};
}

Result<KnowledgeAdded> Knowledge::add_knowledge(const RequestContext& request, const KnowledgeEntry& entry) {
  const ScopeKey scope = request.scope.key();
  if (entry.text.empty()) return invalid_argument("knowledge: an entry has no text");
  if (const auto broken = find_invalid_utf8(entry.text + entry.section + entry.source))
    return invalid_argument("knowledge: byte " + std::to_string(*broken) + " is no UTF-8");
  KnowledgeEntry dated = entry;
  if (dated.date.empty()) dated.date = format_date(core_.clock->now());
  const std::lock_guard lock(files_);
  WEFT_TRY(MemoryFile file, read(scope));
  const KnowledgeAdded added = file.add(dated, *core_.likeness());
  if (added != KnowledgeAdded::kKnown) WEFT_CHECK(keep(scope, file));
  return added;
}

Result<KnowledgeFile> Knowledge::write_knowledge(const RequestContext& request, const std::string& text, bool force) {
  const ScopeKey scope = request.scope.key();
  if (const auto broken = find_invalid_utf8(text))
    return invalid_argument("knowledge: byte " + std::to_string(*broken) + " is no UTF-8");
  if (text.size() > kMostBytes) return too_large("knowledge: the text is larger than 4 MB");
  const std::lock_guard lock(files_);
  WEFT_TRY(const MemoryFile before, read(scope));
  MemoryFile after = MemoryFile::parse(text);
  if (!force) WEFT_CHECK(MemoryFile::check_rewrite(before, after));
  WEFT_CHECK(keep(scope, after));
  return KnowledgeFile{path_of(scope).string(), after.text(), after.entries()};
}

Result<KnowledgeEntry> Knowledge::confirm_knowledge(const RequestContext& request, const std::string& text) {
  const ScopeKey scope = request.scope.key();
  const std::lock_guard lock(files_);
  WEFT_TRY(MemoryFile file, read(scope));
  WEFT_TRY(const KnowledgeEntry gone, file.confirm(text));
  WEFT_CHECK(archive(scope, {gone}));
  WEFT_CHECK(keep(scope, file));
  return gone;
}

Status Knowledge::erase(const ErasedMessages& gone) {
  const ScopeKey& scope = gone.scope;
  const std::lock_guard lock(files_);
  const auto folder = path_of(scope).parent_path();
  if (gone.everything) {
    WEFT_CHECK(disk().remove(path_of(scope)));
    WEFT_CHECK(disk().remove(folder / "MEMORY.archive.md"));
    {
      auto uses = uses_.lock();  // held by who writes them
      uses->erase(scope);
      WEFT_CHECK(disk().remove(uses_path(scope)));
    }
    return index(scope, MemoryFile());
  }
  const std::set<std::string> marks = gone.sources();
  WEFT_TRY(MemoryFile file, read(scope));
  if (file.remove_sources(marks) > 0) WEFT_CHECK(keep(scope, file));
  const auto archived = disk().read(folder / "MEMORY.archive.md");
  if (!archived.ok()) return {};
  MemoryFile old = MemoryFile::parse(*archived);
  return old.remove_sources(marks) > 0 ? write_file(disk(), folder / "MEMORY.archive.md", old.text(), true) : Status();
}

}  // namespace weft
