#include "base/request_mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/ascii.h"

namespace weft {
namespace {

thread_local RequestMark* innermost_mark = nullptr;

constexpr std::size_t kLongestId = 128;

}  // namespace

RequestMark::RequestMark(std::string id) : id_(std::move(id)), outer_(std::exchange(innermost_mark, this)) {}

RequestMark::~RequestMark() { innermost_mark = outer_; }

std::string RequestMark::current() { return innermost_mark == nullptr ? std::string() : innermost_mark->id_; }

bool is_request_id(std::string_view text) {
  const auto fits = [](char c) {
    return is_digit(c) || is_letter(c) || std::string_view("-_.:").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kLongestId && std::all_of(text.begin(), text.end(), fits);
}

std::string new_request_id() {
  static thread_local std::mt19937_64 chance{(std::uint64_t{std::random_device{}()} << 32) | std::random_device{}()};
  return fmt::format("{:016x}{:016x}", chance(), chance());
}

}  // namespace weft
