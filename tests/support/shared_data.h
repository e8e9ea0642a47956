#pragma once

#include <cstdlib>
#include <filesystem>

namespace weft::test {

/// A folder or file of the development data, which is no part of the repository: WEFT_SHARED names where it lies,
/// beside the repository if it is not set. Empty where it is absent; the test is skipped then.
inline std::filesystem::path shared_data(const std::filesystem::path& what) {
  const char* given = std::getenv("WEFT_SHARED");
  const std::filesystem::path shared =
      given != nullptr ? std::filesystem::path(given)
                       : std::filesystem::path(WEFT_TEST_DATA).parent_path().parent_path() / "shared";
  const std::filesystem::path path = shared / "data" / what;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

}  // namespace weft::test
