#include <gtest/gtest.h>
#include <unicode/brkiter.h>
#include <unicode/utext.h>
#include <algorithm>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "text/utf8.h"

namespace weft {

namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

TEST(Utf8, finds_the_first_broken_byte) {
  EXPECT_EQ(find_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("plain, 中文, 😀, \0 too"sv), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("ab\xFF"), 2U);
  EXPECT_EQ(find_invalid_utf8("0123456789\xC3"), 10U);        // cut off
  EXPECT_EQ(find_invalid_utf8("\xC0\xAF"), 0U);               // overlong
  EXPECT_EQ(find_invalid_utf8("\xE0\x80\x80"), 0U);           // overlong
  EXPECT_EQ(find_invalid_utf8("x\xED\xA0\x80"), 1U);          // surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0U);       // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("中\x80"), 3U);                 // continuation without a lead
  EXPECT_EQ(find_invalid_utf8("\xF0\x9F\x98\x80\xE4\xB8"), 4U);
}

TEST(Utf8, repair_gives_valid_text_and_leaves_valid_text_alone) {
  EXPECT_EQ(repair_utf8("中文 ok 😀"), "中文 ok 😀");
  EXPECT_EQ(repair_utf8("a\xFF"
                        "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(repair_utf8("a\0b"sv), "ab");
  EXPECT_EQ(repair_utf8("\xE4\xB8"), "\xEF\xBF\xBD");
  for (unsigned seed = 1; seed < 500; ++seed) {
    std::string bytes;
    unsigned x = seed;
    for (int i = 0; i < 40; ++i, x = x * 1103515245U + 12345U) bytes.push_back(static_cast<char>(x >> 16));
    EXPECT_EQ(find_invalid_utf8(repair_utf8(bytes)), std::nullopt);
  }
}

TEST(Utf8, cut_never_splits_a_character) {
  EXPECT_EQ(cut_bytes("hello", 9), "hello");
  EXPECT_EQ(cut_bytes("hello", 3), "hel");
  EXPECT_EQ(cut_bytes("hello", 0), "");
  EXPECT_EQ(cut_bytes("中文", 5), "中");
  EXPECT_EQ(cut_bytes("中文", 2), "");
  EXPECT_EQ(cut_bytes("ae\xCC\x81z", 2), "a");                          // e with its accent stays whole
  EXPECT_EQ(cut_bytes("ae\xCC\x81z", 4), "ae\xCC\x81");
  EXPECT_EQ(cut_bytes("hi 👍🏽!", 7), "hi ");                             // thumb without its colour
  EXPECT_EQ(cut_bytes("hi 👨‍👩‍👧!", 14), "hi ");                           // family without its child
  EXPECT_EQ(cut_bytes("a\r\nb", 2), "a");
  const std::string flags = "🇩🇪🇨🇳";
  EXPECT_EQ(cut_bytes(flags, 12), "🇩🇪");
  const std::string text = "a中é😀👍🏽e\xCC\x81 b";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const auto cut = cut_bytes(text, n);
    EXPECT_LE(cut.size(), n);
    EXPECT_EQ(find_invalid_utf8(cut), std::nullopt) << n;
  }
}

TEST(Utf8, preview_counts_characters_as_people_see_them) {
  EXPECT_EQ(preview("short", 10), "short");
  EXPECT_EQ(preview("exact", 5), "exact");
  EXPECT_EQ(preview("longer", 4), "long…");
  EXPECT_EQ(preview("一二三四", 2), "一二…");
  EXPECT_EQ(preview("👍🏽👍🏽", 1), "👍🏽…");
  EXPECT_EQ(preview("a\nb\r\nc\td", 9), "a b c d");
  EXPECT_EQ(preview("", 3), "");
  EXPECT_EQ(preview("x", 0), "…");
}

TEST(Utf8, characters_end_where_the_tables_say_in_any_mix) {
  const std::vector<std::string> pieces{
      "a", "b ", "\r\n", "\n", "中", "文。", "e\u0301", "\u0301", "👩‍👩‍👧", "🇩🇪", "한", "ก็", "\r"};
  std::mt19937 random(7);
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> tables(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  ASSERT_TRUE(U_SUCCESS(status));
  for (int run = 0; run < 500; ++run) {
    std::string text;
    for (std::size_t i = random() % 12; i > 0; --i) text += pieces[random() % pieces.size()];
    UText view = UTEXT_INITIALIZER;
    utext_openUTF8(&view, text.data(), static_cast<std::int64_t>(text.size()), &status);
    tables->setText(&view, status);
    std::vector<std::size_t> ends{0};
    for (tables->first(); tables->next() != icu::BreakIterator::DONE;)
      ends.push_back(static_cast<std::size_t>(tables->current()));
    utext_close(&view);
    for (std::size_t most = 0; most <= text.size(); ++most) {
      const auto longest = *std::prev(std::upper_bound(ends.begin(), ends.end(), most));
      EXPECT_EQ(cut_bytes(text, most).size(), longest) << text << " " << most;
    }
    for (std::size_t count = 0; count < ends.size(); ++count) {
      const std::string shown = preview(text, count);
      EXPECT_EQ(shown.ends_with("…"), count + 1 < ends.size()) << text << " " << count;
    }
  }
}

TEST(Utf8, knows_scripts_without_spaces) {
  for (const char32_t c : std::u32string_view(U"中々〇ひカーㄅ豈\U00020000")) {
    EXPECT_TRUE(is_cjk(c)) << static_cast<unsigned>(c);
  }
  for (const char32_t c : std::u32string_view(U"aé한1。，😀 ")) {
    EXPECT_FALSE(is_cjk(c)) << static_cast<unsigned>(c);
  }
}

TEST(Utf8, reads_code_points_and_survives_broken_bytes) {
  const std::string text = "a中\xFF😀";
  std::u32string read;
  for (std::size_t at = 0; at < text.size();) read.push_back(next_code_point(text, at));
  EXPECT_EQ(read, U"a中\uFFFD😀");
}

TEST(Utf8, ten_megabytes_without_a_space) {
  std::string big;
  while (big.size() < 10'000'000) big += "永";
  EXPECT_EQ(find_invalid_utf8(big), std::nullopt);
  EXPECT_EQ(cut_bytes(big, 9'999'998).size() % 3, 0U);
  EXPECT_EQ(preview(big, 2), "永永…");
}

}  // namespace

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
