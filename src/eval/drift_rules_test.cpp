// The compaction that the product uses, under the thresholds, and with rules in wordings that none of its tables hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "eval/drift.h"
#include "flow/compaction/anchors.h"

namespace weft {
namespace {

const TokenCounter kTokens{TokenMode::kScript};
constexpr std::size_t kRulesOfSession = 15;

std::vector<std::string> rules(const std::string& language) {
  std::vector<std::string> lines;
  std::ifstream file(std::string(WEFT_TEST_DATA) + "/data/rules/" + language + ".txt");
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

Message said(Role role, std::string text) {
  Message message;
  message.role = role;
  message.content = std::move(text);
  return message;
}

// Ordinary work between what must last; {n} differs each time.
std::vector<std::string> talk(const std::string& language, int number) {
  const std::string n = std::to_string(number);
  if (language == "zh")
    return {"第" + n + "份清单我看过了，里面有三处写得不太清楚。",
            "好的，我看了第" + n +
                "份清单。第二栏的单位和第四栏的合计对不上，我已经重新算了一遍，并把差额写在了备注里，供您核对。",
            "那天的会开得很长，大家谈到了" + n + "号楼的装修，最后也没有结论。",
            "明白。我整理了会上提到的几种方案，分别列出了工期、费用和需要的人手，方便之后比较。"};
  return {
      "I looked through list " + n + " last night and three lines in it were hard to read.",
      "Thank you. I went through list " + n +
          " as well. The units in the second column did not match the total in the "
          "fourth, so I computed it again and wrote the difference into the remarks for you to compare.",
      "The meeting was long, we talked about building " + n + " and came to no conclusion that day.",
      "Understood. I put the options that came up side by side, with the time, the cost and the people each of them "
      "took, so that they can be compared later on."};
}

std::vector<Message> session(const std::string& language, const std::vector<std::string>& some, int salt) {
  std::vector<Message> history;
  int number = salt;
  const auto work = [&] {
    const auto lines = talk(language, ++number);
    for (std::size_t i = 0; i < lines.size(); ++i)
      history.push_back(said(i % 2 == 0 ? Role::kUser : Role::kAssistant, lines[i]));
  };
  for (int i = 0; i < 4; ++i) work();
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto lines = talk(language, ++number);
    // By itself, behind what was told, and in front of it.
    const std::string gap = language == "zh" ? "" : " ";
    const std::string text = i % 3 == 0 ? some[i] : i % 3 == 1 ? lines[0] + gap + some[i] : some[i] + gap + lines[2];
    history.push_back(said(Role::kUser, text));
    history.push_back(said(Role::kAssistant, lines[1]));
    for (int more = 0; more < 3; ++more) work();
  }
  for (int i = 0; i < 12; ++i) work();
  return history;
}

// How many of the rules a compaction to a fifth leaves standing; those that are gone.
std::vector<std::string> lost(const std::string& language, const std::vector<std::string>& all) {
  const Reduce reduce = compaction_reduce(Config(), kTokens, nullptr);
  std::vector<std::string> gone;
  for (std::size_t at = 0; at < all.size(); at += kRulesOfSession) {
    const std::vector<std::string> some(
        all.begin() + static_cast<std::ptrdiff_t>(at),
        all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), at + kRulesOfSession)));
    const auto history = session(language, some, static_cast<int>(at) * 10);
    std::int64_t tokens = 0;
    for (const Message& message : history) tokens += kTokens.count(message.content) + 4;
    const auto reduced = reduce(history, tokens / 5);
    EXPECT_TRUE(reduced.ok());
    const StatedText text(*reduced);
    for (const std::string& rule : some)
      if (!text.says(make_claim(rule))) gone.push_back(rule);
  }
  return gone;
}

void expect_kept(const std::string& language) {
  const auto all = rules(language);
  ASSERT_EQ(all.size(), 60u);
  // The rules of grammar were made with the first half in view; the second was looked at when they were done.
  for (const bool second : {false, true}) {
    const std::vector<std::string> half(all.begin() + (second ? 30 : 0), all.begin() + (second ? 60 : 30));
    const auto gone = lost(language, half);
    std::string list;
    for (const std::string& rule : gone) list += "\n  " + rule;
    testing::Test::RecordProperty((second ? "second_" : "first_") + language,
                                  static_cast<int>(half.size() - gone.size()));
    EXPECT_GE(half.size() - gone.size(), 28u) << (second ? "second" : "first") << " half lost:" << list;
  }
}

TEST(DriftRules, IC_9_rules_in_any_wording_outlast_a_compaction_en) { expect_kept("en"); }
TEST(DriftRules, IC_9_rules_in_any_wording_outlast_a_compaction_zh) { expect_kept("zh"); }

TEST(DriftRules, IC_9_the_real_compaction_keeps_the_thresholds) {
  const auto report = evaluate_drift(shipped_sessions(), compaction_reduce(Config(), kTokens, nullptr), kTokens);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->failed, 0);
  EXPECT_TRUE(missed(*report, {}).empty()) << to_text(*report, {});
  EXPECT_LT(report->tokens_after, report->tokens_before / 2);
}

TEST(DriftRules, IC_9_a_rule_in_the_system_prompt_stands_whole) {
  for (const std::string language : {"en", "zh"}) {
    std::string system = "You help the office.\n";
    for (const std::string& rule : rules(language)) system += "- " + rule + "\n";
    auto history = session(language, {}, 7);
    history.insert(history.begin(), said(Role::kSystem, system));
    const auto reduced = compaction_reduce(Config(), kTokens, nullptr)(history, 1500);
    ASSERT_TRUE(reduced.ok());
    EXPECT_EQ(reduced->front().content, system);
  }
}

}  // namespace
}  // namespace weft
