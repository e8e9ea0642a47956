#pragma once

#include <filesystem>
#include <string>

namespace weft {

/// Who holds a workspace, seen from outside.
struct LockState {
  bool held = false;    ///< by a process, now
  long process = 0;     ///< that the lock names: the holder, or the last one; 0: nobody yet
  bool alive = false;   ///< that process runs
  std::string program;  ///< its name; empty: not known
};

/// Looks at the lock of a workspace without taking it. A workspace that is not there is held by nobody.
LockState look_at_lock(const std::filesystem::path& workspace);

}  // namespace weft
