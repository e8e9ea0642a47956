#include "surface/proxy/turn.h"

#include <gtest/gtest.h>

namespace weft::proxy {
namespace {

const std::string kRead =
    R"({ "type":"function","function":{"name":"read","description":"Reads. é","parameters":{"b":1,"a":2}} })";
const std::string kMail = R"({"type":"function","function":{"name":"mail"}})";
const std::string kOwn = R"({"type":"web_search"})";

std::string body(const std::string& tools, const std::string& more = "") {
  return R"({"model":"m","tools": [)" + tools + R"(],"messages":[])" + more + "}";
}

TEST(ChosenTools, AC_8_those_that_stay_are_sent_byte_for_byte) {
  const std::string all = body(kRead + " , " + kMail + "," + kOwn);
  EXPECT_EQ(with_tools(all, {"read"}), body(kRead + "," + kOwn));
  EXPECT_EQ(with_tools(body(kRead + "," + kMail), {"unknown"}), body(kRead + "," + kMail));
  EXPECT_EQ(with_tools(R"({"messages":[]})", {"read"}), R"({"messages":[]})");
}

TEST(ChosenTools, AC_8_what_the_caller_asks_for_by_name_stays) {
  const std::string choice = R"(,"tool_choice":{"type":"function","function":{"name":"mail"}})";
  EXPECT_EQ(with_tools(body(kRead + "," + kMail, choice), {"read"}), body(kRead + "," + kMail, choice));
}

TEST(ChosenTools, AC_8_tools_are_read_with_their_parameters) {
  const auto tools = tools_in(body(kRead + "," + kOwn));
  ASSERT_EQ(tools.size(), 1U);
  EXPECT_EQ(tools[0].name, "read");
  EXPECT_EQ(tools[0].description, "Reads. é");
  EXPECT_EQ(tools[0].parameters, R"({"b":1,"a":2})");
}

}  // namespace
}  // namespace weft::proxy
