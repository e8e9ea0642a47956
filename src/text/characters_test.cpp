#include "text/characters.h"

#include <gtest/gtest.h>

#include "text/utf8.h"

namespace weft {
namespace {

void expect_all(std::u32string_view characters, CharKind kind) {
  for (const char32_t c : characters) EXPECT_EQ(kind_of(c), kind) << static_cast<std::uint32_t>(c);
}

TEST(Characters, PF_4_kinds_are_told_in_every_script) {
  expect_all(U"aZéßжα가\u0301²Ⅳ٣", CharKind::kLetter);
  expect_all(U"09", CharKind::kDigit);
  expect_all(U"中々あカㄅ", CharKind::kCjk);
  expect_all(U"😀❤⌚", CharKind::kEmoji);
  expect_all(U" _-'。，©€×", CharKind::kOther);
}

TEST(Characters, PF_4_what_is_written_without_spaces_is_no_word_character) {
  std::size_t seen = 0;
  for (char32_t c = 0; c < 0x30000; ++c) {
    if (!is_cjk(c)) continue;
    ++seen;
    EXPECT_EQ(kind_of(c), CharKind::kCjk) << static_cast<std::uint32_t>(c);
    EXPECT_FALSE(is_word_character(c)) << static_cast<std::uint32_t>(c);
  }
  EXPECT_GT(seen, 20000u);
}

TEST(Characters, PF_4_apostrophes_are_straight_or_curly) {
  EXPECT_EQ(apostrophe_at("don't", 3), 1u);
  EXPECT_EQ(apostrophe_at("don’t", 3), 3u);
  EXPECT_EQ(apostrophe_at("don’t", 4), 0u);
  EXPECT_EQ(apostrophe_at("don", 3), 0u);
  EXPECT_EQ(apostrophe_at("x‘y", 1), 0u);
}

}  // namespace
}  // namespace weft
