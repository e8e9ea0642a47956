#include "base/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

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
