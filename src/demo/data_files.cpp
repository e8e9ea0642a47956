#include "demo/data_files.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <stdexcept>

namespace weft {

namespace fs = std::filesystem;

ScratchWorkspace::ScratchWorkspace(const fs::path& parent) {
  std::error_code none;
  std::string name = ((parent.empty() ? fs::temp_directory_path(none) : parent) / "weft-scratch-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

ScratchWorkspace::~ScratchWorkspace() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

namespace {

std::span<const DataFile> files() { return {data_file_list, data_file_count}; }

std::string_view take_until(std::string_view& text, std::string_view separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + separator.size(), text.size()));
  return part;
}

std::string with_number(std::string_view text, std::size_t number) {
  std::string filled(text);
  const std::string digits = std::to_string(number);
  for (std::size_t at = 0; (at = filled.find("{n}", at)) != std::string::npos; at += digits.size())
    filled.replace(at, 3, digits);
  return filled;
}

}  // namespace

std::string_view data_file(std::string_view id) {
  const auto at = std::find_if(files().begin(), files().end(), [&](const DataFile& one) { return one.id == id; });
  if (at == files().end()) throw std::logic_error("data/" + std::string(id) + ": there is no such file");
  return at->source;
}

std::vector<std::string> data_sessions() {
  constexpr std::string_view kFolder = "sessions/", kFacts = "/facts";
  std::vector<std::string> names;
  for (const DataFile& file : files()) {
    if (!file.id.starts_with(kFolder) || !file.id.ends_with(kFacts)) continue;
    names.emplace_back(file.id.substr(kFolder.size(), file.id.size() - kFolder.size() - kFacts.size()));
  }
  return names;
}

std::vector<std::string_view> data_parts(std::string_view id) {
  std::vector<std::string_view> parts;
  for (std::string_view text = data_file(id); !text.empty();)
    if (const std::string_view part = take_until(text, "\n\n"); !part.empty()) parts.push_back(part);
  return parts;
}

std::vector<Message> data_messages(std::string_view lines, std::string_view what, std::size_t number) {
  std::vector<Message> messages;
  for (std::size_t line = 1; !lines.empty(); ++line) {
    const std::string_view text = take_until(lines, "\n");
    if (text.empty()) continue;
    auto read = parse_message(with_number(text, number));
    if (!read.ok())
      throw std::logic_error("data/" + std::string(what) + ", line " + std::to_string(line) + ": " +
                             read.error().message);
    messages.insert(messages.end(), read->begin(), read->end());
  }
  return messages;
}

}  // namespace weft
