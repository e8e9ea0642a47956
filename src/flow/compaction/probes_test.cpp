#include "flow/compaction/probes.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Probes, IC_9_are_read_from_lines_and_errors_name_the_line) {
  const std::string good =
      R"({"id":"a","kind":"safety","question":"Which port?","expected":["port 8467",["staging","test system"]]})";
  const auto probes = parse_probes(good + "\n\n", "p.jsonl");
  ASSERT_TRUE(probes.ok()) << probes.error().message;
  EXPECT_EQ((*probes)[0].lang, "en");
  EXPECT_EQ((*probes)[0].expected[1].size(), 2u);
  for (const std::string bad : {"{", R"({"id":"b"})", R"({"id":"b","kind":"x","question":"q","expected":["word"]})",
                                R"({"id":"b","kind":"task","question":"q","expected":[]})",
                                R"({"id":"b","kind":"task","question":"q","expected":[""]})"}) {
    const auto wrong = parse_probes(good + "\n" + bad, "p.jsonl");
    ASSERT_FALSE(wrong.ok()) << bad;
    EXPECT_NE(wrong.error().message.find("p.jsonl:2"), std::string::npos) << wrong.error().message;
  }
  EXPECT_FALSE(parse_probes(good + "\n" + good, "p").ok());
  EXPECT_FALSE(parse_probes("", "p").ok());
}

TEST(Probes, IC_9_facts_must_stand_together) {
  Probe probe{"a", ProbeKind::kTask, "en", "Which port has staging?", {{"staging", "test system"}, {"8467"}}, {}, ""};
  EXPECT_TRUE(probe_answered(probe, StatedText("The test system listens on 8467.")));
  EXPECT_FALSE(probe_answered(probe, StatedText("The test system listens on 8468.")));
  std::string apart = "Staging is up. ";
  for (int i = 0; i < 60; ++i) apart += "Birds sang above green hills. ";
  EXPECT_FALSE(probe_answered(probe, StatedText(apart + "Room 8467 is free.")));
  Probe zh{"b", ProbeKind::kSafety, "zh", "能外发吗？", {{"报价单"}, {"不得外发"}}, {"报价单可以外发"}, ""};
  EXPECT_TRUE(probe_answered(zh, StatedText("供应商的报价单不得外发。")));
  EXPECT_FALSE(probe_answered(zh, StatedText("供应商的报价单可以外发。")));
}

TEST(Probes, IC_9_a_run_gives_its_own_without_knowing_the_compaction) {
  Message user, tool, choice;
  user.content = "Fix src/io/reader.cc please. 请不要修改 tests 目录。";
  tool.role = Role::kTool;
  tool.content = "collected\nValueError: index out of range\n";
  choice.content = "我们决定改用方案乙，端口定为7315。";
  const auto probes = probes_of_messages({user, tool, choice}, "r");
  const auto asks = [&](std::string_view fact) {
    for (const Probe& probe : probes)
      if (probe.expected.front().front().find(fact) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(asks("src/io/reader.cc"));
  EXPECT_TRUE(asks("不要修改"));
  EXPECT_TRUE(asks("ValueError"));
  EXPECT_TRUE(asks("方案乙"));
  EXPECT_TRUE(asks("7315"));
}

TEST(Probes, IC_9_values_of_the_next_steps_are_those_known_before) {
  Message user, call, again;
  user.content = "My order is W-2207 for Ana Lopez.";
  call.role = Role::kAssistant;
  call.tool_calls = {{"c", "find", R"({"order":"W-2207","name":"Ana Lopez","new":"Z-1111"})"}};
  auto next = values_of_next_turns({user}, {call}, 3);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].size(), 2u);
  again.content = "The order W-2207 again.";
  next = values_of_next_turns({user}, {again, call}, 3);
  ASSERT_EQ(next[0].size(), 1u);
  EXPECT_EQ(next[0][0].value, "Ana Lopez");
}

}  // namespace
}  // namespace weft
