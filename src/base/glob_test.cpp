#include "base/glob.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

namespace weft {
namespace {

bool fits(std::string_view pattern, std::string_view text) { return glob(pattern, text, std::equal_to<>()); }

// As it is defined: a star stands for any text.
bool plainly_fits(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '*')
    return !text.empty() && pattern[0] == text[0] && plainly_fits(pattern.substr(1), text.substr(1));
  for (std::size_t at = 0; at <= text.size(); ++at)
    if (plainly_fits(pattern.substr(1), text.substr(at))) return true;
  return false;
}

TEST(Glob, any_pattern_fits_what_it_is_defined_to_fit) {
  std::mt19937 random(3);
  const auto drawn = [&](std::string_view letters, unsigned most) {
    std::string out;
    for (unsigned i = random() % (most + 1); i > 0; --i) out += letters[random() % letters.size()];
    return out;
  };
  for (int round = 0; round < 20000; ++round) {
    const std::string pattern = drawn("ab**", 7), text = drawn("ab", 9);
    EXPECT_EQ(fits(pattern, text), plainly_fits(pattern, text)) << pattern << " " << text;
  }
}

TEST(Glob, many_stars_end) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(fits(pattern + "b", std::string(4000, 'a')));
  EXPECT_TRUE(fits(pattern, std::string(4000, 'a')));
}

}  // namespace
}  // namespace weft
