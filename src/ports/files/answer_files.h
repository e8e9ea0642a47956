#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/ids.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// An answer to a request that may be sent again, or its place while the request is at work.
struct FiledAnswer {
  std::string name;  ///< names the file: a digest of who asked and of the key that they drew
  ScopeKey scope;    ///< whose memory it tells of; empty: nobody's
  std::uint64_t request = 0;  ///< hash of what was asked
  int status = 0;             ///< 0 while it is at work
  bool forgotten = false;     ///< what it said went with what was erased
  Time made;
  std::string type, body;
};

/// Such answers as files of a workspace, answers/NAME, which their owner alone may read. Each is written whole and is
/// on disk when `put` returns. Erasing takes turns with writing, also between processes. Safe from many threads.
class AnswerFiles {
 public:
  explicit AnswerFiles(std::filesystem::path workspace) : folder_(std::move(workspace) / "answers") {}

  /// Puts an answer in place of what is there under its name. What was at work when its scope was erased keeps no body.
  Status put(const FiledAnswer& answer);
  /// kNotFound where there is none.
  Result<FiledAnswer> find(const std::string& name) const;
  /// No error where there is none.
  Status remove(const std::string& name);

  /// One of all there are, without its body.
  struct Listed {
    FiledAnswer answer;
    std::size_t bytes = 0;  ///< of the body
  };
  /// Oldest first; what cannot be read is removed.
  Result<std::vector<Listed>> list();

  /// Takes away what answers of a scope said, and those of others whose text `repeats` what goes. Gives how many.
  Result<std::size_t> forget(const ScopeKey& scope, const std::function<bool(std::string_view text)>& repeats);

 private:
  std::filesystem::path path_of(const std::string& name) const { return folder_ / name; }
  std::vector<std::filesystem::path> paths() const;
  Status write(const FiledAnswer& answer) const;

  const std::filesystem::path folder_;
};

}  // namespace weft
