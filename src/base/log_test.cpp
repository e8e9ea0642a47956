#include "base/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "base/call_context.h"

namespace weft {
namespace {

class Log : public testing::Test {
 protected:
  void TearDown() override { configure_log(LogLevel::kWarning, false); }
};

TEST_F(Log, writes_only_what_is_serious_enough) {
  configure_log(LogLevel::kWarning, false);
  testing::internal::CaptureStderr();
  log_debug("a.debug", "no");
  log_info("a.info", "no");
  log_warning("a.warning", "first\nsecond \x1b[31m");
  log_error("a.error", "{} is no format");
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_EQ(out.find("no\n"), std::string::npos);
  EXPECT_NE(out.find("warning a.warning: first\\nsecond \\x1b[31m\n"), std::string::npos) << out;
  EXPECT_NE(out.find("error a.error: {} is no format\n"), std::string::npos) << out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2);
}

TEST_F(Log, json_gives_one_object_a_line) {
  configure_log(LogLevel::kDebug, true);
  testing::internal::CaptureStderr();
  log_debug("a.b", "line\nbreak \"and\" \xFF");
  const auto line = nlohmann::json::parse(testing::internal::GetCapturedStderr());
  EXPECT_EQ(line["level"], "debug");
  EXPECT_EQ(line["event"], "a.b");
  EXPECT_EQ(line["text"], "line\nbreak \"and\" \xEF\xBF\xBD");
  EXPECT_TRUE(line.contains("time"));
}

TEST_F(Log, CM_15_fields_and_the_request_stand_in_each_form) {
  const std::vector<LogField> fields = {{"key", std::string_view("a\nb")}, {"status", std::int64_t{200}}, {"ms", 1.5}};
  const CallScope call(CallContext{.request = "r-1"});
  configure_log(LogLevel::kInfo, true);
  testing::internal::CaptureStderr();
  log(LogLevel::kInfo, "http.request", "GET /x 200", fields);
  const auto line = nlohmann::json::parse(testing::internal::GetCapturedStderr());
  EXPECT_EQ(line["request"], "r-1");
  EXPECT_EQ(line["key"], "a\nb");
  EXPECT_EQ(line["status"], 200);
  EXPECT_EQ(line["ms"], 1.5);
  configure_log(LogLevel::kInfo, false);
  testing::internal::CaptureStderr();
  log(LogLevel::kInfo, "http.request", "GET /x 200", fields);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("GET /x 200 request=r-1 key=a\\nb status=200 ms=1.5\n"), std::string::npos) << text;
}

TEST(CallContext, CM_15_an_id_from_outside_is_taken_only_if_it_can_be_told) {
  EXPECT_TRUE(is_request_id("req_01.A:b-c"));
  EXPECT_TRUE(is_request_id(std::string(128, 'a')));
  for (const std::string& wrong : {std::string(), std::string(129, 'a'), std::string("a b"), std::string("a\"b"),
                                   std::string("a\r\nSet-Cookie:x"), std::string("é")})
    EXPECT_FALSE(is_request_id(wrong)) << wrong;
  const std::string one = new_request_id();
  EXPECT_TRUE(is_request_id(one));
  EXPECT_NE(one, new_request_id());
  EXPECT_EQ(CallContext::current().request, "");
}

TEST_F(Log, off_is_off) {
  configure_log(LogLevel::kOff, false);
  testing::internal::CaptureStderr();
  log_error("a", "b");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Log, lines_of_several_threads_do_not_mix) {
  configure_log(LogLevel::kInfo, true);
  testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 100; ++i) log_info("x", std::string(200, 'y'));
      });
    }
  }
  std::istringstream out(testing::internal::GetCapturedStderr());
  int lines = 0;
  for (std::string line; std::getline(out, line); ++lines) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  EXPECT_EQ(lines, 400);
}

}  // namespace
}  // namespace weft
