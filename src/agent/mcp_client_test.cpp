#include "agent/mcp_client.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "text/json.h"

namespace weft {
namespace {

// A server by a function: the request's JSON in, the answer's JSON out.
class FakeTransport final : public McpTransport {
 public:
  using Answer = std::function<Result<std::string>(const McpMessage&)>;
  FakeTransport(Answer answer, std::vector<McpMessage>& log) : answer_(std::move(answer)), log_(log) {}
  Result<std::string> ask(const McpMessage& message, const Deadline&) override {
    log_.push_back(message);
    return answer_(message);
  }
  Status tell(const McpMessage& message, const Deadline&) override {
    log_.push_back(message);
    return {};
  }
  Status restart() override { return {}; }

 private:
  Answer answer_;
  std::vector<McpMessage>& log_;
};

std::string result(const McpMessage& message, const std::string& json) {
  return R"({"jsonrpc":"2.0","id":)" + message.id + R"(,"result":)" + json + "}";
}
std::string error(const McpMessage& message, int code, const std::string& text) {
  return R"({"jsonrpc":"2.0","id":)" + message.id + R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":")" +
         text + "\"}}";
}

bool asks(const McpMessage& message, std::string_view method) {
  return json_member(message.json, "method") == "\"" + std::string(method) + "\"";
}

struct Fixture {
  std::vector<McpMessage> log;
  int opened = 0;

  std::shared_ptr<McpClient> client(FakeTransport::Answer answer, McpServer server = {"box", {"box"}, {}, {}, {}, {}}) {
    return McpClient::make(std::move(server), [this, answer](const McpServer&, McpTransport::OnMessage) {
      ++opened;
      return Result<std::unique_ptr<McpTransport>>(std::make_unique<FakeTransport>(answer, log));
    });
  }
};

Result<std::string> shaking(const McpMessage& message) {
  if (asks(message, "initialize")) return result(message, R"({"protocolVersion":"2025-06-18","capabilities":{}})");
  if (asks(message, "tools/list")) {
    if (message.json.find("cursor") == std::string::npos)
      return result(message, R"({"tools":[{"name":"read it","annotations":{"readOnlyHint":true,"openWorldHint":false},
        "inputSchema":{"type":"object"}},{"description":"no name"}],"nextCursor":"p2"})");
    return result(message, R"({"tools":[{"name":"read/it","description":"写入"},{"name":"drop"}]})");
  }
  if (message.json.find("\"drop\"") != std::string::npos) return error(message, -32602, "no such table");
  return result(message,
                R"({"content":[{"type":"text","text":"好的"},{"type":"image","mimeType":"image/png","data":"AAAA"}]})");
}

TEST(McpClient, AL_2_lists_all_pages_under_names_that_models_can_call) {
  Fixture fixture;
  const auto client = fixture.client(shaking);
  std::set<std::string> taken;
  const auto tools = client->tools({}, taken);
  ASSERT_TRUE(tools.ok()) << tools.error().message;
  ASSERT_EQ(tools->size(), 3u);
  EXPECT_EQ((*tools)[0]->info().name, "box_read_it");
  EXPECT_EQ((*tools)[1]->info().name, "box_read_it_2");
  EXPECT_EQ((*tools)[0]->effects(), ToolEffects::kNone);
  EXPECT_EQ((*tools)[1]->effects(), ToolEffects::kSome);
  ToolRegistry registry;
  for (const auto& tool : *tools) EXPECT_TRUE(registry.add(tool).ok());
}

TEST(McpClient, PF_26_tools_of_all_servers_have_names_that_models_can_call_each_its_own) {
  const auto offering = [](const std::string& names) {
    return [names](const McpMessage& message) -> Result<std::string> {
      if (asks(message, "initialize")) return result(message, R"({"protocolVersion":"2025-06-18","capabilities":{}})");
      return result(message, R"({"tools":[)" + names + "]}");
    };
  };
  const std::string longest(70, 'x');
  Fixture one, other;
  const auto first = one.client(offering(R"({"name":"b_c"},{"name":"d.e"})"), {"a", {"a"}, {}, {}, {}, {}});
  const auto second = other.client(offering(R"({"name":"c"},{"name":"查天气"},{"name":"查新闻"},{"name":")" + longest +
                                            R"("},{"name":")" + longest + R"(y"})"),
                                   {"a_b", {"a_b"}, {}, {}, {}, {}});
  std::set<std::string> taken{"a_d_e"};
  ToolRegistry registry;
  for (const auto& client : {first, second}) {
    const auto tools = client->tools({}, taken);
    ASSERT_TRUE(tools.ok());
    for (const auto& tool : *tools) EXPECT_TRUE(registry.add(tool).ok()) << tool->info().name;
  }
  EXPECT_EQ(registry.size(), 7u);
  EXPECT_NE(registry.find("a_d_e_2"), nullptr);
  EXPECT_NE(registry.find("a_b_c_2"), nullptr);
}

TEST(McpClient, AL_2_speaks_the_version_that_the_server_chose) {
  Fixture fixture;
  const auto client = fixture.client(shaking);
  ASSERT_TRUE(client->call("read it", R"({"a":1})", {}).ok());
  ASSERT_EQ(fixture.log.size(), 3u);
  EXPECT_TRUE(asks(fixture.log[1], "notifications/initialized"));
  EXPECT_EQ(fixture.log[2].headers.front().second, "2025-06-18");
  EXPECT_EQ(fixture.log[2].json.find("_meta"), std::string::npos);
}

TEST(McpClient, AL_2_results_are_told_in_words_and_mistakes_are_for_the_model) {
  Fixture fixture;
  const auto client = fixture.client(shaking);
  const auto read = client->call("read it", "{}", {});
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->output, "好的\n[image/png, 3 bytes]");
  const auto drop = client->call("drop", "{}", {});
  ASSERT_TRUE(drop.ok());
  EXPECT_TRUE(drop->failed);
  EXPECT_EQ(drop->output, "no such table");
}

TEST(McpClient, AL_2_a_server_without_a_handshake_is_spoken_to_in_the_stateless_form) {
  Fixture fixture;
  const auto client = fixture.client([](const McpMessage& message) -> Result<std::string> {
    if (asks(message, "initialize")) return error(message, -32601, "unknown method");
    if (message.json.find("io.modelcontextprotocol/protocolVersion") == std::string::npos)
      return error(message, -32602, "no _meta");
    if (asks(message, "server/discover")) return result(message, R"({"resultType":"complete"})");
    return result(message, R"({"resultType":"complete","structuredContent":{"n":7}})");
  });
  const auto seven = client->call("count", "{}", {});
  ASSERT_TRUE(seven.ok()) << seven.error().message;
  EXPECT_EQ(seven->output, R"({"n":7})");
  EXPECT_EQ(fixture.log.back().headers.size(), 3u);
}

TEST(McpClient, AL_2_a_server_that_went_away_is_begun_with_again) {
  Fixture fixture;
  int calls = 0;
  const auto client = fixture.client([&](const McpMessage& message) -> Result<std::string> {
    if (!asks(message, "tools/call")) return shaking(message);
    if (++calls == 1) return not_found("unknown session");
    if (calls == 3) return unavailable("gone");
    return shaking(message);
  });
  EXPECT_TRUE(client->call("read it", "{}", {}).ok());
  EXPECT_EQ(fixture.opened, 2);
  EXPECT_FALSE(client->call("read it", "{}", {}).ok());
  EXPECT_TRUE(client->call("read it", "{}", {}).ok());
  EXPECT_EQ(fixture.opened, 3);
}

TEST(McpClient, AL_2_what_took_too_long_is_taken_back_at_the_server) {
  Fixture fixture;
  const auto client = fixture.client([](const McpMessage& message) -> Result<std::string> {
    if (!asks(message, "tools/call")) return shaking(message);
    return timed_out("too long");
  });
  const auto late = client->call("read it", "{}", {});
  ASSERT_FALSE(late.ok());
  EXPECT_NE(late.error().message.find("box"), std::string::npos);
  EXPECT_TRUE(asks(fixture.log.back(), "notifications/cancelled"));
}

TEST(McpServers, AL_2_are_read_from_the_form_that_clients_share) {
  ::setenv("WEFT_TEST_TOKEN", "geheim", 1);
  const auto servers = parse_mcp_servers(R"({"mcpServers":{
    "files":{"command":"npx","args":["-y","server"],"env":{"A":"${WEFT_TEST_TOKEN}"},"tools":["read"],"timeout_ms":500},
    "off":{"command":"x","disabled":true},
    "web":{"type":"http","url":"http://127.0.0.1:1/mcp","headers":{"Authorization":"Bearer ${WEFT_TEST_TOKEN}"}}}})",
                                         "mcp.json");
  ASSERT_TRUE(servers.ok()) << servers.error().message;
  ASSERT_EQ(servers->size(), 2u);
  EXPECT_EQ((*servers)[0].command, (std::vector<std::string>{"npx", "-y", "server"}));
  EXPECT_EQ((*servers)[0].environment.front().second, "geheim");
  EXPECT_EQ((*servers)[1].headers.front().second, "Bearer geheim");
}

TEST(McpServers, AL_2_errors_name_the_field) {
  const auto message = [](const char* json) {
    const auto read = parse_mcp_servers(json, "mcp.json");
    return read.ok() ? std::string("fine") : read.error().message;
  };
  EXPECT_NE(message(R"({"servers":{}})").find("mcpServers"), std::string::npos);
  EXPECT_NE(message(R"({"mcpServers":{"a":{"command":"x","url":"y"}}})").find("mcpServers.a"), std::string::npos);
  EXPECT_NE(message(R"({"mcpServers":{"a":{"command":"x","args":[1]}}})").find("args[0]"), std::string::npos);
  EXPECT_NE(message(R"({"mcpServers":{"a":{"command":"${WEFT_NOT_SET_AT_ALL}"}}})").find("WEFT_NOT_SET_AT_ALL"),
            std::string::npos);
  EXPECT_NE(message(R"({"mcpServers":{"a":{"comand":"x"}}})").find("comand"), std::string::npos);
}

// A real program that speaks by lines; as small as a shell can have it.
McpServer shell_server(const std::string& answers) {
  const std::string script =
      "while read -r line; do id=$(printf %s \"$line\" | sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p'); "
      "case \"$line\" in " +
      answers + " esac; done";
  return {"sh", {"sh", "-c", script}, {}, {}, {}, {}};
}

std::shared_ptr<McpClient> over_stdio(McpServer server) {
  return McpClient::make(std::move(server), [](const McpServer& one, McpTransport::OnMessage on_message) {
    return open_stdio_transport(one.command, one.environment, std::move(on_message));
  });
}

TEST(McpStdio, AL_2_a_program_is_talked_to_and_many_calls_at_once_find_their_answers) {
  const auto client = over_stdio(shell_server(
      R"(*initialize\"*) echo "not json"; echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-11-25\"}}";;
         *tools/call*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$id\"}]}}";;)"));
  std::vector<std::thread> callers;
  std::atomic<int> fine{0};
  for (int i = 0; i < 8; ++i)
    callers.emplace_back([&] {
      const auto answer = client->call("echo", "{}", Deadline::after(std::chrono::seconds(30)));
      if (answer.ok() && !answer->failed) ++fine;
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(fine, 8);
}

TEST(McpStdio, AL_2_what_hangs_ends_in_time_and_what_died_says_why) {
  const auto hanging = over_stdio(shell_server(R"(*nothing*) ;;)"));
  const auto late = hanging->call("echo", "{}", Deadline::after(std::chrono::milliseconds(50)));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  const auto dead = over_stdio({"sh", {"sh", "-c", "echo no licence >&2; exit 3"}, {}, {}, {}, {}});
  const auto gone = dead->call("echo", "{}", Deadline::after(std::chrono::seconds(30)));
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, ErrorCode::kUnavailable) << gone.error().message;
  const auto missing = over_stdio({"none", {"weft-no-such-program"}, {}, {}, {}, {}});
  const auto never = missing->call("echo", "{}", {});
  ASSERT_FALSE(never.ok());
  EXPECT_EQ(never.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace weft
