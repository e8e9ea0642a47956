#include "engine/archive.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "base/settings_table.h"
#include "engine/backups.h"
#include "ports/files/archive_file.h"
#include "ports/files/digest.h"
#include "ports/files/file_system.h"

namespace weft {
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
using Take = std::function<Status(const ListedFile& file, ArchiveReader& archive)>;

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
Result<BackupReport> read_through(const std::string& file, const Take& take) {
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
