#include <gtest/gtest.h>

#include "surface/proxy/response_lookups.h"
#include "surface/proxy/responses.h"
#include "tests/support/proxy_fixture.h"

namespace weft::proxy {
namespace {

class ResponsesProxy : public ProxyTest {
 protected:
  RecordedAnswer respond(std::string body, http::Headers headers = {}) {
    RecordedAnswer out;
    auto request = request_with(std::move(body), std::move(headers));
    request.path = "/v1/responses";
    proxy().responses(request, out);
    return out;
  }
  void speaks(ResponsesForm form) { config_.proxy.responses = form; }

  /// A whole answer of a server of this form.
  static std::string response(const std::string& id, Json output, const std::string& status = "completed") {
    return Json{{"id", id}, {"object", "response"}, {"status", status}, {"output", std::move(output)}}.dump();
  }
  static Json text_item(const std::string& text) {
    return {{"type", "message"},
            {"id", "msg_1"},
            {"role", "assistant"},
            {"content", {{{"type", "output_text"}, {"text", text}, {"annotations", Json::array()}}}}};
  }
  static Json call_item(const std::string& id, const std::string& arguments) {
    return {{"type", "function_call"}, {"id", "fc_" + id}, {"call_id", id}, {"name", "find"}, {"arguments", arguments}};
  }
  static ScriptedAnswer events(const std::vector<Json>& all) {
    std::string text;
    for (const Json& one : all) text += "event: " + one["type"].get<std::string>() + "\ndata: " + one.dump() + "\n\n";
    ScriptedAnswer answer;
    answer.headers = {{"Content-Type", "text/event-stream"}};
    answer.chunked = true;
    for (std::size_t at = 0; at < text.size(); at += 11) answer.parts.push_back(text.substr(at, 11));
    return answer;
  }
};

TEST_F(ResponsesProxy, IC_10_a_call_goes_through_as_it_came_and_its_answer_is_remembered) {
  speaks(ResponsesForm::kNative);
  const std::string body =
      R"({"model":"m", "instructions":"be kind", "input":[{"role":"user","content":[{"type":"input_text","text":"hi"},{"type":"input_image","image_url":"data:x"}]}], "tools":[{"type":"web_search"}], "odd": 0.70})";
  const std::string answered = response("resp_a", {{{"type", "reasoning"}, {"id", "rs_1"}, {"summary", Json::array()}},
                                                   {{"type", "web_search_call"}, {"id", "ws_1"}},
                                                   text_item("hello")});
  upstream_.then(ScriptedAnswer::json(answered));
  const auto answer = respond(body);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, answered);
  EXPECT_EQ(sent(), body);
  EXPECT_EQ(upstream_.requests().back().path, "/v1/responses");
  EXPECT_EQ(said(answer), (std::vector<std::string>{"system: be kind", "user: hi\n[image]", "assistant: hello"}));
}

TEST_F(ResponsesProxy, IC_10_a_history_that_is_sent_again_is_recognised) {
  speaks(ResponsesForm::kNative);
  upstream_.then(ScriptedAnswer::json(response("resp_a", {call_item("c1", "{\"q\":1}"), call_item("c2", "{}")})));
  upstream_.then(ScriptedAnswer::json(response("resp_b", {text_item("found")})));
  respond(R"({"model":"m","input":"find it"})");
  const Json history = {
      user("find it"),
      call_item("c1", "{\"q\":1}"),
      call_item("c2", "{}"),
      {{"type", "function_call_output"}, {"call_id", "c1"}, {"output", "42"}},
      {{"type", "function_call_output"}, {"call_id", "c2"}, {"output", {{{"type", "input_text"}, {"text", "43"}}}}}};
  const auto answer = respond(Json{{"model", "m"}, {"input", history}}.dump());
  EXPECT_EQ(Json::parse(sent())["input"], history);
  EXPECT_EQ(said(answer),
            (std::vector<std::string>{"user: find it", "assistant: ", "tool: 42", "tool: 43", "assistant: found"}));
}

TEST_F(ResponsesProxy, IC_10_a_chain_that_the_server_keeps_is_known_here_as_a_whole) {
  speaks(ResponsesForm::kNative);
  upstream_.then(ScriptedAnswer::json(response("resp_a", {text_item("one")})));
  upstream_.then(ScriptedAnswer::json(response("resp_b", {text_item("two")})));
  respond(R"({"model":"m","input":"first"})");
  const std::string second = R"({"model":"m","previous_response_id":"resp_a","input":"second"})";
  const auto answer = respond(second);
  EXPECT_EQ(sent(), second);
  EXPECT_EQ(said(answer),
            (std::vector<std::string>{"user: first", "assistant: one", "user: second", "assistant: two"}));
}

TEST_F(ResponsesProxy, IC_10_a_response_that_is_not_kept_is_no_beginning_of_a_chain) {
  speaks(ResponsesForm::kChat);
  upstream_.always(ScriptedAnswer::json(whole_answer("one")));
  const auto first = Json::parse(respond(R"({"model":"m","store":false,"input":"first"})").body);
  const Json body = {{"model", "m"}, {"previous_response_id", first["id"]}, {"input", "second"}};
  const auto answer = respond(body.dump());
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(Json::parse(answer.body)["error"]["code"], "previous_response_not_found");
}

TEST_F(ResponsesProxy, PF_3_a_key_for_some_people_reaches_no_chain_of_others) {
  speaks(ResponsesForm::kNative);
  upstream_.always(ScriptedAnswer::json(response("resp_a", {text_item("one")})));
  respond(R"({"model":"m","input":"first"})", {{"x-weft-user", "ann"}});
  const auto asked = upstream_.requests().size();
  for (const char* name : {"bob", "ann"}) {
    for (const char* body : {R"({"model":"m","previous_response_id":"resp_a","input":"and?"})",
                             R"({"model":"m","conversation":"conv_a","input":"and?"})"}) {
      RecordedAnswer out;
      auto request = request_with(body, {});
      request.path = "/v1/responses";
      request.access.users = {name};
      proxy().responses(request, out);
      const bool own = name == std::string("ann") && std::string(body).find("previous") != std::string::npos;
      EXPECT_EQ(out.status == 200, own) << name << body << out.body;
    }
    RecordedAnswer out;
    auto request = request_with("", {});
    request.method = "GET";
    request.path = "/v1/responses/resp_a";
    request.params = {{"id", "resp_a"}};
    request.access.users = {name};
    proxy().lookups().give(request, out);
    EXPECT_EQ(out.status, name == std::string("ann") ? 200 : 404);
  }
  EXPECT_EQ(upstream_.requests().size(), asked + 2);
}

TEST_F(ResponsesProxy, IC_10_memory_goes_before_the_text_of_the_last_item) {
  speaks(ResponsesForm::kNative);
  upstream_.always(ScriptedAnswer::json(response("resp_a", {text_item("noted")})));
  respond(R"({"model":"m","input":"tulip is my password"})", {{"x-weft-session", "one"}});
  const std::string item = R"({"role":"user", "content":[{"type":"input_text","text":"tulip ?"}]})";
  respond(R"({"model":"m","input":[)" + item + "]}", {{"x-weft-session", "two"}});
  EXPECT_NE(sent().find("tulip is my password"), std::string::npos);
  EXPECT_EQ(without_memory(Json::parse(sent())["input"][0]), Json::parse(item)) << sent();
  respond(R"({"model":"m","input":"tulip ?"})", {{"x-weft-session", "three"}, {"x-weft-user", "bob"}});
  EXPECT_EQ(sent().find("password"), std::string::npos);
}

TEST_F(ResponsesProxy, IC_10_streams_are_passed_on_and_remembered_only_where_they_end) {
  speaks(ResponsesForm::kNative);
  const Json begun = {{"type", "response.created"}, {"response", {{"id", "resp_a"}, {"status", "in_progress"}}}};
  const Json delta = {{"type", "response.output_text.delta"}, {"delta", "hel"}};
  const Json item = {{"type", "response.output_item.done"}, {"item", text_item("hello")}};
  const Json done = {{"type", "response.completed"},
                     {"response", {{"id", "resp_a"}, {"status", "completed"}, {"output", Json::array()}}}};
  upstream_.then(events({begun, delta, item, done}));
  upstream_.then(events({begun, delta}));
  const Json failed = {{"type", "response.failed"},
                       {"response", {{"id", "resp_a"}, {"status", "failed"}, {"error", {{"code", "server_error"}}}}}};
  upstream_.then(events({begun, delta, item, failed}));
  const std::string body = R"({"model":"m","stream":true,"input":"hi"})";
  const auto whole = respond(body, {{"x-weft-session", "whole"}});
  EXPECT_TRUE(whole.streamed && whole.ended);
  EXPECT_NE(whole.body.find("response.completed"), std::string::npos);
  const auto broken = respond(body, {{"x-weft-session", "broken"}});
  EXPECT_NE(broken.body.find("event: error\ndata: {\"type\":\"error\""), std::string::npos) << broken.body;
  const auto refused = respond(body, {{"x-weft-session", "failed"}});
  EXPECT_EQ(refused.body.find("event: error"), std::string::npos);
  EXPECT_EQ(said(whole), (std::vector<std::string>{"user: hi", "assistant: hello"}));
  EXPECT_EQ(engine_.said(scope_, "broken"), std::vector<std::string>{"user: hi"});
  EXPECT_EQ(engine_.said(scope_, "failed"), std::vector<std::string>{"user: hi"});
}

TEST_F(ResponsesProxy, IC_10_a_server_of_chat_completions_is_found_out_once) {
  speaks(ResponsesForm::kAuto);
  upstream_.then(ScriptedAnswer::json(R"({"detail":"Not Found"})", 404));
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  const auto first = respond(R"({"model":"m","input":"hi"})");
  EXPECT_EQ(Json::parse(first.body)["output"][0]["content"][0]["text"], "hello") << first.body;
  respond(R"({"model":"m","input":"hi again"})");
  const auto seen = upstream_.requests();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].path, "/v1/responses");
  EXPECT_EQ(seen[1].path, "/v1/chat/completions");
  EXPECT_EQ(seen[2].path, "/v1/chat/completions");
  EXPECT_EQ(said(first), (std::vector<std::string>{"user: hi", "assistant: hello"}));
}

TEST(ResponsesPath, IC_10_a_missing_model_is_no_missing_path) {
  EXPECT_TRUE(says_no_such_path(404, R"({"detail":"Not Found"})"));
  EXPECT_TRUE(says_no_such_path(404, "404 page not found"));
  EXPECT_TRUE(says_no_such_path(404, R"({"error":{"code":404,"message":"File Not Found"}})"));
  EXPECT_TRUE(says_no_such_path(405, ""));
  EXPECT_FALSE(says_no_such_path(404, R"({"error":{"message":"no such","code":"model_not_found"}})"));
  EXPECT_FALSE(says_no_such_path(404, R"({"error":"model 'x' not found"})"));
  EXPECT_FALSE(says_no_such_path(404, R"({"error":{"message":"No response resp_1"}})"));
  EXPECT_FALSE(says_no_such_path(500, "Not Found"));
}

Result<ChatCall> as_chat(const std::string& body) {
  auto call = parse_responses_call(body, {});
  return call.ok() ? chat_call_of(*call, {}) : call.error();
}

TEST(ResponsesChat, IC_10_everything_that_has_a_place_is_translated) {
  const auto call = as_chat(R"({"model":"m","instructions":"be kind","max_output_tokens":9,"stream":true,
    "input":[{"role":"user","content":[{"type":"input_text","text":"what?"},{"type":"input_image","image_url":"data:x","detail":"low"}]},
             {"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hm"}]},
             {"type":"function_call","call_id":"c","name":"find","arguments":"{\"q\":1}"},
             {"type":"function_call_output","call_id":"c","output":"42"}],
    "tools":[{"type":"function","name":"find","parameters":{"type":"object"},"strict":true},{"type":"function","name":"other"}],
    "tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"find"}]},
    "reasoning":{"effort":"low"},"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true}}})");
  ASSERT_TRUE(call.ok()) << call.error().message;
  const Json body = Json::parse(call->body);
  const Json messages = body["messages"];
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0], Json::parse(R"({"role":"system","content":"be kind"})"));
  EXPECT_EQ(messages[1]["content"][1],
            Json::parse(R"({"type":"image_url","image_url":{"url":"data:x","detail":"low"}})"));
  EXPECT_EQ(messages[2]["tool_calls"][0]["function"], Json::parse(R"({"name":"find","arguments":"{\"q\":1}"})"));
  EXPECT_EQ(messages[3], Json::parse(R"({"role":"tool","content":"42","tool_call_id":"c"})"));
  EXPECT_EQ(body["tools"].size(), 1u);
  EXPECT_EQ(body["tool_choice"], "required");
  EXPECT_EQ(body["max_tokens"], 9);
  EXPECT_EQ(body["reasoning_effort"], "low");
  EXPECT_EQ(body["response_format"]["json_schema"]["name"], "n");
  EXPECT_TRUE(body["stream_options"]["include_usage"].get<bool>());
}

TEST(ResponsesChat, IC_10_what_only_such_a_server_can_do_is_refused_by_name) {
  for (const auto& [member, name] :
       std::vector<std::pair<std::string, std::string>>{{R"("background":true,"store":false)", "store"},
                                                        {R"("background":true,"stream":true)", "stream"},
                                                        {R"("conversation":"conv_1")", "conversation"},
                                                        {R"("prompt":{"id":"p"})", "prompt"}}) {
    const auto call = as_chat(R"({"model":"m","input":"hi",)" + member + "}");
    ASSERT_FALSE(call.ok()) << name;
    EXPECT_NE(call.error().message.find(name), std::string::npos) << call.error().message;
  }
  EXPECT_FALSE(as_chat(R"({"model":"m","input":[{"type":"item_reference","id":"x"}]})").ok());
}

TEST(ResponsesItems, IC_10_what_the_model_gave_in_one_go_is_one_message) {
  const auto read = read_items(
      R"([{"role":"user","content":"a"},{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hm"}]},
          {"type":"message","role":"assistant","id":"msg_1","content":[{"type":"output_text","text":"b"}]},
          {"type":"custom_tool_call","call_id":"c","name":"run","input":"ls"},
          {"type":"custom_tool_call_output","call_id":"c","output":"x"},
          {"type":"mcp_approval_request","id":"q","name":"send","arguments":"{}"},
          {"type":"mcp_approval_response","approval_request_id":"q","approve":false}])",
      {});
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), 5u);
  EXPECT_EQ((*read)[1].content, "b");
  EXPECT_EQ((*read)[1].reasoning, "hm");
  EXPECT_EQ((*read)[1].tool_calls[0].arguments, R"({"input":"ls"})");
  EXPECT_TRUE((*read)[1].id.empty());
  EXPECT_EQ((*read)[2].tool_call_id, "c");
  EXPECT_EQ((*read)[4].content, "denied");
  EXPECT_FALSE(read_items(R"([7])", {}).ok());
  EXPECT_FALSE(read_items(R"({})", {}).ok());
}

ChatCall call_of(const std::string& body) { return parse_responses_call(body, {}).value(); }
Message grown(Message message, const std::string& text) {
  message.content += text;
  return message;
}

TEST(ResponsesBody, IC_10_what_is_ours_stands_in_the_instructions) {
  const auto call = call_of(
      R"({"instructions":"be kind","input":[{"role":"developer","content":"d"},{"role":"user","content":"u"}]})");
  const Message head = grown(Message{call.messages[0]}, "\n\nd\n\nours");
  const Json body = Json::parse(responses_body_with(call, {head, call.messages[2]}));
  EXPECT_EQ(body["instructions"], "be kind\n\nours");
  EXPECT_EQ(body["input"].size(), 2u);
  EXPECT_EQ(body["input"][0]["content"], "d");

  const auto none = call_of(R"({"input":"u"})");
  Message system;
  system.role = Role::kSystem;
  system.content = "ours";
  const Json with = Json::parse(responses_body_with(none, {system, none.messages[0]}));
  EXPECT_EQ(with, Json::parse(R"({"instructions":"ours","input":"u"})"));

  // Instructions would take the place of those of a prompt that the server keeps.
  const auto prompt = call_of(R"({"prompt":{"id":"p"},"input":"u"})");
  const Json kept = Json::parse(responses_body_with(prompt, {system, prompt.messages[0]}));
  EXPECT_FALSE(kept.contains("instructions"));
  EXPECT_EQ(kept["input"][0]["role"], "developer");
}

TEST(ResponsesBody, IC_10_outputs_grow_where_they_are_text) {
  const std::string output = R"({"type":"function_call_output","call_id":"c","output":"42"})";
  const auto call = call_of(R"({"input":[)" + output + "]}");
  EXPECT_EQ(Json::parse(responses_body_with(call, {grown(call.messages[0], "!")}))["input"][0]["output"], "42!");
  EXPECT_NE(responses_body_with(call, call.messages).find(output), std::string::npos);
  const std::string picture = R"({"type":"computer_call_output","call_id":"c","output":{"type":"input_image"}})";
  const auto screen = call_of(R"({"input":[)" + picture + "]}");
  const std::string body = responses_body_with(screen, {grown(screen.messages[0], "!")});
  EXPECT_NE(body.find(picture), std::string::npos) << body;
  EXPECT_EQ(Json::parse(body)["input"][1]["role"], "developer");
}

TEST(ResponsesBody, IC_10_of_a_chain_only_what_is_new_is_sent) {
  auto call = call_of(R"({"previous_response_id":"r","instructions":"i","input":"new"})");
  put_before({Message::user("old"), Message::assistant("answer")}, call);
  ASSERT_EQ(call.messages.size(), 4u);
  EXPECT_EQ(call.messages[1].content, "old");
  auto woven = call.messages;
  woven[0].content += "\n\nours";
  woven[3] = grown(woven[3], "");
  const Json body = Json::parse(responses_body_with(call, woven));
  EXPECT_EQ(body["input"], "new");
  EXPECT_EQ(body["instructions"], "i\n\nours");
  EXPECT_EQ(body["previous_response_id"], "r");
  const Json alone = Json::parse(detached_body_with(call, woven));
  EXPECT_TRUE(alone["previous_response_id"].is_null());
  EXPECT_EQ(alone["input"].size(), 3u);
}

TEST(ResponsesStream, IC_10_pieces_of_a_chat_completion_become_its_events) {
  RecordedAnswer out;
  ResponsesWriter writer(out, {"resp_1", R"({"model":"m","metadata":{"a":"b"}})"}, 1000);
  ASSERT_TRUE(writer.begin(200, "text/event-stream"));
  const std::string text =
      "data: " + piece({{"reasoning_content", "hm"}}) + "\n\ndata: " + piece({{"content", "hel"}}) +
      "\n\ndata: " + piece({{"content", "lo"}}) + "\n\ndata: " +
      piece({{"tool_calls", {{{"index", 0}, {"id", "c"}, {"function", {{"name", "find"}, {"arguments", "{}"}}}}}}},
            "tool_calls") +
      "\n\ndata: " + R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}})" + "\n\ndata: [DONE]\n\n";
  for (std::size_t at = 0; at < text.size(); at += 7) writer.write(text.substr(at, 7));
  writer.end();
  std::vector<Json> events;
  SseReader().feed(out.body, [&](const SseEvent& event) {
    events.push_back(Json::parse(event.data));
    EXPECT_EQ(events.back()["type"], event.type);
    EXPECT_EQ(events.back()["sequence_number"], events.size() - 1);
  });
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.front()["type"], "response.created");
  const Json& last = events.back();
  EXPECT_EQ(last["type"], "response.completed");
  const Json& response = last["response"];
  EXPECT_EQ(response["status"], "completed");
  EXPECT_EQ(response["metadata"]["a"], "b");
  EXPECT_EQ(response["usage"]["total_tokens"], 7);
  ASSERT_EQ(response["output"].size(), 3u);
  EXPECT_EQ(response["output"][1]["content"][0]["text"], "hello");
  EXPECT_EQ(response["output"][2]["arguments"], "{}");
  // What the events say one by one is what the last one says as a whole.
  std::string grown;
  std::vector<Json> items;
  for (const Json& event : events) {
    if (event["type"] == "response.output_text.delta") grown += event["delta"].get<std::string>();
    if (event["type"] == "response.output_item.done") items.push_back(event["item"]);
  }
  EXPECT_EQ(grown, "hello");
  EXPECT_EQ(Json(items), response["output"]);
}

TEST(ResponsesStream, IC_10_a_stream_that_breaks_off_has_failed_and_one_that_is_too_long_is_incomplete) {
  for (const auto& [tail, type] : std::vector<std::pair<std::string, std::string>>{
           {"", "response.failed"},
           {"data: {\"error\":{\"message\":\"gone\",\"code\":\"x\"}}\n\n", "response.failed"},
           {"data: " + piece(Json::object(), "length") + "\n\ndata: [DONE]\n\n", "response.incomplete"}}) {
    RecordedAnswer out;
    ResponsesWriter writer(out, {"resp_1", "{}"}, 1000);
    writer.begin(200, "text/event-stream");
    writer.write("data: " + piece({{"content", "hel"}}) + "\n\n" + tail);
    writer.end();
    std::string last;
    SseReader().feed(out.body, [&](const SseEvent& event) { last = event.type; });
    EXPECT_EQ(last, type);
  }
}

TEST(ResponsesItems, PF_26_outputs_of_shells_keep_their_text_and_their_call) {
  const auto read = read_items(
      R"([{"type":"local_shell_call","id":"ls_1","call_id":"c1","action":{"type":"exec","command":["ls"]}},
          {"type":"local_shell_call_output","id":"c1","output":"{\"stdout\":\"by call id\"}"},
          {"type":"local_shell_call","id":"ls_2","call_id":"c2","action":{"type":"exec","command":["ls"]}},
          {"type":"local_shell_call_output","id":"ls_2","output":"by item id"},
          {"type":"local_shell_call","id":"ls_3","action":{"type":"exec","command":["ls"]}},
          {"type":"local_shell_call_output","call_id":"ls_3","output":"by the only id"},
          {"type":"shell_call","id":"sh_1","call_id":"c4","action":{"commands":["make"]}},
          {"type":"shell_call_output","id":"sho_1","call_id":"c4","output":[{"stdout":"built","stderr":"warned","outcome":{"type":"exit","exit_code":2}},
            {"stdout":"","stderr":"","outcome":{"type":"timeout"}}]},
          {"type":"shell_call","call_id":"c5","action":{"commands":["make"]}},
          {"type":"shell_call_output","id":"sho_2","output":[{"log":"of an unknown kind"}]}])",
      {});
  ASSERT_TRUE(read.ok()) << read.error().message;
  std::vector<std::string> told;
  for (const Message& message : *read)
    told.push_back(message.role == Role::kTool ? message.tool_call_id + ": " + message.content
                                               : "call " + message.tool_calls.at(0).id);
  EXPECT_EQ(told, (std::vector<std::string>{"call c1", "c1: {\"stdout\":\"by call id\"}", "call c2", "c2: by item id",
                                            "call ls_3", "ls_3: by the only id", "call c4",
                                            "c4: built\nwarned\nexit code 2\n[timeout]", "call c5",
                                            "c5: {\"log\":\"of an unknown kind\"}"}));
}

TEST(ResponsesItems, PF_26_outputs_in_every_form_keep_their_text) {
  const auto read = read_items(
      R"([{"type":"shell_call","call_id":"c1","action":{"commands":["make"]}},
          {"type":"shell_call_output","call_id":"c1","output":["built","warned"]},
          {"type":"shell_call_output","call_id":"c1","stdout":"built","stderr":"warned","exit_code":2},
          {"type":"shell_call_output","call_id":"c1","output":null,"content":[{"type":"output_text","text":"built"}]},
          {"type":"shell_call_output","call_id":"c1","output":{"stdout":"built"}}])",
      {});
  ASSERT_TRUE(read.ok()) << read.error().message;
  std::vector<std::string> told;
  for (const Message& message : *read)
    if (message.role == Role::kTool) told.push_back(message.content);
  EXPECT_EQ(told, (std::vector<std::string>{"built\nwarned", "built\nwarned\nexit code 2", "built", "built"}));
}

TEST(ResponsesItems, PF_26_an_answer_with_outputs_of_the_server_s_own_tools_is_kept) {
  const auto reply = reply_of_output(
      R"([{"type":"reasoning","summary":[{"type":"summary_text","text":"I run it."}]},
          {"type":"shell_call","call_id":"c1","action":{"commands":["make"]}},
          {"type":"shell_call_output","call_id":"c1","output":[{"stdout":"built","stderr":""}]},
          {"type":"message","role":"assistant","content":[{"type":"output_text","text":"It is built."}]},
          {"type":"function_call","call_id":"c2","name":"send","arguments":"{}"}])");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->content, "It is built.");
  EXPECT_EQ(reply->reasoning, "I run it.");
  ASSERT_EQ(reply->tool_calls.size(), 1u);
  EXPECT_EQ(reply->tool_calls[0].id, "c2");
}

TEST_F(ResponsesProxy, PF_26_what_codex_puts_into_user_messages_is_not_remembered) {
  speaks(ResponsesForm::kNative);
  const auto text = [](const char* said) {
    return Json{{"type", "message"}, {"role", "user"}, {"content", {{{"type", "input_text"}, {"text", said}}}}};
  };
  const Json input = {text("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nheron\n</INSTRUCTIONS>"),
                      text("<environment_context>\n<cwd>/heron</cwd>\n</environment_context>"),
                      text("Our port is 6543."), text("<turn_aborted>\nheron\n</turn_aborted>")};
  const std::string body = Json{{"model", "m"}, {"input", input}}.dump();
  upstream_.then(ScriptedAnswer::json(response("r1", {text_item("noted")})));
  const auto answer = respond(body);
  EXPECT_EQ(sent(), body);
  EXPECT_EQ(said(answer), (std::vector<std::string>{"user: Our port is 6543.", "assistant: noted"}));
}

}  // namespace
}  // namespace weft::proxy
