#include "surface/proxy/proxy.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tests/support/proxy_fixture.h"

namespace weft::proxy {
namespace {

TEST_F(ProxyTest, passes_a_call_and_its_answer_on_unchanged) {
  const auto body =
      R"({"model":"m", "temperature": 0.70, "messages":[{"role":"user","content":"hi", "odd":1}], "tools":[], "n":2})";
  upstream_.then(ScriptedAnswer::json(whole_answer("hello")).with("X-Request-Id", "r1"));
  const auto answer = chat(body, {{"authorization", "Bearer mine"},
                                  {"openai-organization", "o"},
                                  {"x-weft-user", "default"},
                                  {"connection", "keep-alive, X-Hop"},
                                  {"x-hop", "1"},
                                  {"accept-encoding", "gzip"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, whole_answer("hello"));
  EXPECT_EQ(answer.header_named("x-request-id"), "r1");
  EXPECT_GT(std::stoi(answer.header_named("X-Weft-Context-Tokens")), 0);
  EXPECT_EQ(sent(), body);
  const auto seen = upstream_.requests().back();
  EXPECT_EQ(seen.path, "/v1/chat/completions");
  EXPECT_EQ(seen.header("authorization"), "Bearer mine");
  EXPECT_EQ(seen.header("openai-organization"), "o");
  EXPECT_EQ(seen.header("x-weft-user") + seen.header("x-hop") + seen.header("accept-encoding"), "");
  EXPECT_EQ(said(answer), (std::vector<std::string>{"user: hi", "assistant: hello"}));
}

TEST_F(ProxyTest, a_stream_is_passed_on_byte_for_byte_and_remembered_like_a_whole_answer) {
  std::string text = ": a comment\r\n\r\n";
  for (const auto& event : {piece({{"role", "assistant"}}), piece({{"content", "hel"}}), piece({{"content", "lo"}}),
                            piece(Json::object(), "stop"), std::string(R"({"choices":[],"usage":{}})")}) {
    text += "event: message\ndata:" + event + "\r\n\n";
  }
  text += "data: [DONE]\n\n";
  ScriptedAnswer scripted;
  scripted.headers = {{"Content-Type", "text/event-stream"}};
  scripted.chunked = true;
  for (std::size_t at = 0; at < text.size(); at += 5) scripted.parts.push_back(text.substr(at, 5));
  upstream_.then(scripted);
  const auto answer = chat(chat_body({user("hi")}, {{"stream", true}}));
  EXPECT_EQ(answer.body, text);
  EXPECT_TRUE(answer.streamed && answer.ended);
  EXPECT_EQ(said(answer), (std::vector<std::string>{"user: hi", "assistant: hello"}));
}

TEST_F(ProxyTest, a_stream_with_rubbish_in_it_is_passed_on_and_not_remembered) {
  upstream_.then(ScriptedAnswer::sse({piece({{"content", "hel"}}), "{broken", piece(Json{{"content", "lo"}}, "stop")}));
  const auto answer = chat(chat_body({user("hi")}, {{"stream", true}}));
  EXPECT_TRUE(answer.body.ends_with("data: [DONE]\n\n"));
  EXPECT_NE(answer.body.find("data: {broken\n\n"), std::string::npos);
  EXPECT_EQ(said(answer), std::vector<std::string>{"user: hi"});
}

TEST_F(ProxyTest, what_was_said_in_one_session_reaches_the_model_in_the_next) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("tulip is my password")}), {{"x-weft-session", "one"}});
  const auto original =
      R"({"role":"system","content":"be kind"},{"role":"user","content":[{"type":"text","text":"tulip ?"},{"type":"image_url","image_url":{"url":"data:x"}}]})";
  chat(std::string(R"({"seed":1,"messages":[)") + original + "]}", {{"x-weft-session", "two"}});
  EXPECT_NE(sent().find("tulip is my password"), std::string::npos);
  // Nothing but the memory has been added.
  auto messages = Json::parse(sent())["messages"];
  messages.back() = without_memory(messages.back());
  EXPECT_EQ(messages, Json::parse("[" + std::string(original) + "]"));
}

TEST_F(ProxyTest, PF_6_the_clients_messages_keep_their_order_and_memory_goes_into_the_last_one) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("tulip is my password")}), {{"x-weft-session", "one"}});
  const Json system = {{"role", "developer"}, {"content", {{{"type", "text"}, {"text", "be kind"}}}}};
  const Json note = {{"role", "system"}, {"content", "speak slowly"}};
  const std::vector<Json> client = {system,    user("a"),      assistant("b"), note,
                                    user("a"), assistant("b"), note,           user("tulip ?")};
  chat(chat_body(client), {{"x-weft-session", "two"}});
  auto messages = Json::parse(sent())["messages"];
  EXPECT_NE(messages.back().dump().find("tulip is my password"), std::string::npos);
  messages.back() = without_memory(messages.back());
  EXPECT_EQ(messages, Json(client));
}

TEST_F(ProxyTest, PF_3_memory_of_another_user_never_reaches_the_model) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("tulip is my password")}), {{"x-weft-user", "ann"}});
  chat(chat_body({user("tulip ?")}), {{"x-weft-user", "bob"}});
  EXPECT_EQ(sent().find("password"), std::string::npos);
  chat(chat_body({user("tulip ?")}, {{"metadata", {{"weft_group", "ann"}}}}));
  EXPECT_EQ(sent().find("password"), std::string::npos);
  chat(chat_body({user("tulip ?")}, {{"user", "ann"}}));
  EXPECT_NE(sent().find("password"), std::string::npos);
}

TEST_F(ProxyTest, tool_calls_go_round) {
  const Json call = {
      {"index", 0}, {"id", "c1"}, {"type", "function"}, {"function", {{"name", "find"}, {"arguments", "{\"q\":"}}}};
  upstream_.then(ScriptedAnswer::sse({piece({{"tool_calls", {call}}}),
                                      piece({{"tool_calls", {{{"index", 0}, {"function", {{"arguments", "1}"}}}}}}}),
                                      piece(Json::object(), "tool_calls")}));
  upstream_.then(ScriptedAnswer::json(whole_answer("found")));
  const auto first = chat(chat_body({user("find it")}, {{"stream", true}}));
  const Json replied = {
      {"role", "assistant"},
      {"content", nullptr},
      {"tool_calls",
       {{{"id", "c1"}, {"type", "function"}, {"function", {{"name", "find"}, {"arguments", "{\"q\":1}"}}}}}}};
  const Json output = {{"role", "tool"}, {"tool_call_id", "c1"}, {"content", "42"}};
  const auto second = chat(chat_body({user("find it"), replied, output}));
  EXPECT_EQ(Json::parse(sent())["messages"], Json({user("find it"), replied, output}));
  EXPECT_EQ(first.header_named("X-Weft-Session"), second.header_named("X-Weft-Session"));
  EXPECT_EQ(said(second), (std::vector<std::string>{"user: find it", "assistant: ", "tool: 42", "assistant: found"}));
}

TEST_F(ProxyTest, ST_10_save_is_answered_here_and_not_remembered) {
  for (const bool stream : {false, true}) {
    const std::string session = stream ? "streamed" : "s";
    upstream_.then(ScriptedAnswer::json(whole_answer("hello")));
    chat(chat_body({user("hi")}), {{"x-weft-session", session}});
    const auto answer = chat(chat_body({user("hi"), assistant("hello"), user("/save")}, {{"stream", stream}}),
                             {{"x-weft-session", session}});
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find("Saved: 1 topic with 1 exchange ("), std::string::npos) << answer.body;
    EXPECT_EQ(answer.body.ends_with("data: [DONE]\n\n"), stream);
    EXPECT_EQ(engine_.said(scope_, session), (std::vector<std::string>{"user: hi", "assistant: hello"}));
  }
  EXPECT_EQ(upstream_.requests().size(), 2U);
  upstream_.then(ScriptedAnswer::json(whole_answer("fine")));
  chat(chat_body({user("hi"), assistant("hello"), user("/save"), assistant("Saved: 1 topic."), user("and?")}),
       {{"x-weft-session", "s"}});
  EXPECT_EQ(Json::parse(sent())["messages"].size(), 5U);  // the model sees what the client sent
  proxy_.reset();
  EXPECT_EQ(engine_.said(scope_, "s"),
            (std::vector<std::string>{"user: hi", "assistant: hello", "user: and?", "assistant: fine"}));
}

TEST_F(ProxyTest, PF_4_save_answers_in_chinese) {
  const auto answer = chat(chat_body({user("你好"), assistant("你好！"), user("/save")}));
  EXPECT_NE(answer.body.find("已保存"), std::string::npos);
}

TEST_F(ProxyTest, the_answer_is_with_the_engine_before_the_next_call_of_its_session) {
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  std::promise<void> go;
  const auto signal = go.get_future().share();
  std::atomic<int> observed = 0;
  engine_.before_messages([&] {
    if (++observed == 2) signal.wait();  // the first answer is slow to be kept
  });
  chat(chat_body({user("hi")}), {{"x-weft-session", "s"}});  // returns although the answer is not kept yet
  std::thread next([&] { chat(chat_body({user("hi"), assistant("hello"), user("more")}), {{"x-weft-session", "s"}}); });
  go.set_value();
  next.join();
  proxy_.reset();
  EXPECT_EQ(engine_.said(scope_, "s"),
            (std::vector<std::string>{"user: hi", "assistant: hello", "user: more", "assistant: hello"}));
}

TEST_F(ProxyTest, PF_12_the_same_conversation_is_the_same_session_and_another_one_is_not) {
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  const auto session_of = [&](std::vector<Json> messages) {
    return chat(chat_body(std::move(messages))).header_named("X-Weft-Session");
  };
  const auto first = session_of({user("hi")});
  EXPECT_EQ(session_of({user("hi"), assistant("hello"), user("more")}), first);
  EXPECT_EQ(session_of({Json{{"role", "system"}, {"content", "s"}}, user("hi"), assistant("hello"), user("more")}),
            first);
  EXPECT_NE(session_of({user("good morning")}), first);
  // A conversation that went on is not begun anew by another "hi".
  upstream_.always(ScriptedAnswer::json(whole_answer("hello again")));
  const auto second = session_of({user("hi")});
  EXPECT_NE(second, first);
  EXPECT_EQ(session_of({user("hi"), assistant("hello again"), user("x")}), second);
  EXPECT_EQ(session_of({user("hi"), assistant("hello"), user("more"), assistant("hello"), user("y")}), first);
  proxy_.reset();  // after a restart, too
  EXPECT_EQ(session_of({user("hi"), assistant("hello again"), user("x")}), second);
}

TEST_F(ProxyTest, PF_12_chats_that_are_answered_at_the_same_time_are_two) {
  std::promise<void> go;
  const auto signal = go.get_future().share();
  upstream_.always([signal](const SeenRequest&) {
    signal.wait();
    return ScriptedAnswer::json(whole_answer("hello"));
  });
  std::string one, two;
  std::thread first([&] { one = chat(chat_body({user("hi")})).header_named("X-Weft-Session"); });
  std::thread second([&] { two = chat(chat_body({user("hi")})).header_named("X-Weft-Session"); });
  EXPECT_TRUE(upstream_.wait_for_requests(2));
  go.set_value();
  first.join();
  second.join();
  EXPECT_NE(one, two);
}

TEST_F(ProxyTest, without_weaving_it_only_remembers) {
  config_.proxy.weave = false;
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("tulip one")}), {{"x-weft-session", "one"}});
  const auto body = chat_body({user("tulip two")});
  const auto answer = chat(body, {{"x-weft-session", "two"}});
  EXPECT_EQ(sent(), body);
  EXPECT_EQ(said(answer).size(), 2U);
}

TEST_F(ProxyTest, a_call_may_leave_memory_out) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("tulip one")}), {{"x-weft-session", "one"}});
  const auto body = chat_body({user("tulip two")});
  chat(body, {{"x-weft-session", "two"}, {"x-weft-memory", "off"}});
  EXPECT_EQ(sent(), body);
  EXPECT_TRUE(engine_.said(scope_, "two").empty());
  const auto kept = chat(body, {{"x-weft-session", "three"}, {"x-weft-memory", "record"}});
  EXPECT_EQ(sent(), body);
  EXPECT_EQ(said(kept).size(), 2U);
}

TEST_F(ProxyTest, a_word_for_memory_that_is_none_is_refused) {
  const auto answer = chat(chat_body({user("hi")}), {{"x-weft-memory", "no"}});
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(answer.body.find("X-Weft-Memory"), std::string::npos);
}

TEST_F(ProxyTest, PF_21_a_call_is_passed_on_though_answers_of_its_conversation_are_held_up) {
  config_.context.deadline_ms = 1;
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  engine_.before_messages([&] { open.wait(); });
  for (int i = 0; i < 20; ++i) {
    const auto answer =
        chat(chat_body({user("again " + std::to_string(i))}), {{"x-weft-session", "s"}, {"x-weft-memory", "record"}});
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, whole_answer("hello"));
  }
  gate.set_value();
  proxy_.reset();  // it hands over what waits
}

TEST_F(ProxyTest, PF_26_what_a_program_adds_goes_upstream_and_not_into_memory) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  const std::string body = chat_body({user("<environment_context>\n<cwd>/heron</cwd>\n</environment_context>"),
                                      user("Our port is 6543. <system-reminder>heron</system-reminder>")});
  const auto answer = chat(body);
  EXPECT_EQ(sent(), body);
  EXPECT_EQ(said(answer), (std::vector<std::string>{"user: Our port is 6543.", "assistant: noted"}));
}

TEST_F(ProxyTest, PF_26_an_answer_that_is_an_error_or_nothing_is_passed_on_and_not_remembered) {
  for (const std::string& text :
       {std::string(
            R"({"error":{"message":"quota"},"choices":[{"index":0,"message":{"role":"assistant","content":"x"}}]})"),
        std::string(R"({"error":"quota"})"), std::string(R"({"choices":[]})"), std::string(R"({"choices":[null]})"),
        std::string(R"({"choices":[{"message":null}]})"), std::string("[]"), std::string("null"), std::string()}) {
    upstream_.then(ScriptedAnswer::json(text));
    const auto answer = chat(chat_body({user("hi")}));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, text);
    EXPECT_EQ(said(answer), std::vector<std::string>{"user: hi"}) << text;
  }
}

TEST_F(ProxyTest, PF_22_a_header_or_a_parameter_that_looks_like_a_name_of_ours_is_refused) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  for (const char* header : {"x-weft-userid", "x_weft_user", "x-weft-usr", "weft-user", "x-weft-memroy"}) {
    const auto answer = chat(chat_body({user("hi")}), {{header, "bob"}});
    EXPECT_EQ(answer.status, 400) << header;
    EXPECT_NE(answer.body.find("X-Weft-User"), std::string::npos) << answer.body;
  }
  EXPECT_EQ(chat(chat_body({user("hi")}, {{"User", "bob"}})).status, 400);
  EXPECT_EQ(chat(chat_body({user("hi")}, {{"USER", 7}})).status, 400);
  for (const char* parameter : {"user", "User", "user_id", "weft_user", "group"}) {
    RecordedAnswer out;
    auto request = request_with(chat_body({user("hi")}), {});
    request.query = {{parameter, "bob"}};
    proxy().chat_completions(request, out);
    EXPECT_EQ(out.status, 400) << parameter;
  }
  RecordedAnswer out;
  auto request = request_with(chat_body({user("hi")}, {{"user", "bob"}, {"session_id", "x"}, {"user_id", "y"}}),
                              {{"x-user-id", "eve"}, {"x-openwebui-user-id", "eve"}, {"x-forwarded-user", "eve"}});
  request.query = {{"api-version", "1"}, {"session", "x"}};
  proxy().chat_completions(request, out);
  EXPECT_EQ(out.status, 200) << out.body;
}

}  // namespace
}  // namespace weft::proxy
