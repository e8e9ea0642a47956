#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace weft {

/// Threads at work in a library that cannot be interrupted, such as one that reads the vocabulary of a model. A program
/// that ends by `end_process` need not wait for them: nothing that they use is destroyed while they work. A program
/// that ends otherwise must wait, which is the default.
struct LeftThreads {
  static inline std::atomic<bool> allowed = false;  ///< set by `main`
  static inline std::atomic<int> count = 0;  ///< threads that nobody waits for
};

/// The last thing that `main` does. Gives `code` back, or ends the process at once where a thread was left.
inline int end_process(int code) {
  if (LeftThreads::count == 0) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace weft
