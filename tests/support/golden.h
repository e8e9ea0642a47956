#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace weft::test {

/// Compares a text with tests/golden/NAME. With WEFT_ACCEPT=1 in the environment the text is written there instead, and
/// the test fails all the same: accepting is not passing.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(WEFT_TEST_DATA) / "golden" / name;
  if (std::getenv("WEFT_ACCEPT") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    ADD_FAILURE() << "accepted " << path << ": read it, and run the test again without WEFT_ACCEPT";
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.is_open()) << path << " is missing; WEFT_ACCEPT=1 writes it";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(expected.str(), text) << "golden file " << name;
}

}  // namespace weft::test
