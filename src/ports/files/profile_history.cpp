#include "ports/files/profile_history.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "ports/files/file.h"

namespace weft {
namespace {

constexpr std::string_view kWritten = "written.md", kNext = "next.md", kEnd = ".md";
constexpr std::size_t kStampSize = 16;  // "20260221T063000Z"

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

std::optional<ProfileSnapshot> parse_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (!name.ends_with(kEnd)) return std::nullopt;
  const std::string_view stem = std::string_view(name).substr(0, name.size() - kEnd.size());
  const auto first = stem.find('-'), second = stem.find('-', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  ProfileSnapshot snapshot;
  const auto [end, code] = std::from_chars(stem.data(), stem.data() + first, snapshot.version);
  const auto taken = parse_stamp(stem.substr(first + 1, second - first - 1));
  if (code != std::errc() || end != stem.data() + first || !taken) return std::nullopt;
  snapshot.taken = *taken;
  const auto origin = stem.substr(second + 1);
  if (origin != to_string(SnapshotOrigin::kWeft) && origin != to_string(SnapshotOrigin::kPerson)) return std::nullopt;
  snapshot.origin = origin == to_string(SnapshotOrigin::kWeft) ? SnapshotOrigin::kWeft : SnapshotOrigin::kPerson;
  snapshot.path = path;
  return snapshot;
}

Result<std::optional<std::string>> read_if_there(const std::filesystem::path& path) {
  auto content = read_file(path);
  if (content.ok()) return std::optional(std::move(content).value());
  if (content.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
  return content.error();
}

Status remove_if_there(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return file_error("remove", path);
}

}  // namespace

std::string_view to_string(SnapshotOrigin origin) { return origin == SnapshotOrigin::kWeft ? "weft" : "edit"; }

bool is_torn_write(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const auto at = name.rfind(".md.tmp");
  return at != std::string::npos && !name.ends_with(kEnd) &&
         name.find_first_not_of("0123456789-", at + std::string_view(".md.tmp").size()) == std::string::npos;
}

Result<std::vector<ProfileSnapshot>> ProfileHistory::list() const {
  std::vector<ProfileSnapshot> snapshots;
  std::error_code code;
  std::filesystem::directory_iterator at(folder_, code);
  for (; !code && at != std::filesystem::directory_iterator(); at.increment(code)) {
    if (auto snapshot = parse_name(at->path())) snapshots.push_back(std::move(*snapshot));
    if (is_torn_write(at->path())) WEFT_CHECK(remove_if_there(at->path()));
  }
  if (code && code != std::errc::no_such_file_or_directory) {
    errno = code.value();
    return file_error("list", folder_);
  }
  std::sort(snapshots.begin(), snapshots.end(), [](const auto& a, const auto& b) { return a.version < b.version; });
  return snapshots;
}

Result<std::string> ProfileHistory::read(std::uint64_t version) const {
  WEFT_TRY(const auto snapshots, list());
  std::string kept;
  for (const auto& snapshot : snapshots) {
    if (snapshot.version == version) return read_file(snapshot.path);
    kept += (kept.empty() ? "" : ", ") + std::to_string(snapshot.version);
  }
  return not_found("version " + std::to_string(version) + " is not kept",
                   kept.empty() ? "no version is kept" : "kept are " + kept);
}

Result<std::vector<std::filesystem::path>> ProfileHistory::files() const {
  std::vector<std::filesystem::path> paths;
  std::error_code code;
  std::filesystem::directory_iterator at(folder_, code);
  for (; !code && at != std::filesystem::directory_iterator(); at.increment(code)) paths.push_back(at->path());
  if (code && code != std::errc::no_such_file_or_directory) {
    errno = code.value();
    return file_error("list", folder_);
  }
  return paths;
}

Status ProfileHistory::add(std::string_view content, SnapshotOrigin origin, Time now) {
  WEFT_CHECK(make_folder(folder_));
  WEFT_TRY(const auto snapshots, list());
  std::uint64_t version = 1;
  if (!snapshots.empty()) {
    WEFT_TRY(const std::string newest, read_file(snapshots.back().path));
    if (newest == content) return {};
    version = snapshots.back().version + 1;
  }
  char number[24];
  std::snprintf(number, sizeof number, "%06llu", static_cast<unsigned long long>(version));
  const std::string name = std::string(number) + "-" + stamp(now) + "-" + std::string(to_string(origin));
  return write_file(folder_ / (name + std::string(kEnd)), content, true);
}

Status ProfileHistory::prune(std::size_t keep) {
  WEFT_TRY(const auto snapshots, list());
  for (std::size_t i = 0; i + keep < snapshots.size(); ++i) WEFT_CHECK(remove_if_there(snapshots[i].path));
  return {};
}

Result<std::optional<std::string>> ProfileHistory::written() const { return read_if_there(folder_ / kWritten); }
Result<std::optional<std::string>> ProfileHistory::next() const { return read_if_there(folder_ / kNext); }

Status ProfileHistory::set_written(std::string_view content) {
  WEFT_CHECK(make_folder(folder_));
  return write_file(folder_ / kWritten, content, true);
}

Status ProfileHistory::set_next(std::string_view content) {
  WEFT_CHECK(make_folder(folder_));
  return write_file(folder_ / kNext, content, true);
}

Status ProfileHistory::next_is_written() {
  if (::rename((folder_ / kNext).c_str(), (folder_ / kWritten).c_str()) != 0) {
    return file_error("rename", folder_ / kNext);
  }
  return sync_folder(folder_);
}

Status ProfileHistory::drop_next() { return remove_if_there(folder_ / kNext); }
Status ProfileHistory::drop_written() { return remove_if_there(folder_ / kWritten); }

}  // namespace weft
