// What is saved for memory before a session gets smaller.
#include <gtest/gtest.h>

#include "flow/compaction/compact.h"
#include "tests/support/compaction_talk.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

using namespace std::chrono_literals;
using test::has, test::has_problem, test::input_of, test::project, test::run;

TEST(Compaction, IC_6_candidates_have_exactly_the_fields) {
  Candidate candidate;
  candidate.candidate_id = "c";
  candidate.source_session_id = SessionId("main");
  candidate.source_message_ids = {MessageId("msg_a"), MessageId("msg_b")};
  candidate.candidate_text = "t";
  candidate.constraint_tags = {"fact"};
  candidate.confidence = 0.5;
  candidate.created_at = parse_time("2026-02-21T12:00:00Z").value();
  test::expect_golden("flush_candidate.json", to_json(candidate) + "\n");
}

std::string tags_of(std::string text) {
  const Message message = test::user(std::move(text), "m");
  std::string tags;
  for (const Candidate& candidate : flush_by_rules({SessionId("s"), {&message}, {}, {}, Language::kEnglish})) {
    for (const std::string& tag : candidate.constraint_tags) tags += tag + " ";
  }
  return tags;
}

TEST(Compaction, IC_6_rules_find_candidates_in_both_languages) {
  EXPECT_EQ(tags_of("I prefer tea."), "user_preference ");
  EXPECT_EQ(tags_of("我更喜欢深色主题。"), "user_preference ");
  EXPECT_NE(tags_of("My goal is to run a marathon.").find("long_term_goal"), std::string::npos);
  EXPECT_NE(tags_of("我的目标是考上大学。").find("long_term_goal"), std::string::npos);
  EXPECT_NE(tags_of("Never delete files without asking.").find("safety_boundary"), std::string::npos);
  EXPECT_NE(tags_of("未经我同意不要删除任何文件。").find("safety_boundary"), std::string::npos);
  EXPECT_NE(tags_of("My order is AB12345.").find("fact"), std::string::npos);
  EXPECT_EQ(tags_of("Thanks, that was great!"), "");
  EXPECT_EQ(tags_of("你好，谢谢！"), "");
  EXPECT_EQ(tags_of("Must I always log in?"), "");
}

TEST(Compaction, IC_7_flush_comes_before_the_summary_and_is_silent) {
  ScriptedChat chat;
  chat.say(
      R"({"candidates":[{"text":"Ticket PROJ-4711 uses argon2","tags":["fact"],"confidence":0.9,"sources":["m3"]},)"
      R"({"text":"Ticket ZZ-999 exists","tags":["fact"],"confidence":0.9,"sources":["m3"]}]})");
  chat.say(R"({"goals":["fix the login"],"decisions":["argon2 for PROJ-4711"],"done":[],"open_items":[],)"
           R"("constraints":[],"facts":["script moved to /made/up/path.sh"],"risks":[]})");
  const auto result = run(input_of(project()), &chat);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->record.report.by, MadeBy::kModel);
  ASSERT_EQ(chat.requests().size(), 2U);
  EXPECT_TRUE(chat.requests()[0].messages[0].content.starts_with("NO_REPLY"));
  EXPECT_FALSE(chat.requests()[0].json_schema.empty());
  ASSERT_EQ(result->record.candidates.size(), 1U);  // what stands nowhere is not taken
  EXPECT_FALSE(has(*result, "/made/up/path.sh"));
  EXPECT_TRUE(has_problem(*result, "compaction.untrue_statements"));
  for (const char* what : {"Never delete the table users_v2 without asking me", "3000", "/opt/deploy/run.sh"})
    EXPECT_TRUE(has(*result, what)) << what;
  EXPECT_FALSE(result->record.report.restored.empty());
}

TEST(Compaction, IC_7_a_rule_turned_round_by_a_model_is_not_taken) {
  ScriptedChat chat;
  chat.say(R"({"candidates":[]})");
  chat.say(R"({"goals":["fix the login"],"decisions":[],"done":[],"open_items":[],)"
           R"("constraints":["Delete the table users_v2, asking me"],"facts":[],"risks":[]})");
  const auto result = run(input_of(project()), &chat);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(has(*result, "Delete the table users_v2, asking me"));
  EXPECT_TRUE(has(*result, "Never delete the table users_v2 without asking me"));
}

TEST(Compaction, IC_8_flush_that_hangs_is_skipped) {
  ScriptedChat chat;
  chat.hang();
  CompactInput input = input_of(project());
  input.options.flush_timeout = 20ms;
  input.options.retries = 0;
  const auto result = run(input, &chat);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->changed);
  EXPECT_TRUE(result->record.report.flush_skipped);
  EXPECT_TRUE(has_problem(*result, "compaction.flush_timeout"));
  EXPECT_TRUE(has_problem(*result, "compaction.summary_failed"));  // the script has no more answers
  EXPECT_EQ(result->record.report.by, MadeBy::kFloor);
}

}  // namespace
}  // namespace weft
