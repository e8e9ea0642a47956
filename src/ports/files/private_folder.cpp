#include "ports/files/private_folder.h"

#include <sys/stat.h>

#include <cerrno>

#include "ports/files/file.h"

namespace weft {

Status make_private_folder(const std::filesystem::path& path) {
  const auto parent = std::filesystem::absolute(path / ".").lexically_normal().parent_path().parent_path();
  WEFT_CHECK(make_folder(parent));
  if (::mkdir(path.c_str(), S_IRWXU) == 0) return {};
  std::error_code code;
  return errno == EEXIST && std::filesystem::is_directory(path, code) ? Status()
                                                                      : Status(file_error("make the folder", path));
}

mode_t mode_within(const std::filesystem::path& folder, mode_t wanted) {
  struct stat about{};
  if (::stat(folder.empty() ? "." : folder.c_str(), &about) != 0) return wanted;
  // Whether it can be passed through decides, not whether it can be listed.
  const mode_t group = (about.st_mode & S_IXGRP) != 0 ? S_IRWXG : 0,
               others = (about.st_mode & S_IXOTH) != 0 ? S_IRWXO : 0;
  return wanted & (S_IRWXU | group | others);
}

}  // namespace weft
