#include "ports/files/document_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <map>
#include <set>

#include "base/fault_point.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "ports/files/file_system.h"
#include "text/utf8.h"
#include "weft/scope.h"

namespace weft {
namespace {

bool is_device(std::string_view name) {
  name = name.substr(0, name.find('.'));
  std::string folded(name);
  std::transform(folded.begin(), folded.end(), folded.begin(), to_lower<char>);
  constexpr std::array kDevices{std::string_view("con"), std::string_view("prn"), std::string_view("aux"),
                                std::string_view("nul")};
  if (std::find(kDevices.begin(), kDevices.end(), folded) != kDevices.end()) return true;
  return folded.size() == 4 && (folded.starts_with("com") || folded.starts_with("lpt")) && folded[3] >= '0' &&
         folded[3] <= '9';
}

}  // namespace

Result<std::string> profile_file_name(std::string_view id) {
  WEFT_CHECK(check_id(id, "the id of the profile"));
  std::string name = encode_file_name(id);
  if (!is_device(name)) return name;
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto first = static_cast<unsigned char>(name.front());
  return std::string{'%', kHex[first >> 4], kHex[first & 15]} + name.substr(1);
}

std::optional<std::string> profile_id_of(std::string_view file_name) {
  std::string id;
  for (std::size_t i = 0; i < file_name.size(); ++i) {
    if (file_name[i] != '%') {
      id += file_name[i];
      continue;
    }
    if (i + 2 >= file_name.size()) return std::nullopt;
    const int high = hex_value(file_name[i + 1]), low = hex_value(file_name[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    id += static_cast<char>(high * 16 + low);
    i += 2;
  }
  const auto name = profile_file_name(id);
  return name.ok() && *name == file_name ? std::optional(id) : std::nullopt;
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAllVersions = 1000, kMissingBeforeSweep = 1024;
constexpr int kTries = 20;               // other writers may be faster
constexpr std::string_view kEnd = ".md";
constexpr std::size_t kStampSize = 16;  // "20260221T063000Z"

DocumentKey key_of(const DocumentPlace& place) { return {place.scope, place.kind, place.id}; }
std::string shown_id(const DocumentPlace& place) { return place.kind + "/" + place.id; }
DocumentKey shown_key(const DocumentPlace& place) { return {place.scope, kShownDocument, shown_id(place)}; }

DocumentRow version_of(const DocumentPlace& place, std::int64_t version, Time time, const char* author,
                       std::string text) {
  return {place.scope, place.kind, place.id, version, time, author, std::move(text)};
}

// "2026-02-21T06:30:00Z" without its separators, which not every file system takes.
std::string stamp(Time time) {
  std::string text = format_time({time.ms - time.ms % 1000, 0});
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

std::optional<Time> parse_stamp(std::string_view text) {
  if (text.size() != kStampSize || text[8] != 'T') return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t size) { return std::string(text.substr(at, size)); };
  const auto time = parse_time(part(0, 4) + "-" + part(4, 2) + "-" + part(6, 2) + "T" + part(9, 2) + ":" + part(11, 2) +
                               ":" + part(13, 3));
  return time.ok() ? std::optional(*time) : std::nullopt;
}

// 000007-20260221T063000Z-weft.md
std::string name_of(const DocumentRow& row) {
  char number[24];
  std::snprintf(number, sizeof number, "%06lld", static_cast<long long>(row.version));
  return std::string(number) + "-" + stamp(row.time) + "-" + row.author + std::string(kEnd);
}

// Parses such a name into a version without text.
std::optional<DocumentRow> version_named(const DocumentPlace& place, const std::string& name) {
  if (!name.ends_with(kEnd)) return std::nullopt;
  const std::string_view stem = std::string_view(name).substr(0, name.size() - kEnd.size());
  const auto first = stem.find('-'), second = stem.find('-', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  DocumentRow row = version_of(place, 0, {}, kByWeft, "");
  const auto [end, code] = std::from_chars(stem.data(), stem.data() + first, row.version);
  const auto time = parse_stamp(stem.substr(first + 1, second - first - 1));
  row.author = stem.substr(second + 1);
  const bool is_known = row.author == kByWeft || row.author == kByPerson;
  if (code != std::errc() || end != stem.data() + first || !time || !is_known) return std::nullopt;
  row.time = *time;
  return row;
}

constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();

// The text of a file; nothing if there is no file. `most`: bytes; kAnySize takes every file, UTF-8 or not, and passes
// over a folder.
Result<std::optional<std::string>> read_if_there(const fs::path& file, std::uint64_t most = kAnySize) {
  struct stat info{};
  const bool is_known = ::stat(file.c_str(), &info) == 0;
  if (is_known && S_ISDIR(info.st_mode) && most == kAnySize) return std::optional<std::string>();
  if (is_known && !S_ISREG(info.st_mode)) return corrupt(file.string() + " is not a regular file", "move it away");
  if (is_known && static_cast<std::uint64_t>(info.st_size) > most)
    return too_large(
        file.string() + " has " + std::to_string(info.st_size) + " bytes, more than " + std::to_string(most),
        "shorten it by hand, or take back an earlier version");
  auto text = read_file(file);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
  if (!text.ok()) return text.error();
  if (const auto broken = most == kAnySize ? std::nullopt : find_invalid_utf8(*text))
    return corrupt(file.string() + ": byte " + std::to_string(*broken) + " is no UTF-8",
                   "save the file as UTF-8; until then it is left alone");
  return std::optional(std::move(text).value());
}

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

// Inode and time of birth: a folder that is made later under the same name has another identity. Empty if there is no
// folder.
std::string identity_of(const fs::path& folder) {
  struct statx info{};
  if (::statx(AT_FDCWD, folder.c_str(), 0, STATX_INO | STATX_BTIME, &info) != 0) return "";
  return std::to_string(info.stx_ino) + ":" + std::to_string(info.stx_btime.tv_sec) + "." +
         std::to_string(info.stx_btime.tv_nsec);
}

std::size_t lines_in_common(std::string_view a, std::string_view b) {
  std::map<std::string_view, int> left;
  for (const std::string_view line : lines_of(a)) ++left[line];
  std::size_t common = 0;
  for (const std::string_view line : lines_of(b))
    if (left[line]-- > 0) ++common;
  return common;
}

// A read-only file stays as it is, although a rename could replace it.
Status check_writable(const fs::path& file) {
  struct stat info{};
  if (::stat(file.c_str(), &info) != 0 || (info.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) != 0) return {};
  return permission(file.string() + " is read-only; nothing was changed", "chmod u+w it to let Weft write it again");
}

Result<std::vector<fs::path>> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (folder.empty()) return files;
  std::error_code code;
  fs::directory_iterator at(folder, code);
  for (; !code && at != fs::directory_iterator(); at.increment(code)) files.push_back(at->path());
  if (!code || code == std::errc::no_such_file_or_directory) return files;
  errno = code.value();
  return file_error("list", folder);
}

Status sync_file(const fs::path& file) {
  const int at = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (at < 0) return file_error("open", file);
  const AtEnd close([&] { ::close(at); });
  return ::fsync(at) == 0 ? sync_folder(file.parent_path()) : Status(file_error("flush", file));
}

Status unlink_file(const fs::path& file) {
  if (::unlink(file.c_str()) == 0 || errno == ENOENT || errno == EISDIR) return {};
  return file_error("remove", file);
}

}  // namespace

bool is_change_of(const LogEntry& entry, std::string_view kind) {
  return entry.kind == LogKind::kDocument && changed_document(entry).kind == kind;
}

DocumentKey changed_document(const LogEntry& entry) {
  const std::size_t slash = std::min(entry.body.find('/'), entry.body.size());
  return {entry.scope, entry.body.substr(0, slash), entry.body.substr(std::min(slash + 1, entry.body.size()))};
}

// The rows and the file of a document, compared.
struct DocumentFiles::State {
  DocumentRow newest;                // number 0: the document has no version
  std::optional<DocumentRow> shown;  // the version and the text that the file showed last
  std::string text;                  // the current text, edits included
  bool is_edited = false;            // `text` holds an edit that is no version yet
  bool is_behind = false;            // the file does not show `text`
  bool is_missing = false;           // the file has been missing for a moment only
};

Result<DocumentFiles::State> DocumentFiles::state(const DocumentPlace& place, bool any_file) const {
  DocumentRows& rows = store_.documents();
  State at;
  WEFT_TRY(const auto newest, rows.newest(place.scope, place.kind, place.id));
  at.newest = newest.value_or(version_of(place, 0, {}, kByWeft, ""));
  at.text = at.newest.body;
  if (store_.is_shared()) return at;
  WEFT_TRY(at.shown, rows.newest(place.scope, kShownDocument, shown_id(place)));
  WEFT_TRY(const auto file, read_if_there(place.file, any_file ? kAnySize : place.max_bytes));
  if (file) missing_.lock()->erase(place.file.string());
  const std::string base = at.shown ? at.shown->body : "";
  at.is_behind = file.value_or("") != at.text;
  if (!at.is_behind || file.value_or("") == base) return at;
  // An editor empties a file before it writes: an empty file counts as missing.
  if (!file || file->empty()) {
    // The file went with its former folder, or the newest version was never shown: nobody has removed that.
    if (at.shown->author != identity_of(place.file.parent_path()) || at.shown->version < at.newest.version) return at;
    at.is_edited = is_removed_for_good(place);
    at.is_missing = !at.is_edited;
    if (at.is_edited) at.text.clear();
    return at;
  }
  at.is_edited = true;
  at.text = *file;
  if (place.merge != nullptr) {
    WEFT_TRY(const std::string edited, edited_version(place, at, *file));
    if (edited != at.newest.body) at.text = place.merge(edited, at.newest.body, *file);
  }
  at.is_behind = at.text != *file;
  return at;
}

// The version that a person has edited. It is not always the one that the file showed last, since an editor may have
// held an older one: of the kept versions it has the most lines in common with the file. A person who puts an older
// version back unchanged edits the version that was shown.
Result<std::string> DocumentFiles::edited_version(const DocumentPlace& place, const State& at,
                                                  std::string_view file) const {
  if (!at.shown) return at.newest.body;
  std::string best = at.shown->body;
  std::size_t most = lines_in_common(best, file);
  WEFT_TRY(const auto kept, store_.documents().versions(place.scope, place.kind, place.id, 0, kAllVersions));
  for (const DocumentRow& row : kept) {
    if (row.version >= at.shown->version) break;
    if (row.body == file) return at.shown->body;
    if (const std::size_t common = lines_in_common(row.body, file); common > most) {
      most = common;
      best = row.body;
    }
  }
  return best;
}

// True once the file has been missing for a while, or its folder has not changed for so long.
bool DocumentFiles::is_removed_for_good(const DocumentPlace& place) const {
  const auto now = std::chrono::steady_clock::now();
  std::error_code none;
  const auto changed = fs::last_write_time(is_there(place.file) ? place.file : place.file.parent_path(), none);
  auto missing = missing_.lock();
  if (missing->size() > kMissingBeforeSweep) missing->clear();
  const auto [at, is_new] = missing->try_emplace(place.file.string(), now);
  const bool is_old =
      now - at->second >= patience_ || (!none && fs::file_time_type::clock::now() - changed >= patience_);
  if (is_old) missing->erase(at);
  return is_old;
}

Result<std::string> DocumentFiles::glance(const DocumentPlace& place) const {
  WEFT_TRY(State at, state(place, false));
  return std::move(at.text);
}

Result<bool> DocumentFiles::is_new(const DocumentPlace& place) const {
  WEFT_TRY(const auto newest, store_.documents().newest(place.scope, place.kind, place.id));
  return !newest.has_value();
}

// Writes an edit as the next version. If the document has no rows, the earlier versions of a former release are taken
// in with it.
Status DocumentFiles::take_in(const DocumentPlace& place, const State& at, Time now) {
  WriteBatch batch;
  DocumentRow edit = version_of(place, at.newest.version + 1, now, kByPerson, at.text);
  if (at.newest.version == 0) {
    WEFT_TRY(const auto files, files_in(place.earlier));
    std::optional<std::string> written;  // by the former release before a person edited it
    for (const fs::path& file : files) {
      const std::string name = file.filename().string();
      auto row = version_named(place, name);
      if (!row && name != "written.md" && name != "next.md") continue;
      WEFT_TRY(const auto text, read_if_there(file));
      if (!row) {
        if (text == edit.body) edit.author = kByWeft;
        if (name == "written.md") written = text;
        continue;
      }
      row->body = text.value_or("");
      edit.version = std::max(edit.version, row->version + 1);
      batch.documents.push_back(std::move(*row));
    }
    const auto is_written = [&](const DocumentRow& row) { return row.body == *written; };
    if (written && *written != edit.body && std::none_of(batch.documents.begin(), batch.documents.end(), is_written))
      batch.documents.push_back(version_of(place, edit.version++, now, kByWeft, *written));
  }
  batch.erased_versions = {{key_of(place), edit.version - static_cast<std::int64_t>(place.keep)}};
  batch.documents.push_back(std::move(edit));
  return store_.write(batch);
}

// The file is written first, and flushed: after a kill or a power cut it is never older than the row says.
Status DocumentFiles::show(const DocumentPlace& place, const DocumentRow& newest, WriteBatch batch) {
  if (store_.is_shared()) return store_.write(batch);
  std::error_code none;
  const bool is_folder = fs::is_directory(place.file, none);
  if (is_folder) {
    log_warning("document.show", place.file.string() + " is a folder, so the document is not shown; move it away");
  } else if (newest.body.empty()) {
    WEFT_CHECK(unlink_file(place.file));
  } else {
    WEFT_CHECK(make_folder(place.file.parent_path()));
    // A file that shows the text already stays as it is: an editor may be writing it.
    WEFT_TRY(const auto there, read_if_there(place.file));
    WEFT_CHECK(there == newest.body ? sync_file(place.file) : write_file(place.file, newest.body, true));
  }
  WEFT_CHECK(fault_point(FaultPoint::kDocumentInFile, place.kind));
  batch.erased_documents.push_back(shown_key(place));
  // The row says that nothing was shown: else the document would end when a person moves the folder away.
  batch.documents.push_back({place.scope, kShownDocument, shown_id(place), is_folder ? 0 : newest.version, newest.time,
                             identity_of(place.file.parent_path()), is_folder ? "" : newest.body});
  WEFT_CHECK(store_.write(batch));
  WEFT_CHECK(fault_point(FaultPoint::kDocumentShown, place.kind));
  return show_earlier(place);
}

Status DocumentFiles::show_earlier(const DocumentPlace& place) {
  if (place.earlier.empty() || store_.is_shared()) return {};
  WEFT_TRY(const auto kept, earlier(place));
  std::set<std::string> names;
  for (const DocumentRow& row : kept) {
    WEFT_CHECK(make_folder(place.earlier));
    const std::string& name = *names.insert(name_of(row)).first;
    WEFT_TRY(const auto there, read_if_there(place.earlier / name));
    if (there == row.body) continue;
    WEFT_CHECK(write_file(place.earlier / name, row.body, there.has_value()));
  }
  WEFT_TRY(const auto files, files_in(place.earlier));
  for (const fs::path& file : files) {
    if (names.contains(file.filename().string())) continue;
    std::error_code failed;
    fs::remove_all(file, failed);
    if (failed) return unavailable(file.string() + " cannot be removed: " + failed.message());
  }
  return {};
}

// With the document's lock held.
Result<DocumentRow> DocumentFiles::settle(const DocumentPlace& place, Time now, bool any_file) {
  for (int i = 0; i < kTries; ++i) {
    WEFT_TRY(State at, state(place, any_file));
    if (store_.is_shared()) return std::move(at.newest);
    // A former release removed the file and kept earlier versions.
    if (at.newest.version == 0 && !place.earlier.empty() && is_there(place.earlier)) at.is_edited = true;
    if (at.is_edited) {
      const Status taken = take_in(place, at, now);
      if (!taken.ok() && taken.error().code != ErrorCode::kConflict) return taken.error();
      if (!taken.ok()) continue;
      WEFT_TRY(const auto newest, store_.documents().newest(place.scope, place.kind, place.id));
      if (!newest) continue;
      at.newest = *newest;
    } else if (at.is_missing || (!at.is_behind && (at.shown ? at.shown->version : 0) == at.newest.version)) {
      return std::move(at.newest);
    }
    // A document can be read on a disk that takes no file.
    WriteBatch batch;
    batch.repeatable = true;
    if (const Status shown = show(place, at.newest, std::move(batch)); !shown.ok())
      log_warning("document.show", shown.error().message);
    return std::move(at.newest);
  }
  return conflict(place.file.string() + " changes faster than it can be read", "try again");
}

Result<DocumentRow> DocumentFiles::read(const DocumentPlace& place, Time now, bool any_file) {
  const auto mutex = locks_.of(place.file.string());
  const std::lock_guard lock(*mutex);
  return settle(place, now, any_file);
}

Result<std::vector<DocumentRow>> DocumentFiles::earlier(const DocumentPlace& place) {
  WEFT_TRY(auto rows, store_.documents().versions(place.scope, place.kind, place.id, 0, kAllVersions));
  if (!rows.empty()) rows.pop_back();
  std::erase_if(rows, [](const DocumentRow& row) { return row.body.empty(); });
  return rows;
}

Status DocumentFiles::change(const DocumentPlace& place, const DocumentRow& newest, std::string text, Time now,
                             WriteBatch& batch) const {
  if (text == newest.body) return {};
  if (!store_.is_shared() && place.heeds_read_only) WEFT_CHECK(check_writable(place.file));
  if (text.size() > place.max_bytes)
    return too_large(place.file.filename().string() + " would have " + std::to_string(text.size()) +
                     " bytes, more than " + std::to_string(place.max_bytes));
  const std::int64_t version = newest.version + 1;
  batch.expected_documents.emplace_back(key_of(place), newest.version);
  batch.erased_versions.emplace_back(key_of(place), version - static_cast<std::int64_t>(place.keep));
  batch.documents.push_back(version_of(place, version, now, kByWeft, std::move(text)));
  // Flushed: after a power cut a file without its row would look like an edit.
  batch.repeatable = false;
  batch.log.push_back({place.scope, 0, LogKind::kDocument, {}, place.kind + "/" + place.id, 0});
  return {};
}

Result<DocumentRow> DocumentFiles::update(const DocumentPlace& place, Time now, const Make& make, bool any_file) {
  const auto mutex = locks_.of(place.file.string());
  const std::lock_guard lock(*mutex);
  const auto written = store_.transact([&](WriteBatch& batch) -> Status {
    WEFT_TRY(const DocumentRow before, settle(place, now, any_file));
    WEFT_TRY(std::string text, make(before.body));
    return change(place, before, std::move(text), now, batch);
  });
  if (written.ok()) return settle(place, now, any_file);
  if (written.error().code != ErrorCode::kConflict) return written.error();
  return conflict(place.file.string() + " changes faster than it can be written", "try again");
}

Status DocumentFiles::move(const DocumentPlace& place, const fs::path& to, Time now) {
  const auto mutex = locks_.of(place.file.string());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(const DocumentRow newest, settle(place, now, false));
  WEFT_CHECK(make_folder(to.parent_path()));
  if (::rename(place.file.c_str(), to.c_str()) != 0 && errno != ENOENT) return file_error("move", place.file);
  WEFT_CHECK(sync_folder(place.file.parent_path()));
  DocumentPlace moved = place;
  moved.file = to;
  WriteBatch batch;
  batch.repeatable = true;
  return show(moved, newest, std::move(batch));
}

// The file is written before the rows: a file that still had the erased text would be taken for an edit.
Result<std::size_t> DocumentFiles::rewrite(const DocumentPlace& place, Time now, const Rewrite& rewrite) {
  const auto mutex = locks_.of(place.file.string());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(const DocumentRow newest, settle(place, now, true));
  if (newest.version == 0) return std::size_t{0};
  WEFT_TRY(auto rows, store_.documents().versions(place.scope, place.kind, place.id, 0, kAllVersions));
  std::size_t changed = 0;
  for (DocumentRow& row : rows) {
    if (row.body.empty()) continue;
    WEFT_TRY(std::string text, rewrite(row.body));
    changed += text != row.body;
    row.body = std::move(text);
  }
  WriteBatch batch;
  batch.erased_documents = {key_of(place)};
  const DocumentRow last = rows.back();
  batch.documents = std::move(rows);
  WEFT_CHECK(changed > 0 ? show(place, last, std::move(batch)) : show_earlier(place));
  return changed;
}

// The rows go last, so that a repeated call still finds the document.
Result<std::size_t> DocumentFiles::remove(const DocumentPlace& place) {
  const auto mutex = locks_.of(place.file.string());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(const auto rows, store_.documents().versions(place.scope, place.kind, place.id, 0, kAllVersions));
  WEFT_TRY(auto files, files_in(place.earlier));
  const bool was_there = is_there(place.file);
  const std::size_t gone = std::max(rows.size(), files.size() + (was_there ? 1 : 0));
  if (!files.empty()) {
    std::error_code failed;
    fs::remove_all(place.earlier, failed);
    if (failed) return unavailable(place.earlier.string() + " cannot be removed: " + failed.message());
    WEFT_CHECK(sync_folder(place.earlier.parent_path()));
  }
  WEFT_CHECK(unlink_file(place.file));
  if (was_there) WEFT_CHECK(sync_folder(place.file.parent_path()));
  WriteBatch batch;
  batch.erased_documents = {key_of(place), shown_key(place)};
  WEFT_CHECK(fault_point(FaultPoint::kDocumentGone, place.kind));
  WEFT_CHECK(store_.write(batch));
  return gone;
}

}  // namespace weft
