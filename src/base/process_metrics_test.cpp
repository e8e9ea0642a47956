#include "base/process_metrics.h"

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace weft {
namespace {

double value_of(const std::string& text, const std::string& name) {
  const auto at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}

std::string told() {
  MetricsText text("");
  write_process(text);
  return text.take();
}

TEST(ProcessMetrics, CM_15_they_say_how_this_process_stands) {
  const std::string before = told();
  EXPECT_GT(value_of(before, "process_resident_memory_bytes"), 1e6);
  EXPECT_GE(value_of(before, "process_virtual_memory_bytes"), value_of(before, "process_resident_memory_bytes"));
  EXPECT_GE(value_of(before, "process_max_fds"), value_of(before, "process_open_fds"));
  const auto now = static_cast<double>(std::time(nullptr));
  const double start = value_of(before, "process_start_time_seconds");
  EXPECT_GT(start, now - 86400);
  EXPECT_LE(start, now + 5);
  std::ifstream one("/proc/self/stat"), two("/proc/self/stat");
  EXPECT_EQ(value_of(told(), "process_open_fds"), value_of(before, "process_open_fds") + 2);
}

}  // namespace
}  // namespace weft
