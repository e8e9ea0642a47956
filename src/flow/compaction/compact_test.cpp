#include "flow/compaction/compact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "flow/compaction/flush.h"
#include "flow/compaction/key_facts.h"
#include "flow/compaction/material.h"
#include "flow/compaction/summarise.h"
#include "flow/compaction/tool_outcome.h"
#include "tests/support/golden.h"
#include "tests/support/messages.h"
#include "tests/support/scripted_chat.h"
#include "tests/support/shared_data.h"

namespace weft {
namespace {

using namespace std::chrono_literals;

const TokenCounter kTokens(TokenMode::kScript);

// A conversation whose messages get ids as they are added.
class Talk {
 public:
  Talk& user(std::string text) { return add(test::user(std::move(text))); }
  Talk& assistant(std::string text) { return add(test::assistant(std::move(text))); }
  Talk& call(const std::string& id, std::string arguments, std::string output) {
    add(test::calls({{id, "edit_file"}}));
    history.back().tool_calls[0].arguments = std::move(arguments);
    return add(test::output(id, std::move(output)));
  }
  Talk& add(Message message) {
    message.id = MessageId("m" + std::to_string(history.size()));
    history.push_back(std::move(message));
    return *this;
  }
  /// Turns that say nothing worth keeping.
  Talk& filler(int turns) {
    for (int i = 0; i < turns; ++i) {
      user("What do you think about the weather in spring, part " + std::to_string(i) + "?");
      assistant(
          "Spring weather changes quickly, so people tend to carry a light jacket and look at the sky before a walk in "
          "the park with their friends.");
    }
    return *this;
  }

  std::vector<Message> history;
};

Result<Compacted> run(CompactInput input, ChatModel* model = nullptr) {
  input.session = SessionId("main");
  int next = 0;
  return compact(input, {kTokens, model, [&next] { return "id-" + std::to_string(next++); }, {}}, {});
}

CompactInput input_of(const Talk& talk) {
  CompactInput input;
  input.history = talk.history;
  input.options.backoff = 1ms;
  return input;
}

std::string text_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) {
    text += message.content + "\n";
    for (const ToolCall& call : message.tool_calls) text += call.arguments + "\n";
  }
  return text;
}

bool has(const Compacted& result, std::string_view what) {
  return text_of(result.messages).find(what) != std::string::npos;
}

bool has_problem(const Compacted& result, std::string_view code) {
  for (const std::string& problem : result.record.report.problems) {
    if (problem.starts_with(code)) return true;
  }
  return false;
}

bool pairs_whole(const std::vector<Message>& messages) {
  std::set<std::string> open;
  for (const Message& message : messages) {
    for (const ToolCall& call : message.tool_calls) open.insert(call.id);
    if (message.role == Role::kTool && open.erase(message.tool_call_id) == 0) return false;
  }
  return open.empty();
}

Talk project() {
  Talk talk;
  talk.user("Please fix the login in /srv/app/login_page.cpp. Never delete the table users_v2 without asking me.");
  talk.call("c1", R"({"path":"/srv/app/login_page.cpp"})",
            "Error: cannot open /srv/app/login_page.cpp: Permission denied");
  talk.assistant("We decided to use argon2 for ticket PROJ-4711. I have updated the build.");
  talk.user("预算最多 3000 元，部署脚本在 /opt/deploy/run.sh，以后都用中文回答。");
  talk.assistant("好的，已经记录。");
  talk.user("ok thanks!").assistant("You're welcome!");
  return talk.filler(14);
}

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
  EXPECT_EQ(result->record.report.by, "model");
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
  EXPECT_EQ(result->record.report.by, "floor");
}

TEST(Compaction, IC_8_nonsense_is_asked_for_once_more_then_the_floor_stands) {
  ScriptedChat chat;
  chat.say(R"({"candidates":[]})").say("la la la").say(R"({"goals":[]})");
  const auto result = run(input_of(project()), &chat);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(chat.requests().size(), 3U);
  EXPECT_FALSE(result->record.report.flush_skipped);
  EXPECT_EQ(result->record.report.by, "floor");
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

TEST(Compaction, AC_11_one_giant_turn_is_split_between_its_steps) {
  Talk talk;
  talk.user("Please repair /srv/app/main.cpp and keep at most 4 threads.");
  for (int i = 0; i < 150; ++i)
    talk.call("c" + std::to_string(i), R"({"path":"/srv/app/part)" + std::to_string(i) + R"(.cpp"})",
              std::string(400, 'a') + " line\n" + std::string(300, 'b'));
  talk.add(test::calls({{"last", "run_tests"}}));
  CompactInput input = input_of(talk);
  input.options.target_tokens = 4000;
  const auto result = run(input);
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->changed);
  EXPECT_TRUE(has_problem(*result, "compaction.turn_split"));
  EXPECT_LE(result->record.report.tokens_after, 4000);
  EXPECT_EQ(result->messages[1].content, talk.history[0].content);
  EXPECT_EQ(result->messages.back().id, talk.history.back().id);
  std::vector<Message> closed = result->messages;
  closed.pop_back();
  EXPECT_TRUE(pairs_whole(closed));
}

TEST(Compaction, AC_11_odd_histories_have_defined_results) {
  CompactInput empty;
  EXPECT_FALSE(run(empty)->changed);
  Talk orphan;
  orphan.add(test::output("nobody", "x")).add(test::assistant("hello /a/b/c.txt")).filler(12);
  EXPECT_TRUE(run(input_of(orphan))->changed);
  Talk silent;
  for (int i = 0; i < 40; ++i) silent.call("c" + std::to_string(i), "{", "\xff\xfe broken " + std::string(200, 'q'));
  CompactInput no_user = input_of(silent);
  no_user.options.target_tokens = 500;
  const auto result = run(no_user);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(pairs_whole(result->messages));
  CompactInput no_id = input_of(silent);
  no_id.history[3].id = MessageId();
  EXPECT_EQ(run(no_id).error().code, ErrorCode::kInvalidArgument);
}

// Random conversations in both languages with rules, ids and paths at random places.
Talk random_talk(std::uint32_t seed, std::vector<std::string>& must) {
  std::mt19937 random(seed);
  const auto pick = [&random](std::initializer_list<const char*> of) {
    return std::string(of.begin()[random() % of.size()]);
  };
  Talk talk;
  const std::size_t turns = 14 + random() % 20;
  for (std::size_t t = 0; t < turns; ++t) {
    const std::string number = std::to_string(1000 + random() % 9000);
    std::string said =
        pick({"Tell me about the garden and its many old trees.", "介绍一下这座城市的历史和建筑。", "ok", "好的"});
    if (random() % 7 == 0) {
      const std::string rule = pick({"Never spend more than ", "You must stay below "}) + number + " euros.";
      must.push_back(rule);
      said += " " + rule;
    } else if (random() % 7 == 0) {
      const std::string rule = "金额不能超过 " + number + " 元。";
      must.push_back(number);
      said += rule;
    }
    talk.user(said);
    const std::size_t calls = random() % 3;
    for (std::size_t c = 0; c < calls; ++c) {
      const std::string path = "/data/set" + number + "/file_" + std::to_string(c) + ".csv";
      must.push_back(path);
      talk.call("c" + std::to_string(t) + "_" + std::to_string(c), R"({"path":")" + path + R"("})",
                random() % 3 == 0 ? "Error: disk full" : std::string(100 + random() % 800, 'z'));
    }
    talk.assistant(
        pick({"There are many trees, and people like to walk below them in the long evenings of summer, which "
              "is why the benches are never empty and the paths are wide.",
              "这座城市有很多古老的建筑，人们喜欢在傍晚散步，河边的长椅总是坐满了人，街道宽阔而安静。"}));
  }
  return talk;
}

TEST(Compaction, AC_11_holds_for_random_conversations) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::vector<std::string> must;
    const Talk talk = random_talk(seed, must);
    CompactInput input = input_of(talk);
    input.options.most_share = 0.6;
    const auto result = run(input);
    ASSERT_TRUE(result.ok());
    ASSERT_TRUE(result->changed) << seed;
    EXPECT_LT(result->record.report.tokens_after, result->record.report.tokens_before);
    EXPECT_TRUE(pairs_whole(result->messages)) << seed;
    for (const std::string& what : must) EXPECT_TRUE(has(*result, what)) << seed << " " << what;
    const auto again = run(input);
    EXPECT_EQ(text_of(again->messages), text_of(result->messages));
    for (std::size_t i = 1; i < result->messages.size(); ++i)
      EXPECT_EQ(result->messages[result->messages.size() - i].content, talk.history[talk.history.size() - i].content);
  }
}

TEST(Compaction, AC_11_holds_for_recorded_traces) {
  const std::filesystem::path folder = test::shared_data("traces");
  if (folder.empty()) GTEST_SKIP() << "no development data; set WEFT_SHARED to its folder";
  for (const char* name : {"swesmith.jsonl", "openhands.jsonl"}) {
    std::ifstream file(folder / name);
    for (std::string line; std::getline(file, line);) {
      const auto messages = parse_messages(line);
      ASSERT_TRUE(messages.ok());
      Talk talk;
      for (const Message& message : *messages) talk.add(message);
      CompactInput input = input_of(talk);
      std::int64_t tokens = 0;
      for (const Message& message : *messages)
        tokens += message.role == Role::kSystem ? 0 : kTokens.count(text_of({message}));
      input.options.target_tokens = tokens / 5;
      const auto result = run(input);
      ASSERT_TRUE(result.ok());
      EXPECT_LE(result->record.report.tokens_after, result->record.report.tokens_before);
      EXPECT_EQ(pairs_whole(result->messages), pairs_whole(talk.history));
      const auto last = std::find_if(talk.history.rbegin(), talk.history.rend(),
                                     [](const Message& message) { return message.role == Role::kUser; });
      EXPECT_TRUE(last == talk.history.rend() || has(*result, last->content));
    }
  }
}

TEST(Compaction, AC_11_bad_text_takes_linear_time) {
  for (const std::string& piece : {std::string("/a"), std::string("不要"), std::string("must 1 "), std::string("\xff"),
                                   std::string("a_"), std::string("["), std::string("\n- ")}) {
    std::string text;
    while (text.size() < 300'000) text += piece;
    Talk talk;
    talk.user(text).call("c", text, text).assistant(text).filler(9);
    const auto result = run(input_of(talk));
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(result->changed);
  }
}

}  // namespace
}  // namespace weft
