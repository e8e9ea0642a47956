#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <set>

#include "base/strings.h"
#include "text/line_diff.h"

namespace weft {

namespace {

using Kind = DiffLine::Kind;

std::string side(const std::vector<DiffLine>& diff, Kind left_out) {
  std::string text;
  for (const auto& line : diff) {
    if (line.kind != left_out) text += std::string(line.text) + "\n";
  }
  return text;
}

std::size_t differences(const std::vector<DiffLine>& diff) {
  return static_cast<std::size_t>(
      std::count_if(diff.begin(), diff.end(), [](const auto& line) { return line.kind != Kind::kSame; }));
}

TEST(LineDiff, CM_8_shows_what_changed) {
  EXPECT_EQ(show_diff(line_diff("a\nb\nc\n", "a\nx\nc\n")), "@@ -1 +1 @@\n a\n-b\n+x\n c\n");
  EXPECT_EQ(show_diff(line_diff("same\n", "same")), "");
  EXPECT_EQ(show_diff(line_diff("", "new\n")), "@@ -1 +1 @@\n+new\n");
  EXPECT_EQ(show_diff(line_diff("old\n", "")), "@@ -1 +1 @@\n-old\n");
  EXPECT_EQ(show_diff(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n"), 1),
            "@@ -1 +1 @@\n+0\n 1\n@@ -8 +9 @@\n 8\n-9\n");
}

TEST(LineDiff, CM_8_both_sides_come_back_and_the_way_is_the_shortest) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::string before, after;
    for (auto left = random() % 12; left > 0; --left)
      before += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
    for (auto left = random() % 12; left > 0; --left)
      after += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
    const auto diff = line_diff(before, after);
    ASSERT_EQ(side(diff, Kind::kAdded), before);
    ASSERT_EQ(side(diff, Kind::kRemoved), after);
    // The longest common part by the textbook table.
    const std::size_t n = before.size() / 2, m = after.size() / 2;
    std::vector<std::vector<std::size_t>> common(n + 1, std::vector<std::size_t>(m + 1));
    for (std::size_t i = 1; i <= n; ++i) {
      for (std::size_t j = 1; j <= m; ++j) {
        common[i][j] = before[2 * i - 2] == after[2 * j - 2] ? common[i - 1][j - 1] + 1
                                                             : std::max(common[i - 1][j], common[i][j - 1]);
      }
    }
    ASSERT_EQ(differences(diff), n + m - 2 * common[n][m]) << before << "---\n" << after;
  }
}

TEST(LineDiff, CM_8_large_texts_take_no_quadratic_time) {
  std::string before, after;
  for (int i = 0; i < 100'000; ++i) {
    before += "b" + std::to_string(i) + "\n";
    after += "a" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(differences(line_diff(before, after)), 200'000u);
  EXPECT_EQ(differences(line_diff(before, before + "x\n")), 1u);
}

}  // namespace

namespace {

TEST(LineMerge, EV_1_untouched_texts_are_exact) {
  EXPECT_EQ(merge_lines("a\r\nb", "a\r\nb", "c"), "c");
  EXPECT_EQ(merge_lines("a\n", "x\r\na", "a\n"), "x\r\na");
  EXPECT_EQ(merge_lines("", "", ""), "");
}

TEST(LineMerge, EV_1_what_a_person_changed_stays) {
  const std::string base = "one\ntwo\nthree\n";
  EXPECT_EQ(merge_lines(base, "one\nmine\ntwo\nthree\n", "one\ntwo\nthree\nfour\n"), "one\nmine\ntwo\nthree\nfour\n");
  EXPECT_EQ(merge_lines(base, "one\nthree\n", "one\ntwo\nthree\nfour\n"), "one\nthree\nfour\n");
  EXPECT_EQ(merge_lines(base, "one\nTWO, but\nthree\n", "one\ntwo!\nthree\n"), "one\nTWO, but\nthree\n");
  EXPECT_EQ(merge_lines(base, "one\n我的\ntwo\nthree\n", ""), "我的\n");
  EXPECT_EQ(merge_lines(base, "", "one\ntwo\nthree\nfour\n"), "four\n");
}

TEST(LineMerge, EV_1_no_line_of_theirs_is_lost_in_random_texts) {
  std::mt19937 random(7);
  const auto text = [&](const std::string& like, const std::string& own) {
    std::string made;
    for (const std::string_view line : lines_of(like))
      if (random() % 5 != 0) made.append(line) += "\n";
    for (int i = 0; i < 3; ++i) {
      const auto lines = lines_of(made);
      std::size_t at = 0;
      for (std::size_t n = lines.empty() ? 0 : random() % (lines.size() + 1); n > 0; --n) at = made.find('\n', at) + 1;
      made.insert(at, own + std::to_string(random() % 100) + "\n");
    }
    return made;
  };
  for (int round = 0; round < 300; ++round) {
    std::string base;
    for (int i = 0; i < 12; ++i) base += "line " + std::to_string(random() % 9) + "\n";
    const std::string now = text(base, "theirs "), wanted = text(base, "ours ");
    const std::string merged = merge_lines(base, now, wanted);
    std::multiset<std::string_view> left;
    for (const std::string_view line : lines_of(merged)) left.insert(line);
    for (const std::string_view line : lines_of(now))
      EXPECT_TRUE(!line.starts_with("theirs") || left.contains(line)) << line << "\n" << merged;
  }
}

}  // namespace

}  // namespace weft
