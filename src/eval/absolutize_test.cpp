#include "eval/absolutize.h"

#include <gtest/gtest.h>

#include <fstream>

namespace weft {
namespace {

std::string write_file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

TEST(Absolutize, CM_4_words_are_compared_in_lower_case_with_marks) {
  EXPECT_EQ(rewrite_words("It's Ann, 42!"), (std::vector<std::string>{"it", "'", "s", "ann", ",", "42", "!"}));
}

TEST(Absolutize, CM_4_bleu_by_hand) {
  Bleu same;
  same.add({"a", "b", "c", "d", "e"}, {{"a", "b", "c", "d", "e"}});
  EXPECT_DOUBLE_EQ(same.score(), 1);
  Bleu shorter;  // every gram is there, five words against six: e^(1 - 6/5)
  shorter.add({"a", "b", "c", "d", "e"}, {{"a", "b", "c", "d", "e", "f"}});
  EXPECT_NEAR(shorter.score(), 0.818730753, 1e-9);
  Bleu nothing;
  nothing.add({"x"}, {{"a"}});
  EXPECT_DOUBLE_EQ(nothing.score(), 0);
}

TEST(Absolutize, CM_4_chinese_is_compared_by_its_characters) {
  EXPECT_EQ(rewrite_words("他来了，OK"), (std::vector<std::string>{"他", "来", "了", "，", "ok"}));
  Bleu copy;
  copy.add(rewrite_words("他来了吗？"), {rewrite_words("李雷来了吗？")});
  EXPECT_GT(copy.score(), 0);
}

TEST(Absolutize, CM_4_the_report) {
  const auto path = write_file(
      "weft_rewrites.jsonl",
      "{\"id\":\"1\",\"context\":[\"Hi.\",\"My sister is a nurse.\"],\"speaker\":\"Ann\",\"hearer\":\"Bob\","
      "\"text\":\"Is she happy?\",\"rewritten\":\"Is Bob's sister happy?\","
      "\"judged\":[{\"word\":\"she\",\"means\":[\"Bob's sister\"]}]}\n"
      "{\"id\":\"2\",\"context\":[],\"text\":\"A quiet inn in the north.\",\"rewritten\":\"A quiet inn in the "
      "north.\"}\n"
      "{\"id\":\"3\",\"context\":[],\"text\":\"He came yesterday.\",\"spoken\":\"2026-03-05T14:30:00Z\","
      "\"judged\":[{\"word\":\"He\",\"means\":[\"Tom\"]},{\"word\":\"yesterday\",\"means\":[\"3 March 2026\"]}]}\n");
  const auto report = eval_rewrites({path});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->turns, 3);
  EXPECT_DOUBLE_EQ(report->restored, 1);
  EXPECT_EQ(report->right, 1);
  EXPECT_EQ(report->open, 1);
  EXPECT_EQ(report->wrong, 1);
  EXPECT_DOUBLE_EQ(report->exact, 1);
  EXPECT_DOUBLE_EQ(report->unchanged_kept, 1);
  EXPECT_DOUBLE_EQ(report->copy_exact, 0.5);
  EXPECT_NE(to_json(*report).find("\"turns\":3"), std::string::npos);
}

TEST(Absolutize, CM_4_bad_files_are_named) {
  EXPECT_FALSE(eval_rewrites({"/nowhere.jsonl"}).ok());
  const auto report = eval_rewrites({write_file("weft_rewrites_bad.jsonl", "{\"id\":\"1\"}\n")});
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("weft_rewrites_bad.jsonl:1"), std::string::npos);
}

}  // namespace
}  // namespace weft
