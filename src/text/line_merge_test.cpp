#include "text/line_merge.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/strings.h"

namespace weft {
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
