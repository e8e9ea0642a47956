#include "growth/promotion_gate.h"

#include <gtest/gtest.h>

#include "growth/mutation_lab.h"
#include "growth/rule_book.h"
#include "growth/skill_folder.h"
#include "growth/skill_library.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::FakeClock;
using test::TemporaryFolder;

TaskReport report(const std::string& id, const std::string& task, Outcome outcome, std::int64_t ended = 0) {
  TaskReport made;
  made.id = made.run = id;
  made.owner = "user:ann";
  made.task = task;
  made.outcome = outcome;
  made.outcome_by = Witness::kVerifier;
  made.ended = {ended, 0};
  return made;
}

std::vector<std::string> ids(const std::vector<TaskReport>& reports) {
  std::vector<std::string> all;
  for (const TaskReport& one : reports) all.push_back(one.id);
  return all;
}

TEST(PromotionGate, EV_1_own_tasks_on_the_matter_are_played_successes_and_failures_by_turns) {
  const WordLikeness words;
  const GateCandidate candidate{GateCandidate::Kind::kRule, "r1", "user:ann", 1, {"report the stock of the depot"}};
  std::vector<TaskReport> all{
      report("old", "report the stock of the depot", Outcome::kSuccess, 1),
      report("new", "Report the stock of the depot", Outcome::kSuccess, 9),  // the same task again
      report("east", "report the stock of the depot east", Outcome::kSuccess, 8),
      report("bad", "report the stock of the depot west", Outcome::kFailure, 2),
      report("other", "paint the fence behind the house", Outcome::kSuccess, 3),
      report("claimed", "report the stock of the depot south", Outcome::kSuccess, 4),
      report("hers", "report the stock of the depot north", Outcome::kSuccess, 5),
      report("kept", "report the stock of the depot inland", Outcome::kSuccess, 6)};
  all[5].outcome_by = Witness::kModel;
  all[6].owner = "user:bea";
  all[7].learn = false;
  EXPECT_EQ(ids(tasks_to_replay(candidate, all, words, 0.5)), (std::vector<std::string>{"new", "bad", "east"}));
}

TEST(PromotionGate, EV_1_it_holds_back_what_breaks_more_than_is_allowed) {
  const std::vector<ReplayPair> pairs{{"a", Outcome::kSuccess, Outcome::kFailure, ""},
                                      {"b", Outcome::kFailure, Outcome::kSuccess, ""},
                                      {"c", Outcome::kSuccess, Outcome::kSuccess, ""},
                                      {"d", Outcome::kUnknown, Outcome::kSuccess, "left its record"}};
  const PromotionGate held = gate_after(pairs, 0, 3, {5, 0});
  EXPECT_TRUE(is_held_back(held, 3));
  EXPECT_FALSE(is_held_back(held, 4));
  EXPECT_EQ(held.replayed, 3);
  EXPECT_EQ(held.repaired, std::vector<std::string>{"a"});
  EXPECT_EQ(held.broken, std::vector<std::string>{"b"});
  EXPECT_EQ(gate_text(held), "held back, tried on 3 past tasks, mends a, breaks b");
  EXPECT_EQ(gate_after(pairs, 1, 3, {5, 0}).stage, GateStage::kPassed);
  const PromotionGate nothing = gate_after(std::span(pairs).subspan(3), 0, 3, {5, 0});
  EXPECT_EQ(nothing.stage, GateStage::kNotReplayed);
  EXPECT_EQ(gate_text(nothing), "not replayed: left its record");
  EXPECT_NE(gate_after({}, 0, 3, {5, 0}).why, "");
}

/// Rules, skills and changes of skills whose gate says what is set here.
class GateTest : public testing::Test {
 protected:
  GateKeeper keeper() {
    return [this](const std::string& owner) {
      asked_.push_back(owner);
      PromotionGate gate;
      gate.stage = says_;
      gate.why = says_ == GateStage::kNotReplayed ? "no model is configured" : "";
      return gate;
    };
  }
  PromotionGate after(GateStage stage, std::int64_t version) {
    PromotionGate gate;
    gate.stage = stage;
    gate.version = version;
    gate.replayed = 1;
    if (stage == GateStage::kHeldBack) gate.broken = {"run1"};
    return gate;
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  WordLikeness words_;
  EvolutionSettings settings_;
  std::unique_ptr<Store> store_ = open_store("memory:").value();
  DocumentFiles documents_{*store_};
  GateStage says_ = GateStage::kWaiting;
  std::vector<std::string> asked_;
};

class RuleGateTest : public GateTest {
 protected:
  RuleBook book() { return RuleBook({*store_, documents_, {folder_.path()}, clock_, words_, settings_, keeper()}); }

  // A rule on probation, with as many successes as end it.
  std::string tried(RuleBook& book) {
    for (int i = 0; i < 3; ++i) {
      clock_.advance_minutes(24 * 60);
      const std::string number = std::to_string(i);
      Reflection made;
      made.id = "f" + number, made.time = clock_.now(), made.owner = "user:ann";
      made.reports = {"report" + number}, made.session = "session" + number, made.task = "task number " + number;
      made.outcome = Outcome::kSuccess;
      made.suggestions = {{"Compare two sources", "reports on prices", "", Grade::kMedium, Grade::kMedium, false}};
      EXPECT_TRUE(book.take(made).ok());
    }
    return book.rules(ScopeKey("user:ann"))->front().id;
  }
  Rule use(RuleBook& book, const std::string& rule, int times) {
    for (int i = 0; i < times; ++i) {
      TaskReport told = report("t" + std::to_string(++count_), "report on prices", Outcome::kSuccess);
      told.rules = {rule};
      EXPECT_TRUE(book.count(told).ok());
    }
    return book.rules(ScopeKey("user:ann"))->front();
  }
  std::unique_ptr<Store> store_ = open_store("memory:").value();
  DocumentFiles documents_{*store_};
  int count_ = 0;
};

TEST_F(RuleGateTest, EV_1_a_rule_waits_until_past_tasks_have_spoken) {
  RuleBook book = this->book();
  const std::string id = tried(book);
  Rule rule = use(book, id, 5);
  EXPECT_EQ(rule.stage, LifeStage::kProbation);
  EXPECT_TRUE(is_waiting(rule.gate, rule.version));
  EXPECT_EQ(asked_, std::vector<std::string>{"user:ann"});
  ASSERT_EQ(book.waiting()->size(), 1u);
  // What is counted meanwhile asks nobody again; another one knows of it after a restart.
  rule = use(book, id, 1);
  EXPECT_EQ(asked_.size(), 1u);
  RuleBook later = this->book();
  ASSERT_EQ(later.waiting()->size(), 1u);
  ASSERT_TRUE(later.settle(id, after(GateStage::kPassed, rule.version + 1)).ok());  // of a version that is not there
  EXPECT_EQ(later.rules(ScopeKey("user:ann"))->front().stage, LifeStage::kProbation);
  ASSERT_TRUE(later.settle(id, after(GateStage::kPassed, rule.version)).ok());
  rule = later.rules(ScopeKey("user:ann"))->front();
  EXPECT_EQ(rule.stage, LifeStage::kActive);
  EXPECT_EQ(rule.gate.stage, GateStage::kPassed);
  EXPECT_NE(rule.note.find("tried on 1 past task"), std::string::npos);
}

TEST_F(RuleGateTest, EV_1_one_that_is_held_back_is_told_no_more_until_a_person_approves_it) {
  RuleBook book = this->book();
  const std::string id = tried(book);
  Rule rule = use(book, id, 5);
  EXPECT_FALSE(book.trial_rules(ScopeKey("user:ann"), "reports on prices").empty());
  ASSERT_TRUE(book.settle(id, after(GateStage::kHeldBack, rule.version)).ok());
  EXPECT_TRUE(book.trial_rules(ScopeKey("user:ann"), "reports on prices").empty());
  EXPECT_EQ(use(book, id, 1).stage, LifeStage::kProbation);
  RuleChange approve;
  EXPECT_EQ(book.change(ScopeKey("user:ann"), id, approve)->stage, LifeStage::kActive);
}

TEST_F(RuleGateTest, PF_2_where_nothing_can_be_played_the_trial_decides_at_once) {
  says_ = GateStage::kNotReplayed;
  RuleBook book = this->book();
  const Rule rule = use(book, tried(book), 5);
  EXPECT_EQ(rule.stage, LifeStage::kActive);
  EXPECT_NE(rule.note.find("not replayed: no model is configured"), std::string::npos);
}

class SkillGateTest : public GateTest {
 protected:
  SkillLibrary library() {
    return SkillLibrary({*store_, documents_, disk(), {folder_.path()}, clock_, words_, settings_, keeper()});
  }

  Skill tried(SkillLibrary& library) {
    Skill skill;
    skill.skill_id = "count", skill.owner = "user:ann", skill.name = "Count boxes", skill.description = "count boxes";
    skill.stage = LifeStage::kProbation;
    skill.steps = {{"Count", "", {}}};
    EXPECT_TRUE(library.put(skill, "").ok());
    for (int i = 0; i < 5; ++i) {
      TaskReport told = report("t" + std::to_string(i), "count the boxes", Outcome::kSuccess);
      told.skills = {"count"};
      EXPECT_TRUE(library.count(told).ok());
    }
    return *library.find(ScopeKey("user:ann"), "count");
  }
};

TEST_F(SkillGateTest, EV_1_a_skill_waits_is_promoted_or_held_back) {
  SkillLibrary library = this->library();
  Skill skill = tried(library);
  EXPECT_EQ(skill.stage, LifeStage::kProbation);
  ASSERT_EQ(library.waiting()->size(), 1u);
  ASSERT_TRUE(library.settle("count", after(GateStage::kHeldBack, version_of(skill))).ok());
  EXPECT_TRUE(library.match(ScopeKey("user:ann"), "count boxes").empty());
  skill = *library.find(ScopeKey("user:ann"), "count");
  EXPECT_EQ(skill.gate.broken, std::vector<std::string>{"run1"});
  EXPECT_EQ(skill.stage, LifeStage::kProbation);
  SkillChange approve;
  approve.action = SkillAction::kApprove;
  ASSERT_TRUE(library.change(ScopeKey("user:ann"), "count", approve).ok());
  EXPECT_EQ(library.find(ScopeKey("user:ann"), "count")->stage, LifeStage::kActive);
  EXPECT_FALSE(library.match(ScopeKey("user:ann"), "count boxes").empty());
}

TEST_F(SkillGateTest, EV_1_a_skill_that_passes_is_a_version_of_its_own) {
  SkillLibrary library = this->library();
  const Skill before = tried(library);
  ASSERT_TRUE(library.settle("count", after(GateStage::kPassed, version_of(before))).ok());
  const Skill skill = *library.find(ScopeKey("user:ann"), "count");
  EXPECT_EQ(skill.stage, LifeStage::kActive);
  EXPECT_EQ(skill.gate.stage, GateStage::kPassed);
  EXPECT_EQ(version_of(skill), version_of(before) + 1);
}

TEST_F(GateTest, EV_3_a_change_that_did_better_waits_too_and_a_person_decides_what_is_held_back) {
  settings_.decide = TrialPolicy::kRates;
  settings_.ab_uses = 10;
  SkillLibrary shelf({*store_, documents_, disk(), {folder_.path()}, clock_, words_, settings_});
  Skill skill;
  skill.skill_id = "prices", skill.name = "Prices", skill.description = "compare prices";
  skill.steps = {{"Search the web", "take the top 5 results", {"web_search"}}, {"Write the table", "", {}}};
  ASSERT_TRUE(shelf.put(skill, "").ok());
  MutationLab lab({disk(), {folder_.path()}, clock_, words_, settings_, shelf, {}, {}, keeper()});
  int number = 0;
  const auto count = [&](const std::string& task, const std::string& id, bool success) {
    TaskReport told = report("t" + std::to_string(++number), task, success ? Outcome::kSuccess : Outcome::kFailure);
    told.skills = {id};
    ASSERT_TRUE(lab.count(told).ok());
  };
  for (int i = 0; i < 20; ++i) count("before " + std::to_string(i), "prices", true);
  ASSERT_TRUE(lab.propose(ScopeKey("user:ann"), "prices").ok());
  for (int i = 0; i < 10; ++i) {
    const std::string task = "task " + std::to_string(i);
    const std::string used = lab.skill_for(ScopeKey("user:ann"), "prices", task)->skill_id;
    count(task, used, used != "prices");
  }
  ASSERT_EQ(lab.waiting()->size(), 1u);
  const Mutation waits = lab.waiting()->front();
  EXPECT_EQ(waits.stage, MutationStage::kTesting);
  ASSERT_TRUE(lab.settle(waits.id, after(GateStage::kHeldBack, waits.gate.version)).ok());
  MutationLab later({disk(), {folder_.path()}, clock_, words_, settings_, shelf, {}, {}, keeper()});
  const auto held = later.list(ScopeKey("user:ann"));
  ASSERT_TRUE(held.ok()) << held.error().message;
  EXPECT_EQ(held->front().stage, MutationStage::kAwaitingApproval);
  EXPECT_EQ(held->front().gate.broken, std::vector<std::string>{"run1"});
  const auto kept = later.judge_by_person(ScopeKey("user:ann"), waits.id, true, "", "ann");
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(kept->stage, MutationStage::kKept);
}

TEST_F(GateTest, PF_5_PF_9_what_was_played_is_known_later_and_goes_with_its_owner) {
  const GateCandidate mine{GateCandidate::Kind::kSkill, "count", "user:ann", 2, {}};
  const GateCandidate hers{GateCandidate::Kind::kSkill, "sort", "user:bea", 1, {}};
  const auto store = open_store("memory:").value();
  {
    ReplayLog log(*store, clock_);
    EXPECT_TRUE(log.of(mine)->empty());
    ASSERT_TRUE(log.add(mine, {"a", Outcome::kSuccess, Outcome::kFailure, ""}).ok());
    ASSERT_TRUE(log.add(hers, {"b", Outcome::kUnknown, Outcome::kUnknown, "it was interrupted"}).ok());
  }
  ReplayLog log(*store, clock_);
  ASSERT_EQ(log.of(mine)->size(), 1u);
  EXPECT_EQ(log.of(mine)->front().without, Outcome::kFailure);
  GateCandidate changed = mine;
  changed.version = 3;
  EXPECT_TRUE(log.of(changed)->empty());
  ASSERT_TRUE(log.erase("user:ann").ok());
  EXPECT_TRUE(log.of(mine)->empty());
  EXPECT_EQ(ReplayLog(*store, clock_).of(hers)->front().why, "it was interrupted");
  // A log of a former version is taken over, also where a kill came before its removal.
  const auto path = folder_.path() / "replays.jsonl";
  const ReplayLine line{clock_.now(), "count", "user:ann", 2, {"c", Outcome::kSuccess, Outcome::kSuccess, ""}};
  for (int killed = 0; killed < 2; ++killed) {
    ASSERT_TRUE(write_file(disk(), path, to_json(line) + "\n" + to_json(line) + "\n?\n{", false).ok());
    ASSERT_TRUE(log.take_former_log(disk(), path).ok());
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_EQ(log.of(mine)->size(), 1u);
    EXPECT_EQ(log.of(mine)->front().run, "c");
  }
}

}  // namespace
}  // namespace weft
