#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/proxy_fixture.h"

namespace weft::proxy {
namespace {

class KeptResponsesProxy : public ProxyTest {
 protected:
  KeptResponsesProxy() { config_.proxy.responses = ResponsesForm::kChat; }

  static http::Request asked_for(const std::string& method, const std::string& id, http::Headers headers = {}) {
    auto request = request_with("", std::move(headers));
    request.method = method;
    request.path = "/v1/responses/" + id;
    request.params = {{"id", id}};
    return request;
  }
  RecordedAnswer respond(const Json& body, http::Headers headers = {}) {
    RecordedAnswer out;
    auto request = request_with(body.dump(), std::move(headers));
    request.path = "/v1/responses";
    proxy().responses(request, out);
    return out;
  }
  std::string begin(const std::string& input, http::Headers headers = {}) {
    const auto answer = respond({{"model", "m"}, {"background", true}, {"input", input}}, std::move(headers));
    const Json json = Json::parse(answer.body);
    EXPECT_EQ(json["status"], "queued") << answer.body;
    EXPECT_EQ(json["background"], true);
    return json["id"];
  }
  RecordedAnswer get(const std::string& id, http::Headers headers = {}) {
    RecordedAnswer out;
    proxy().lookups().give(asked_for("GET", id, std::move(headers)), out);
    return out;
  }
  RecordedAnswer cancel(const std::string& id) {
    RecordedAnswer out;
    proxy().lookups().cancel(asked_for("POST", id), out);
    return out;
  }
  RecordedAnswer remove(const std::string& id, http::Headers headers = {}) {
    RecordedAnswer out;
    proxy().lookups().remove(asked_for("DELETE", id, std::move(headers)), out);
    return out;
  }
  /// As a client asks until it is complete, in one way or another.
  Json ended(const std::string& id) {
    for (;;) {
      const Json json = Json::parse(get(id).body);
      const auto status = json.value("status", "");
      if (status != "queued" && status != "in_progress") return json;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

TEST_F(KeptResponsesProxy, PF_10_a_response_made_in_the_background_is_there_when_it_is_asked_for) {
  upstream_.then(ScriptedAnswer::json(whole_answer("forty-two")));
  const std::string id = begin("think");
  Json json = ended(id);
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["output"][0]["content"][0]["text"], "forty-two");
  EXPECT_EQ(json["background"], true);
  proxy_.reset();
  EXPECT_EQ(Json::parse(get(id).body), json) << "after a restart";
  upstream_.then(ScriptedAnswer::json(whole_answer("more")));
  const auto next = respond({{"model", "m"}, {"previous_response_id", id}, {"input", "and?"}});
  EXPECT_EQ(said(next),
            (std::vector<std::string>{"user: think", "assistant: forty-two", "user: and?", "assistant: more"}));
}

TEST_F(KeptResponsesProxy, PF_10_what_the_model_refuses_has_failed_and_says_why) {
  upstream_.then(ScriptedAnswer::json(R"({"error":{"message":"no such model","code":"x"}})", 404));
  const Json json = ended(begin("think"));
  EXPECT_EQ(json["status"], "failed");
  EXPECT_EQ(json["error"]["message"], "no such model");
}

TEST_F(KeptResponsesProxy, PF_10_a_response_is_cancelled_once_and_its_model_is_let_go) {
  upstream_.then(ScriptedAnswer::hanging());
  const std::string id = begin("think");
  ASSERT_TRUE(upstream_.wait_for_requests(1));
  const auto going_on = respond({{"model", "m"}, {"previous_response_id", id}, {"input", "and?"}});
  EXPECT_EQ(going_on.status, 400);
  EXPECT_NE(going_on.body.find("not complete yet"), std::string::npos) << going_on.body;
  EXPECT_EQ(Json::parse(cancel(id).body)["status"], "cancelled");
  EXPECT_TRUE(upstream_.wait_for_disconnects(1));
  EXPECT_EQ(Json::parse(cancel(id).body)["status"], "cancelled");
  EXPECT_EQ(Json::parse(get(id).body)["status"], "cancelled");
  upstream_.then(ScriptedAnswer::json(whole_answer("done")));
  const std::string complete = begin("think");
  ended(complete);
  EXPECT_EQ(Json::parse(cancel(complete).body)["status"], "completed");
}

TEST_F(KeptResponsesProxy, PF_10_what_is_deleted_is_gone_also_while_it_is_being_made) {
  upstream_.then(ScriptedAnswer::hanging());
  const std::string id = begin("think");
  ASSERT_TRUE(upstream_.wait_for_requests(1));
  EXPECT_EQ(Json::parse(remove(id).body)["deleted"], true);
  EXPECT_TRUE(upstream_.wait_for_disconnects(1));
  EXPECT_EQ(get(id).status, 404);
  EXPECT_EQ(remove(id).status, 404);
  proxy_.reset();
  EXPECT_EQ(get(id).status, 404);
}

TEST_F(KeptResponsesProxy, PF_10_what_was_being_made_when_the_program_ended_has_failed) {
  upstream_.then(ScriptedAnswer::hanging());
  const std::string id = begin("think");
  ASSERT_TRUE(upstream_.wait_for_requests(1));
  proxy_.reset();
  const Json json = Json::parse(get(id).body);
  EXPECT_EQ(json["status"], "failed");
  EXPECT_NE(json["error"]["message"].get<std::string>().find("ended before"), std::string::npos);
}

TEST_F(KeptResponsesProxy, PF_10_a_response_that_was_waited_for_is_kept_unless_it_says_otherwise) {
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  const Json whole = Json::parse(respond({{"model", "m"}, {"input", "hi"}}).body);
  EXPECT_EQ(Json::parse(get(whole["id"]).body), whole);
  EXPECT_EQ(cancel(whole["id"]).status, 400);
  for (const auto& [body, headers] :
       std::vector<std::pair<Json, http::Headers>>{{{{"model", "m"}, {"input", "hi"}, {"store", false}}, {}},
                                                   {{{"model", "m"}, {"input", "hi"}}, {{"x-weft-memory", "off"}}}}) {
    const Json unkept = Json::parse(respond(body, headers).body);
    EXPECT_EQ(get(unkept["id"]).status, 404);
  }
  upstream_.then(ScriptedAnswer::sse({piece({{"content", "hel"}}), piece({{"content", "lo"}}, "stop")}));
  const auto streamed = respond({{"model", "m"}, {"input", "hi"}, {"stream", true}});
  const auto at = streamed.body.find("resp_");
  const Json kept = Json::parse(get(streamed.body.substr(at, streamed.body.find('"', at) - at)).body);
  EXPECT_EQ(kept["output"][0]["content"][0]["text"], "hello");
}

TEST_F(KeptResponsesProxy, PF_10_what_cannot_be_kept_is_refused_by_name) {
  for (const char* name : {"store", "stream"}) {
    Json body = {{"model", "m"}, {"background", true}, {"input", "hi"}};
    body[name] = std::string(name) == "stream";
    const auto answer = respond(body);
    EXPECT_EQ(answer.status, 400);
    EXPECT_NE(answer.body.find(name), std::string::npos) << answer.body;
  }
  EXPECT_EQ(respond({{"model", "m"}, {"background", true}, {"input", "hi"}}, {{"x-weft-memory", "off"}}).status, 400);
  EXPECT_TRUE(upstream_.requests().empty());
}

TEST_F(KeptResponsesProxy, PF_3_nobody_reaches_the_responses_of_others) {
  upstream_.always(ScriptedAnswer::json(whole_answer("hello")));
  const http::Headers ann = {{"x-weft-user", "ann"}}, bob = {{"x-weft-user", "bob"}};
  const std::string id = begin("hi", ann);
  ended(id);
  EXPECT_EQ(get(id, ann).status, 200);
  EXPECT_EQ(get(id, bob).status, 404);
  EXPECT_EQ(remove(id, bob).status, 404);
  RecordedAnswer out;
  auto request = asked_for("GET", id);
  request.access.users = {"bob"};
  proxy().lookups().give(request, out);
  EXPECT_EQ(out.status, 404);
  EXPECT_EQ(get(id, ann).status, 200);
}

TEST_F(KeptResponsesProxy, IC_10_whose_a_response_of_the_models_server_is_is_known_after_a_restart) {
  config_.proxy.responses = ResponsesForm::kNative;
  upstream_.then(ScriptedAnswer::json(R"({"id":"resp_a","object":"response","status":"queued","output":[]})"));
  const auto begun = respond({{"model", "m"}, {"background", true}, {"input", "think"}});
  EXPECT_EQ(Json::parse(begun.body)["status"], "queued");
  proxy_.reset();
  upstream_.then(ScriptedAnswer::json(
      R"({"id":"resp_a","object":"response","status":"completed","output":[{"type":"message","role":"assistant",)"
      R"("content":[{"type":"output_text","text":"done"}]}]})"));
  EXPECT_EQ(get("resp_a").status, 200);
  EXPECT_EQ(said(begun), (std::vector<std::string>{"user: think", "assistant: done"}));
}

}  // namespace
}  // namespace weft::proxy
