#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "growth/mutation_lab.h"
#include "growth/skill_library.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_chat.h"
#include "tests/support/temporary_folder.h"
#include "text/yaml_value.h"

namespace weft {
namespace {

using test::FakeClock;

using test::TemporaryFolder;

Skill some_skill() {
  Skill skill;
  skill.skill_id = "prices";
  skill.name = "Prices";
  skill.description = "compare prices of hotels";
  skill.steps = {{"Search the web for offers", "take the top 5 results", {"web_search"}},
                 {"Read customer opinions", "", {"reviews"}},
                 {"Write the table", "from the results", {}}};
  return skill;
}

class MutationLabTest : public testing::Test {
 protected:
  MutationLabTest() { EXPECT_TRUE(shelf_.put(some_skill(), "").ok()); }

  MutationLab lab(ChatModel* model = nullptr) {
    return MutationLab({disk(),
                        {folder_.path()},
                        clock_,
                        words_,
                        settings_,
                        shelf_,
                        [model] { return model; },
                        [] {
                          return std::vector<ToolInfo>{{"web_search", "search the web", ""},
                                                       {"offers_api", "search offers of the web directly", ""}};
                        }});
  }
  TaskReport report(const std::string& task, const std::string& skill, bool success) {
    TaskReport made;
    made.id = "t" + std::to_string(++count_);
    made.task = task;
    made.skills = {skill};
    made.outcome = success ? Outcome::kSuccess : Outcome::kFailure;
    made.outcome_by = Witness::kVerifier;
    return made;
  }
  void use_often(MutationLab& lab, int successes, int failures) {
    for (int i = 0; i < successes + failures; ++i)
      ASSERT_TRUE(lab.count(report("before " + std::to_string(i), "prices", i >= failures)).ok());
  }
  // A task from the assignment to its outcome; gives the arm.
  bool play(MutationLab& lab, bool variant_succeeds, bool original_succeeds) {
    const std::string task = "task " + std::to_string(++count_);
    const auto skill = lab.skill_for(ScopeKey("workspace"), "prices", task);
    EXPECT_TRUE(skill.ok()) << skill.error().message;
    const bool variant = skill->skill_id != "prices";
    EXPECT_EQ(lab.skill_for(ScopeKey("workspace"), "prices", task)->skill_id, skill->skill_id);
    EXPECT_TRUE(lab.count(report(task, skill->skill_id, variant ? variant_succeeds : original_succeeds)).ok());
    return variant;
  }
  std::string log() { return read_file(folder_.path() / "evolution" / "mutation_tests.jsonl").value_or(""); }

  TemporaryFolder folder_;
  FakeClock clock_;
  WordLikeness words_;
  EvolutionSettings settings_;
  std::unique_ptr<Store> store_ = open_store("memory:").value();
  DocumentFiles documents_{*store_};
  SkillLibrary shelf_{{*store_, documents_, disk(), {folder_.path()}, clock_, words_}};
  int count_ = 0;
};

TEST_F(MutationLabTest, EV_2_only_a_skill_that_was_used_enough_and_does_well_is_changed) {
  auto changes = lab();
  use_often(changes, 9, 0);
  EXPECT_FALSE(changes.propose(ScopeKey("workspace"), "prices").ok()) << "nine uses";
  auto foreign = report("x", "prices", true);
  foreign.provenance = Provenance::kImported;
  ASSERT_TRUE(changes.count(foreign).ok());
  EXPECT_FALSE(changes.propose(ScopeKey("workspace"), "prices").ok()) << "another agent's uses do not count";
  use_often(changes, 0, 4);
  const auto refused = changes.propose(ScopeKey("workspace"), "prices");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("9 of its last 13"), std::string::npos) << refused.error().message;
  use_often(changes, 20, 0);  // of the last twenty all are well
  EXPECT_TRUE(changes.propose(ScopeKey("workspace"), "prices").ok());
  EXPECT_EQ(changes.propose(ScopeKey("workspace"), "prices").error().code, ErrorCode::kConflict) << "one at a time";
}

TEST_F(MutationLabTest, EV_2_without_a_model_numbers_then_order_then_tools_are_changed) {
  const Skill skill = some_skill();
  const auto tools = std::vector<ToolInfo>{{"offers_api", "search offers of the web directly", ""}};
  std::vector<std::string> tried;
  const auto numbers = floor_proposals(skill, tools, words_, tried);
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_EQ(numbers[0].variant.steps[0].details, "take the top 3 results");
  EXPECT_EQ(type_of_change(skill, numbers[0].variant), MutationType::kParameter);
  for (const Proposal& one : numbers) tried.push_back(one.change);
  const auto orders = floor_proposals(skill, tools, words_, tried);
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].type, MutationType::kOrder);
  EXPECT_EQ(orders[0].variant.steps[0].action, "Read customer opinions");
  EXPECT_EQ(type_of_change(skill, orders[0].variant), MutationType::kOrder);
  tried.push_back(orders[0].change);
  const auto others = floor_proposals(skill, tools, words_, tried);
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(others[0].variant.steps[0].tools, std::vector<std::string>{"offers_api"});
  EXPECT_EQ(type_of_change(skill, others[0].variant), MutationType::kStep);
  Skill chinese = skill;
  chinese.steps = {{"搜索报价", "取前5条结果，日期为2026-03-01", {}}};
  EXPECT_EQ(floor_proposals(chinese, tools, words_, {})[0].variant.steps[0].details, "取前3条结果，日期为2026-03-01");
}

TEST_F(MutationLabTest, EV_2_a_model_proposes_and_a_new_strategy_waits_for_a_person) {
  ScriptedChat chat;
  chat.say(R"({"proposals":[
    {"change":"List unknowns first","reason":"r","risk":"k","validation":"v","steps":[{"action":"List what is not known"},
      {"action":"Search the web for offers","details":"take the top 5 results","tools":["web_search"]},
      {"action":"Read customer opinions","tools":["reviews"]},{"action":"Write the table","details":"from the results"}]},
    {"change":"Use a tool that is not there","reason":"r","risk":"k","validation":"v","steps":[{"action":"x","tools":["rm"]}]},
    {"change":"Skip the safety checks","reason":"r","risk":"k","validation":"v","steps":[{"action":"Disable the sandbox"}]}]})");
  auto changes = lab(&chat);
  use_often(changes, 10, 0);
  const auto made = changes.propose(ScopeKey("workspace"), "prices");
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(made->size(), 1u) << "unknown tools and what makes things less safe are left out";
  EXPECT_EQ(made->front().type, MutationType::kStrategy);
  EXPECT_EQ(made->front().stage, MutationStage::kAwaitingApproval);
  EXPECT_EQ(changes.skill_for(ScopeKey("workspace"), "prices", "t")->skill_id, "prices");
  const auto approved = changes.judge_by_person(ScopeKey("workspace"), made->front().id, true, "worth a try", "ann");
  ASSERT_TRUE(approved.ok());
  EXPECT_EQ(approved->stage, MutationStage::kTesting);
  EXPECT_FALSE(changes.judge_by_person(ScopeKey("user:bob"), "none", true, "", "bob").ok());
}

TEST_F(MutationLabTest, EV_3_a_better_change_takes_the_place_and_the_log_tells_it) {
  settings_.decide = TrialPolicy::kRates;
  auto changes = lab();
  use_often(changes, 10, 0);
  const auto made = changes.propose(ScopeKey("workspace"), "prices");
  ASSERT_EQ(made.value_or({}).size(), 3u);
  for (int use = 1; use <= 10; ++use) EXPECT_EQ(play(changes, true, use <= 6), use % 2 == 0) << use;
  const auto all = *changes.list(ScopeKey("workspace"));
  EXPECT_EQ(all[0].stage, MutationStage::kKept) << all[0].decided;
  EXPECT_EQ(all[0].original_uses, 5);
  EXPECT_EQ(all[1].stage, MutationStage::kDiscarded) << "of a skill that is no more";
  const Skill skill = *shelf_.get("prices");
  EXPECT_EQ(skill.steps[0].details, "take the top 3 results");
  ASSERT_EQ(skill.version_history.size(), 1u);
  EXPECT_NE(skill.version_history[0].content.find("top 5"), std::string::npos);
  const std::string file = read_file(folder_.path() / "skills" / "mutations" / (all[0].id + ".yaml")).value_or("");
  EXPECT_EQ(read_yaml_record<Mutation>(file, "m")->stage, MutationStage::kKept) << file;
  EXPECT_NE(log().find("\"probability_better\":"), std::string::npos);
}

TEST_F(MutationLabTest, EV_3_a_skill_that_a_person_has_pinned_or_switched_off_meanwhile_stays_as_it_is) {
  settings_.decide = TrialPolicy::kRates;
  for (const SkillAction action : {SkillAction::kPin, SkillAction::kDisable}) {
    auto changes = lab();
    Skill skill = some_skill();
    skill.skill_id = std::string("prices_") + (action == SkillAction::kPin ? "pin" : "off");
    ASSERT_TRUE(shelf_.put(skill, "").ok());
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(changes.count(report("before", skill.skill_id, true)).ok());
    const auto made = changes.propose(ScopeKey("workspace"), skill.skill_id);
    ASSERT_TRUE(made.ok()) << made.error().message;
    std::vector<TaskReport> under_way;
    for (int use = 1; use <= 10; ++use) {
      const std::string task = skill.skill_id + std::to_string(use);
      const std::string used = changes.skill_for(ScopeKey("workspace"), skill.skill_id, task)->skill_id;
      under_way.push_back(report(task, used, used != skill.skill_id || use <= 6));
    }
    ASSERT_TRUE(shelf_.change(ScopeKey("workspace"), skill.skill_id, {action, "ann", "as it is", 0}).ok());
    for (const TaskReport& one : under_way) ASSERT_TRUE(changes.count(one).ok());
    const auto all = *changes.list(ScopeKey("workspace"));
    const auto decided =
        std::find_if(all.begin(), all.end(), [&](const Mutation& one) { return one.id == made->front().id; });
    ASSERT_NE(decided, all.end());
    EXPECT_EQ(decided->stage, MutationStage::kInconclusive) << decided->decided;
    EXPECT_NE(decided->decided.find("meanwhile"), std::string::npos) << decided->decided;
    EXPECT_EQ(shelf_.find(ScopeKey("workspace"), skill.skill_id)->steps[0].details, "take the top 5 results");
  }
}

TEST_F(MutationLabTest, EV_3_a_worse_change_goes_and_keeps_its_file_and_reason_and_all_is_there_after_a_restart) {
  settings_.min_arm_uses = 5;
  auto changes = lab();
  use_often(changes, 10, 0);
  ASSERT_TRUE(changes.propose(ScopeKey("workspace"), "prices").ok());
  for (int use = 0; use < 6; ++use) play(changes, false, true);
  const auto before = *changes.list(ScopeKey("workspace"));
  auto again = lab();
  const auto after = *again.list(ScopeKey("workspace"));
  ASSERT_EQ(after.size(), 3u);
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(to_json(after[i]), to_json(before[i]));
  for (int use = 0; use < 6; ++use) play(again, false, true);
  const Mutation worse = again.list(ScopeKey("workspace"))->front();
  EXPECT_EQ(worse.stage, MutationStage::kDiscarded);
  EXPECT_NE(worse.decided.find("worse: 0 of 5"), std::string::npos) << worse.decided;
  EXPECT_TRUE(read_file(folder_.path() / "skills" / "mutations" / (worse.id + ".yaml")).ok());
  EXPECT_EQ(shelf_.get("prices")->steps[0].details, "take the top 5 results");
  // The next one is on trial now.
  bool variant = false;
  for (int use = 0; use < 2; ++use) variant |= play(again, true, true);
  EXPECT_TRUE(variant);
}

TEST_F(MutationLabTest, EV_3_a_skill_that_a_person_changed_meanwhile_is_not_written_over) {
  auto changes = lab();
  use_often(changes, 10, 0);
  const auto made = changes.propose(ScopeKey("workspace"), "prices");
  Skill edited = some_skill();
  edited.steps[2].action = "Write a short letter";
  ASSERT_TRUE(shelf_.put(edited, "by hand").ok());
  const auto judged = changes.judge_by_person(ScopeKey("workspace"), made->front().id, true, "", "ann");
  ASSERT_TRUE(judged.ok());
  EXPECT_EQ(judged->stage, MutationStage::kInconclusive) << judged->decided;
  EXPECT_EQ(shelf_.get("prices")->steps[2].action, "Write a short letter");
}

EvolutionSettings literal() {
  EvolutionSettings settings;
  settings.decide = TrialPolicy::kRates;
  return settings;
}

Mutation test_with(std::int64_t original, std::int64_t of, std::int64_t variant, std::int64_t variant_of) {
  Mutation test;
  test.original_successes = original;
  test.original_uses = of;
  test.variant_successes = variant;
  test.variant_uses = variant_of;
  test.probability_better = probability_better(variant, variant_of, original, of);
  return test;
}

TEST(MutationTrial, EV_3_odd_uses_are_the_originals_and_even_ones_the_variants) {
  for (std::uint64_t use = 1; use <= 20; ++use)
    EXPECT_EQ(arm_of_use(use, 7, literal()), use % 2 == 1 ? Arm::kOriginal : Arm::kVariant) << use;
}

TEST(MutationTrial, EV_3_pairs_are_drawn_from_the_seed_and_stay_balanced) {
  std::map<Arm, int> first;
  for (std::uint64_t pair = 0; pair < 1'000; ++pair) {
    const Arm a = arm_of_use(2 * pair + 1, 42, {}), b = arm_of_use(2 * pair + 2, 42, {});
    EXPECT_NE(a, b);
    EXPECT_EQ(a, arm_of_use(2 * pair + 1, 42, {}));
    ++first[a];
  }
  EXPECT_NEAR(first[Arm::kVariant], 500, 60);
}

// Against a sum over a fine grid.
TEST(MutationTrial, EV_3_the_probability_is_that_of_two_beta_distributions) {
  const auto by_grid = [](double s, double n, double t, double m) {
    const int steps = 20'000;
    double below = 0, sum = 0, whole_x = 0, whole_y = 0;
    std::vector<double> x(steps), y(steps);
    for (int i = 0; i < steps; ++i) {
      const double p = (i + 0.5) / steps;
      x[static_cast<std::size_t>(i)] = std::exp(s * std::log(p) + (n - s) * std::log(1 - p));
      y[static_cast<std::size_t>(i)] = std::exp(t * std::log(p) + (m - t) * std::log(1 - p));
      whole_x += x[static_cast<std::size_t>(i)];
      whole_y += y[static_cast<std::size_t>(i)];
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += x[i] / whole_x * (below + y[i] / whole_y / 2);
      below += y[i] / whole_y;
    }
    return sum;
  };
  EXPECT_DOUBLE_EQ(probability_better(0, 0, 0, 0), 0.5);
  for (const auto& [s, n, t, m] : std::vector<std::array<int, 4>>{
           {5, 5, 4, 5}, {0, 10, 10, 10}, {120, 150, 105, 150}, {3, 40, 9, 30}, {150, 150, 149, 150}})
    EXPECT_NEAR(probability_better(s, n, t, m), by_grid(s, n, t, m), 1e-4) << s << "/" << n << " " << t << "/" << m;
}

TEST(MutationTrial, EV_3_rates_are_compared_after_n_uses_with_the_bounds) {
  EXPECT_EQ(judge(test_with(2, 5, 4, 4), literal()).stage, MutationStage::kTesting);
  EXPECT_EQ(judge(test_with(4, 5, 5, 5), literal()).stage, MutationStage::kKept);
  EXPECT_EQ(judge(test_with(5, 5, 4, 5), literal()).stage, MutationStage::kDiscarded);
  EXPECT_EQ(judge(test_with(4, 5, 4, 5), literal()).stage, MutationStage::kTesting);
  EvolutionSettings settings = literal();
  settings.min_improvement = 0.25;
  EXPECT_EQ(judge(test_with(4, 5, 5, 5), settings).stage, MutationStage::kTesting);
  settings.tolerance = 0.25;
  EXPECT_EQ(judge(test_with(5, 5, 4, 5), settings).stage, MutationStage::kTesting);
}

TEST(MutationTrial, EV_3_in_sequence_it_is_decided_when_it_is_sure_and_not_before) {
  const EvolutionSettings settings;
  EXPECT_EQ(judge(test_with(2, 10, 10, 10), settings).stage, MutationStage::kTesting) << "too few to say";
  const TrialVerdict kept = judge(test_with(30, 50, 45, 50), settings);
  EXPECT_EQ(kept.stage, MutationStage::kKept);
  EXPECT_NE(kept.decided.find("better with probability"), std::string::npos) << kept.decided;
  EXPECT_EQ(judge(test_with(45, 50, 30, 50), settings).stage, MutationStage::kDiscarded);
  EXPECT_EQ(judge(test_with(40, 50, 42, 50), settings).stage, MutationStage::kTesting);
  EXPECT_EQ(judge(test_with(128, 150, 130, 150), settings).stage, MutationStage::kInconclusive);
}

}  // namespace
}  // namespace weft
