#include "engine/backups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "base/log.h"
#include "base/settings_table.h"
#include "engine/engine_core.h"
#include "engine/operations.h"
#include "flow/memory/day_log.h"
#include "model/records.h"
#include "ports/files/archive_file.h"
#include "ports/files/document_files.h"
#include "ports/files/file_system.h"
#include "text/record.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKnown = "backups.json";

// A backup leaves out the store's own files, what only a running program needs, other backups, and the files that show
// the jobs.
bool is_left_out(const fs::path& inside) {
  const std::string path = inside.string();
  if (path.starts_with("weft.db") || path == "weft.lock" || path == "weft.sock" || path == "weft.address" ||
      path == kKnown)
    return true;
  if (path.starts_with("backups/") || path.find(".tmp") != std::string::npos) return true;
  return path.starts_with("queues/pending/") || path.starts_with("queues/processing/") ||
         (path.starts_with("queues/failed/") && path.find(".broken") == std::string::npos);
}

Error failed(const std::string& doing, const fs::path& path, const std::error_code& code) {
  errno = code.value();
  return file_error(doing, path);
}

Status flush(const fs::path& path) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return file_error("open", path);
  if (::fsync(file.get()) != 0) return file_error("flush", path);
  return {};
}

Status copy_one(const fs::path& from, const fs::path& to) {
  WEFT_CHECK(make_folder(to.parent_path()));
  std::error_code code;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, code);
  if (code == std::errc::no_such_file_or_directory) return {};
  if (code) return failed("copy to", to, code);
  // Of a workspace that was open to others, too.
  const auto rights = static_cast<mode_t>(fs::status(to, code).permissions() & fs::perms::mask);
  if (code || ::chmod(to.c_str(), mode_within(to.parent_path(), rights)) != 0) return file_error("close to others", to);
  return {};
}

constexpr std::size_t kChunk = 200;  // items read at a time

using Take = std::function<Status(std::string_view line)>;

/// The first line of an export.
struct ExportHead {
  std::string kind = "scope";
  ScopeKey scope;
  Time exported_at;
};

/// One line of it: a message with its session.
struct ExportedMessage {
  std::string kind = "message";
  SessionId session;
  Message message;
  bool gone = false;
};

/// One line of it: something made from messages.
struct ExportedItem {
  Item item;
  bool gone = false;
};

// What was left on another branch says so.
template <class T>
void write_active(const T& line, JsonWriter& out) {
  out.flag(!line.gone);
}

template <class T>
bool is_active(const T& line) {
  return !line.gone;
}

constexpr FieldRule kSparse{.sparse = true};

}  // namespace

template <>
const Record<ListedFile>& record<ListedFile>() {
  using L = ListedFile;
  static const auto made = Record<L>("BackupFile", "A file of a backup.", RecordUse::kTold)
                               .field("path", &L::path, "inside the backup", {.required = true})
                               .field("bytes", &L::bytes, "its size")
                               .field("xxh128", &L::digest, "of its bytes", {.required = true});
  return made;
}

template <>
const Record<BackupList>& record<BackupList>() {
  static const auto made = Record<BackupList>("BackupList", "What a backup consists of.", RecordUse::kTold)
                               .field("version", &BackupList::version, "of this form")
                               .field("made_at", &BackupList::made_at, "when")
                               .field("files", &BackupList::files, "all of them");
  return made;
}

namespace {

Result<BackupList> read_list(const fs::path& folder) {
  const auto text = read_file(folder / kBackupList);
  if (!text.ok())
    return not_found(folder.string() + " is no backup: it has no " + kBackupList,
                     "name a folder that `weft backup` wrote");
  return parse_backup_list(*text, folder.string());
}

Status check_listed(const fs::path& folder, const ListedFile& file) {
  const fs::path path = folder / file.path;
  std::error_code code;
  const auto bytes = fs::file_size(path, code);
  if (code) return corrupt("the backup lacks " + path.string(), "use another backup");
  WEFT_TRY(const std::string digest, digest_of_file(path));
  if (bytes == file.bytes && digest == file.digest) return {};
  return corrupt(path.string() + " is not what was backed up", "use another backup");
}

}  // namespace

Result<std::vector<fs::path>> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  auto at = fs::recursive_directory_iterator(folder, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) files.push_back(at->path().lexically_relative(folder));
  }
  if (code) return failed("read the folder", folder, code);
  std::sort(files.begin(), files.end());
  return files;
}

Status flush_all(const fs::path& folder, const std::vector<fs::path>& files) {
  std::set<fs::path> folders{folder};
  for (const fs::path& file : files) {
    WEFT_CHECK(flush(folder / file));
    for (fs::path up = file.parent_path(); !up.empty(); up = up.parent_path()) folders.insert(folder / up);
  }
  for (const fs::path& one : folders) WEFT_CHECK(sync_folder(one));
  return {};
}

Result<BackupList> parse_backup_list(std::string_view text, const std::string& what) {
  auto list = parse_record<BackupList>(text, "the list", {.max_bytes = text.size() + 1});
  if (!list.ok()) return corrupt("the list of " + what + " is broken: " + list.error().message);
  if (list->version > kBackupVersion)
    return conflict(what + " was written by a newer version of Weft", "use the newer program");
  for (const ListedFile& file : list->files) {
    const std::string inside = fs::path(file.path).lexically_normal().string();
    const bool outside = fs::path(file.path).is_absolute() || inside.starts_with("..") || inside != file.path;
    if (outside || inside.empty() || inside == kBackupList)
      return corrupt("the list of " + what + " names " + file.path, "use another copy of it");
  }
  return list;
}

std::vector<fs::path> known_backups(const fs::path& workspace) {
  std::vector<fs::path> folders;
  const std::string list = read_file(workspace / kKnown).value_or("[]");
  std::vector<std::string> known;
  if (!check_json(list, {}, kKnown).ok() || !JsonForm<std::vector<std::string>>::read(list, kKnown, {}, known).ok())
    return folders;
  std::error_code ignored;
  for (const std::string& one : known)
    if (fs::is_directory(one, ignored) || fs::is_regular_file(one, ignored)) folders.emplace_back(one);
  return folders;
}

Status note_backup(const fs::path& workspace, const fs::path& folder) {
  std::set<std::string> all{fs::absolute(folder).lexically_normal().string()};
  for (const fs::path& known : known_backups(workspace)) all.insert(known.string());
  JsonWriter out;
  JsonForm<std::vector<std::string>>::write({all.begin(), all.end()}, out);
  return write_file(workspace / kKnown, out.take() + "\n", true);
}

Status prepare_backup(const fs::path& folder) {
  WEFT_CHECK(make_private_folder(folder));
  std::error_code code;
  if (fs::is_empty(folder, code) && !code) return {};
  return conflict("backup: " + folder.string() + " is not empty", "name a folder that is empty or not there yet");
}

Status copy_files(const fs::path& workspace, const fs::path& folder) {
  WEFT_TRY(const auto files, files_below(workspace));
  const std::string target = fs::absolute(folder).lexically_normal().string();
  for (const fs::path& file : files) {
    if (is_left_out(file) || fs::absolute(workspace / file).lexically_normal().string().starts_with(target)) continue;
    WEFT_CHECK(copy_one(workspace / file, folder / file));
  }
  return {};
}

Result<BackupReport> finish_backup(const fs::path& folder, Time now) {
  WEFT_TRY(const auto files, files_below(folder));
  BackupReport report{folder.string(), files.size(), 0};
  BackupList list{kBackupVersion, now, {}};
  for (const fs::path& file : files) {
    WEFT_TRY(const std::string digest, digest_of_file(folder / file));
    std::error_code ignored;
    const auto bytes = fs::file_size(folder / file, ignored);
    report.bytes += bytes;
    list.files.push_back({file.string(), bytes, digest});
  }
  WEFT_CHECK(flush_all(folder, files));
  WEFT_CHECK(write_file(folder / kBackupList, to_json(list) + "\n", true));
  return report;
}

Result<BackupReport> restore_backup(const std::string& folder, const std::string& workspace) {
  WEFT_TRY(const BackupList list, read_list(folder));
  const std::vector<ListedFile>& files = list.files;
  for (const ListedFile& file : files) WEFT_CHECK(check_listed(folder, file));
  const fs::path target(workspace);
  WEFT_CHECK(make_private_folder(target));
  std::error_code code;
  for (const auto& there : fs::directory_iterator(target, code))
    if (there.path().filename() != "weft.lock")
      return conflict(
          "restore: the workspace " + workspace + " is not empty: it has " + there.path().filename().string(),
          "name another with --workspace, or move this one away first");
  WEFT_TRY(const auto lock, WorkspaceLock::take(target));
  BackupReport report{workspace, 0, 0};
  std::vector<fs::path> copied;
  for (const ListedFile& file : files) {
    WEFT_CHECK(copy_one(fs::path(folder) / file.path, target / file.path));
    copied.push_back(file.path);
    ++report.files;
    report.bytes += file.bytes;
  }
  WEFT_CHECK(flush_all(target, copied));
  return report;
}

// A backup of what runs, and an export for people and other programs.

WEFT_DESCRIBED(ExportHead);
WEFT_DESCRIBED(ExportedMessage);
WEFT_DESCRIBED(ExportedItem);
WEFT_DESCRIBED(DocumentRow);

template <>
const Record<ExportHead>& record<ExportHead>() {
  static const auto made = Record<ExportHead>("ExportHead", "Whose memory it is.", RecordUse::kTold)
                               .field("kind", &ExportHead::kind, "scope")
                               .field("scope", &ExportHead::scope, "its key")
                               .field("exported_at", &ExportHead::exported_at, "when");
  return made;
}

template <>
const Record<ExportedMessage>& record<ExportedMessage>() {
  using E = ExportedMessage;
  static const auto made = Record<E>("ExportedMessage", "A message.", RecordUse::kTold)
                               .field("kind", &E::kind, "message")
                               .field("session", &E::session, "where it was said")
                               .spread(&E::message, record<Message>())
                               .custom("active", "false on a branch that was left", nullptr, nullptr, write_active<E>,
                                       kSparse, is_active<E>);
  return made;
}

template <>
const Record<ExportedItem>& record<ExportedItem>() {
  using E = ExportedItem;
  static const auto made = Record<E>("ExportedItem", "Something made from messages.", RecordUse::kTold)
                               .field("kind", &E::item, &Item::kind, "event, narrative, profile")
                               .field("id", &E::item, &Item::id, "its id")
                               .field("session", &E::item, &Item::session, "where it comes from")
                               .field("time", &E::item, &Item::time, "when it happened")
                               .field("by", &E::item, &Item::by, "what made it")
                               .field("text", &E::item, &Item::text, "what is remembered")
                               .field("sources", &E::item, &Item::sources, "the messages")
                               .field("details", &E::item, &Item::event, "of an event", kSparse)
                               .custom("active", "false on a branch that was left", nullptr, nullptr, write_active<E>,
                                       kSparse, is_active<E>);
  return made;
}

template <>
const Record<DocumentRow>& record<DocumentRow>() {
  using D = DocumentRow;
  static const auto made = Record<D>("Document", "A version of a document.", RecordUse::kTold)
                               .field("kind", &D::kind, "state, quest, lore …")
                               .field("id", &D::id, "its id")
                               .field("version", &D::version, "which one")
                               .field("time", &D::time, "when it was written")
                               .field("author", &D::author, "by whom")
                               .custom("body", "as it stands", nullptr, nullptr,
                                       [](const D& row, JsonWriter& out) { out.json_or_text(row.body); });
  return made;
}

namespace {

template <Described T>
Status hand_out(const T& line, const Take& take) {
  return take(to_json(line));
}

}  // namespace

// The rows before the files: what a job or a reader of the log had done by then is done again in the copy, and changes
// nothing where a file holds it already. The other way round files would lack what the rows call done.
Result<BackupReport> Operations::backup(const std::string& folder) {
  if (folder.empty()) return invalid_argument("backup: no folder is named");
  const std::filesystem::path target(folder), workspace(core_.config.workspace);
  if (core_.config.store == "memory:") return invalid_argument("backup: this store is in memory only");
  if (core_.store->is_shared())
    return invalid_argument("backup: `weft backup` does not copy PostgreSQL", "use pg_dump or a base backup");
  WEFT_CHECK(prepare_backup(target));
  // Before anything of the workspace stands in it, so that an erasure knows where to look.
  WEFT_CHECK(note_backup(workspace, target));
  WEFT_CHECK(core_.store->file().copy_to((target / "weft.db").string()));
  WEFT_CHECK(copy_files(workspace, target));
  WEFT_TRY(const auto report, finish_backup(target, core_.clock->now()));
  return report;
}

Status Operations::export_scope(const RequestContext& request, const Take& take) {
  const ScopeKey scope = request.scope.key();
  // An edit of a profile becomes a version, which is exported.
  if (const Status shown = core_.profile_files->show(scope, core_.clock->now()); !shown.ok())
    log_warning("export.profile", shown.error().message);
  Status status;
  WEFT_CHECK(hand_out(ExportHead{"scope", scope, core_.clock->now()}, take));
  WEFT_CHECK(core_.store->messages().scan(scope, false, [&](MessageRow&& row) {
    if (status.ok()) status = hand_out(ExportedMessage{"message", row.session, row.message, !row.active}, take);
  }));
  WEFT_CHECK(status);
  std::vector<std::int64_t> rows;
  WEFT_CHECK(core_.store->items().scan_sources(scope, [&](ItemRow&& row) {
    // A message's own items say what the message says.
    if (row.item.kind != ItemKind::kMessage) rows.push_back(row.row);
  }));
  for (std::size_t at = 0; at < rows.size(); at += kChunk) {
    WEFT_TRY(const auto items,
             core_.store->items().get(scope, std::span(rows).subspan(at, std::min(kChunk, rows.size() - at))));
    for (const ItemRow& row : items) WEFT_CHECK(hand_out(ExportedItem{row.item, !row.active}, take));
  }
  WEFT_TRY(const auto documents, core_.store->documents().all(scope, ""));
  for (const DocumentRow& row : documents)
    // Days are made of the messages again.
    if (row.kind != kShownDocument && row.kind != DayLog::kKind && row.kind != DayLog::kOriginalKind)
      WEFT_CHECK(hand_out(row, take));
  return {};
}

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestList = 256 << 20;
constexpr const char* kArriving = ".arriving.tmp";  // in a workspace: what is not in its place yet

/// A folder that goes with its holder.
class Passing {
 public:
  explicit Passing(fs::path path) : path_(std::move(path)) {}
  ~Passing() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// ---- writing ----

Status remove_file(const fs::path& path) {
  std::error_code code;
  fs::remove(path, code);
  return code ? Status(unavailable("cannot remove " + path.string() + ": " + code.message())) : Status();
}

// Keys that stand in the settings by themselves. One that cannot be taken out takes the settings with it.
Status blank_keys(const fs::path& settings) {
  auto text = read_file(settings);
  if (!text.ok()) return text.error().code == ErrorCode::kNotFound ? Status() : Status(text.error());
  for (const char* table : {"server", "cognitive.embedding"}) {
    if (text->find("api_key") == std::string::npos) return {};
    text = set_toml_text(*text, table, "api_key", "");
    if (!text.ok()) return remove_file(settings);
  }
  return write_file(settings, *text, false);
}

Status leave_behind(const fs::path& folder) {
  for (const char* name : {"keys.jsonl", "audit.jsonl", kBackupList}) WEFT_CHECK(remove_file(folder / name));
  return blank_keys(folder / "weft.toml");
}

Result<BackupReport> pack(const fs::path& folder, const fs::path& file) {
  const fs::path partial = file.string() + ".partial";
  WEFT_TRY(const auto archive, ArchiveWriter::open(partial));
  WEFT_CHECK(archive->add(kBackupList, folder / kBackupList));
  WEFT_TRY(const auto files, files_below(folder));
  for (const fs::path& one : files)
    if (one != kBackupList) WEFT_CHECK(archive->add(one.string(), folder / one));
  WEFT_CHECK(archive->finish());
  std::error_code code;
  fs::rename(partial, file, code);
  if (code) return unavailable("cannot write " + file.string() + ": " + code.message());
  WEFT_CHECK(sync_folder(fs::absolute(file).parent_path()));
  return BackupReport{file.string(), files.size() - 1, fs::file_size(file, code)};
}

// ---- reading ----

// What becomes of each file of an archive, as it is read.
using TakeFile = std::function<Status(const ListedFile& file, ArchiveReader& archive)>;

Error differs(const std::string& file, const ListedFile& one) {
  return corrupt(file + ": " + one.path + " in it is not what its list says", "use another copy of it");
}

Result<BackupList> read_list(ArchiveReader& archive, const std::string& file) {
  WEFT_TRY(const auto first, archive.next());
  if (!first || first->name != kBackupList || first->size > kLongestList)
    return corrupt(file + " is no archive of a workspace: its list is not at its head",
                   "name a file that `weft export --archive` wrote");
  std::string text;
  WEFT_CHECK(archive.read([&](std::string_view bytes) {
    text += bytes;
    return Status();
  }));
  return parse_backup_list(text, file);
}

// Every file of the list once, in any order, and no other.
Result<BackupReport> read_through(const std::string& file, const TakeFile& take) {
  WEFT_TRY(const auto archive, ArchiveReader::open(file));
  WEFT_TRY(const BackupList list, read_list(*archive, file));
  std::map<std::string, const ListedFile*> expected;
  for (const ListedFile& one : list.files) expected.emplace(one.path, &one);
  BackupReport report{file, 0, 0};
  for (;;) {
    WEFT_TRY(const auto entry, archive->next());
    if (!entry) break;
    const auto known = expected.find(entry->name);
    if (known == expected.end())
      return corrupt(file + ": \"" + entry->name + "\" in it is not in its list", "use another copy of it");
    if (entry->size != known->second->bytes) return differs(file, *known->second);
    WEFT_CHECK(take(*known->second, *archive));
    expected.erase(known);
    ++report.files;
    report.bytes += entry->size;
  }
  if (!expected.empty()) return corrupt(file + " lacks " + expected.begin()->first, "use another copy of it");
  return report;
}

Status compare(const std::string& file, const ListedFile& one, ArchiveReader& archive) {
  Digest digest;
  WEFT_CHECK(archive.read([&](std::string_view bytes) {
    digest.add(bytes);
    return Status();
  }));
  return digest.text() == one.digest ? Status() : Status(differs(file, one));
}

// The archive may have changed since it was looked at.
Status unpack(const std::string& file, const ListedFile& one, ArchiveReader& archive, const fs::path& target) {
  WEFT_CHECK(make_folder(target.parent_path()));
  const FileHandle out(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out.open()) return file_error("write", target);
  Digest digest;
  WEFT_CHECK(archive.read([&](std::string_view bytes) {
    digest.add(bytes);
    return write_all(out, bytes, target);
  }));
  return digest.text() == one.digest ? Status() : Status(differs(file, one));
}

// What a refused attempt has left there is nothing that anybody keeps.
Status check_empty(const fs::path& workspace) {
  std::error_code code;
  for (const auto& there : fs::directory_iterator(workspace, code)) {
    const std::string name = there.path().filename().string();
    if (name == "weft.lock" || name == "audit.jsonl" || name == kArriving) continue;
    return conflict("the workspace " + workspace.string() + " is not empty: it has " + name,
                    "name another with --workspace, or move this one away first");
  }
  return {};
}

// The store last: without it a workspace is none that a cut-off import could be mistaken for.
Status move_in(const fs::path& from, const fs::path& workspace) {
  std::vector<fs::path> all;
  std::error_code code;
  for (const auto& one : fs::directory_iterator(from, code)) all.push_back(one.path());
  std::sort(all.begin(), all.end(), [](const fs::path& a, const fs::path& b) {
    const bool a_store = a.filename() == "weft.db", b_store = b.filename() == "weft.db";
    return a_store != b_store ? b_store : a < b;
  });
  for (const fs::path& one : all) {
    fs::rename(one, workspace / one.filename(), code);
    if (code) return unavailable("cannot move " + one.string() + " to its place: " + code.message());
  }
  return sync_folder(workspace);
}

}  // namespace

Result<BackupReport> write_archive(Engine& engine, const std::string& file) {
  const fs::path target = fs::absolute(file).lexically_normal();
  std::error_code code;
  if (fs::is_directory(target, code))
    return invalid_argument(target.string() + " is a folder", "name a file, such as weft.tar.gz");
  const fs::path parts = target.string() + ".parts-" + std::to_string(::getpid());
  if (fs::exists(parts, code)) return conflict(parts.string() + " is in the way", "move it away");
  const Passing folder(parts);
  WEFT_TRY(const auto made, engine.upkeep().backup(folder.path().string()));
  (void)made;
  WEFT_CHECK(leave_behind(folder.path()));
  WEFT_TRY(const auto listed, finish_backup(folder.path(), engine.now()));
  (void)listed;
  // Who forgets something is told what still holds it. Before it is there: killed then, none is looked for in vain.
  WEFT_CHECK(note_backup(engine.config().workspace, target));
  return pack(folder.path(), target);
}

Result<BackupReport> read_archive(const std::string& file, const std::string& workspace) {
  WEFT_TRY(const auto sound, read_through(file, [&](const ListedFile& one, ArchiveReader& archive) {
             return compare(file, one, archive);
           }));
  (void)sound;
  const fs::path target(workspace);
  WEFT_CHECK(make_private_folder(target));
  WEFT_CHECK(check_empty(target));
  WEFT_TRY(const auto lock, WorkspaceLock::take(target));
  std::error_code ignored;
  fs::remove_all(target / kArriving, ignored);  // of an import that was killed
  const Passing arriving(target / kArriving);
  WEFT_TRY(auto report, read_through(file, [&](const ListedFile& one, ArchiveReader& archive) {
             return unpack(file, one, archive, arriving.path() / one.path);
           }));
  WEFT_TRY(const auto files, files_below(arriving.path()));
  WEFT_CHECK(flush_all(arriving.path(), files));
  WEFT_CHECK(move_in(arriving.path(), target));
  report.folder = workspace;
  return report;
}

}  // namespace weft
