// What was learnt in prompts: rules through the engine.
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/engine_fixture.h"

namespace weft::test {
namespace {

class EngineRules : public EngineTest {
 protected:
  Reflection reflection(const std::string& strategy, const std::string& applies_to = "",
                        const std::string& owner = "workspace") {
    clock_.advance_minutes(24 * 60);
    const std::string number = std::to_string(++count_);
    Reflection made;
    made.id = "f" + number;
    made.owner = owner;
    made.session = "s" + number;
    made.task = "task number " + number;
    made.reports = {"report" + number};
    made.outcome = Outcome::kSuccess;
    made.suggestions = {{strategy, applies_to, "", Grade::kMedium, Grade::kMedium, false}};
    return made;
  }
  // An active rule; gives its id.
  std::string learn(const std::string& strategy, const std::string& owner = "workspace") {
    const auto growth = engine_->growth(as("ann"));
    EXPECT_TRUE(growth.take_reflection(reflection(strategy, "", owner)).ok());
    const std::string id = growth.rules().value_or({}).back().id;
    EXPECT_TRUE(change(id, RuleAction::kApprove).ok());
    return id;
  }
  Result<Rule> change(const std::string& id, RuleAction action) {
    RuleChange what;
    what.action = action;
    return engine_->growth(as("ann")).change_rule(id, what);
  }
  std::string system_text(const RequestContext& who, const std::string& input) {
    auto woven = engine_->session(who, SessionId("s")).context(input);
    EXPECT_TRUE(woven.ok()) << woven.error().message;
    return woven.ok() && !woven->messages.empty() ? woven->messages.front().content : "";
  }
  std::string whole(const RequestContext& who, const std::string& input) {
    std::string text;
    const auto woven = engine_->session(who, SessionId("s")).context(input);
    EXPECT_TRUE(woven.ok()) << woven.error().message;
    if (!woven.ok()) return text;
    for (const Message& message : woven->messages) text += message.content + "\n";
    return text;
  }

  int count_ = 0;
};

TEST_F(EngineRules, AC_12_active_rules_stand_in_the_fixed_zone_and_new_ones_behind_them) {
  open();
  std::ofstream(folder_ / "ws/AGENTS.md") << "Be kind to strangers.\n";
  const std::string first = learn("Check the tide tables twice");
  const std::string before = system_text(as("ann"), "when does the boat leave?");
  EXPECT_LT(before.find("Be kind to strangers."), before.find("Check the tide tables twice")) << before;
  learn("Plan the outline before writing");
  const std::string after = system_text(as("ann"), "when does the boat leave?");
  const std::string closing = "</strategy_rules>";
  const std::size_t end = before.find(closing);
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(after.substr(0, end), before.substr(0, end)) << "what stood there before is not moved";
  EXPECT_EQ(after.find("- Plan the outline before writing"), end);
  EXPECT_NE(engine_->session(as("ann"), SessionId("s")).standing_text()->find("Plan the outline"), std::string::npos);
  // The same after a restart, and what is withdrawn goes.
  open();
  EXPECT_EQ(system_text(as("ann"), "when does the boat leave?"), after);
  ASSERT_TRUE(change(first, RuleAction::kRetire).ok());
  EXPECT_EQ(whole(as("ann"), "when does the boat leave?").find("tide tables"), std::string::npos);
}

TEST_F(EngineRules, AC_12_a_rule_of_one_user_stands_in_no_other_prompt) {
  open();
  learn("Answer in tables", "user:ann");
  EXPECT_NE(whole(as("ann"), "hello").find("Answer in tables"), std::string::npos);
  EXPECT_EQ(whole(as("bob"), "hello").find("Answer in tables"), std::string::npos);
  EXPECT_EQ(whole(in("club", "ann"), "hello").find("Answer in tables"), std::string::npos);
  EXPECT_EQ(engine_->growth(as("bob")).take_reflection(reflection("Be brief", "", "user:ann")).error().code,
            ErrorCode::kPermission);
}

TEST_F(EngineRules, PF_5_who_is_erased_has_no_rules_left) {
  open();
  learn("Answer in tables", "user:ann");
  learn("Check the tide tables twice");
  EraseRequest what;
  what.everything = true;
  ASSERT_TRUE(engine_->memory(as("ann")).erase(what).ok());
  EXPECT_EQ(engine_->growth(as("ann")).rules()->size(), 1u);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "ws/evolution"))
    if (entry.is_regular_file()) {
      EXPECT_EQ(read_file(entry.path())->find("Answer in tables"), std::string::npos) << entry.path();
    }
}

TEST_F(EngineRules, EV_1_rules_on_probation_stand_marked_in_related_prompts) {
  open();
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(engine_->growth(as("ann"))
                    .take_reflection(reflection("Check the tide tables twice", "tide tables of the harbour"))
                    .ok());
  const std::string related = whole(as("ann"), "check the tide tables of the harbour twice");
  EXPECT_NE(related.find("<strategy_rules_on_trial>"), std::string::npos) << related;
  EXPECT_EQ(whole(as("ann"), "write a poem about bread").find("<strategy_rules_on_trial>"), std::string::npos);
}

TEST_F(EngineRules, EV_3_a_skill_of_the_workspace_is_changed_and_tried) {
  open();
  std::filesystem::create_directories(folder_ / "ws/skills/learned");
  std::ofstream(folder_ / "ws/skills/learned/prices.yaml")
      << "skill_id: prices\nname: Prices\ndescription: compare prices\norigin: taught\nstage: active\n"
         "steps:\n  - action: Search\n    details: take the top 5 results\n";
  const auto growth = engine_->growth(as("ann"));
  for (int i = 0; i < 10; ++i) {
    TaskReport report;
    report.id = "t" + std::to_string(i);
    report.skills = {"prices"};
    report.outcome = Outcome::kSuccess;
    report.outcome_by = Witness::kVerifier;
    ASSERT_TRUE(growth.count_report(report).ok());
  }
  const auto made = growth.propose_mutations("prices");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->front().variant.steps[0].details, "take the top 3 results");
  std::set<std::string> used;
  for (int i = 0; i < 8; ++i) used.insert(growth.skill_for("prices", "task " + std::to_string(i))->skill_id);
  EXPECT_EQ(used, (std::set<std::string>{"prices", made->front().id}));
  EXPECT_EQ(growth.judge_mutation(made->front().id, true)->stage, MutationStage::kKept);
  EXPECT_EQ(growth.skill_for("prices", "another")->steps[0].details, "take the top 3 results");
}

}  // namespace
}  // namespace weft::test
