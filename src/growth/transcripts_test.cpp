#include "growth/transcripts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/large_text.h"

namespace weft {
namespace {

TaskReport only(const std::string& text, const std::string& format) {
  auto read = read_transcripts(text, {.file = "run.jsonl"});
  EXPECT_TRUE(read.ok()) << read.error().message;
  if (!read.ok() || read->reports.size() != 1) return {};
  EXPECT_EQ(to_string(read->format), format);
  EXPECT_EQ(read->reports[0].provenance, Provenance::kImported);
  return read->reports[0];
}

TEST(Transcripts, RE_1_messages_in_a_list_an_object_or_lines) {
  const std::string messages = R"([{"role":"user","content":"Fix it"},
    {"role":"assistant","content":"I look.","tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls x\"}"}}]},
    {"role":"tool","tool_call_id":"c","content":"ls: cannot access 'x': No such file or directory"},
    {"role":"assistant","content":"It is gone."},{"role":"user","content":"Thanks"}])";
  for (const std::string& text : {messages, R"({"id":"a","messages":)" + messages + R"(,"outcome":{"reward":1.0}})"}) {
    const TaskReport report = only(text, "messages");
    ASSERT_EQ(report.steps.size(), 2u);
    EXPECT_TRUE(report.steps[0].failed);
    EXPECT_EQ(report.steps[0].thought, "I look.");
    EXPECT_EQ(report.output, "It is gone.");
    EXPECT_EQ(report.reaction_text, "Thanks");
    EXPECT_EQ(report.outcome, text.front() == '{' ? Outcome::kSuccess : Outcome::kUnknown);
  }
}

TEST(Transcripts, RE_1_sessions_of_claude_code_with_broken_lines) {
  const std::string text = R"({"type":"summary","summary":"s","leafUuid":"u"}
{"type":"user","sessionId":"s1","timestamp":"2026-03-01T10:00:00Z","message":{"role":"user","content":"Run the tests"}}
{"type":"assistant","sessionId":"s1","timestamp":"2026-03-01T10:00:01Z","message":{"role":"assistant","usage":{"input_tokens":10,"output_tokens":5},"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I run them."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"pytest"}}]}}
this is no JSON
{"type":"user","sessionId":"s1","timestamp":"2026-03-01T10:00:09Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"1 failed"}]}]}}
{"type":"assistant","sessionId":"s1","timestamp":"2026-03-01T10:00:10Z","message":{"role":"assistant","content":[{"type":"text","text":"One fails."}]}}
)";
  auto read = read_transcripts(text, {.file = "a.jsonl"});
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->problems.size(), 1u);
  EXPECT_TRUE(read->problems[0].starts_with("a.jsonl, line 4")) << read->problems[0];
  const TaskReport& report = read->reports.at(0);
  EXPECT_EQ(read->format, TranscriptFormat::kClaudeCode);
  EXPECT_EQ(report.session, "s1");
  EXPECT_TRUE(report.id.starts_with("imported/s1/")) << report.id;
  ASSERT_EQ(report.steps.size(), 2u);
  EXPECT_TRUE(report.steps[0].failed);
  EXPECT_EQ(report.steps[0].thought, "hm\nI run them.");
  EXPECT_EQ(report.steps[0].ms, 8000);
  EXPECT_EQ(report.steps[0].tokens, 15);
  EXPECT_EQ(report.output, "One fails.");
}

TEST(Transcripts, PF_26_outputs_of_shells_keep_their_text_and_their_failures) {
  const TaskReport report = only(
      R"({"type":"message","role":"user","content":[{"type":"input_text","text":"Build it"}]}
{"type":"shell_call","call_id":"c1","action":{"commands":["make","ls"]}}
{"type":"shell_call_output","call_id":"c1","output":[{"stdout":"built","stderr":"warned","outcome":{"type":"exit","exit_code":2}},{"stdout":"Makefile","stderr":""}]}
{"type":"local_shell_call","call_id":"c2","action":{"type":"exec","command":["ls"]}}
{"type":"local_shell_call_output","call_id":"c2","output":"{\"stdout\":\"src\",\"stderr\":\"\",\"exit_code\":0}"}
{"type":"shell_call","call_id":"c3","action":{"commands":["sleep 9"]}}
{"type":"shell_call_output","call_id":"c3","output":[{"stdout":"","stderr":"","outcome":{"type":"timeout"}}]}
{"type":"apply_patch_call","call_id":"c4","operation":{"type":"update_file","path":"a.c"}}
{"type":"apply_patch_call_output","call_id":"c4","output":"done"}
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Built."}]}
)",
      "codex");
  ASSERT_EQ(report.steps.size(), 5u);
  EXPECT_EQ(report.steps[0].tool, "shell");
  EXPECT_EQ(report.steps[0].output, "built\nwarned\nMakefile");
  EXPECT_TRUE(report.steps[0].failed);
  EXPECT_EQ(report.steps[1].output, "src");
  EXPECT_FALSE(report.steps[1].failed);
  EXPECT_TRUE(report.steps[2].failed);
  EXPECT_EQ(report.steps[3].tool, "apply_patch");
  EXPECT_EQ(report.steps[3].output, "done");
}

TEST(Transcripts, RE_1_sessions_of_codex_with_and_without_envelopes) {
  const std::vector<std::string> items = {
      R"({"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]})",
      R"({"type":"message","role":"user","content":[{"type":"input_text","text":"Build it"}]})",
      R"({"type":"reasoning","summary":[{"type":"summary_text","text":"first make"}]})",
      R"({"type":"function_call","name":"shell","arguments":"{\"command\":[\"make\"]}","call_id":"c1"})",
      R"({"type":"function_call_output","call_id":"c1","output":"{\"output\":\"no rule\",\"metadata\":{\"exit_code\":2}}"})",
      R"({"type":"local_shell_call","call_id":"c2","status":"completed","action":{"type":"exec","command":["bash","-c","ls"]}})",
      R"({"type":"local_shell_call_output","call_id":"c2","output":"Makefile"})",
      R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"It has no rule."}]})"};
  for (const bool enveloped : {false, true}) {
    std::string text = enveloped ? R"({"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{"id":"cx"}})"
                                   "\n"
                                 : "";
    for (const std::string& item : items)
      text += enveloped ? R"({"timestamp":"2026-03-01T10:00:01Z","type":"response_item","payload":)" + item + "}\n"
                        : item + "\n";
    const TaskReport report = only(text, "codex");
    EXPECT_EQ(report.task, "Build it");
    ASSERT_EQ(report.steps.size(), 3u);
    EXPECT_TRUE(report.steps[0].failed);
    EXPECT_EQ(report.steps[0].thought, "first make");
    EXPECT_EQ(report.steps[1].tool, "local_shell");
    EXPECT_EQ(report.steps[1].output, "Makefile");
    EXPECT_EQ(report.output, "It has no rule.");
    EXPECT_EQ(report.session, enveloped ? "cx" : report.id);
  }
}

TEST(Transcripts, RE_1_events_of_openhands_and_trajectories_of_swe_agent) {
  const TaskReport events = only(R"([{"id":0,"source":"user","action":"message","args":{"content":"Fix it"}},
    {"id":1,"source":"agent","action":"run","args":{"command":"make","thought":"try"}},
    {"id":2,"source":"agent","observation":"run","content":"boom","extras":{"metadata":{"exit_code":2}},"cause":1},
    {"id":3,"source":"agent","action":"finish","args":{"final_thought":"Gave up."}}])",
                                 "openhands");
  ASSERT_EQ(events.steps.size(), 2u);
  EXPECT_TRUE(events.steps[0].failed);
  EXPECT_EQ(events.steps[0].thought, "try");
  EXPECT_EQ(events.output, "Gave up.");
  const TaskReport trajectory =
      only(R"({"trajectory":[{"thought":"look","action":"ls\n","observation":"a.py","execution_time":0.5},
    {"thought":"done","action":"submit","observation":""}],"history":[{"role":"system","content":"x"},{"role":"user","content":"Fix a.py"}],
    "info":{"exit_status":"submitted"}})",
           "swe_agent");
  EXPECT_EQ(trajectory.task, "Fix a.py");
  ASSERT_EQ(trajectory.steps.size(), 2u);
  EXPECT_EQ(trajectory.steps[0].tool, "ls");
  EXPECT_EQ(trajectory.steps[0].ms, 500);
}

TEST(Transcripts, RE_1_a_demonstration_is_not_the_task) {
  const std::string steps = R"("trajectory":[{"action":"ls","observation":"a.py"}])";
  const auto task = [&](const std::string& history) {
    return only("{" + steps + R"(,"history":[{"role":"system","content":"x"},)" + history + "]}", "swe_agent").task;
  };
  EXPECT_EQ(task(R"({"role":"user","content":"Here is a demonstration. ISSUE: x","is_demo":true},
                    {"role":"user","content":"A colon is missing in a.py"})"),
            "A colon is missing in a.py");
  EXPECT_EQ(
      task(
          R"({"role":"user","content":[{"type":"text","text":"Here is a demonstration of how to correctly accomplish this task."}]},
                    {"role":"user","content":[{"type":"text","text":"a.py 里少了一个冒号"}]})"),
      "a.py 里少了一个冒号");
  EXPECT_EQ(
      task(R"({"role":"user","content":"Solve it","is_demo":true},{"role":"assistant","content":"ls","is_demo":true},
                    {"role":"user","content":"Here is a demonstration of the crash: it crashes"})"),
      "Here is a demonstration of the crash: it crashes");
  EXPECT_EQ(
      only(R"([{"role":"user","content":"Solve x","is_demo":true},{"role":"assistant","content":"Done","is_demo":true},
                     {"role":"user","content":"Fix it"},{"role":"assistant","content":"Fixed."}])",
           "messages")
          .task,
      "Fix it");
}

TEST(Transcripts, RE_1_surroundings_that_a_program_tells_are_not_the_task) {
  const auto codex = [](const std::vector<std::string>& texts) {
    std::string content;
    for (const std::string& text : texts)
      content += (content.empty() ? "" : ",") + std::string(R"({"type":"input_text","text":")") + text + "\"}";
    return only(R"({"type":"message","role":"user","content":[)" + content +
                    R"(]})"
                    "\n"
                    R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]})",
                "codex")
        .task;
  };
  EXPECT_EQ(codex({"# AGENTS.md instructions for /p\\n\\n<INSTRUCTIONS>Use pnpm.</INSTRUCTIONS>",
                   "<environment_context>\\n<cwd>/p</cwd>\\n</environment_context>", "Fix the build"}),
            "Fix the build");
  EXPECT_EQ(codex({"<user_shell_command>ls</user_shell_command>",
                   "<permissions instructions>x</permissions instructions>", "修复构建"}),
            "修复构建");
  EXPECT_EQ(codex({"# Context from my IDE setup:\\n## Open tabs: a.py\\n## My request for Codex:\\nFix the build\\n"}),
            "Fix the build");
  EXPECT_EQ(codex({"What is <environment_context> for?"}), "What is <environment_context> for?");
  EXPECT_EQ(
      only(
          R"([{"id":0,"source":"user","action":"message","args":{"content":"Fix it\n<EXTRA_INFO>\nUse git so.\n</EXTRA_INFO>"}},
    {"id":1,"source":"agent","action":"finish","args":{"final_thought":"Done."}}])",
          "openhands")
          .task,
      "Fix it");
  EXPECT_EQ(
      only(
          R"([{"role":"user","content":"Here's an example\n---- NEW TASK DESCRIPTION ---------------------\nFix it\n--------------------- END OF NEW TASK DESCRIPTION ----"},
    {"role":"assistant","content":"Fixed."}])",
          "messages")
          .task,
      "Fix it");
  EXPECT_EQ(
      only(R"([{"role":"user","content":"<task>\nFix it\n</task>\n\n<environment_details>\nx\n</environment_details>"},
    {"role":"assistant","content":"Fixed."}])",
           "messages")
          .task,
      "Fix it");
}

TEST(Transcripts, RE_1_what_is_none_is_refused_and_the_same_run_keeps_its_id) {
  for (const char* text : {"", "hello", "{}", "[1,2]", R"({"role":5})", R"({"messages":"x"})",
                           R"({"messages":[{"role":"user","content":{"a":[1]}},3]})"}) {
    const auto read = read_transcripts(text, {.file = "x"});
    EXPECT_TRUE(!read.ok() || !read->problems.empty()) << text;
  }
  const std::string run = R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"}])";
  EXPECT_EQ(only(run, "messages").id, only(run, "messages").id);
  EXPECT_NE(only(run, "messages").id, only(R"([{"role":"user","content":"c"}])", "messages").id);
}

TEST(Transcripts, PF_21_what_nests_too_deeply_is_left_out_or_refused) {
  const std::string deep = test::nested("[", "", "]");
  EXPECT_FALSE(read_transcripts(deep, {.file = "x"}).ok());
  EXPECT_FALSE(read_transcripts(R"({"messages":[{"role":"user","content":)" + deep + "}]}", {.file = "x"}).ok());
  std::string quoted = nlohmann::json(R"({"output":)" + deep + "}").dump();
  const auto codex = read_transcripts(
      R"({"timestamp":"2026-03-01T10:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Go"}]}})"
      "\n"
      R"({"timestamp":"2026-03-01T10:00:01Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":)" +
          quoted + "}}\n",
      {.file = "x"});
  (void)codex;  // whatever it is taken for
}

}  // namespace
}  // namespace weft
