// The files of rules in lexicon/time/, and what a line of them must be.
#include "text/time/rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/lexicon.h"

namespace weft::timex {
namespace {

std::vector<std::size_t> broken_lines(std::string_view source) {
  std::vector<std::size_t> broken;
  read_rules(source, &broken);
  return broken;
}

TEST(TimeRules, CM_4_each_line_of_the_files_is_a_rule) {
  std::size_t files = 0;
  for (unsigned i = 0; i < lexicon_file_count; ++i) {
    const LexiconFile& file = lexicon_file_list[i];
    if (!file.id.starts_with("time/") || file.id == "time/holidays") continue;
    ++files;
    EXPECT_EQ(broken_lines(file.source), std::vector<std::size_t>()) << file.id;
    EXPECT_GT(read_rules(file.source).size(), 20u) << file.id;
  }
  EXPECT_EQ(files, 3u);
}

TEST(TimeRules, CM_4_a_broken_line_is_reported_with_its_number) {
  const std::string source =
      "# a comment\n"
      "today => unit(day, 0)\n"
      "no arrow\n"
      "<nothing> => now()\n"
      "now => unknown(1)\n"
      "<int> days => amount($2, day)\n"
      "soon => unit(day\n"
      "later => unit(day, 1, 2)\n"
      "the {day} => unit(day, 0)\n"
      "long|\n"
      "    words => unit(day, 1)\n";
  EXPECT_EQ(broken_lines(source), (std::vector<std::size_t>{3, 4, 5, 6, 7, 8, 9}));
  const auto rules = read_rules(source);
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[1].pattern, "long|words");
}

TEST(TimeRules, CM_4_a_rule_with_variants_is_one_for_each) {
  const auto rules = read_rules("{era 1911} 民国\n{era 1661} 康熙\n{era} <int> 年 => year({era} + $1) if $1 < 200\n");
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].pattern, "民国 <int> 年");
  const auto made = [&](std::size_t rule, double number) {
    const Node count = number_node(number);
    const std::vector<const Node*> nodes{&count};
    const auto node = rules[rule].make(Args{Setting{}, nodes});
    return node ? civil(resolve(*node->when, {})->from.value()).year : 0;
  };
  EXPECT_EQ(made(0, 14), 1925);
  EXPECT_EQ(made(1, 50), 1711);
  EXPECT_EQ(made(0, 200), 0);
}

}  // namespace
}  // namespace weft::timex
