#include "text/lexicon.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/strings.h"

namespace weft {
namespace {

using Lists = std::map<std::string_view, std::vector<std::string_view>>;

// Entries between commas; one in double quotes may hold a comma or blanks at its ends.
void add_entries(std::string_view line, std::vector<std::string_view>& entries) {
  while (!(line = trimmed(line)).empty()) {
    const bool quoted = line.front() == '"';
    const auto end = quoted ? line.find('"', 1) : line.find(',');
    const std::string_view entry = quoted ? line.substr(1, end - 1) : trimmed(line.substr(0, end));
    if (!entry.empty()) entries.push_back(entry);
    const auto comma = end == std::string_view::npos ? end : line.find(',', end);
    line = comma == std::string_view::npos ? std::string_view() : line.substr(comma + 1);
  }
}

Lists read(std::string_view source) {
  Lists lists;
  std::vector<std::string_view>* entries = nullptr;
  for (const std::string_view whole : lines_of(source)) {
    const std::string_view line = trimmed(whole);
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[')
      entries = &lists[line.substr(1, line.size() - 2)];
    else if (entries != nullptr)
      add_entries(line, *entries);
  }
  return lists;
}

const std::map<std::string_view, Lists>& all_files() {
  static const auto files = [] {
    std::map<std::string_view, Lists> read_all;
    for (unsigned i = 0; i < lexicon_file_count; ++i)
      read_all[lexicon_file_list[i].id] = read(lexicon_file_list[i].source);
    return read_all;
  }();
  return files;
}

}  // namespace

std::span<const std::string_view> lexicon(std::string_view file, std::string_view list) {
  const auto lists = all_files().find(file);
  if (lists == all_files().end()) return {};
  const auto found = lists->second.find(list);
  return found == lists->second.end() ? std::span<const std::string_view>() : found->second;
}

LexiconWords lexicon_words(std::string_view file, std::string_view list) {
  const auto entries = lexicon(file, list);
  return {entries.begin(), entries.end()};
}

std::vector<std::string_view> lexicon_both(std::string_view file, std::string_view list) {
  std::vector<std::string_view> all;
  const bool one = file.find('/') != std::string_view::npos;
  for (const char* language : one ? std::vector{""} : std::vector{"en/", "zh/"}) {
    const auto entries = lexicon(language + std::string(file), list);
    all.insert(all.end(), entries.begin(), entries.end());
  }
  return all;
}

std::unordered_map<std::string_view, std::string_view> lexicon_pairs(std::string_view file, std::string_view list) {
  std::unordered_map<std::string_view, std::string_view> pairs;
  for (const std::string_view entry : lexicon_both(file, list)) {
    const auto sign = std::min(entry.find('='), entry.size());
    pairs.emplace(entry.substr(0, sign), entry.substr(std::min(sign + 1, entry.size())));
  }
  return pairs;
}

LexiconWords lexicon_both_words(std::string_view file, std::string_view list) {
  const auto entries = lexicon_both(file, list);
  return {entries.begin(), entries.end()};
}

}  // namespace weft
