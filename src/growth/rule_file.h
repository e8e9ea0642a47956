#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ports/files/file_system.h"
#include "weft/growth.h"

namespace weft {

/// A file of rules for programs and people: YAML, one entry a rule, and how many lines of the log are in it already.
/// Entries that cannot be read are reported and stay in the file as they stand; a file that is no YAML at all is never
/// written over. Not safe from many threads.
class RuleFile {
 public:
  /// `title`, a comment, stands at its head.
  RuleFile(FileSystem& files, std::filesystem::path path, std::string title)
      : files_(files), path_(std::move(path)), title_(std::move(title)) {}

  /// Reads the file if it is not as it was last read or written; gives whether it was not. An error where it cannot be
  /// read as a whole; what was known before stays.
  Result<bool> refresh();

  const std::vector<Rule>& rules() const { return rules_; }
  /// The number of the last line of the log that is in it.
  std::uint64_t through() const { return through_; }
  /// Of its last reading, each with line and key.
  const std::vector<std::string>& problems() const { return problems_; }
  bool has_bad_entries() const { return !bad_text_.empty(); }

  /// Puts these rules in the place of those that could be read. On disk when it returns.
  Status write(std::span<const Rule> rules, std::uint64_t through);

 private:
  Status parse(const std::string& text);

  FileSystem& files_;
  std::filesystem::path path_;
  std::string title_;
  std::string content_;  ///< as last read or written
  bool known_ = false, broken_ = false;
  std::vector<Rule> rules_;
  std::uint64_t through_ = 0;
  std::vector<std::string> problems_, bad_text_;
};

}  // namespace weft
