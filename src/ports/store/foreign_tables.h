#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"

namespace weft {

/// The tables of another program's SQLite file, to be read and nothing else: the file is never changed, and nothing
/// that stands in it is run (views, triggers, functions). It may be any file from anywhere. One thread uses it.
class ForeignTables {
 public:
  /// kCorrupt where it is no such file or is damaged, kUnavailable while its own program keeps it for itself.
  static Result<std::unique_ptr<ForeignTables>> open(const std::filesystem::path& path);
  virtual ~ForeignTables() = default;

  /// Whether it has a table of this name with these columns.
  virtual Result<bool> has(std::string_view table, const std::vector<std::string>& columns) = 0;

  /// A row as texts: numbers as they are written, what is null or no text as an empty one.
  using Row = std::vector<std::string>;

  /// Hands out the rows that a SELECT gives.
  virtual Status read(const std::string& select, const std::function<void(const Row& row)>& take) = 0;
};

/// Whether a file begins like one of SQLite.
bool is_sqlite_file(const std::filesystem::path& path);

}  // namespace weft
