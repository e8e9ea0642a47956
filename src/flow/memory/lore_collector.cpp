#define XXH_INLINE_ALL
#include "flow/memory/lore_collector.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "flow/memory/lore_pattern.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMaxProblems = 100;
constexpr std::size_t kMaxName = 120;  // bytes of each half of an id; files are named after ids

std::string digest(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

std::string bounded(std::string name) {
  if (name.size() <= kMaxName) return name;
  return std::string(cut_bytes(name, kMaxName - 17)) + "-" + digest(name);
}

// Letters and digits of every script in lower case, "-" for anything else: what an author hardly changes by tidying up.
std::string plain_name(std::string_view text) {
  std::string name;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto c = static_cast<UChar32>(next_code_point(text, at));
    if (c < 0x80 && (u_isalnum(c) != 0 || c == '/' || c == '_')) {
      name += static_cast<char>(u_tolower(c));
    } else if (c >= 0x80 && (u_isalnum(c) != 0 || (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0)) {
      name += text.substr(begin, at - begin);
    } else if (!name.empty() && name.back() != '-' && name.back() != '/') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return bounded(std::move(name));
}

std::string without_controls(std::string_view file) {
  std::string name = repair_utf8(file);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '-');
  return name;
}

}  // namespace

LoreCollector::LoreCollector(std::string_view file, const LoreLimits& limits)
    : file_(without_controls(file)), limits_(limits) {}

void LoreCollector::add(LoreEntry entry, std::string_view name) {
  if (import_.entries.size() >= limits_.max_entries) {
    if (!full_) remark("more than " + std::to_string(limits_.max_entries) + " entries; the rest is left out");
    full_ = true;
    ++import_.left_out;
    return;
  }
  const auto lost = fill_in(entry);
  if (entry.text.empty()) return leave_out("entry " + preview(name, 60) + ": has no text but macros");
  std::string key = plain_name(name);
  if (key.empty()) key = digest(entry.text);
  // Parts of a section share its name; the first has it alone. A name never holds "~" of its own.
  if (const std::size_t n = ++used_[key]; n > 1) key += "~" + std::to_string(n);
  for (const auto* keys : {&entry.keys, &entry.secondary_keys}) check_patterns(*keys, key);
  for (const std::string& one : lost)
    remark("entry " + key + ": the key \"" + preview(one, 60) + "\" is left out: its macro has no value here");
  if (!lost.empty() && entry.keys.empty() && !entry.constant)
    remark("entry " + key + ": no key is left, so that only its meaning calls it up");
  entry.id = "lore:" + bounded(file_) + "#" + key;
  entry.source = file_;
  import_.entries.push_back(std::move(entry));
}

// A key whose value is not known would be met by the wrong words. Returns the keys that were left out.
std::vector<std::string> LoreCollector::fill_in(LoreEntry& entry) {
  entry.text = trimmed(macros_.expanded(entry.text));
  entry.title = trimmed(macros_.expanded(entry.title));
  std::vector<std::string> lost;
  for (auto* keys : {&entry.keys, &entry.secondary_keys}) {
    std::vector<std::string> filled;
    for (const std::string& key : *keys) {
      std::optional<std::string> word = macros_.expanded_key(key);
      if (word && !word->empty())
        filled.push_back(std::move(*word));
      else
        lost.push_back(key);
    }
    *keys = std::move(filled);
  }
  return lost;
}

void LoreCollector::check_patterns(const std::vector<std::string>& keys, std::string_view name) {
  for (const std::string& key : keys) {
    if (!is_lore_pattern(key)) continue;
    const auto pattern = LorePattern::make(key);
    if (pattern.ok()) continue;
    remark("entry " + std::string(name) + ": the key \"" + preview(key, 60) +
           "\" is taken for plain words: " + pattern.error().message);
  }
}

void LoreCollector::remark(std::string_view message) {
  if (++import_.problem_count <= kMaxProblems) import_.problems.push_back({file_, std::string(message)});
}

void LoreCollector::leave_out(std::string_view message) {
  ++import_.left_out;
  remark(message);
}

LoreImport LoreCollector::take() {
  for (const std::string& text : notes_.remarks) remark(text);
  for (const auto& [name, one] : macros_.unknown())
    remark("the macro " + name + " has no value here and " +
           (one.reads.empty() ? "is left out" : "reads \"" + preview(one.reads, 40) + "\"") + " (" +
           std::to_string(one.times) + " times)");
  import_.ignored_fields = std::move(notes_.ignored);
  return std::move(import_);
}

std::string_view file_stem(std::string_view file) {
  const auto slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  const auto dot = file.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? file : file.substr(0, dot);
}

}  // namespace weft
