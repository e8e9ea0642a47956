#include "tests/support/failing_memory.h"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t allocations_asked = 0;
thread_local std::size_t first_to_fail = weft::FailingMemory::kNever;

// Null where it fails.
void* try_to_allocate(std::size_t size) {
  if (allocations_asked++ >= first_to_fail) return nullptr;
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate(std::size_t size) {
  if (void* memory = try_to_allocate(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// In place of the library's, for the whole test program.
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return try_to_allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return try_to_allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace weft {

FailingMemory::FailingMemory(std::size_t number) {
  allocations_asked = 0;
  first_to_fail = number;
}

FailingMemory::~FailingMemory() { first_to_fail = kNever; }

std::size_t FailingMemory::asked() const { return allocations_asked; }

bool FailingMemory::failed() const { return allocations_asked > first_to_fail; }

}  // namespace weft
