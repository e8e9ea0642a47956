#pragma once

#include <filesystem>
#include <string>

#include "weft/result.h"

namespace weft {

/// The file `weft.address` of a workspace, in which a server says where it listens as long as it does.
class AddressFile {
 public:
  explicit AddressFile(std::filesystem::path workspace) : path_(std::move(workspace) / "weft.address") {}
  ~AddressFile();  ///< takes it away
  AddressFile(const AddressFile&) = delete;
  AddressFile& operator=(const AddressFile&) = delete;

  Status write(const std::string& url) const;

  /// What the last server said; empty where none did, or it ended well.
  static std::string read(const std::filesystem::path& workspace);

 private:
  std::filesystem::path path_;
};

}  // namespace weft
