#include "eval/write_gate.h"

#include <gtest/gtest.h>

#include <fstream>

namespace weft {
namespace {

std::string write_file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

constexpr const char* kLines = R"({"id":"a","lang":"en","text":"Ann lives in Bern.","kind":"fact"}
{"id":"b","lang":"en","text":"Oh, Ann lives in Bern!","kind":"junk","reason":"duplicate","of":"a"}
{"id":"c","lang":"zh","text":"好的，谢谢","kind":"junk","reason":"empty_talk"}

{"id":"d","lang":"zh","text":"王芳喜欢喝茶","kind":"junk","reason":"empty_talk"}
{"id":"e","lang":"zh","text":"王芳喜欢喝茶。","kind":"fact"}
{"id":"f","lang":"en","text":"You live in Bern with two cats.","kind":"junk","reason":"echo","recalled":["The user lives in Bern with two cats."]}
{"id":"g","lang":"en","text":"Again.","kind":"junk","reason":"loop","recent":["Again.","Again."]}
{"id":"h","lang":"en","text":"Bob came yesterday","kind":"fact","day":1}
{"id":"i","lang":"en","text":"Bob came yesterday","kind":"fact","day":2}
)";

TEST(WriteGateEval, PF_15_counts_by_kind_reason_and_language) {
  const auto report = eval_write_gate({write_file("gate_labels.jsonl", kLines)});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->all.facts, 4);
  EXPECT_EQ(report->all.facts_refused, 1);
  EXPECT_EQ(report->all.junk, 5);
  EXPECT_EQ(report->all.junk_let_in, 1);
  EXPECT_EQ(report->by_language.at("zh").facts_refused, 1);
  EXPECT_EQ(report->by_language.at("en").junk, 3);
  EXPECT_EQ(report->wrong, (std::vector<std::string>{"d", "e"}));
  const std::string json = to_json(*report);
  EXPECT_NE(json.find(R"("empty_talk":{"junk":2,"let_in":1,"facts_refused":0})"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("wrong":["d","e"])"), std::string::npos) << json;
}

TEST(WriteGateEval, PF_15_each_file_begins_anew) {
  const std::string path = write_file("gate_one.jsonl", R"({"id":"a","text":"Ann lives in Bern.","kind":"fact"})");
  const auto report = eval_write_gate({path, path});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->all.facts, 2);
  EXPECT_EQ(report->all.facts_refused, 0);
}

TEST(WriteGateEval, PF_15_errors_name_file_and_line) {
  for (const char* line : {"{}", "no json", R"({"id":"a","text":"b","kind":"other"})", R"([1])",
                           R"({"id":"a","text":"b","kind":"junk","reason":"boring"})"}) {
    const auto report = eval_write_gate({write_file("gate_broken.jsonl", "\n" + std::string(line) + "\n")});
    ASSERT_FALSE(report.ok()) << line;
    EXPECT_NE(report.error().message.find("gate_broken.jsonl:2"), std::string::npos) << report.error().message;
  }
  EXPECT_FALSE(eval_write_gate({"/nowhere.jsonl"}).ok());
}

}  // namespace
}  // namespace weft
