#pragma once

namespace weft {

/// While one lives, the system gives this program so many more threads, and then none: what begins a thread fails as it
/// does at the limit of a user or a container. One at a time.
class FewThreads {
 public:
  explicit FewThreads(int left);
  ~FewThreads();
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;

  /// Allows so many more from now on.
  void allow(int left);
  /// How often a thread was refused.
  int refused() const;
};

}  // namespace weft
