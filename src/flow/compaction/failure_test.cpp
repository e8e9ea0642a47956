// Failures are told by structure, never by words in what was read.
#include "flow/compaction/failure.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

ToolCall call_of(std::string name, std::string arguments, std::string id = "c") {
  return {std::move(id), std::move(name), std::move(arguments)};
}

Message output_of(std::string text, std::string id = "c") {
  Message message;
  message.role = Role::kTool;
  message.tool_call_id = std::move(id);
  message.content = std::move(text);
  return message;
}

Message calling(const ToolCall& call, std::string text = "") {
  Message message;
  message.role = Role::kAssistant;
  message.content = std::move(text);
  message.tool_calls = {call};
  return message;
}

TEST(Failure, AC_7_forms_in_which_programs_fail) {
  for (const char* failed : {R"({"error":"no such user"})",
                             R"({"success":false})",
                             R"({"ok":false,"reason":"busy"})",
                             R"({"status":"failed","message":"x"})",
                             R"({"status":503})",
                             R"({"exit_code":2,"stdout":""})",
                             R"({"result":{"error":"gone"}})",
                             "Traceback (most recent call last):\n  File x\nValueError: bad",
                             "Error: file not found",
                             "错误：文件不存在",
                             "ran 3 tests\nexit code: 1",
                             "java.io.IOException: gone",
                             "src/a.c:3:5: error: expected ';'\n1 error generated.",
                             "npm ERR! code ELIFECYCLE",
                             "cat: notes.txt: No such file or directory",
                             "bash: foo: command not found",
                             "HTTP/1.1 404 Not Found",
                             "error[E0308]: mismatched types",
                             "make: *** [all] Error 2",
                             "=== 2 failed, 5 passed in 0.3s ===",
                             "Process exited with code 137",
                             "fatal: not a git repository",
                             "无法连接到服务器"})
    EXPECT_FALSE(failure_in(failed).empty()) << failed;
}

TEST(Failure, AC_7_what_only_speaks_of_failures_is_none) {
  for (const char* fine :
       {R"({"error":null,"value":3})", R"({"errors":[],"ok":true})", R"({"status":200})", R"({"status":"done"})",
        R"([{"error":"of the first one found"}])", "0 errors, 0 warnings", "exit code: 0", "all 12 tests passed",
        "12 passed, 0 failed", "The error bars are shown in red.", "查询成功，没有错误", "",
        "error handling is described in chapter 7 of this long manual\nand so on\nand so on\nand so on\nand so on\n"})
    EXPECT_TRUE(failure_in(fine).empty()) << fine << " → " << failure_in(fine);
}

TEST(Failure, AC_7_what_was_read_or_found_is_nobodys_failure) {
  const std::string page =
      "# Manual\nError: file not found\nTraceback (most recent call last):\nValueError: x\nFAILED tests\n" +
      std::string(600, 'x');
  for (const auto& [name, arguments] :
       {std::pair{"read_file", R"({"path":"a"})"}, std::pair{"grep_search", R"({"query":"not found"})"},
        std::pair{"file_read", R"({"path":"a"})"}, std::pair{"bash", R"({"command":"cd build && cat log | tail -5"})"},
        std::pair{"bash", R"({"command":"git log --oneline"})"}}) {
    const ToolCall call = call_of(name, arguments);
    EXPECT_TRUE(only_reads(call)) << arguments;
    EXPECT_EQ(failure_of(&call, output_of(page)), "") << arguments;
    EXPECT_NE(failure_of(&call, output_of("cat: a: No such file or directory")), "") << arguments;
  }
  for (const char* arguments : {R"({"command":"cd build && make"})", R"({"command":"sed -i s/a/b/ x"})",
                                R"({"command":"git commit -m 'list; show'"})"}) {
    const ToolCall call = call_of("bash", arguments);
    EXPECT_FALSE(only_reads(call)) << arguments;
    EXPECT_NE(failure_of(&call, output_of(page)), "") << arguments;
  }
  for (const char* name : {"file_write", "type_text", "create_list_item"})
    EXPECT_FALSE(only_reads(call_of(name, "{}")));
  const ToolCall order = call_of("get_order", "{}");
  EXPECT_EQ(failure_of(&order, output_of(R"({"id":7,"status":"failed"})")), "");
  EXPECT_NE(failure_of(&order, output_of(R"({"error":"no such order"})")), "");
}

TEST(Failure, AC_7_the_mark_of_the_sender_counts_whatever_the_text_says) {
  const auto read = parse_messages(
      R"([{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"the quota is used up"}]}])");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(read->front().failed);
  EXPECT_EQ(failure_of(nullptr, read->front()), "the quota is used up");
  EXPECT_NE(to_json(read->front()).find("\"is_error\":true"), std::string::npos);
  EXPECT_EQ(to_chat_json(read->front()).find("is_error"), std::string::npos);
  EXPECT_FALSE(parse_message(R"({"role":"tool","tool_call_id":"t","content":"x","is_error":"yes"})").ok());
}

TEST(FailedCalls, AC_7_what_was_done_about_it_is_what_followed) {
  const Message first = calling(call_of("fetch_page", R"({"url":"https://a.example/1"})", "1"));
  const Message refused = output_of("HTTP 403", "1");
  const Message again = calling(call_of("fetch_page", R"({"url":"https://a.example/1","agent":"x"})", "2"));
  const Message page = output_of("hello", "2");
  const Message build = calling(call_of("bash", R"({"command":"make all"})", "3"));
  const Message broken = output_of("x.c:1:1: error: no", "3");
  const Message listing = calling(call_of("bash", R"({"command":"date"})", "4"), "A header is missing. I look on.");
  const Message date = output_of("today", "4");
  const auto found = failed_calls({&first, &refused, &again, &page, &build, &broken, &listing, &date});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].handled, "fetch_page agent=x worked");
  EXPECT_EQ(found[0].output, 1U);
  EXPECT_EQ(found[1].handled, "A header is missing.");
  EXPECT_EQ(failed_calls({&first, &refused})[0].handled, "");
}

}  // namespace
}  // namespace weft
