#include "flow/compaction/compact.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "flow/compaction/key_facts.h"
#include "flow/compaction/summarise.h"
#include "flow/compaction/tool_output.h"
#include "tests/support/compaction_talk.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

using test::has, test::has_problem, test::input_of, test::kTokens, test::project, test::run, test::Talk, test::text_of;

TEST(Compaction, IC_3_last_turns_and_what_must_stay_are_verbatim) {
  const Talk talk = project();
  CompactInput input = input_of(talk);
  input.mode_constraints = {"chat_safe: no shell commands"};
  input.task.description = "Repair the login";
  input.task.remaining = {"write the release note"};
  const auto result = run(input);
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->changed);
  EXPECT_EQ(result->record.report.turns_kept, 8U);
  const std::size_t kept = 16;
  ASSERT_EQ(result->messages.size(), kept + 1);
  for (std::size_t i = 0; i < kept; ++i)
    EXPECT_EQ(result->messages[i + 1].content, talk.history[talk.history.size() - kept + i].content);
  for (const char* what : {"chat_safe: no shell commands", "Repair the login", "write the release note",
                           "Never delete the table users_v2 without asking me", "3000", "/opt/deploy/run.sh"})
    EXPECT_TRUE(has(*result, what)) << what;
}

TEST(Compaction, IC_3_an_anchor_is_checked_by_content) {
  CompactInput input = input_of(project());
  input.anchors = {"Never reveal the key of vault 7.", "Answer politely."};
  input.system = "Rules: Answer politely.";
  const auto result = run(input);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(has(*result, "Never reveal the key of vault 7."));
  EXPECT_FALSE(has(*result, "Answer politely."));
  const auto& restored = result->record.report.restored;
  EXPECT_NE(std::find(restored.begin(), restored.end(), "Never reveal the key of vault 7."), restored.end());
}

TEST(Compaction, IC_4_key_facts_are_what_nobody_can_guess_again) {
  std::string found;
  for (const KeyFact& fact :
       key_facts("See https://a.example/x?y=1, /srv/app/main.cpp:12, ann@b.example, HAT017, order_42 on "
                 "2024-05-27; 20kg for $30, and/or he/she, ${root}/lib/x"))
    found += std::string(fact.text) + " ";
  EXPECT_EQ(found, "https://a.example/x?y=1 /srv/app/main.cpp ann@b.example HAT017 order_42 2024-05-27 ");
}

TEST(Compaction, IC_4_summary_has_its_lists_and_drops_small_talk) {
  CompactInput input = input_of(project());
  input.options.keep_turns = 2;
  input.options.most_share = 0.4;
  const auto result = run(input);
  ASSERT_TRUE(result.ok());
  const Summary& summary = result->record.summary;
  EXPECT_FALSE(summary.goals.empty());
  EXPECT_FALSE(summary.decisions.empty());
  ASSERT_FALSE(summary.risks.empty());
  EXPECT_NE(summary.risks.front().find("Permission denied"), std::string::npos);
  EXPECT_GE(summary.constraints.size(), 2U);
  EXPECT_GE(result->record.report.messages_cut, 2U);
  EXPECT_FALSE(has(*result, "You're welcome!"));
  EXPECT_TRUE(has(*result, "PROJ-4711"));
}

TEST(Compaction, IC_3_what_a_session_was_begun_for_outlasts_a_hundred_routine_requests) {
  Talk talk;
  talk.user("Hello! I am planning a walk along the coast from Oban to Mallaig for the 14th of June.");
  talk.assistant("Good. What shall I look up first?");
  talk.user("Please call the northern half \"Silver leg\" in every note.").assistant("Silver leg it is.");
  for (int i = 0; i < 100; ++i) {
    talk.user("Please look up the ferry timetable number " + std::to_string(4100 + i) + ".");
    talk.assistant("The timetable " + std::to_string(4100 + i) + " has nothing unusual.");
  }
  talk.filler(8);
  CompactInput input = input_of(talk);
  input.options.target_tokens = 700;
  const auto made = run(input);
  ASSERT_TRUE(made.ok());
  const Summary& summary = made->record.summary;
  ASSERT_FALSE(summary.goals.empty());
  EXPECT_EQ(summary.goals.front(), "I am planning a walk along the coast from Oban to Mallaig for the 14th of June.");
  EXPECT_TRUE(has(*made, "Silver leg"));
  // What is asked again and again with other numbers stands for itself once or twice, not a hundred times.
  const auto routine = std::count_if(summary.goals.begin(), summary.goals.end(), [](const std::string& goal) {
    return goal.find("ferry timetable number") != std::string::npos;
  });
  EXPECT_LE(routine, 12);
}

TEST(Compaction, IC_3_what_a_session_was_begun_for_outlasts_as_many_other_requests) {
  Talk talk;
  talk.user("We restore the old organ of the chapel on the hill, pipe by pipe.");
  talk.assistant("Understood.");
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'd'; ++b) {
      const std::string pipe = std::string(3, a) + std::string(3, b);
      talk.user("Please order the parts for register " + pipe + " from workshop " + pipe + "-17 today.");
      talk.assistant("The parts for register " + pipe + " are ordered.");
    }
  }
  talk.filler(8);
  CompactInput input = input_of(talk);
  input.options.target_tokens = 900;
  const auto made = run(input);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(has(*made, "We restore the old organ of the chapel on the hill")) << render_summary(made->record.summary);
}

TEST(Compaction, IC_4_an_answer_is_no_goal_and_a_label_no_fact) {
  Talk talk;
  talk.user("Book me a seat on the night train to Lyon.").assistant("Gladly. What is your customer number?");
  talk.user("It is K-48213, and I travel with one bicycle.");
  talk.assistant(
      "Thank you.\n\n**Your booking so far:**\n- **Train**: NJ 471 leaves at 21:05\n- **Price**: 80 euros\n");
  talk.filler(30);
  const auto made = run(input_of(talk));
  ASSERT_TRUE(made.ok());
  const Summary& summary = made->record.summary;
  EXPECT_EQ(summary.goals.front(), "Book me a seat on the night train to Lyon.");
  EXPECT_EQ(std::count(summary.goals.begin(), summary.goals.end(), "It is K-48213, and I travel with one bicycle."), 0);
  EXPECT_TRUE(has(*made, "It is K-48213, and I travel with one bicycle."));
  EXPECT_TRUE(has(*made, "Train: NJ 471 leaves at 21:05")) << render_summary(summary);
  EXPECT_FALSE(has(*made, "Your booking so far"));
  EXPECT_EQ(one_line("- **Price with coupons**: call(**options)", 100), "Price with coupons: call(**options)");
  EXPECT_EQ(one_line("use **both** of **them**.", 100), "use both of them.");
  EXPECT_EQ(one_line("2**3 is 8, x ** 2 is more", 100), "2**3 is 8, x ** 2 is more");
}

TEST(Compaction, IC_5_report_counts_what_was_kept_summarised_and_cut) {
  const Talk talk = project();
  const auto result = run(input_of(talk));
  ASSERT_TRUE(result.ok());
  const CompactionReport& report = result->record.report;
  EXPECT_EQ(report.messages_kept + report.messages_summarised + report.messages_cut, talk.history.size());
  EXPECT_EQ(result->record.summary.covers.size(), report.messages_summarised + report.messages_cut);
  EXPECT_LT(report.tokens_after, report.tokens_before);
  const auto again = parse_compaction(to_json(result->record));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(to_json(*again), to_json(result->record));
  EXPECT_FALSE(parse_compaction(R"({"summary":{"goals":"x"}})").ok());
  EXPECT_FALSE(parse_compaction(R"({"candidates":[{"confidence":2}]})").ok());
  EXPECT_FALSE(parse_compaction("[").ok());
}

TEST(Compaction, IC_8_nonsense_is_asked_for_once_more_then_the_floor_stands) {
  ScriptedChat chat;
  chat.say(R"({"candidates":[]})").say("la la la").say(R"({"goals":[]})");
  const auto result = run(input_of(project()), &chat);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(chat.requests().size(), 3U);
  EXPECT_FALSE(result->record.report.flush_skipped);
  EXPECT_EQ(result->record.report.by, MadeBy::kFloor);
  EXPECT_TRUE(has(*result, "/opt/deploy/run.sh"));
}

TEST(Compaction, IC_8_a_summary_that_is_not_smaller_falls_back_to_light_trimming) {
  Talk talk;
  talk.user("a1")
      .assistant("b2")
      .user("ok thanks, you're welcome, bye bye!")
      .assistant("You're welcome! Have a nice day!");
  talk.user("c3?").assistant("d4").user("e5?").assistant("f6");
  CompactInput input = input_of(talk);
  input.options.keep_turns = 2;
  input.mode_constraints = {std::string(200, 'x') + " must stay in whatever comes out of this, however long it takes"};
  const auto result = run(input);
  ASSERT_TRUE(result.ok());
  if (result->changed) {
    EXPECT_TRUE(result->record.report.fell_back ||
                result->record.report.tokens_after < result->record.report.tokens_before);
  }
  EXPECT_LE(result->record.report.tokens_after, result->record.report.tokens_before);
  EXPECT_TRUE(has(*result, "f6"));
}

TEST(Compaction, IC_8_nothing_smaller_leaves_the_history_or_fails_closed) {
  Talk talk;
  for (int i = 0; i < 4; ++i) talk.user("x" + std::to_string(i) + " y").assistant("z" + std::to_string(i) + " w");
  CompactInput input = input_of(talk);
  input.options.keep_turns = 2;
  const auto open = run(input);
  ASSERT_TRUE(open.ok());
  if (!open->changed) {
    EXPECT_EQ(text_of(open->messages), text_of(talk.history));
    EXPECT_TRUE(has_problem(*open, "compaction.not_smaller"));
    input.options.fail_closed = true;
    const auto closed = run(input);
    ASSERT_FALSE(closed.ok());
    EXPECT_EQ(closed.error().code, ErrorCode::kUnavailable);
  }
}

TEST(Compaction, IC_8_a_caller_who_gives_up_gets_an_error) {
  ScriptedChat chat;
  std::stop_source stop;
  chat.then([&stop](const ChatRequest&) {
    stop.request_stop();
    return Result<ChatReply>(unavailable("away"));
  });
  CompactInput input = input_of(project());
  const auto result = compact(input, {kTokens, &chat, {}, {}}, Deadline(std::nullopt, stop.get_token()));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

Summary made_summary(bool chinese) {
  Summary summary;
  summary.id = "summary-1";
  summary.session = SessionId("main");
  summary.covers = {MessageId("msg_a"), MessageId("msg_b")};
  summary.time = parse_time("2026-03-01T09:30:00+08:00").value();
  summary.goals = {chinese ? "修复登录" : "fix the\nlogin"};
  summary.decisions = {chinese ? "改用会话令牌" : "use session tokens"};
  summary.done = {chinese ? "复现了错误" : "the error was reproduced", chinese ? "写了测试" : "a test was written"};
  summary.open_items = {chinese ? "部署到测试环境" : "deploy to the test stage"};
  summary.constraints = {chinese ? "预算最多 3000 元" : "at most 3000"};
  return summary;
}

TEST(Compaction, AC_11_summary_has_the_shape) {
  test::expect_golden("summary_zh.txt", render_summary(made_summary(true)) + "\n");
  test::expect_golden("summary_en.txt", render_summary(made_summary(false)) + "\n");
}

TEST(Compaction, IC_4_summary_as_json) {
  Summary summary = made_summary(true);
  summary.facts = {"登录接口是 /api/login"};
  summary.risks = {"旧令牌可能还在使用"};
  test::expect_golden("summary.json", to_json(summary) + "\n");
}

TEST(Compaction, AC_11_a_second_compaction_does_not_eat_the_first) {
  Talk talk = project();
  const auto first = run(input_of(talk));
  ASSERT_TRUE(first.ok());
  talk.user("Use at least 12 workers in /etc/pool/workers.conf.").assistant("Done.").filler(12);
  CompactInput input = input_of(talk);
  input.earlier = &first->record;
  const auto second = run(input);
  ASSERT_TRUE(second.ok());
  ASSERT_TRUE(second->changed);
  for (const char* what : {"Never delete the table users_v2 without asking me", "3000", "/opt/deploy/run.sh",
                           "PROJ-4711", "at least 12 workers", "/etc/pool/workers.conf"})
    EXPECT_TRUE(has(*second, what)) << what;
  EXPECT_GT(second->record.summary.covers.size(), first->record.summary.covers.size());
}

}  // namespace
}  // namespace weft
