#include "agent/results.h"

#include <algorithm>

#include "text/markup.h"
#include "text/utf8.h"

namespace weft {
namespace {

// Letters, digits, '-', '.' and '_': what a model names leaves no folder.
bool is_handle(const std::string& name) {
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), fine);
}

// The end of a text, from a line's begin where one is near.
std::string_view tail_of(std::string_view text, std::size_t most) {
  std::size_t at = text.size() - std::min(text.size(), most);
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  const auto line = text.find('\n', at);
  if (line != std::string_view::npos && line + 1 - at < most / 4) at = line + 1;
  return text.substr(at);
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// NUL and broken characters do not stand in texts; terminals' colours do.
bool is_binary(std::string_view output) {
  return output.find('\0') != std::string_view::npos || find_invalid_utf8(output).has_value();
}

}  // namespace

Result<std::filesystem::path> ResultStore::path_of(const std::string& run, const std::string& handle) const {
  if (!is_handle(run) || !is_handle(handle))
    return not_found("there is no result \"" + std::string(cut_bytes(handle, 80)) + "\"",
                     "handles stand in outputs that were cut");
  return folder_ / run / (handle + ".txt");
}

Status ResultStore::keep(const std::string& run, const std::string& handle, std::string_view text) {
  WEFT_TRY(const auto path, path_of(run, handle));
  WEFT_CHECK(files_.make_folder(path.parent_path()));
  return write_file(files_, path, text, true);
}

Status ResultStore::remove(const std::string& run, const std::string& handle) {
  const auto path = path_of(run, handle);
  return path.ok() ? files_.remove(*path) : Status();
}

Status ResultStore::remove_all(const std::string& run) {
  if (!is_handle(run)) return {};
  const auto kept = files_.list(folder_ / run);
  if (!kept.ok()) return kept.error().code == ErrorCode::kNotFound ? Status() : Status(kept.error());
  for (const auto& path : *kept) WEFT_CHECK(files_.remove(path));
  std::error_code ignored;
  std::filesystem::remove(folder_ / run, ignored);
  return {};
}

Result<std::string> ResultStore::read(const std::string& run, const std::string& handle) {
  WEFT_TRY(const auto path, path_of(run, handle));
  auto text = files_.read(path);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound)
    return not_found("there is no result \"" + handle + "\"", "handles stand in outputs that were cut");
  return text;
}

ShownOutput shown_output(std::string_view output, std::size_t most, const std::string& handle) {
  ShownOutput shown;
  if (is_binary(output)) {
    shown.text = "[the output is no text: " + std::to_string(output.size()) + " bytes of binary data]";
    return shown;
  }
  std::string plain = has_harmful(output) ? drop_harmful(output) : std::string(output);
  shown.hidden = static_cast<std::int64_t>(code_points(output) - code_points(plain));
  if (plain.size() <= most) {
    shown.text = std::move(plain);
    return shown;
  }
  shown.cut = true;
  const std::string_view head = cut_bytes(plain, most * 2 / 3), tail = tail_of(plain, most / 3);
  shown.text = std::string(head) + "\n[… " + std::to_string(plain.size() - head.size() - tail.size()) + " of " +
               std::to_string(plain.size()) +
               " bytes are left out here; the tool result_read shows them: {\"handle\":\"" + handle + "\"}]\n" +
               std::string(tail);
  return shown;
}

EndingMarks::EndingMarks(FileSystem& files, std::filesystem::path folder) : files_(files), folder_(std::move(folder)) {
  const auto left = files_.list(folder_);
  if (left.ok())
    for (const auto& path : *left) runs_.insert(path.filename().string());
}

Status EndingMarks::set(const std::string& run) {
  const std::lock_guard lock(mutex_);
  if (runs_.contains(run)) return {};
  WEFT_CHECK(files_.make_folder(folder_));
  WEFT_CHECK(write_file(files_, folder_ / run, "", true));
  runs_.insert(run);
  return {};
}

// Not flushed: a mark that comes back after a failure of power only has what is known looked at once more.
Status EndingMarks::clear(const std::string& run) {
  const std::lock_guard lock(mutex_);
  if (runs_.erase(run) == 0) return {};
  return files_.remove(folder_ / run);
}

bool EndingMarks::has(const std::string& run) const {
  const std::lock_guard lock(mutex_);
  return runs_.contains(run);
}

std::vector<std::string> EndingMarks::all() const {
  const std::lock_guard lock(mutex_);
  return {runs_.begin(), runs_.end()};
}

}  // namespace weft
