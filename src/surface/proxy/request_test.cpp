#include "surface/proxy/request.h"

#include <gtest/gtest.h>

namespace weft::proxy {
namespace {

ChatCall parse(std::string body) {
  auto call = parse_call(std::move(body), Config{});
  EXPECT_TRUE(call.ok()) << (call.ok() ? "" : call.error().message);
  return call.ok() ? *call : ChatCall{};
}

Message system_message(std::string text) {
  Message out;
  out.role = Role::kSystem;
  out.content = std::move(text);
  out.id = MessageId("ours");
  out.time = Time{};
  return out;
}

TEST(ChatCall, every_byte_outside_of_the_messages_stays) {
  const std::string before = "{ \"temperature\" : 1.10, \"big\":123456789012345678901234567890, \"messages\" : ";
  const std::string after = " ,\n\"x\":{\"messages\":[1]}, \"unknown\":\"\\u00e9\", \"stream\":true}";
  const std::string first =
      R"({"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:x"}}], "extra": 1e2})";
  const auto call = parse(before + "[ " + first + " ]" + after);
  ASSERT_EQ(call.unreadable, "");
  EXPECT_TRUE(call.stream);
  EXPECT_EQ(call.messages.at(0).raw, first);
  EXPECT_EQ(body_with(call, call.messages), before + "[" + first + "]" + after);
  EXPECT_EQ(body_with(call, {system_message("memory"), call.messages[0]}),
            before + R"([{"role":"system","content":"memory"},)" + first + "]" + after);
}

TEST(ChatCall, the_last_of_two_messages_members_counts) {
  const auto call =
      parse(R"({"messages":[{"role":"user","content":"one"}],"mess\u0061ges":[{"role":"user","content":"two"}]})");
  ASSERT_EQ(call.messages.size(), 1U);
  EXPECT_EQ(call.messages[0].content, "two");
}

TEST(ChatCall, what_is_no_conversation_is_left_to_the_models_server) {
  for (const auto* body : {"{}", "[]", "3", R"({"messages":"hello"})", R"({"messages":[]})", R"({"messages":[3]})",
                           R"({"messages":[{"role":"king","content":"x"}]})"}) {
    const auto call = parse(body);
    EXPECT_NE(call.unreadable, "") << body;
    EXPECT_EQ(call.body, body);
  }
}

TEST(ChatCall, what_is_not_json_is_refused) {
  for (const auto* body : {"", "{", "{\"a\":}", "hello", "{\"a\":\"\xff\"}"}) {
    EXPECT_FALSE(parse_call(body, Config{}).ok()) << body;
  }
  EXPECT_FALSE(parse_call(std::string(100000, '['), Config{}).ok());
}

TEST(ChatCall, ST_10_save_and_its_answers_are_not_remembered) {
  auto call = parse(R"({"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"},
      {"role":"user","content":" /save\n"},{"role":"assistant","content":"Saved: 1 topic."},
      {"role":"user","content":"what does /save do?"},{"role":"assistant","content":"it saves"},{"role":"user","content":"/save"}]})");
  EXPECT_TRUE(asks_to_save(call));
  std::string all;
  for (const auto& message : call.remembered().messages) all += message.content + "|";
  EXPECT_EQ(all, "hi|hello|what does /save do?|it saves|");
}

std::vector<std::string> remembered_texts(const std::string& messages) {
  std::vector<std::string> texts;
  ChatCall call = parse(R"({"messages":)" + messages + "}");
  for (const Message& message : call.remembered().messages) {
    texts.push_back(message.content);
    EXPECT_EQ(message.raw.find("HERON"), std::string::npos) << message.raw;
  }
  return texts;
}

TEST(ChatCall, PF_26_memory_has_what_the_person_typed) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(remembered_texts(
                R"([{"role":"user","content":"# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>HERON</INSTRUCTIONS>"},
      {"role":"user","content":"<environment_context>HERON</environment_context>"},{"role":"user","content":"Our port is 6543."},
      {"role":"assistant","content":"<system-reminder>mine</system-reminder>"}])"),
            (Texts{"Our port is 6543.", "<system-reminder>mine</system-reminder>"}));
  EXPECT_EQ(
      remembered_texts(R"([{"role":"user","content":[{"type":"text","text":"<system-reminder>HERON</system-reminder>"},
      {"type":"image_url","image_url":{"url":"data:x"}},{"type":"text","text":"Our port is 6543. <system-reminder>HERON</system-reminder>"}]}])"),
      (Texts{"[image]\nOur port is 6543."}));
  // Each part is a text of its own.
  EXPECT_EQ(
      remembered_texts(
          R"([{"role":"user","content":[{"type":"text","text":"This session is being continued from a previous conversation that ran out of context. HERON"},
      {"type":"text","text":"<command-name>/model</command-name>\n<command-message>HERON</command-message>"},
      {"type":"text","text":"Our port is 6543."}]}])"),
      (Texts{"Our port is 6543."}));
  EXPECT_EQ(remembered_texts(
                R"([{"role":"user","content":"<command-name>/clear</command-name>"},{"role":"user","content":"/clear"},
      {"role":"user","content":""},{"role":"user","content":"<div>mine</div>"},{"role":"user","content":"/save"}])"),
            (Texts{"/clear", "", "<div>mine</div>"}));
  EXPECT_EQ(remembered_texts(
                R"([{"role":"tool","tool_call_id":"c","content":"exit 0\n<system-reminder>HERON</system-reminder>"}])"),
            (Texts{"exit 0\n"}));
}

}  // namespace
}  // namespace weft::proxy
