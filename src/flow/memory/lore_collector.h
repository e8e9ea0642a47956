#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flow/memory/lore_fields.h"
#include "flow/memory/lore_import.h"
#include "flow/memory/lore_macros.h"

namespace weft {

/// Takes what the readers of the formats find in one file: gives ids, counts, keeps the limits.
class LoreCollector {
 public:
  LoreCollector(std::string_view file, const LoreLimits& limits);

  const std::string& file() const { return file_; }
  const LoreLimits& limits() const { return limits_; }
  LoreNotes& notes() { return notes_; }
  /// How macros in the entries are read.
  LoreMacros& macros() { return macros_; }

  /// Keeps an entry, its macros filled in. `name` is what its id is made from; empty: from its text.
  void add(LoreEntry entry, std::string_view name);

  /// An entry that is left out.
  void leave_out(std::string_view message);

  /// Something the author should know.
  void remark(std::string_view message);

  /// What was found. Once, at the end.
  LoreImport take();

 private:
  std::vector<std::string> fill_in(LoreEntry& entry);
  void check_patterns(const std::vector<std::string>& keys, std::string_view name);

  std::string file_;
  LoreLimits limits_;
  LoreImport import_;
  LoreNotes notes_;
  LoreMacros macros_;
  bool full_ = false;
  std::unordered_map<std::string, std::size_t> used_;  // names of ids → how often
};

/// The name of a file without folders and ending.
std::string_view file_stem(std::string_view file);

}  // namespace weft
