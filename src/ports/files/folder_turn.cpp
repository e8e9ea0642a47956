#include "ports/files/folder_turn.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace weft {

Result<FileHandle> take_turn(const std::filesystem::path& folder) {
  WEFT_CHECK(make_folder(folder));
  const std::filesystem::path path = folder / ".lock";
  FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.open()) return file_error("open", path);
  int taken = 0;
  do {
    taken = ::flock(file.get(), LOCK_EX);
  } while (taken != 0 && errno == EINTR);
  if (taken != 0) return file_error("lock", path);
  return file;
}

}  // namespace weft
