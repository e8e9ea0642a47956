#include <gtest/gtest.h>

#include <fstream>
#include <iostream>

#include "growth/trace_findings.h"

namespace weft {
namespace {

struct Figures {
  int all = 0, right = 0, found = 0, wanted = 0, wrong = 0;
};

// Every other four sentences are held apart: their errors are reported, and lists are not mended by them. The sentences
// were written before the lists, by the same hand.
Figures measured(const std::string& language, bool apart) {
  std::ifstream file(std::string(WEFT_TEST_DATA) + "/data/feedback/" + language + ".tsv");
  Figures figures;
  std::string line;
  for (int number = 0; std::getline(file, line); ++number) {
    if ((number / 4 % 2 == 1) != apart) continue;
    const auto tab = line.find('\t');
    const std::string sign = line.substr(0, tab);
    const std::string got(to_string(judged(std::string_view(line).substr(tab + 1))));
    ++figures.all;
    figures.right += got == sign ? 1 : 0;
    figures.wanted += sign != "none" ? 1 : 0;
    figures.found += sign != "none" && got != "none" ? 1 : 0;
    figures.wrong += sign == "none" && got != "none" ? 1 : 0;
    if (got != sign) std::cout << language << (apart ? " apart: " : ": ") << got << " instead of " << line << "\n";
  }
  return figures;
}

TEST(Feedback, RE_1_judgements_are_told_from_questions_and_tasks_in_both_languages) {
  for (const char* language : {"en", "zh"}) {
    for (const bool apart : {false, true}) {
      const Figures figures = measured(language, apart);
      std::cout << language << (apart ? ", held apart: " : ", known: ") << figures.right << " of " << figures.all
                << " signs, " << figures.found << " of " << figures.wanted << " judgements found, " << figures.wrong
                << " found where there is none\n";
      ASSERT_GE(figures.all, 48);
      EXPECT_GE(figures.right, figures.all * 3 / 4);
      EXPECT_LE(figures.wrong, 2);
    }
  }
}

TaskReport with_output(const std::string& task, const std::string& output) {
  TaskReport report;
  report.task = task;
  report.output = output;
  return report;
}

TEST(Feedback, RE_1_an_edited_output_gives_what_was_put_in) {
  const WordLikeness likeness;
  const TaskReport report =
      with_output("Write a note", "Dear all,\nthe office is closed on Monday.\nBest wishes,\nTom\n");
  const auto edit = feedback_in("Dear all,\nthe office is closed on Tuesday.\nBest wishes,\nTom\n", report, likeness);
  EXPECT_EQ(edit.sign, FeedbackSign::kEdit);
  EXPECT_EQ(edit.changed, "the office is closed on Tuesday.");
  EXPECT_EQ(feedback_in(report.output, report, likeness).sign, FeedbackSign::kNone);
  const TaskReport chinese =
      with_output("写通知", "各位同事：本周一放假一天。请提前安排好工作。有事请联系行政部。祝大家愉快。");
  const auto changed =
      feedback_in("各位同事：本周二放假一天。请提前安排好工作。有事请联系行政部。祝大家愉快。", chinese, likeness);
  EXPECT_EQ(changed.sign, FeedbackSign::kEdit);
  EXPECT_NE(changed.changed.find("本周二"), std::string::npos);
}

TEST(Feedback, RE_1_the_same_question_again_is_a_repeat) {
  const WordLikeness likeness;
  const TaskReport report = with_output("How much does the train to Utrecht cost on Sunday?", "Trains run hourly.");
  EXPECT_EQ(feedback_in("How much does the Sunday train to Utrecht cost?", report, likeness).sign,
            FeedbackSign::kRepeat);
  EXPECT_EQ(feedback_in("Who built the cathedral?", report, likeness).sign, FeedbackSign::kNone);
}

TEST(Feedback, RE_4_a_similar_request_for_something_else_is_no_repeat) {
  const WordLikeness likeness;
  const TaskReport english = with_output("Deploy the billing service to the staging cluster in Frankfurt", "Done.");
  EXPECT_EQ(feedback_in("Deploy the mailing service to the staging cluster in Frankfurt", english, likeness).sign,
            FeedbackSign::kNone);
  EXPECT_EQ(feedback_in("Deploy the other billing service to the staging cluster in Frankfurt", english, likeness).sign,
            FeedbackSign::kNone);
  EXPECT_EQ(
      feedback_in("Please deploy the billing service to the staging cluster in Frankfurt again", english, likeness)
          .sign,
      FeedbackSign::kRepeat);
  const TaskReport chinese = with_output("把账单服务部署到法兰克福的测试集群", "好了。");
  EXPECT_EQ(feedback_in("把邮件服务部署到法兰克福的测试集群", chinese, likeness).sign, FeedbackSign::kNone);
  EXPECT_EQ(feedback_in("把账单服务部署到法兰克福的测试集群！", chinese, likeness).sign, FeedbackSign::kRepeat);
}

TEST(Feedback, RE_1_a_verifier_counts_before_the_user) {
  TaskReport report = with_output("t", "o");
  report.outcome = Outcome::kSuccess;
  report.outcome_by = Witness::kVerifier;
  take_feedback({FeedbackSign::kComplaint, "It is useless.", {}}, report);
  EXPECT_EQ(report.reaction, UserReaction::kComplained);
  EXPECT_EQ(report.outcome, Outcome::kSuccess);
  report.outcome_by = Witness::kModel;
  take_feedback({FeedbackSign::kComplaint, "It is useless.", {}}, report);
  EXPECT_EQ(report.outcome, Outcome::kFailure);
  EXPECT_EQ(report.outcome_by, Witness::kUser);
}

}  // namespace
}  // namespace weft
