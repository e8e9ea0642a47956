#include "surface/imports/foreign_chats.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

namespace weft {
namespace {

using Json = nlohmann::json;

std::vector<std::string> said(const ForeignFile& file, std::size_t chat = 0) {
  std::vector<std::string> out;
  for (const ForeignMessage& one : file.chats.at(chat).messages) out.push_back(one.role + ": " + one.text);
  return out;
}

/// What was left out, by its kind.
std::map<std::string, std::size_t> left_out(const ForeignFile& file) {
  std::map<std::string, std::size_t> counts;
  for (const ForeignTally& one : file.left_out) counts[one.kind] = one.count;
  return counts;
}

ForeignFile read(const std::string& text) {
  auto file = read_foreign_file(text, "export.json");
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message);
  return file.ok() ? std::move(file).value() : ForeignFile{};
}

/// A node of ChatGPT's tree, below `parent`.
Json node(const std::string& id, const char* parent, Json message) {
  return {{"id", id},
          {"parent", parent == nullptr ? Json(nullptr) : Json(parent)},
          {"children", Json::array()},
          {"message", std::move(message)}};
}
Json turn(const char* role, Json content, Json more = Json::object()) {
  Json message = {{"author", {{"role", role}}}, {"content", std::move(content)}, {"create_time", 1.7e9}};
  message.update(more);
  return message;
}
Json text(const std::string& said) { return {{"content_type", "text"}, {"parts", Json::array({said})}}; }

TEST(ForeignChats, PF_10_of_chatgpt_only_what_was_shown_is_read) {
  const Json mapping = {
      {"root", node("root", nullptr, nullptr)},
      {"hidden", node("hidden", "root",
                      turn("user", text("HIDDEN"), {{"metadata", {{"is_visually_hidden_from_conversation", true}}}}))},
      {"ask", node("ask", "hidden",
                   turn("user", {{"content_type", "multimodal_text"},
                                 {"parts",
                                  {{{"content_type", "audio_transcription"}, {"text", "What is in the picture?"}},
                                   {{"content_type", "image_asset_pointer"}, {"asset_pointer", "file://1"}},
                                   nullptr}}}))},
      {"thinks",
       node("thinks", "ask", turn("assistant", {{"content_type", "thoughts"}, {"thoughts", {{{"summary", "X"}}}}}))},
      {"calls",
       node("calls", "thinks", turn("assistant", text("{\"prompt\":\"CALL\"}"), {{"recipient", "dalle.text2im"}}))},
      {"runs", node("runs", "calls",
                    turn("assistant", {{"content_type", "code"}, {"text", "CODE"}}, {{"recipient", "python"}}))},
      {"tool", node("tool", "runs", turn("tool", text("TOOL")))},
      {"answer",
       node("answer", "tool",
            turn("assistant", text("A boat\uE200cite\uE202turn0search1\uE201 in Lerwick."), {{"recipient", "all"}}))},
      {"other", node("other", "tool", turn("assistant", text("GIVEN UP")))}};
  const auto file =
      read(Json::array({Json{{"title", "T"}, {"id", "c1"}, {"mapping", mapping}, {"current_node", "answer"}}}).dump());
  EXPECT_EQ(said(file), (std::vector<std::string>{"user: What is in the picture?", "assistant: A boat in Lerwick."}));
  EXPECT_TRUE(file.problems.empty());
  EXPECT_EQ(file.chats[0].id, "c1");
  EXPECT_EQ(file.chats[0].messages[0].id, "ask");
  EXPECT_EQ(left_out(file), (std::map<std::string, std::size_t>{{"hidden message", 1},
                                                                {"image", 1},
                                                                {"message of a branch that was given up", 1},
                                                                {"thought", 1},
                                                                {"tool call", 2},
                                                                {"tool output", 1}}));
  EXPECT_EQ(file.left_out[0].where, (std::vector<std::string>{"conversation 1 \"T\""}));
}

TEST(ForeignChats, PF_28_canvases_are_text_and_settings_are_counted) {
  const Json create = {{"name", "Letter"}, {"type", "document"}, {"content", "Dear Ann"}};
  const Json update = {{"updates", {{{"pattern", ".*"}, {"replacement", "Dear Bea"}}}}};
  const Json settings = {{"content_type", "user_editable_context"}, {"user_profile", "A nurse."}};
  const Json coded = {{"content_type", "code"}, {"text", update.dump()}};
  const Json mapping = {
      {"a", node("a", nullptr, turn("user", settings))},
      {"b", node("b", "a", turn("user", text("Nobody sees it."), {{"weight", 0.0}}))},
      {"c", node("c", "b",
                 turn("user", text("Write a letter."),
                      {{"metadata", {{"attachments", {{{"name", "old.pdf"}, {"mime_type", "application/pdf"}}}}}}}))},
      {"d", node("d", "c", turn("assistant", text(create.dump()), {{"recipient", "canmore.create_textdoc"}}))},
      {"e", node("e", "d", turn("tool", text("Created.")))},
      {"f", node("f", "e", turn("assistant", text("{\"comments\": []}"), {{"recipient", "canmore.comment_textdoc"}}))},
      {"g", node("g", "f", turn("assistant", {{"content_type", "of the future"}, {"text", "It is done."}}))}};
  const auto file = read(Json::array({Json{{"id", "c"}, {"mapping", mapping}}}).dump());
  EXPECT_EQ(said(file), (std::vector<std::string>{"user: Write a letter.", "assistant: [canvas: Letter]\nDear Ann",
                                                  "assistant: It is done."}));
  EXPECT_EQ(left_out(file), (std::map<std::string, std::size_t>{{"call of a canvas", 1},
                                                                {"custom instructions", 1},
                                                                {"file", 1},
                                                                {"hidden message", 1},
                                                                {"tool output", 1}}));
  const Json again = {{"a", node("a", nullptr, turn("assistant", coded, {{"recipient", "canmore.update_textdoc"}}))}};
  EXPECT_EQ(said(read(Json::array({Json{{"mapping", again}}}).dump())),
            (std::vector<std::string>{"assistant: [canvas]\nDear Bea"}));
}

TEST(ForeignChats, PF_28_ids_do_not_depend_on_places) {
  const Json one = {{"title", "One"}, {"mapping", {{"a", node("a", nullptr, turn("user", text("Hello.")))}}}};
  const Json two = {{"title", "Two"}, {"mapping", {{"b", node("b", nullptr, turn("user", text("Hello.")))}}}};
  const auto first = read(Json::array({one, two}).dump()), later = read(Json::array({two, one}).dump());
  EXPECT_EQ(first.chats[0].id, later.chats[1].id);
  EXPECT_NE(first.chats[0].id, first.chats[1].id);
  const char* const line = R"({"name":"A","is_user":true,"mes":"Hello.","send_date":1})";
  const auto tavern = read(std::string(line) + "\n" + line + "\n");
  const auto longer = read(R"({"name":"A","is_user":true,"mes":"Before.","send_date":1})" + ("\n" + std::string(line)));
  EXPECT_EQ(tavern.chats[0].messages[0].id, longer.chats[0].messages[1].id);
  EXPECT_NE(tavern.chats[0].messages[0].id, tavern.chats[0].messages[1].id);
}

TEST(ForeignChats, PF_28_missing_times_come_from_neighbours_and_the_conversation) {
  const auto at = [](const char* parent, const char* id, Json time) {
    return node(id, parent, turn("user", text(id), {{"create_time", std::move(time)}}));
  };
  const Json mapping = {{"a", at(nullptr, "a", nullptr)},
                        {"b", at("a", "b", 1.6e9)},
                        {"c", at("b", "c", nullptr)},
                        {"d", at("c", "d", 1.7e9)}};
  for (const double began : {1.5e9, 1.9e9, 0.0}) {
    const auto file = read(Json::array({Json{{"id", "x"}, {"create_time", began}, {"mapping", mapping}}}).dump());
    const auto& messages = file.chats[0].messages;
    EXPECT_EQ(messages[0].time.ms, began == 1.5e9 ? 1500000000000 : 1600000000000);
    EXPECT_EQ(messages[2].time.ms, 1600000000000);
    ASSERT_EQ(file.assumed.size(), 1U);
    EXPECT_EQ(file.assumed[0].count, 2U);
  }
  const auto file = read(Json::array({Json{{"mapping", {{"a", at(nullptr, "a", nullptr)}}}}}).dump());
  EXPECT_EQ(file.chats[0].messages[0].time.ms, 0);
  EXPECT_EQ(file.assumed.size(), 1U);
}

TEST(ForeignChats, PF_10_a_conversation_that_lost_messages_is_told) {
  const Json mapping = {{"b", node("b", "a", turn("user", text("And then?")))},
                        {"c", node("c", "b", turn("assistant", text("Nothing.")))}};
  const Json round = {{"x", node("x", "y", turn("user", text("Round")))}, {"y", node("y", "x", nullptr)}};
  const auto file = read(Json{{{"id", "c1"}, {"mapping", mapping}, {"current_node", "c"}},
                              {{"id", "c2"}, {"mapping", round}, {"current_node", "x"}},
                              {{"id", "c3"}, {"mapping", Json::object()}, {"current_node", nullptr}}}
                             .dump());
  EXPECT_EQ(said(file).size(), 2U);
  EXPECT_EQ(said(file, 1).size(), 1U);
  ASSERT_EQ(file.problems.size(), 3U);
  EXPECT_NE(file.problems[0].find("beginning is missing"), std::string::npos);
}

Json claude_message(const char* id, const char* sender, const char* text, Json content, const char* parent = nullptr) {
  Json message = {{"uuid", id},
                  {"sender", sender},
                  {"text", text},
                  {"created_at", "2025-03-01T10:00:00.123456+00:00"},
                  {"content", std::move(content)}};
  if (parent != nullptr) message["parent_message_uuid"] = parent;
  return message;
}
Json part(const char* text) { return {{"type", "text"}, {"text", text}}; }

TEST(ForeignChats, PF_10_of_claude_parts_are_read_before_their_description) {
  const char* const shown =
      "Look.\n```\nThis block is not supported on your current device yet.\n```\nThe key hangs there.";
  const Json parts = {part("Look."),
                      {{"type", "tool_use"}, {"input", {{"q", "TOOL"}}}},
                      {{"type", "tool_result"}, {"content", Json::array({part("RESULT")})}},
                      part("The key hangs there.")};
  const Json chat = {{"uuid", "u"},
                     {"name", "Keys"},
                     {"chat_messages", Json::array({claude_message("a", "human", "Where is it?", Json::array()),
                                                    claude_message("b", "assistant", shown, parts)})}};
  EXPECT_EQ(said(read(Json::array({chat}).dump())),
            (std::vector<std::string>{"user: Where is it?", "assistant: Look.\nThe key hangs there."}));
}

TEST(ForeignChats, PF_28_artifacts_and_thoughts_between_tags) {
  const char* const shown =
      "Here: <antThinking>HM</antThinking><antArtifact identifier=\"x\" title=\"Plan\">\nPaint it.\n</antArtifact> "
      "Fine.";
  const Json chat = {{"uuid", "u"},
                     {"chat_messages", Json::array({claude_message("a", "assistant", shown, Json::array())})}};
  const auto file = read(chat.dump());
  EXPECT_EQ(said(file), (std::vector<std::string>{"assistant: Here: [artifact: Plan]\nPaint it. Fine."}));
  EXPECT_EQ(left_out(file), (std::map<std::string, std::size_t>{{"thought", 1}}));
}

TEST(ForeignChats, PF_28_of_an_attachment_the_text_is_quoted) {
  Json message = claude_message("a", "human", "Look.", Json::array());
  message["attachments"] = {{{"file_name", "a.md"}, {"extracted_content", "x\n```\ny\n"}}};
  const Json chat = {{"uuid", "u"}, {"chat_messages", Json::array({message})}};
  EXPECT_EQ(said(read(chat.dump())), (std::vector<std::string>{"user: Look.\n[file: a.md]\n````\nx\n```\ny\n````"}));
}

TEST(ForeignChats, PF_10_of_claude_the_branch_that_was_shown_last_is_read) {
  const char* const root = "00000000-0000-4000-8000-000000000000";
  const auto said_in = [](const char* text) { return Json::array({part(text)}); };
  Json chat = {{"uuid", "u"},
               {"name", "Boat"},
               {"chat_messages", Json::array({claude_message("a", "human", "", said_in("My boat is red."), root),
                                              claude_message("b", "assistant", "", said_in("Red!"), "a"),
                                              claude_message("c", "human", "", said_in("My boat is blue."), root),
                                              claude_message("d", "assistant", "", said_in("Blue!"), "c")})}};
  EXPECT_EQ(said(read(Json::array({chat}).dump())),
            (std::vector<std::string>{"user: My boat is blue.", "assistant: Blue!"}));
  chat["current_leaf_message_uuid"] = "b";
  EXPECT_EQ(said(read(Json::array({chat}).dump())),
            (std::vector<std::string>{"user: My boat is red.", "assistant: Red!"}));
}

TEST(ForeignChats, PF_10_chats_of_sillytavern_of_all_years_are_read) {
  const std::string lines =
      R"({"user_name":"Ann","character_name":"Seraphina","create_date":"2023-04-01@10h00m00s"})"
      "\n"
      R"({"name":"Seraphina","is_user":false,"mes":"Welcome.","send_date":"June 19, 2024 3:45pm"})"
      "\n"
      R"({"name":"Ann","is_user":true,"mes":"I bring the key.","send_date":"2024-06-19@15h46m30s"})"
      "\n"
      R"({"name":"Seraphina","is_user":false,"mes":"","swipes":["First try.","Second try."],"swipe_id":1,"send_date":1718812000123})"
      "\n"
      R"({"name":"Note","is_user":false,"is_system":true,"mes":"HIDDEN","send_date":"2024-06-19T15:47:00Z"})"
      "\n"
      R"({"name":"Ann","is_user":true,"mes":"Thanks.","send_date":"1718812100456"})"
      "\n";
  const auto file = read(lines);
  EXPECT_EQ(file.source, "sillytavern");
  EXPECT_EQ(said(file), (std::vector<std::string>{"assistant: Welcome.", "user: I bring the key.",
                                                  "assistant: Second try.", "user: Thanks."}));
  const auto& messages = file.chats[0].messages;
  EXPECT_EQ(format_time(messages[0].time), "2024-06-19T15:45:00Z");
  EXPECT_EQ(format_time(messages[1].time), "2024-06-19T15:46:30Z");
  EXPECT_EQ(messages[2].time.ms, 1718812000123);
  EXPECT_EQ(messages[3].time.ms, 1718812100456);
}

TEST(ForeignChats, PF_10_memories_of_mem0_in_chroma_have_their_text_in_the_metadata) {
  const auto file = read(R"({"ids":["x","y"],"documents":[null,null],"metadatas":[
      {"data":"Allergic to walnuts.","user_id":"dora","created_at":"2025-01-01T00:00:00Z","updated_at":"2025-03-01T00:00:00Z"},
      null]})");
  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_EQ(file.notes[0].text, "Allergic to walnuts.");
  EXPECT_EQ(file.notes[0].place, "dora");
  EXPECT_EQ(format_time(file.notes[0].time), "2025-03-01T00:00:00Z");
}

TEST(ForeignChats, PF_10_odd_forms_are_no_reason_to_fail) {
  for (
      const char* text :
      {R"([{"mapping":{"a":null,"b":7,"c":{"message":[],"parent":3,"children":null}},"current_node":7}])",
       R"([{"chat_messages":[null,7,{"sender":null},{"sender":"human","content":[null,{"type":"text","text":null}]}]}])",
       R"({"results":[null,7,{"memory":null},{"memory":"x","created_at":[]}]})",
       R"({"ids":[null,{}],"documents":[7],"metadatas":"none"})", R"({"mes":7,"swipes":[1],"swipe_id":-1})"})
    EXPECT_TRUE(read_foreign_file(text, "odd").ok()) << text;
}

}  // namespace
}  // namespace weft
