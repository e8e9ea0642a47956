#pragma once

#include <filesystem>
#include <string>

namespace weft {

/// A folder for one evaluation, gone with it.
class ScratchWorkspace {
 public:
  /// Below `parent`; empty: where temporary files go.
  explicit ScratchWorkspace(const std::filesystem::path& parent = {});
  ~ScratchWorkspace();
  ScratchWorkspace(const ScratchWorkspace&) = delete;
  ScratchWorkspace& operator=(const ScratchWorkspace&) = delete;

  /// Empty where none could be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace weft
