#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "base/clock.h"
#include "model/erased_messages.h"
#include "ports/files/line_log.h"
#include "weft/growth.h"

namespace weft {

/// Reports of suggestions that contradict a rule, a line each, once for each reflection and rule. One thread at a time.
class RuleContradictions {
 public:
  /// `files` and `clock` must outlive it.
  RuleContradictions(FileSystem& files, std::filesystem::path path, const Clock& clock)
      : files_(files), path_(std::move(path)), clock_(clock) {}

  Status report(const std::string& reflection, const Rule& draft, const Rule& standing);
  /// Takes out the lines of an owner, or those of erased reflections.
  Status erase(const ErasedLessons& gone);

 private:
  Status open();

  FileSystem& files_;
  const std::filesystem::path path_;
  const Clock& clock_;
  std::unique_ptr<LineLog> log_;
  std::set<std::string> reported_;  ///< "REFLECTION RULE"
};

}  // namespace weft
