#include "engine/job_id.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string_view>

namespace weft {

std::string new_job_id(Time now, std::size_t chance) {
  constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
  constexpr std::size_t kOfTime = 10;
  std::string id(kOfTime + chance, '0');
  auto time = static_cast<std::uint64_t>(now.ms);
  for (std::size_t i = kOfTime; i-- > 0; time /= kDigits.size()) id[i] = kDigits[time % kDigits.size()];
  static thread_local std::random_device random;
  for (std::size_t i = kOfTime; i < id.size(); ++i) id[i] = kDigits[random() % kDigits.size()];
  return id;
}

bool is_job_id(const std::string& id) {
  constexpr std::size_t kLongest = 120;
  const auto fine = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-'; };
  return !id.empty() && id.size() <= kLongest && id.front() != '-' && std::all_of(id.begin(), id.end(), fine);
}

}  // namespace weft
