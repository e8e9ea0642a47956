#include "growth/reflect_floor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "growth/trace_findings.h"
#include "growth/transcripts.h"
#include "tests/support/shared_data.h"
#include "text/json.h"

namespace weft {
namespace {

ReportStep step(std::int64_t number, std::string tool, std::string arguments, std::string output, bool failed = false) {
  ReportStep made;
  made.number = number;
  made.tool = std::move(tool);
  made.arguments = std::move(arguments);
  made.output = std::move(output);
  made.failed = failed;
  return made;
}

TaskReport report_with(std::vector<ReportStep> steps, std::string task = "Fix the build") {
  TaskReport report;
  report.id = "r1";
  report.owner = "user:ann";
  report.task = std::move(task);
  report.output = "Done.";
  report.steps = std::move(steps);
  return report;
}

TEST(ReflectFloor, RE_1_causes_are_told_by_how_the_tool_failed) {
  const std::pair<const char*, ErrorCause> kCases[] = {
      {"cat: a.txt: No such file or directory", ErrorCause::kMissingInformation},
      {"error: unrecognized arguments: --fast", ErrorCause::kToolMisuse},
      {"错误：参数无效", ErrorCause::kToolMisuse},
      {"Error: request timed out", ErrorCause::kModelLimit},
      {"Error: the payment was declined", ErrorCause::kWrongStrategy}};
  for (const auto& [output, cause] : kCases) {
    const Reflection made = floor_task_end(report_with({step(1, "run_it", "{}", output, true)}));
    ASSERT_EQ(made.errors.size(), 1u) << output;
    EXPECT_EQ(made.errors[0].cause, cause) << output;
    EXPECT_EQ(made.errors[0].step, 1);
    ASSERT_FALSE(made.suggestions.empty());
    EXPECT_EQ(made.suggestions[0].confidence, Grade::kLow);
    EXPECT_EQ(made.suggestions[0].severity, Grade::kLow);
  }
}

TEST(ReflectFloor, RE_1_what_repeats_is_more_certain_and_only_what_destroys_is_grave) {
  const Reflection twice = floor_task_end(
      report_with({step(1, "build", "{}", "Error: x", true), step(2, "build", R"({"a":1})", "Error: x", true)}));
  EXPECT_EQ(twice.suggestions.at(0).confidence, Grade::kMedium);
  const Reflection gone = floor_task_end(
      report_with({step(1, "bash", R"({"command":"cd /srv && rm -rf data"})", "rm: Permission denied", true)}));
  EXPECT_EQ(gone.suggestions.at(0).severity, Grade::kHigh);
  EXPECT_TRUE(gone.suggestions.at(0).restricts);
  EXPECT_EQ(gone.suggestions.at(0).confidence, Grade::kLow);
  EXPECT_FALSE(is_destructive(step(1, "bash", R"({"command":"cat remove.py"})", "")));
  EXPECT_TRUE(is_destructive(step(1, "deleteUser", "{}", "")));
}

TEST(ReflectFloor, RE_1_loops_slow_steps_unused_results_and_limits_are_seen) {
  std::vector<ReportStep> steps;
  for (int i = 1; i <= 3; ++i) steps.push_back(step(i, "status", R"({"id":7})", "pending"));
  for (ReportStep& one : steps) one.ms = 100;
  steps.push_back(step(4, "compile", "{}", "ok"));
  steps.back().ms = 60'000;
  steps.push_back(
      step(5, "read_file", R"({"path":"a"})", std::string(40, 'q') + " zebra quagga okapi " + std::string(200, ' ')));
  TaskReport report = report_with(std::move(steps));
  report.limit = "tokens";
  std::map<TraceSign, TraceFinding> by_sign;
  for (const TraceFinding& finding : findings_of(report)) by_sign[finding.sign] = finding;
  EXPECT_EQ(by_sign[TraceSign::kLoop].steps, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(by_sign[TraceSign::kSlow].tool, "compile");
  EXPECT_EQ(by_sign[TraceSign::kUnused].tool, "read_file");
  EXPECT_TRUE(by_sign.contains(TraceSign::kLimitReached));
  report.output = "The okapi file is the one.";
  for (const TraceFinding& finding : findings_of(report)) EXPECT_NE(finding.sign, TraceSign::kUnused);
  EXPECT_LE(floor_task_end(report).suggestions.size(), 3u);
}

TEST(ReflectFloor, RE_1_a_clean_trace_gives_no_advice_and_chinese_tasks_chinese_advice) {
  EXPECT_TRUE(floor_task_end(report_with({step(1, "make", "{}", "ok")})).suggestions.empty());
  const Reflection made = floor_task_end(report_with({step(1, "运行", "{}", "失败：找不到文件", true)}, "修复构建"));
  EXPECT_NE(made.suggestions.at(0).strategy.find("调用 运行 之前"), std::string::npos);
}

TEST(ReflectFloor, RE_1_a_review_tells_what_several_tasks_share) {
  std::vector<TaskReport> day;
  for (int i = 0; i < 5; ++i) {
    day.push_back(
        report_with({step(1, "search", "{}", i < 3 ? "Error: timed out" : "ok", i < 3)}, "task " + std::to_string(i)));
    day.back().id = "r" + std::to_string(i);
  }
  day.push_back(day.front());  // the same task once more
  const Reflection made = floor_review(day);
  EXPECT_EQ(made.trigger, ReflectionTrigger::kReview);
  ASSERT_EQ(made.errors.size(), 1u);
  EXPECT_NE(made.errors[0].what.find("in 3 of 6 tasks"), std::string::npos) << made.errors[0].what;
  EXPECT_EQ(made.suggestions.at(0).confidence, Grade::kMedium);
  EXPECT_TRUE(floor_review(std::span(day).first(1)).suggestions.empty());
}

TEST(ReflectFloor, RE_1_an_error_is_told_with_those_before_it) {
  const TaskReport report =
      report_with({step(1, "build", "{}", "Error: x", true), step(2, "build", "{}", "Error: x", true)});
  const Reflection made = floor_error(report, report.steps.back());
  EXPECT_EQ(made.trigger, ReflectionTrigger::kError);
  EXPECT_EQ(made.errors.at(0).step, 2);
  EXPECT_EQ(made.suggestions.at(0).confidence, Grade::kMedium);
}

TEST(ReflectFloor, RE_1_failed_steps_of_labelled_traces) {
  std::map<std::string, TaskReport> reports;
  for (const char* set : {"openhands", "sweagent", "swesmith", "taubench"}) {
    const auto path = test::shared_data("traces/" + std::string(set) + ".jsonl");
    if (path.empty()) GTEST_SKIP() << "no shared data";
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    auto read = read_transcripts(text.str(), {.file = set});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_TRUE(read->problems.empty()) << read->problems.front();
    for (TaskReport& report : read->reports) reports[report.id.substr(report.id.find('/') + 1)] = report;
  }
  std::ifstream labels(std::string(WEFT_TEST_DATA) + "/data/reflection/failed_steps.jsonl");
  int all = 0, first = 0, one_of = 0, among = 0;
  for (std::string line; std::getline(labels, line);) {
    const std::string id = json_text(json_member(line, "id")).value();
    ASSERT_TRUE(reports.contains(id)) << id;
    const auto wanted = std::stoll(std::string(json_member(line, "step")));
    std::vector<std::int64_t> failed;
    for (const auto number : json_elements(json_member(line, "failed")))
      failed.push_back(std::stoll(std::string(number)));
    std::vector<std::int64_t> seen;
    for (const TraceFinding& finding : findings_of(reports[id])) {
      const bool waste = finding.sign == TraceSign::kSlow || finding.sign == TraceSign::kUnused;
      if (!waste) seen.insert(seen.end(), finding.steps.begin(), finding.steps.end());
    }
    const Reflection made = floor_task_end(reports[id]);
    const std::int64_t top = made.errors.empty() ? 0 : made.errors.front().step;
    ++all;
    first += top == wanted ? 1 : 0;
    one_of += std::find(failed.begin(), failed.end(), top) != failed.end() ? 1 : 0;
    among += std::find(seen.begin(), seen.end(), wanted) != seen.end() ? 1 : 0;
    if (top != wanted) std::cout << id << ": step " << top << " instead of " << wanted << "\n";
  }
  std::cout << all << " failing traces: the first diagnosis names the decisive step in " << first
            << ", one of the failed steps in " << one_of << "; the decisive step is among all findings in " << among
            << "\n";
  ASSERT_GE(all, 30);
  EXPECT_GE(among * 100, all * 60);
}

}  // namespace
}  // namespace weft
