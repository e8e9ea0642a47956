#include "surface/mcp/stdio_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "surface/mcp/tool.h"
#include "tests/support/engine_fixture.h"
#include "text/token_counter.h"

namespace weft::mcp {
namespace {

using Json = nlohmann::json;

constexpr const char* kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}})";

/// A client that writes lines and reads what comes back.
class McpStdio : public test::EngineTest {
 protected:
  void start(const std::string& tools = "few") {
    open();
    protocol_ = std::make_unique<Protocol>(*engine_);
    server_ = std::make_unique<StdioServer>(
        *protocol_, StdioOptions{as("ann"), SessionId("mcp"), tools, {.max_bytes = 1 << 20, .max_depth = 64}},
        [this](const std::string& line) {
          {
            const std::lock_guard lock(mutex_);
            lines_.push_back(Json::parse(line));
          }
          come_.notify_all();
          if (on_line_) on_line_();
        });
  }
  void TearDown() override { server_.reset(); }

  Json wait_for(const std::function<bool(const Json&)>& wanted) {
    std::unique_lock lock(mutex_);
    Json found;
    const bool come = come_.wait_for(lock, std::chrono::seconds(30), [&] {
      for (const Json& line : lines_)
        if (wanted(line)) found = line;
      return !found.is_null();
    });
    EXPECT_TRUE(come);
    return found;
  }
  Json answer_to(int id) {
    return wait_for(
        [id](const Json& line) { return line.contains("id") && line["id"] == id && !line.contains("method"); });
  }
  Json ask(int id, const std::string& method, const std::string& params = "{}") {
    server_->take(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method + R"(","params":)" +
                  params + "}");
    return answer_to(id);
  }
  Json begin(const std::string& version, const std::string& abilities = "{}") {
    return ask(1000, "initialize",
               R"({"protocolVersion":")" + version + R"(","capabilities":)" + abilities +
                   R"(,"clientInfo":{"name":"t","version":"1"}})")["result"];
  }

  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<StdioServer> server_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::vector<Json> lines_;
  std::function<void()> on_line_;  // set while nothing is at work
};

TEST_F(McpStdio, PF_10_each_revision_with_a_handshake_is_agreed_on) {
  start();
  EXPECT_EQ(begin("2025-06-18")["protocolVersion"], "2025-06-18");
  EXPECT_EQ(begin("2025-11-25")["protocolVersion"], "2025-11-25");
  EXPECT_EQ(begin("1999-01-01")["protocolVersion"], "2025-11-25");
  EXPECT_EQ(ask(1, "ping")["result"], Json::object());
  EXPECT_EQ(ask(2, "no/such")["error"]["code"], -32601);
  EXPECT_FALSE(ask(3, "tools/list")["result"].contains("resultType"));
}

TEST_F(McpStdio, PF_10_requests_of_the_stateless_revision_stand_for_themselves) {
  start();
  const Json found = ask(1, "server/discover", std::string("{") + kMeta + "}")["result"];
  EXPECT_EQ(found["supportedVersions"], (Json{"2025-06-18", "2025-11-25", "2026-07-28"}));
  EXPECT_EQ(found["resultType"], "complete");
  const Json listed = ask(2, "tools/list", std::string("{") + kMeta + "}")["result"];
  EXPECT_TRUE(listed["ttlMs"].is_number_integer());
  EXPECT_EQ(listed["cacheScope"], "public");
  EXPECT_EQ(ask(3, "server/discover")["error"]["code"], -32602);
  EXPECT_EQ(ask(4, "ping", std::string("{") + kMeta + "}")["error"]["code"], -32601);
}

TEST_F(McpStdio, PF_10_the_few_tools_cost_at_most_1500_tokens) {
  start();
  const Json listed = ask(1, "tools/list")["result"]["tools"];
  EXPECT_EQ(listed.size(), few_tools());
  EXPECT_LE(estimate_tokens(listed.dump(), TokenMode::kScript), 1500) << listed.dump();
  for (const Json& tool : listed) {
    EXPECT_EQ(tool["inputSchema"]["type"], "object") << tool;
    EXPECT_EQ(tool["outputSchema"]["type"], "object") << tool;
    EXPECT_TRUE(tool["annotations"].contains("readOnlyHint"));
  }
}

TEST_F(McpStdio, PF_10_all_tools_are_described_whole) {
  start("all");
  std::set<std::string> names;
  const Json listed = ask(1, "tools/list");
  for (const Json& tool : listed["result"]["tools"]) {
    EXPECT_TRUE(names.insert(tool["name"]).second) << tool["name"];
    EXPECT_EQ(tool["inputSchema"]["type"], "object") << tool["name"];
    EXPECT_EQ(tool.dump().find("#/components"), std::string::npos) << tool;
  }
  for (const char* name :
       {"memory_observe", "memory_save", "end", "context_assemble", "cognitive_search_events",
        "cognitive_search_profiles", "memory_search", "cognitive_get_profile", "state_get", "state_apply"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST_F(McpStdio, PF_10_what_is_observed_is_found_and_ten_hits_are_small) {
  start();
  Json messages = Json::array();
  for (int i = 0; i < 12; ++i)
    messages.push_back(
        {{"role", "user"},
         {"content", "My violin teacher number " + std::to_string(i) + " is called Marguerite of Utrecht."}});
  const Json kept =
      ask(1, "tools/call", Json{{"name", "memory_observe"}, {"arguments", {{"messages", messages}}}}.dump())["result"];
  EXPECT_EQ(kept["structuredContent"]["kept"], 12) << kept;
  const Json found =
      ask(2, "tools/call", R"({"name":"memory_search","arguments":{"query":"violin teacher","top_k":10}})")["result"];
  const std::string text = found["content"][0]["text"];
  EXPECT_EQ(found["structuredContent"]["hits"].size(), 10u);
  EXPECT_NE(text.find("Marguerite"), std::string::npos);
  std::size_t said = 0;
  for (const Json& hit : found["structuredContent"]["hits"]) said += hit["text"].get<std::string>().size();
  EXPECT_LE(text.size(), said + 500);
  EXPECT_LE(found["structuredContent"].dump().size(), said + 1000);
}

TEST_F(McpStdio, CM_10_who_said_a_message_and_when_may_be_told) {
  start();
  const Json listed = ask(9, "tools/list")["result"]["tools"];
  for (const Json& tool : listed)
    if (tool["name"] == "memory_observe") {
      const Json offered = tool["inputSchema"]["properties"]["messages"]["items"]["properties"];
      EXPECT_TRUE(offered.contains("name") && offered.contains("time")) << tool;
    }
  ask(1, "tools/call",
      R"({"name":"memory_observe","arguments":{"messages":[{"role":"user","content":"The kiln opens at nine.",)"
      R"("name":"Marguerite","time":"2025-03-01T10:00:00Z"}]}})");
  const Json found = ask(2, "tools/call", R"({"name":"memory_search","arguments":{"query":"kiln"}})")["result"];
  const Json& hit = found["structuredContent"]["hits"].at(0);
  EXPECT_EQ(hit["who"], "Marguerite") << found;
  EXPECT_EQ(hit["date"], "2025-03-01") << found;
}

TEST_F(McpStdio, PF_10_wrong_arguments_are_for_the_model_to_read) {
  start();
  const Json failed = ask(1, "tools/call", R"({"name":"memory_search","arguments":{"quary":"x"}})")["result"];
  EXPECT_EQ(failed["isError"], true);
  EXPECT_NE(failed["content"][0]["text"].get<std::string>().find("query"), std::string::npos) << failed;
  EXPECT_EQ(ask(2, "tools/call", R"({"name":"lore"})")["error"]["code"], -32602);
}

TEST_F(McpStdio, PF_10_arguments_are_read_as_clients_write_them) {
  start("all");
  observe(
      {test::user("The badge code is 7731."), test::user("The badge code was 9000."), test::user("A badge is blue.")});
  int id = 10;
  const auto found = [&](const std::string& arguments) {
    const Json result = ask(++id, "tools/call", R"({"name":"memory_search","arguments":)" + arguments + "}")["result"];
    EXPECT_FALSE(result.contains("isError")) << result;
    return result["structuredContent"].value("hits", Json::array()).size();
  };
  EXPECT_EQ(found(R"({"query":"badge code","top_k":"","from":"","to":null,"as_of":""})"), 3u);
  EXPECT_EQ(found(R"({"query":"badge code","top_k":"1"})"), 1u);
  EXPECT_EQ(found(R"({"query":"badge code","top_k":2.0,"kinds":"[\"message\"]","compact":"true","where":""})"), 2u);
  EXPECT_EQ(found(R"({"query":"badge code","kinds":"message,event","session":""})"), 3u);
  EXPECT_EQ(found(R"("{\"query\":\"badge code\"}")"), 3u);
  const Json kept = ask(
      1, "tools/call",
      R"({"name":"memory_observe","arguments":{"session":"","messages":{"role":"user","content":"徽章在抽屉里"}}})");
  EXPECT_EQ(kept["result"]["structuredContent"]["kept"], 1) << kept;
  const Json events =
      ask(2, "tools/call",
          R"({"name":"cognitive.search_events","arguments":{"query":"badge","top_k":"3","session":"","where":null}})");
  EXPECT_FALSE(events["result"].contains("isError")) << events;
  for (const char* none : {"\"\"", "[]", "null", "{}"}) {
    const Json profile = ask(++id, "tools/call", std::string(R"({"name":"question_next","arguments":)") + none + "}");
    EXPECT_FALSE(profile["result"].contains("isError")) << none << profile;
  }
  EXPECT_EQ(
      ask(3, "tools/call", R"({"name":"memory_search","arguments":{"query":"x","top_k":"many"}})")["result"]["isError"],
      true);
  EXPECT_EQ(ask(4, "tools/call", R"({"name":"memory_search","arguments":"many"})")["error"]["code"], -32602);
  EXPECT_TRUE(ask(5, "tools/list", R"({"cursor":""})")["result"].contains("tools"));
  EXPECT_TRUE(ask(6, "tools/list", "null")["result"].contains("tools"));
}

TEST_F(McpStdio, PF_10_whatever_a_client_sends_is_answered_under_its_id) {
  start();
  server_->take(
      "\xEF\xBB\xBF"
      R"({"jsonrpc":"2.0","id":1,"method":"ping"})"
      "\r");
  EXPECT_EQ(answer_to(1)["result"], Json::object());
  EXPECT_EQ(ask(2, "ping", "[1]")["error"]["code"], -32602);
  EXPECT_EQ(ask(3, "ping", "\"x\"")["error"]["code"], -32602);
  server_->take(R"([{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},
                    {"jsonrpc":"2.0","id":5,"method":"no/such"}])");
  EXPECT_EQ(answer_to(4)["result"], Json::object());
  EXPECT_EQ(answer_to(5)["error"]["code"], -32601);
  server_->take(
      R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"end","arguments":{"action_summary":)" +
      std::string(100, '[') + std::string(100, ']') + "}}}");
  EXPECT_EQ(answer_to(6)["error"]["code"], -32700);
  server_->take(R"({"jsonrpc":"2.0","params":{"x":"\"id\":9"},"id":7,"method":"ping",})");
  EXPECT_EQ(answer_to(7)["error"]["code"], -32700);
  const std::size_t before = lines_.size();
  server_->take(R"({"jsonrpc":"2.0","method":"notifications/initialized","params":[]})");
  server_->take(R"({"jsonrpc":"2.0","method":"notifications/initialized","params":null})");
  EXPECT_EQ(ask(8, "ping")["result"], Json::object());
  EXPECT_EQ(lines_.size(), before + 1);
}

TEST_F(McpStdio, PF_26_an_id_may_be_used_again_as_soon_as_its_answer_is_written) {
  start();
  const std::string request = R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}})";
  std::jthread client;
  std::promise<void> sent;
  std::atomic<int> answers = 0;
  on_line_ = [&] {
    if (++answers != 1) return;
    client = std::jthread([&] {
      server_->take(request);
      sent.set_value();
    });
    // A server that still refuses the id waits for this very write; it is let go on then.
    sent.get_future().wait_for(std::chrono::seconds(2));
  };
  server_->take(request);
  wait_for([&](const Json&) { return lines_.size() == 2; });
  client.join();
  server_.reset();
  for (const Json& line : lines_) EXPECT_TRUE(line.contains("result")) << line;
  EXPECT_EQ(lines_.size(), 2u);
}

TEST_F(McpStdio, PF_26_blank_fields_and_numbers_as_texts_are_understood_in_lists_of_objects) {
  start();
  begin("2025-11-25");
  const Json kept = ask(1, "tools/call",
                        R"({"name":"memory_observe","arguments":{"session":"","messages":[
    {"role":"user","content":"My port is 6543.","time":"","name":"","sender_id":"","tool_calls":"","id":"","is_error":""},
    {"role":"assistant","content":"","time":"1700000000"},{"role":"user","content":"x","timestamp":null}]}})");
  EXPECT_EQ(kept["result"]["structuredContent"]["kept"], 3) << kept;
}

TEST_F(McpStdio, PF_10_resources_are_listed_read_and_watched) {
  start();
  EXPECT_EQ(ask(1, "resources/subscribe", R"({"uri":"weft://memory"})")["result"], Json::object());
  EXPECT_EQ(ask(2, "resources/read", R"({"uri":"weft://nothing"})")["error"]["code"], -32002);
  EXPECT_EQ(ask(3, "resources/read", std::string(R"({"uri":"weft://nothing",)") + kMeta + "}")["error"]["code"],
            -32602);
  ASSERT_TRUE(engine_->memory(as("ann")).add_knowledge({"People", "Mei lives in Utrecht.", "", "", ""}).ok());
  const Json told =
      wait_for([](const Json& line) { return line.value("method", "") == "notifications/resources/updated"; });
  EXPECT_EQ(told["params"]["uri"], "weft://memory");
  const Json read = ask(4, "resources/read", R"({"uri":"weft://memory"})")["result"]["contents"][0];
  EXPECT_NE(read["text"].get<std::string>().find("Utrecht"), std::string::npos);
}

TEST_F(McpStdio, PF_10_a_stream_of_changes_is_acknowledged_first_and_carries_its_id) {
  start();
  server_->take(
      std::string(
          R"({"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["weft://memory"]},)") +
      kMeta + "}}");
  ASSERT_TRUE(engine_->memory(as("ann")).add_knowledge({"People", "Mei lives in Utrecht.", "", "", ""}).ok());
  const Json told =
      wait_for([](const Json& line) { return line.value("method", "") == "notifications/resources/updated"; });
  EXPECT_EQ(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7);
  EXPECT_EQ(lines_.front()["method"], "notifications/subscriptions/acknowledged");
  server_->end();
  EXPECT_EQ(answer_to(7)["result"]["resultType"], "complete");
}

TEST_F(McpStdio, PF_10_a_question_is_put_before_the_user_by_either_form) {
  start("question_ask,question_next");
  const std::string asked = R"({"name":"question_ask","arguments":{"text":"Which city?","urgency":"HIGH"}})";
  begin("2025-11-25", R"({"elicitation":{}})");
  server_->take(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)" + asked + "}");
  const Json form = wait_for([](const Json& line) { return line.value("method", "") == "elicitation/create"; });
  EXPECT_EQ(form["params"]["message"], "Which city?");
  server_->take(Json{
      {"jsonrpc", "2.0"}, {"id", form["id"]}, {"result", {{"action", "accept"}, {"content", {{"answer", "Utrecht"}}}}}}
                    .dump());
  EXPECT_EQ(answer_to(1)["result"]["structuredContent"]["answer"], "Utrecht");

  const std::string with_meta = asked.substr(0, asked.size() - 1) + "," + kMeta;
  const Json needed = ask(2, "tools/call", with_meta + "}")["result"];
  EXPECT_EQ(needed["resultType"], "input_required");
  const std::string key = needed["inputRequests"].begin().key();
  const Json replies{{key, {{"action", "accept"}, {"content", {{"answer", "杭州"}}}}}};
  const Json done = ask(3, "tools/call", with_meta + R"(,"inputResponses":)" + replies.dump() + "}")["result"];
  EXPECT_EQ(done["structuredContent"]["answer"], "杭州") << done;
}

TEST_F(McpStdio, PF_10_who_destroys_asks_first) {
  start("erase");
  observe({test::user("My violin teacher is called Marguerite.")});
  const std::string call = std::string(R"({"name":"erase","arguments":{"session":"s","everything":true},)") + kMeta;
  const Json needed = ask(1, "tools/call", call + "}")["result"];
  EXPECT_EQ(needed["resultType"], "input_required") << needed;
  const Json refused = ask(2, "tools/call", call + R"(,"inputResponses":{"confirm":{"action":"decline"}}})")["result"];
  EXPECT_EQ(refused["isError"], true);
  EXPECT_TRUE(finds("violin", "Marguerite"));
}

TEST_F(McpStdio, PF_10_prompts_recall_in_both_languages_and_are_completed) {
  start();
  observe({test::user("My violin teacher is called Marguerite.")});
  const auto text = [&](int id, const std::string& about) {
    const Json got =
        ask(id, "prompts/get", Json{{"name", "recall"}, {"arguments", {{"about", about}}}}.dump())["result"];
    return got["messages"][0]["content"]["text"].get<std::string>();
  };
  EXPECT_NE(text(1, "my violin teacher").find("What do you remember"), std::string::npos);
  EXPECT_NE(text(2, "我的小提琴老师").find("你记得什么"), std::string::npos);
  EXPECT_EQ(ask(3, "prompts/get", R"({"name":"none"})")["error"]["code"], -32602);
  const Json completed =
      ask(4, "completion/complete",
          R"({"ref":{"type":"ref/prompt","name":"recall"},"argument":{"name":"language","value":"z"}})");
  EXPECT_EQ(completed["result"]["completion"]["values"], (Json{"zh"}));
}

}  // namespace
}  // namespace weft::mcp
