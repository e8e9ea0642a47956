#pragma once

#include <cstddef>
#include <limits>

namespace weft {

/// While one lives, the allocation of this number on the calling thread (0: the next one) and all behind it throw
/// std::bad_alloc. Other threads have memory. One at a time.
class FailingMemory {
 public:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  explicit FailingMemory(std::size_t number = kNever);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  /// Allocations that this thread has asked for meanwhile.
  std::size_t asked() const;
  /// Whether one of them failed.
  bool failed() const;
};

}  // namespace weft
