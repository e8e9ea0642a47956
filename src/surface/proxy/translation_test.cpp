// What the translations between forms of calls carry over, and what they leave out.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "surface/proxy/anthropic.h"
#include "surface/proxy/chat_answer.h"
#include "surface/proxy/responses.h"
#include "tests/support/proxy_fixture.h"

namespace weft::proxy {
namespace {

class Translation : public ProxyTest {
 protected:
  Translation() { config_.proxy.responses = ResponsesForm::kChat; }

  RecordedAnswer post(const std::string& path, const std::string& body) {
    RecordedAnswer out;
    auto request = request_with(body, {{"x-weft-session", "s"}});
    request.path = path;
    if (path == "/v1/messages") proxy().messages(request, out);
    if (path == "/v1/messages/count_tokens") proxy().count_tokens(request, out);
    if (path == "/v1/responses") proxy().responses(request, out);
    return out;
  }
  RecordedAnswer ask(const std::string& path, bool stream) {
    Json body = {{"model", "m"}, {"max_tokens", 100}, {"stream", stream}};
    if (path == "/v1/responses")
      body["input"] = "How is the weather?";
    else
      body["messages"] = {user("How is the weather?")};
    return post(path, body.dump());
  }
  Json sent_messages() const { return Json::parse(sent())["messages"]; }

  static Json call_piece(int index, const char* id, const char* name, Json arguments) {
    Json function = {{"arguments", std::move(arguments)}};
    if (name != nullptr) function["name"] = name;
    Json call = {{"index", index}, {"function", std::move(function)}};
    if (id != nullptr) call["id"] = id;
    return {{"tool_calls", {std::move(call)}}};
  }

  /// The calls of an answer, as "name input" each.
  static std::vector<std::string> calls_of_events(const std::string& stream) {
    std::vector<std::string> calls;
    for (const std::string_view line : lines_of(stream)) {
      if (!line.starts_with("data: {")) continue;
      const Json event = Json::parse(line.substr(6));
      if (event.contains("content_block") && event["content_block"]["type"] == "tool_use")
        calls.push_back(event["content_block"]["name"].get<std::string>() + " ");
      if (event.contains("delta") && event["delta"].is_object() && event["delta"].contains("partial_json"))
        calls.back() += event["delta"]["partial_json"].get<std::string>();
      if (event["type"] == "response.output_item.done" && event["item"].contains("arguments"))
        calls.push_back(event["item"]["name"].get<std::string>() + " " + event["item"]["arguments"].get<std::string>());
    }
    return calls;
  }
};

const std::vector<std::string> kTwoCalls = {R"(look {"city":"Paris"})", R"(look {"city":"Rome"})"};

TEST_F(Translation, IC_10_streamed_calls_are_told_apart_by_id_index_or_order) {
  const std::vector<std::vector<Json>> ways = {
      // under one index, with ids of their own
      {call_piece(0, "a", "look", R"({"city":"Paris"})"), call_piece(0, "b", "look", R"({"city":"Rome"})")},
      // by turns
      {call_piece(0, "a", "look", R"({"city":)"), call_piece(1, "b", "look", R"({"city":)"),
       call_piece(0, nullptr, nullptr, R"("Paris"})"), call_piece(1, nullptr, nullptr, R"("Rome"})")},
      // with a new id for every piece of one call
      {call_piece(0, "a", "look", R"({"city":)"), call_piece(0, "a2", nullptr, R"("Paris"})"),
       call_piece(1, "b", "look", R"({"city":"Rome"})")},
      // without ids
      {call_piece(0, nullptr, "look", R"({"city":"Paris"})"), call_piece(0, nullptr, "look", R"({"city":"Rome"})")},
      // arguments as an object
      {call_piece(0, "a", "look", {{"city", "Paris"}}), call_piece(1, "b", "look", {{"city", "Rome"}})}};
  for (const auto& way : ways) {
    for (const char* path : {"/v1/messages", "/v1/responses"}) {
      std::vector<std::string> events;
      for (const Json& delta : way) events.push_back(piece(delta));
      events.push_back(piece(Json::object(), "stop"));
      upstream_.then(ScriptedAnswer::sse(events));
      const auto answer = ask(path, true);
      EXPECT_EQ(calls_of_events(answer.body), kTwoCalls) << path << way.front().dump() << answer.body;
      if (std::string_view(path) == "/v1/messages") {
        EXPECT_NE(answer.body.find(R"("stop_reason":"tool_use")"), std::string::npos) << answer.body;
      }
    }
  }
}

TEST_F(Translation, IC_10_whole_calls_are_read_as_servers_write_them) {
  const Json object = {{"id", "a"}, {"function", {{"name", "look"}, {"arguments", {{"city", "Paris"}}}}}};
  const Json text = {{"index", 0}, {"id", "b"}, {"function", {{"name", "look"}, {"arguments", R"({"city":"Rome"})"}}}};
  for (const Json& finish : std::vector<Json>{"stop", nullptr, "tool_calls", "FUNCTION_CALL"}) {
    const std::string answered = Json{
        {"choices",
         {{{"message", {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", {object, text}}}},
           {"finish_reason",
            finish}}}}}.dump();
    upstream_.then(ScriptedAnswer::json(answered));
    const Json message = Json::parse(ask("/v1/messages", false).body);
    EXPECT_EQ(message["stop_reason"], "tool_use");
    ASSERT_EQ(message["content"].size(), 2u) << message;
    EXPECT_EQ(message["content"][0]["input"], Json({{"city", "Paris"}}));
    EXPECT_EQ(message["content"][1]["input"], Json({{"city", "Rome"}}));
    upstream_.then(ScriptedAnswer::json(answered));
    const Json response = Json::parse(ask("/v1/responses", false).body);
    ASSERT_EQ(response["output"].size(), 2u) << response;
    EXPECT_EQ(response["output"][0]["arguments"], R"({"city":"Paris"})");
  }
  proxy_.reset();
}

TEST_F(Translation, IC_10_ends_keep_their_meaning_whatever_their_word) {
  EXPECT_EQ(finish_word("stop", false), "stop");
  EXPECT_EQ(finish_word("stop", true), "tool_calls");
  EXPECT_EQ(finish_word("", true), "tool_calls");
  EXPECT_EQ(finish_word("tool_calls", false), "stop");
  EXPECT_EQ(finish_word("eos", false), "stop");
  EXPECT_EQ(finish_word("MAX_TOKENS", false), "length");
  EXPECT_EQ(finish_word("length", true), "length");
  EXPECT_EQ(finish_word("SAFETY", false), "content_filter");
}

TEST_F(Translation, IC_10_pictures_of_an_output_stand_behind_it) {
  upstream_.always(ScriptedAnswer::json(whole_answer("a barge")));
  post("/v1/messages", R"({"model":"m","max_tokens":50,"messages":[{"role":"user","content":"look at a.png and b.txt"},
    {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"p":"a.png"}},{"type":"tool_use","id":"t2","name":"Read","input":{"p":"b.txt"}}]},
    {"role":"user","content":[
      {"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"one picture"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},
      {"type":"tool_result","tool_use_id":"t2","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"the text of b"}},{"type":"tool_reference","tool_name":"Glob"}]},
      {"type":"text","text":"what is it?"}]}]})");
  Json messages = sent_messages();
  ASSERT_EQ(messages.size(), 5u) << messages;
  EXPECT_EQ(messages[2], Json::parse(R"({"role":"tool","content":"one picture","tool_call_id":"t1"})"));
  EXPECT_EQ(messages[3]["content"], "the text of b\n[tool] Glob");
  EXPECT_EQ(messages[4]["role"], "user");
  const std::string said = messages[4]["content"].dump();
  EXPECT_NE(said.find("data:image/png;base64,AAAA"), std::string::npos) << said;
  EXPECT_NE(said.find("what is it?"), std::string::npos) << said;

  post("/v1/responses", R"({"model":"m","input":[{"role":"user","content":"look"},
    {"type":"function_call","call_id":"c","name":"view","arguments":"{}"},
    {"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"one picture"},{"type":"input_image","image_url":"data:image/png;base64,BBBB"}]}]})");
  messages = sent_messages();
  ASSERT_EQ(messages.size(), 4u) << messages;
  EXPECT_EQ(messages[2]["content"], "one picture");
  EXPECT_EQ(messages[3]["content"][1]["image_url"]["url"], "data:image/png;base64,BBBB");
  proxy_.reset();
  for (const std::string& one : engine_.said(scope_, "s"))
    EXPECT_EQ(one.find("From the output"), std::string::npos) << one;
}

TEST(AnthropicToChat, IC_10_documents_are_carried_over_and_the_rest_is_counted) {
  LeftOut left_out;
  const auto body = chat_body_of(
      R"({"model":"m","messages":[{"role":"user","content":[
          {"type":"document","title":"b.pdf","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}},
          {"type":"search_result","title":"Locks","source":"https://x","content":[{"type":"text","text":"nine locks"}]},
          {"type":"container_upload","file_id":"f"},{"type":"text","text":"read"}]},
        {"role":"assistant","content":[{"type":"redacted_thinking","data":"x"},{"type":"server_tool_use","id":"s","name":"web_search","input":{}},
          {"type":"web_search_tool_result","tool_use_id":"s","content":[]},{"type":"text","text":"Nine."}]},
        {"role":"user","content":"and?"}],
        "tools":[{"type":"web_search_20250305","name":"web_search"}],
        "output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}})",
      {}, left_out);
  ASSERT_TRUE(body.ok()) << body.error().message;
  const Json made = Json::parse(*body);
  EXPECT_EQ(made["messages"][0]["content"][0]["file"]["file_data"], "data:application/pdf;base64,JVBERi0=");
  EXPECT_NE(made["messages"][0].dump().find("nine locks"), std::string::npos);
  EXPECT_EQ(made["messages"][1]["content"], "Nine.");
  EXPECT_EQ(made["response_format"]["json_schema"]["schema"]["type"], "object");
  EXPECT_FALSE(made.contains("tools"));
  EXPECT_EQ(left_out, (LeftOut{{"container_upload", 1},
                               {"redacted_thinking", 1},
                               {"server_tool_use", 1},
                               {"web_search_tool_result", 1},
                               {"web_search_20250305", 1}}));
}

constexpr const char* kCodex = R"({"model":"m","input":[
    {"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"late","parameters":{"type":"object"}}]},
    {"type":"message","role":"user","content":[{"type":"input_text","text":"patch it"}]},
    {"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"*** patch"},
    {"type":"custom_tool_call_output","call_id":"c1","output":"done"},
    {"type":"web_search_call","id":"ws_1","status":"completed"},
    {"type":"message","role":"user","content":[{"type":"input_text","text":"and again"}]}],
  "tools":[{"type":"function","name":"shell","parameters":{"type":"object"}},{"type":"web_search"},
    {"type":"custom","name":"apply_patch","description":"edits files","format":{"type":"grammar","syntax":"lark","definition":"start: x"}},
    {"type":"namespace","name":"mcp__files","tools":[{"type":"function","name":"read","parameters":{"type":"object"}}]},
    {"type":"local_shell"}],"tool_choice":{"type":"custom","name":"apply_patch"}})";

TEST_F(Translation, IC_10_tools_of_the_responses_api_are_mapped_or_left_out_with_a_count) {
  const auto tool = [](const char* name, const char* arguments) {
    return Json{{"id", name}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
  };
  const Json calls = {tool("apply_patch", R"({"input":"*** more"})"), tool("mcp__files__read", R"({"p":1})")};
  upstream_.then(ScriptedAnswer::json(Json{
      {"choices",
       {{{"message", {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", calls}}},
         {"finish_reason",
          "tool_calls"}}}}}.dump()));
  const auto answer = post("/v1/responses", kCodex);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.header_named("X-Weft-Left-Out"), "local_shell, web_search, web_search_call");
  EXPECT_NE(engine_->upkeep().metrics_text().find(R"(weft_proxy_left_out_total{type="web_search"} 1)"),
            std::string::npos);
  const Json body = Json::parse(sent());
  std::vector<std::string> names;
  for (const Json& one : body["tools"]) names.push_back(one["function"]["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"shell", "apply_patch", "mcp__files__read", "late"}));
  EXPECT_EQ(body["tool_choice"]["function"]["name"], "apply_patch");
  ASSERT_EQ(body["messages"].size(), 4u) << body["messages"];
  EXPECT_EQ(body["messages"][1]["tool_calls"][0]["function"]["arguments"], R"({"input":"*** patch"})");
  EXPECT_EQ(body["messages"][2]["content"], "done");
  const Json output = Json::parse(answer.body)["output"];
  ASSERT_EQ(output.size(), 2u) << output;
  EXPECT_EQ(output[0]["type"], "custom_tool_call");
  EXPECT_EQ(output[0]["input"], "*** more");
  EXPECT_EQ(output[1]["name"], "read");
  EXPECT_EQ(output[1]["namespace"], "mcp__files");

  Json streamed = Json::parse(kCodex);
  streamed["stream"] = true;
  upstream_.then(ScriptedAnswer::sse({piece(call_piece(0, "c", "apply_patch", R"({"input":)")),
                                      piece(call_piece(0, nullptr, nullptr, R"("*** more"})")),
                                      piece(Json::object(), "tool_calls")}));
  const auto stream = post("/v1/responses", streamed.dump());
  EXPECT_NE(stream.body.find(R"("type":"response.custom_tool_call_input.done")"), std::string::npos) << stream.body;
  EXPECT_NE(stream.body.find(R"("input":"*** more")"), std::string::npos);
  EXPECT_EQ(stream.body.find("function_call_arguments"), std::string::npos);
}

TEST_F(Translation, IC_10_nothing_but_tools_that_run_at_the_server_is_no_list_of_tools) {
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  const auto answer =
      post("/v1/responses", R"({"model":"m","input":"hi","tools":[{"type":"web_search"}],"tool_choice":"auto"})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_FALSE(Json::parse(sent()).contains("tools"));
  EXPECT_FALSE(Json::parse(sent()).contains("tool_choice"));
}

TEST_F(Translation, IC_10_count_tokens_counts_as_the_budget_does) {
  const auto count = [&](const std::string& content) {
    const auto answer =
        post("/v1/messages/count_tokens", R"({"model":"m","messages":[{"role":"user","content":[)" + content + "]}]}");
    return Json::parse(answer.body)["input_tokens"].get<int>();
  };
  const std::string image = R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":")" +
                            std::string(400'000, 'A') + R"("}})";
  EXPECT_NEAR(count(image), 1200, 300);
  EXPECT_GT(count(R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}})"),
            1000);
  const auto in_output = post("/v1/messages/count_tokens",
                              R"({"model":"m","messages":[{"role":"user","content":"a"},
      {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[)" +
                                  image + "]}]}]}");
  EXPECT_NEAR(Json::parse(in_output.body)["input_tokens"].get<int>(), 1200, 300);
}

class StrictTemplates : public ProxyTest {
 protected:
  static Json system_text(const char* text) { return {{"role", "system"}, {"content", text}}; }
  void refuse(const char* words) {
    upstream_.then(ScriptedAnswer::json(Json{{"error", {{"message", words}}}}.dump(), 400));
    upstream_.then(ScriptedAnswer::json(whole_answer("fine")));
  }
  std::vector<std::string> roles() const {
    std::vector<std::string> roles;
    const Json messages = Json::parse(sent())["messages"];
    for (const Json& one : messages) roles.push_back(one["role"]);
    return roles;
  }
};

TEST_F(StrictTemplates, IC_10_the_clients_own_system_message_in_the_middle_is_put_at_the_head) {
  refuse("System message must be at the beginning.");
  const auto body = chat_body({system_text("SYS"), user("a"), assistant("b"), system_text("NOTE"), user("c")});
  const auto answer = chat(body, {{"x-weft-session", "one"}});
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.header_named("X-Weft-Retried"), "system-messages");
  EXPECT_EQ(upstream_.requests().size(), 2u);
  EXPECT_EQ(roles(), (std::vector<std::string>{"system", "user", "assistant", "user"}));
  EXPECT_NE(sent().find("NOTE"), std::string::npos);
  // What was learned holds for calls to come.
  upstream_.then(ScriptedAnswer::json(whole_answer("fine")));
  const auto next = chat(body, {{"x-weft-session", "one"}});
  EXPECT_EQ(next.status, 200);
  EXPECT_EQ(upstream_.requests().size(), 3u);
  EXPECT_EQ(next.header_named("X-Weft-Retried"), "");
}

TEST_F(StrictTemplates, IC_10_roles_in_turn_and_no_system_role_are_met_as_well) {
  refuse("Conversation roles must alternate user/assistant/user/assistant/...");
  EXPECT_EQ(chat(chat_body({user("a"), user("b"), assistant("c"), system_text("NOTE"), user("d")})).status, 200);
  EXPECT_EQ(roles(), (std::vector<std::string>{"system", "user", "assistant", "user"}));
  EXPECT_NE(sent().find("a\\n\\nb"), std::string::npos) << sent();
  proxy_.reset();
  refuse("Only user and assistant roles are supported!");
  EXPECT_EQ(chat(chat_body({system_text("SYS"), user("a")})).status, 200);
  EXPECT_EQ(roles(), std::vector<std::string>{"user"});
  EXPECT_NE(sent().find("SYS"), std::string::npos);
  proxy_.reset();
  refuse("System role not supported");
  const Json picture = {{"role", "user"}, {"content", {{{"type", "image_url"}, {"image_url", {{"url", "data:x"}}}}}}};
  EXPECT_EQ(chat(chat_body({system_text("SYS"), picture})).status, 200);
  EXPECT_EQ(roles(), std::vector<std::string>{"user"});
  EXPECT_NE(sent().find("data:x"), std::string::npos);
}

TEST_F(StrictTemplates, IC_10_a_second_refusal_is_passed_on) {
  const auto refusal = ScriptedAnswer::json(R"({"error":{"message":"System role not supported"}})", 400);
  upstream_.then(refusal);
  upstream_.then(refusal);
  EXPECT_EQ(chat(chat_body({system_text("SYS"), user("a")})).status, 400);
  EXPECT_EQ(upstream_.requests().size(), 2u);
}

class ThoughtsInAnswers : public ProxyTest {};

TEST_F(ThoughtsInAnswers, PF_26_an_answer_that_is_nothing_but_a_thought_is_not_remembered) {
  upstream_.then(ScriptedAnswer::json(whole_answer("<think>The guest may keep bees.")));
  const auto body = chat(chat_body({user("hi")}));
  EXPECT_NE(body.body.find("<think>The guest"), std::string::npos);
  EXPECT_EQ(said(body), std::vector<std::string>{"user: hi"});
}

}  // namespace
}  // namespace weft::proxy
