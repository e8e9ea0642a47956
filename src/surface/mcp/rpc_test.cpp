#include "surface/mcp/rpc.h"

#include <gtest/gtest.h>

namespace weft::mcp {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 1 << 16, .max_depth = 32};

RpcCode code_of(std::string_view json) {
  const auto read = read_message(json, kLimits);
  const auto* refused = std::get_if<RpcRefusal>(&read);
  return refused == nullptr ? RpcCode{0} : refused->error.code;
}

TEST(Rpc, PF_10_a_message_is_a_request_a_notification_or_a_response) {
  const auto kind = [](std::string_view json) { return std::get<RpcMessage>(read_message(json, kLimits)).kind; };
  EXPECT_EQ(kind(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"), RpcKind::kRequest);
  EXPECT_EQ(kind(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), RpcKind::kNotification);
  EXPECT_EQ(kind(R"({"jsonrpc":"2.0","id":"weft-1","result":{}})"), RpcKind::kResponse);
  const auto failed = std::get<RpcMessage>(
      read_message(R"({"jsonrpc":"2.0","id":"weft-1","error":{"code":-1,"message":"no"}})", kLimits));
  EXPECT_TRUE(failed.failed);
}

TEST(Rpc, PF_10_what_is_no_message_is_refused_with_the_code_for_it) {
  EXPECT_EQ(code_of("{"), RpcCode::kParseError);
  EXPECT_EQ(code_of(std::string(200, '[')), RpcCode::kParseError);
  EXPECT_EQ(code_of("3"), RpcCode::kInvalidRequest);
  EXPECT_EQ(code_of(R"({"id":1,"method":"ping"})"), RpcCode::kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), RpcCode::kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"), RpcCode::kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":3})"), RpcCode::kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1})"), RpcCode::kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})"), RpcCode::kInvalidParams);
}

TEST(Rpc, PF_10_the_id_of_a_broken_message_is_found) {
  const auto id_of = [](std::string_view json) { return std::get<RpcRefusal>(read_message(json, kLimits)).id; };
  EXPECT_EQ(id_of(R"({"jsonrpc":"2.0","id":7,"method":"ping")"), "7");
  EXPECT_EQ(id_of(R"({"a":{"id":1},"b":"\"id\":2","id" : "x\"y" ,})"), R"("x\"y")");
  EXPECT_EQ(id_of("{\"id\":-3,\"method\":\"\xff\"}"), "-3");
  EXPECT_EQ(id_of(R"({"id":)"), "");
  EXPECT_EQ(id_of(R"({"id":"x)"), "");
  EXPECT_EQ(id_of(R"({"method":"ping)"), "");
}

TEST(Rpc, PF_10_several_messages_at_once_are_refused) {
  EXPECT_EQ(code_of(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), RpcCode::kInvalidRequest);
}

TEST(Rpc, PF_10_ids_come_back_as_they_were_written) {
  for (const std::string id : {"1", "-7", "90071992547409931234", "\"a \\u00e9\""}) {
    const auto read = read_message(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"ping"})", kLimits);
    EXPECT_EQ(std::get<RpcMessage>(read).id, id);
    EXPECT_NE(result_message(id, Value(ValueObject{})).find("\"id\":" + id + ","), std::string::npos);
  }
  EXPECT_NE(error_message("", {RpcCode::kParseError, "x", {}}).find("\"id\":null"), std::string::npos);
}

}  // namespace
}  // namespace weft::mcp
