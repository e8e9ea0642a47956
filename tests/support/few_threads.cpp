#include "tests/support/few_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <limits>

namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();

std::atomic<int> threads_left = kNoLimit;
std::atomic<int> threads_refused = 0;

bool is_given() {
  for (int left = threads_left;;) {
    if (left == kNoLimit) return true;
    if (left <= 0) return ++threads_refused, false;
    if (threads_left.compare_exchange_weak(left, left - 1)) return true;
  }
}

}  // namespace

// Stands before the one of the C library, which std::thread calls.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                              void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  return is_given() ? create(thread, attributes, work, argument) : EAGAIN;
}

namespace weft {

FewThreads::FewThreads(int left) {
  threads_refused = 0;
  threads_left = left;
}

FewThreads::~FewThreads() { threads_left = kNoLimit; }

void FewThreads::allow(int left) { threads_left = left; }

int FewThreads::refused() const { return threads_refused; }

}  // namespace weft
