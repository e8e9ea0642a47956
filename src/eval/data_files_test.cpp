#include "demo/data_files.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "eval/drift.h"

namespace weft {
namespace {

TEST(DataFiles, IC_9_every_session_reads_and_its_ids_are_its_own) {
  const auto sessions = shipped_sessions();
  ASSERT_EQ(sessions.size(), data_sessions().size());
  ASSERT_GE(sessions.size(), 2u);
  for (const DriftSession& session : sessions) {
    std::set<std::string> ids, calls;
    for (const auto* messages : {&session.before, &session.after}) {
      for (const Message& message : *messages) {
        EXPECT_TRUE(ids.insert(message.id.str()).second) << session.id << " " << message.id.str();
        EXPECT_EQ(message.content.find("{n}"), std::string::npos);
        for (const ToolCall& call : message.tool_calls) EXPECT_TRUE(calls.insert(call.id).second) << call.id;
        if (message.role == Role::kTool) {
          EXPECT_TRUE(calls.contains(message.tool_call_id)) << message.id.str();
        }
      }
    }
  }
}

TEST(DataFiles, IC_9_the_demonstration_is_a_conversation) {
  const auto talk = data_messages(data_file("demo/talk"), "demo/talk");
  EXPECT_GE(talk.size(), 50u);
  for (std::size_t i = 0; i < talk.size(); ++i) {
    ASSERT_TRUE(talk[i].time.has_value()) << i;
    if (i > 0) {
      EXPECT_LE(talk[i - 1].time->ms, talk[i].time->ms) << i;
    }
  }
  for (const Message& question : data_messages(data_file("demo/questions"), "demo/questions"))
    EXPECT_EQ(question.role, Role::kUser);
}

TEST(DataFiles, IC_9_what_is_broken_is_told_with_its_line) {
  EXPECT_THROW((void)data_file("demo/nothing"), std::logic_error);
  try {
    (void)data_messages("{\"role\": \"user\", \"content\": \"a {n}\"}\nno JSON\n", "x", 7);
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("data/x, line 2: ")) << error.what();
  }
  EXPECT_EQ(data_messages(R"({"role": "user", "content": "a {n} {n}"})", "x", 7).front().content, "a 7 7");
}

}  // namespace
}  // namespace weft
