#include "eval/time_expressions.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace weft {
namespace {

std::string write_file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

constexpr const char* kLines =
    R"({"id":"a","text":"我昨天到","reference":"2026-03-05T15:00:00+08:00","expressions":[{"start":1,"end":3,"type":"date","value":"2026-03-04"}]})"
    "\n"
    R"({"id":"b","text":"on the 3rd of May","reference":"2026-03-05T15:00:00Z","expressions":[{"start":3,"end":17,"value":"2025-05-03","alternatives":["2026-05-03"]}]})"
    "\n"
    R"({"id":"c","text":"no time at all","reference":"2026-03-05T15:00:00Z","expressions":[]})"
    "\n"
    R"({"id":"d","text":"it rained tomorrow","reference":"2026-03-05T15:00:00Z","expressions":[]})"
    "\n";

TEST(TimeEval, CM_4_counts_exact_strict_found_and_false_positives) {
  TimeEvalOptions options;
  options.predictions = testing::TempDir() + "/time_predictions.jsonl";
  const auto report = eval_time_expressions({write_file("time_labels.jsonl", kLines)}, options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report.value().texts, 4);
  EXPECT_EQ(report.value().expressions, 2);
  EXPECT_EQ(report.value().exact, 2);
  EXPECT_EQ(report.value().strict, 1);
  EXPECT_EQ(report.value().found, 2);
  EXPECT_EQ(report.value().negatives, 2);
  EXPECT_EQ(report.value().false_positives, 1);
  EXPECT_EQ(report.value().by_type.at("date").exact, 1);
  EXPECT_EQ(report.value().by_type.at("").expressions, 1);
  EXPECT_NE(to_json(report.value()).find(R"("by_type":{"":{"expressions":1)"), std::string::npos);
  std::stringstream written;
  written << std::ifstream(options.predictions).rdbuf();
  EXPECT_NE(written.str().find(R"("start":1)"), std::string::npos) << written.str();
}

TEST(TimeEval, CM_4_notations_of_one_value) {
  EXPECT_TRUE(same_time_value("P1W", "P7D"));
  EXPECT_TRUE(same_time_value("P1Y", "P12M"));
  EXPECT_TRUE(same_time_value("2026-03-05T17:00:00", "17:00:00"));
  EXPECT_TRUE(same_time_value("2026-03-05T17:00:00/2026-03-05T18:00:00", "17:00:00/18:00:00"));
  EXPECT_FALSE(same_time_value("17:00:00", "2026-03-05T17:00:00"));
  EXPECT_FALSE(same_time_value("P1M", "PT1M"));
  EXPECT_FALSE(same_time_value("2026-03-05", "2026-03-06"));
}

TEST(TimeEval, CM_4_errors_name_file_and_line) {
  const auto broken = eval_time_expressions({write_file("time_broken.jsonl", "{}\n")}, {});
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().message.find("time_broken.jsonl:1"), std::string::npos) << broken.error().message;
  EXPECT_FALSE(eval_time_expressions({"/nowhere.jsonl"}, {}).ok());
}

}  // namespace
}  // namespace weft
