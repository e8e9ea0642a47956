#include <gtest/gtest.h>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/call_context.h"
#include "base/metrics.h"

namespace weft {

namespace {

TEST(MetricsText, CM_15_labels_are_escaped_and_heads_stand_once) {
  CounterFamily calls({"calls_total", "Calls.", {"who", "what"}});
  calls.add({"a\"b\\c\nd", "x"});
  calls.add({"a\"b\\c\nd", "x"}, 2);
  calls.add({"z", "x"}, 0);
  MetricsText text;
  calls.write(text);
  EXPECT_EQ(text.take(),
            "# HELP weft_calls_total Calls. Labels: who, what.\n# TYPE weft_calls_total counter\n"
            "weft_calls_total{who=\"a\\\"b\\\\c\\nd\",what=\"x\"} 3\n"
            "weft_calls_total{who=\"z\",what=\"x\"} 0\n");
}

TEST(MetricsText, CM_15_large_counts_are_told_in_full) {
  MetricsText text("");
  text.counter("n", "N.", 123456789012.0);
  text.gauge("g", "G.", 0.25);
  const std::string told = text.take();
  EXPECT_NE(told.find("\nn 123456789012\n"), std::string::npos) << told;
  EXPECT_NE(told.find("\ng 0.25\n"), std::string::npos) << told;
}

TEST(MetricsText, CM_15_a_histogram_counts_up_to_each_bound_and_all_at_last) {
  HistogramFamily times({"seconds", "Time.", {"role"}});
  for (const double seconds : {0.002, 0.3, 1000.0}) times.add({"main"}, seconds);
  MetricsText text;
  times.write(text);
  const std::string told = text.take();
  EXPECT_NE(told.find("weft_seconds_bucket{role=\"main\",le=\"0.0025\"} 1\n"), std::string::npos) << told;
  EXPECT_NE(told.find("weft_seconds_bucket{role=\"main\",le=\"300\"} 2\n"), std::string::npos) << told;
  EXPECT_NE(told.find("weft_seconds_bucket{role=\"main\",le=\"+Inf\"} 3\n"), std::string::npos) << told;
  EXPECT_NE(told.find("weft_seconds_count{role=\"main\"} 3\n"), std::string::npos) << told;
}

TEST(CounterFamily, CM_15_what_is_dropped_is_told_no_more) {
  CounterFamily calls({"calls_total", "Calls.", {"user", "outcome"}});
  calls.add({"user:ann", "answered"});
  calls.add({"user:bob", "answered"});
  calls.drop("user:ann");
  MetricsText text;
  calls.write(text);
  const std::string told = text.take();
  EXPECT_EQ(told.find("ann"), std::string::npos);
  EXPECT_NE(told.find("bob"), std::string::npos);
}

TEST(BoundedNames, CM_15_names_are_few_whole_and_never_empty) {
  BoundedNames names(2);
  EXPECT_EQ(names.told(""), "none");
  EXPECT_EQ(names.told("junk", false), "other");
  EXPECT_EQ(names.told("a"), "a");
  EXPECT_EQ(names.told("b"), "b");
  EXPECT_EQ(names.told("c"), "other");
  EXPECT_EQ(names.told("a", false), "a");
  names.drop("a");
  EXPECT_EQ(names.told("c"), "c");
  std::string words;
  for (int i = 0; i < 100; ++i) words += "语";
  const std::string cut = BoundedNames::shortened(words + "x");
  EXPECT_EQ(cut.size() % 3, 0U) << "a character was cut in two";
  EXPECT_TRUE(words.starts_with(cut));
}

TEST(CallContext, CM_15_the_innermost_holds_and_each_thread_has_its_own) {
  EXPECT_EQ(CallContext::current().account.scope, "");
  const CallScope outer(Account{"user:ann", "k"});
  {
    const CallScope inner(Account{"user:bob", {}});
    EXPECT_EQ(CallContext::current().account.scope, "user:bob");
    std::thread([] { EXPECT_EQ(CallContext::current().account.scope, ""); }).join();
  }
  EXPECT_EQ(CallContext::current().account.scope, "user:ann");
  EXPECT_EQ(CallContext::current().account.key, "k");
}

}  // namespace

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
