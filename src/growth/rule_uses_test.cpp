#include <gtest/gtest.h>

#include "growth/rule_book.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

TEST(RuleUses, EV_1_an_outcome_that_is_known_later_counts_then_and_once) {
  test::TemporaryFolder folder;
  test::FakeClock clock;
  WordLikeness words;
  const EvolutionSettings settings;
  // Each time read from the log.
  const auto book = [&] { return RuleBook({disk(), {folder.path()}, clock, words, settings}); };
  {
    auto rules = book();
    for (const char* number : {"1", "2", "3"}) {
      clock.advance_minutes(24 * 60);
      Reflection made;
      made.id = made.session = made.task = std::string("of ") + number;
      made.time = clock.now();
      made.owner = "user:ann";
      made.reports = {made.id};
      made.suggestions = {{"Check prices against two sources", "", "", Grade::kMedium, Grade::kLow, false}};
      ASSERT_TRUE(rules.take(made).ok());
    }
    ASSERT_EQ(rules.rules(ScopeKey("user:ann"))->front().stage, LifeStage::kProbation);
  }
  // What was said first stands.
  for (const Outcome outcome : {Outcome::kUnknown, Outcome::kSuccess, Outcome::kFailure}) {
    auto rules = book();
    TaskReport report;
    report.id = "later";
    report.rules = {rules.rules(ScopeKey("user:ann"))->front().id};
    report.outcome = outcome;
    report.outcome_by = outcome == Outcome::kUnknown ? Witness::kNobody : Witness::kUser;
    for (int again = 0; again < 2; ++again) ASSERT_TRUE(rules.count(report).ok());
    const UseCount uses = rules.rules(ScopeKey("user:ann"))->front().uses;
    EXPECT_EQ(uses.injected, 1);
    EXPECT_EQ(uses.succeeded, outcome == Outcome::kUnknown ? 0 : 1);
    EXPECT_EQ(uses.failed, 0);
  }
}

}  // namespace
}  // namespace weft
