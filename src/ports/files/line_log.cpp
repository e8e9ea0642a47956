#include "ports/files/line_log.h"

#include "base/strings.h"

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

}  // namespace weft
