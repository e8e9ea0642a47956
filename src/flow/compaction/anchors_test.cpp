#include "flow/compaction/anchors.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft {
namespace {

constexpr std::string_view kAgents = R"(---
title: rules
---
# Workflow
- Always run the whole test suite before you open a pull request.
- At most 3 files may change in one pull request.
- Never delete the production database.

Ordinary prose about the weather is no rule.

## Safety
- Secrets from `config/secrets.yaml` must not be printed.

## Examples
- Never eat yellow snow.

```
must never be read: code
```
<!-- You must not read comments. -->
> You must never quote.
)";

constexpr std::string_view kSoul = R"(# 身份
- 你是书店的运营助理，不代表老板作出承诺。

# 安全红线
- 不得向任何人透露顾客的手机号。
- 单笔退款不超过200元。
- 未经确认禁止群发短信。

例如：不要相信天气预报。
)";

constexpr std::string_view kUser = R"(# 偏好
- 语言：简体中文
- 报告里的金额保留两位小数

The user prefers short answers without tables.
)";

std::vector<Anchor> all() {
  return find_anchors(
      {{"AGENTS.md", std::string(kAgents)}, {"SOUL.md", std::string(kSoul)}, {"USER.md", std::string(kUser)}});
}

bool stands(std::string_view anchor, std::string_view context) {
  return anchor_stands({AnchorKind::kTask, "AGENTS.md", 1, std::string(anchor), false}, StatedText(context));
}

TEST(Anchors, IC_9_are_found_by_structure_and_wording_in_both_languages) {
  const auto anchors = all();
  const auto find = [&](std::string_view part) -> const Anchor* {
    const auto at = std::find_if(anchors.begin(), anchors.end(),
                                 [&](const Anchor& anchor) { return anchor.text.find(part) != std::string::npos; });
    return at == anchors.end() ? nullptr : &*at;
  };
  for (const auto& anchor : anchors) SCOPED_TRACE(anchor.text);
  ASSERT_EQ(anchors.size(), 11u);
  EXPECT_EQ(find("test suite")->line, 5u);
  EXPECT_EQ(find("test suite")->kind, AnchorKind::kTask);
  EXPECT_EQ(find("production")->kind, AnchorKind::kSafety);
  EXPECT_TRUE(find("production")->forbids);
  EXPECT_EQ(find("secrets.yaml")->kind, AnchorKind::kSafety);
  EXPECT_EQ(find("运营助理")->kind, AnchorKind::kRole);
  EXPECT_EQ(find("手机号")->kind, AnchorKind::kSafety);
  EXPECT_EQ(find("群发")->kind, AnchorKind::kSafety);
  EXPECT_EQ(find("简体中文")->kind, AnchorKind::kPreference);
  EXPECT_EQ(find("short answers")->kind, AnchorKind::kPreference);
  for (const std::string_view none : {"snow", "code", "comments", "quote", "天气", "weather"})
    EXPECT_EQ(find(none), nullptr) << none;
}

TEST(Anchors, IC_9_a_dropped_line_no_longer_stands) {
  const auto anchors = all();
  for (const Anchor& dropped : anchors) {
    std::string whole, rest;
    for (const Anchor& anchor : anchors) {
      whole += anchor.text + "\n";
      if (&anchor != &dropped) rest += anchor.text + "\n";
    }
    EXPECT_TRUE(anchor_stands(dropped, StatedText(whole))) << dropped.text;
    EXPECT_FALSE(anchor_stands(dropped, StatedText(rest))) << dropped.text;
  }
}

TEST(Anchors, IC_9_a_negated_line_does_not_stand) {
  EXPECT_FALSE(stands("Never delete the production database.", "Delete the production database."));
  EXPECT_FALSE(stands("Never delete the production database.", "You may delete the production database."));
  EXPECT_FALSE(stands("Always run the test suite.", "Never run the test suite."));
  EXPECT_FALSE(stands("Always run the test suite.", "You do not always have to run the test suite."));
  EXPECT_FALSE(stands("The user likes coriander in soup.", "The user does not like coriander in soup."));
  EXPECT_FALSE(stands("不得删除生产数据库", "可以删除生产数据库"));
  EXPECT_FALSE(stands("回答必须使用简体中文", "回答不要使用简体中文"));
  EXPECT_FALSE(stands("未经确认禁止群发短信", "可以群发短信，请确认"));
}

TEST(Anchors, IC_9_a_changed_number_or_limit_does_not_stand) {
  EXPECT_FALSE(
      stands("At most 3 files may change in one pull request.", "At most 30 files may change in one pull request."));
  EXPECT_FALSE(
      stands("At most 3 files may change in one pull request.", "At least 3 files may change in one pull request."));
  EXPECT_FALSE(stands("单笔退款不超过200元", "单笔退款不超过2000元"));
  EXPECT_FALSE(stands("单笔退款不超过200元", "单笔退款至少200元"));
  EXPECT_FALSE(stands("Back up to host db-7.example.net every night", "Back up to host db-9.example.net every night"));
  EXPECT_FALSE(stands("Write to `src/io/reader.cc` only", "Write to `src/io/writer.cc` only"));
}

TEST(Anchors, IC_9_another_wording_stands) {
  EXPECT_TRUE(stands("Never delete the production database.", "The production database must not be deleted."));
  EXPECT_TRUE(
      stands("Never delete the production database.", "- constraint: deleting the production database is forbidden"));
  EXPECT_TRUE(stands("At most 3 files may change in one pull request.",
                     "In one pull request no more than three files change."));
  EXPECT_TRUE(stands("不得删除生产数据库", "约束：生产数据库禁止删除"));
  EXPECT_TRUE(stands("单笔退款不超过200元", "退款单笔最多200元"));
  EXPECT_TRUE(stands("单笔退款不超过二百元", "单笔退款不超过200元"));
}

TEST(Anchors, IC_3_words_far_apart_are_no_statement) {
  std::string far = "Never forget the weather. Delete the old notes. ";
  for (int i = 0; i < 40; ++i) far += "Something else was said about gardens and trains. ";
  EXPECT_FALSE(stands("Never delete the production database.", far + "The production line has a database."));
}

TEST(Anchors, IC_9_what_a_user_says_in_passing_is_found) {
  const auto said = find_spoken_anchors(
      "Thanks!\n<issue>\nYou must not read this.\n</issue>\nPlease do not touch the files under tests/.\nI've heard it "
      "is "
      "raining. You don't have to hurry. Which one should I take?",
      "user");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].forbids);
  EXPECT_EQ(said[0].kind, AnchorKind::kSafety);
  EXPECT_TRUE(find_spoken_anchors("I'd like a second room, and we don't have any pets.", "user").empty());
  EXPECT_EQ(find_spoken_anchors("I'd like a second room, and please don't put us on the ground floor.", "user").size(),
            1u);
  const auto zh = find_spoken_anchors("好的。以后都用表格给我看，另外千万不要动财务目录。今天天气不错。", "user");
  ASSERT_EQ(zh.size(), 1u);
  EXPECT_TRUE(zh[0].forbids);
}

TEST(Anchors, IC_9_bad_input_has_a_defined_result) {
  EXPECT_TRUE(find_anchors({}).empty());
  EXPECT_TRUE(find_anchors({{"AGENTS.md", ""}}).empty());
  EXPECT_FALSE(stands("", "anything"));
  EXPECT_FALSE(stands("Never delete the production database.", ""));
  std::string broken = "- Never delete \xff\xfe the database \xc3";
  EXPECT_EQ(find_anchors({{"AGENTS.md", broken}}).size(), 1u);
  const std::string line(1 << 20, 'x');
  EXPECT_TRUE(find_anchors({{"AGENTS.md", "- must " + line}}).empty());
  std::string fences;
  for (int i = 0; i < 20'000; ++i) fences += "<!--\n<a>\n";
  EXPECT_TRUE(find_anchors({{"AGENTS.md", fences}}).empty());
  std::string repeated;
  for (int i = 0; i < 20'000; ++i) repeated += "Delete the production database. ";
  EXPECT_FALSE(stands("Never delete the production database.", repeated));
}

TEST(Anchors, IC_9_a_statement_stands_in_its_own_text_whatever_its_neighbours_forbid) {
  const std::string rules =
      "- Refunds: Tickets of the cheapest class cannot be refunded. Other tickets can be refunded within a day.\n"
      "- If you answer the guest, you should not open the door at the same time.\n";
  for (const Anchor& anchor : find_anchors({{"AGENTS.md", rules}}))
    EXPECT_TRUE(anchor_stands(anchor, StatedText(rules))) << anchor.text;
  const auto anchors = find_anchors({{"AGENTS.md", "- Tickets of the cheapest class cannot be refunded.\n"}});
  ASSERT_EQ(anchors.size(), 1u);
  EXPECT_FALSE(anchor_stands(anchors[0], StatedText("Tickets of the cheapest class can be refunded.")));
}

}  // namespace
}  // namespace weft
