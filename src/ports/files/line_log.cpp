#include "ports/files/line_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"
#include "ports/files/file_system.h"
#include "text/json.h"

namespace weft {
namespace {

// Where the last whole line ends. A longer line may have reached the disk in part with its line break: where nothing
// was written there are zeros. Only the last one can be so, since each is flushed before the next.
std::uint64_t whole_end(std::string_view text) {
  const auto last = text.rfind('\n');
  if (last == std::string_view::npos) return 0;
  const auto before = last == 0 ? std::string_view::npos : text.rfind('\n', last - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, last - begin).find('\0') == std::string_view::npos ? last + 1 : begin;
}

}  // namespace

Result<std::unique_ptr<LineLog>> LineLog::open(FileSystem& files, const std::filesystem::path& path,
                                               const std::function<void(std::string_view)>& replay) {
  WEFT_CHECK(files.make_folder(path.parent_path()));
  auto text = files.read(path);
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
  const std::string before = text.value_or({});
  const std::uint64_t end = whole_end(before);
  // Behind the end of what is whole a shorter line would leave a rest of the torn one.
  if (end < before.size()) WEFT_CHECK(write_file(files, path, std::string_view(before).substr(0, end), true));
  WEFT_TRY(auto file, files.open(path));
  if (!text.ok()) WEFT_CHECK(files.sync_folder(path.parent_path()));
  if (replay)
    for (const std::string_view line : lines_of(std::string_view(before).substr(0, end)))
      if (!line.empty()) replay(line);
  return std::unique_ptr<LineLog>(new LineLog(path, std::move(file), end, before.size() - end));
}

Status LineLog::append(std::string_view line) {
  if (line.find('\n') != std::string_view::npos)
    return invalid_argument(path_.string() + ": a line must not hold a line break");
  const std::lock_guard lock(mutex_);
  if (!trouble_.ok())
    return unavailable(path_.string() + ": an earlier line could not be written: " + trouble_.error().message,
                       "open the log anew");
  Status written = file_->write_at(std::string(line) + "\n", end_);
  if (written.ok()) written = file_->sync();
  if (!written.ok()) {
    trouble_ = written;
    return written;
  }
  end_ += line.size() + 1;
  return {};
}

namespace {

namespace fs = std::filesystem;

Status append_lines(const fs::path& path, const std::string& lines) {
  WEFT_CHECK(make_folder(path.parent_path()));
  const FileHandle file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode_within(path.parent_path(), 0644)));
  if (!file.open()) return file_error("open", path);
  return write_all(file, lines, path);
}

// A text of the line's members as a plain word.
bool member_is(std::string_view line, std::string_view name, const std::string& value) {
  const std::string_view found = json_member(line, name);
  const auto text = found.empty() ? Result<std::string>(std::string()) : json_text(found);
  return text.ok() && *text == value;
}

}  // namespace

fs::path SessionLog::path_of(const ScopeKey& scope, const std::string& session) const {
  return workspace_ / "sessions" / encode_file_name(scope.str()) / (encode_file_name(session) + ".jsonl");
}

Result<std::size_t> SessionLog::lines(const ScopeKey& scope, const std::string& session) {
  const std::lock_guard lock(mutex_);
  const auto text = read_file(path_of(scope, session));
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::size_t{0};
  if (!text.ok()) return text.error();
  // A line that a crash cut off is written again behind its beginning; readers skip what is no JSON.
  return static_cast<std::size_t>(std::count(text->begin(), text->end(), '\n'));
}

Status SessionLog::append(const ScopeKey& scope, const std::string& session, const std::vector<std::string>& messages) {
  if (messages.empty()) return {};
  std::string lines;
  for (const std::string& message : messages) lines += message + "\n";
  const std::lock_guard lock(mutex_);
  return append_lines(path_of(scope, session), lines);
}

Status SessionLog::append_summary(const std::string& line) {
  const std::lock_guard lock(mutex_);
  return append_lines(summaries(), line + "\n");
}

Status SessionLog::erase(const ScopeKey& scope, const std::vector<std::string>& sessions) {
  const std::lock_guard lock(mutex_);
  std::error_code failed;
  if (sessions.empty()) fs::remove_all(workspace_ / "sessions" / encode_file_name(scope.str()), failed);
  for (const std::string& session : sessions) fs::remove(path_of(scope, session), failed);
  if (failed) return internal("sessions: cannot remove the files of " + scope.str() + ": " + failed.message());
  const auto text = read_file(summaries());
  if (!text.ok()) return text.error().code == ErrorCode::kNotFound ? Status() : Status(text.error());
  std::string kept;
  for (const std::string_view line : lines_of(*text)) {
    const bool readable = check_json(line, {.max_bytes = line.size() + 1}, "summary").ok() && line.front() == '{';
    const bool mine = readable && member_is(line, "scope", scope.str());
    const bool gone = mine && (sessions.empty() || std::any_of(sessions.begin(), sessions.end(), [&](const auto& one) {
                                 return member_is(line, "session", one);
                               }));
    if (!gone && readable) kept += std::string(line) + "\n";
  }
  return kept == *text ? Status() : write_file(summaries(), kept, true);
}

}  // namespace weft
