#pragma once

#include <atomic>
#include <cstdint>

namespace weft {

/// Gives growing numbers, from many threads. The last one given is restored from the store at start.
class Sequence {
 public:
  explicit Sequence(std::int64_t last = 0) : last_(last) {}
  std::int64_t next() { return ++last_; }
  void restart_after(std::int64_t last) { last_ = last; }

 private:
  std::atomic<std::int64_t> last_;
};

}  // namespace weft
