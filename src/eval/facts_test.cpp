#include "eval/facts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class Facts : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << text;
  }
  Result<FactReport> judge(const std::string& lines, std::vector<std::string> explain = {}) {
    write("facts.jsonl", lines);
    return eval_facts({(folder_.path() / "facts.jsonl").string()}, {folder_.path().string(), std::move(explain)});
  }

  test::TemporaryFolder folder_;
};

TEST_F(Facts, CM_9_what_is_read_is_judged_by_holder_value_and_denial) {
  write("segment/talks.jsonl",
        R"({"id":"t","turns":[{"role":"user","text":"I live in Porto and my sister has two dogs."},)"
        R"({"role":"assistant","text":"Nice."},{"role":"user","text":"I don't drink coffee."},)"
        R"({"role":"user","text":"I bought a red tent last week."}]})"
        "\n");
  const auto report = judge(
      R"({"source":"segment/talks.jsonl","dialogue":"t","turn":0,"facts":[{"holder":"user","value":["Porto"]},{"holder":"sister","value":["two cats","two dogs"]}]}
{"source":"segment/talks.jsonl","dialogue":"t","turn":2,"facts":[{"holder":"user","value":["coffee"],"kind":"negated"},{"holder":"user","value":["tea"]}]}
{"source":"segment/talks.jsonl","dialogue":"t","turn":3,"facts":[]}
)",
      {"talks"});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const FactCounts& counts = report->by_source.at("talks");
  EXPECT_EQ(counts.messages, 3);
  EXPECT_EQ(counts.stated, 4);
  EXPECT_EQ(counts.right, 3) << to_json(*report);
  EXPECT_EQ(counts.wrong, 1) << "what nobody stated: " << to_json(*report);
  EXPECT_EQ(report->misses.size(), 2u);
}

TEST_F(Facts, PF_19_what_is_light_is_neither_missed_nor_wrong) {
  write("segment/talks.jsonl",
        R"({"id":"t","turns":[{"role":"user","text":"I live in Porto. I bought a red tent last week."},)"
        R"({"role":"user","text":"I bought a red tent last week."}]})"
        "\n");
  const auto report = judge(
      R"({"source":"segment/talks.jsonl","dialogue":"t","turn":0,"facts":[{"holder":"user","value":["Porto"]},{"holder":"user","value":["tent"],"kind":"light"},{"holder":"user","value":["a long walk"],"kind":"light"}]}
{"source":"segment/talks.jsonl","dialogue":"t","turn":1,"facts":[]}
)");
  ASSERT_TRUE(report.ok()) << report.error().message;
  const FactCounts& counts = report->by_source.at("talks");
  EXPECT_EQ(counts.stated, 1);
  EXPECT_EQ(counts.right, 1);
  EXPECT_EQ(counts.read, 3);
  EXPECT_EQ(counts.light, 1) << "the tent of the first message";
  EXPECT_EQ(counts.wrong, 1) << "that of the second, where nobody took it for stated";
}

TEST_F(Facts, PF_19_a_reader_is_measured_by_another_one_as_a_program_is) {
  write("segment/talks.jsonl",
        R"({"id":"t","turns":[{"role":"user","text":"My sister has two dogs and I never swim."},)"
        R"({"role":"user","text":"I live in Porto."}]})"
        "\n");
  write(
      "facts.jsonl",
      R"({"source":"segment/talks.jsonl","dialogue":"t","turn":0,"facts":[{"holder":"sister","value":["dogs"]},{"holder":"user","value":["swim"],"kind":"negated"}]}
{"source":"segment/talks.jsonl","dialogue":"t","turn":1,"facts":[{"holder":"user","value":["Porto"]}]}
)");
  write(
      "second.jsonl",
      R"({"source":"segment/talks.jsonl","dialogue":"t","turn":0,"facts":[{"holder":"sister","value":["two dogs"]},{"holder":"user","value":["a pool"]}]}
)");
  FactOptions options;
  options.data = folder_.path().string();
  options.readers = {(folder_.path() / "second.jsonl").string()};
  const auto report = eval_facts({(folder_.path() / "facts.jsonl").string()}, options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const FactCounts& counts = report->by_source.at("talks");
  EXPECT_EQ(counts.messages, 1) << "what the other one did not judge is left out";
  EXPECT_EQ(counts.stated, 2);
  EXPECT_EQ(counts.right, 1);
  EXPECT_EQ(counts.read, 2);
  EXPECT_EQ(counts.wrong, 1);
}

TEST_F(Facts, CM_9_what_cannot_be_read_is_named) {
  EXPECT_NE(judge("{\"source\":1}\n").error().message.find("facts.jsonl:1"), std::string::npos);
  EXPECT_EQ(judge(R"({"source":"no.jsonl","dialogue":"d","turn":0,"facts":[]})").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(eval_facts({"/nowhere.jsonl"}, {}).ok());
}

}  // namespace

}  // namespace weft
