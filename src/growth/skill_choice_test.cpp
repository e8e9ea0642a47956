#include "growth/skill_choice.h"

#include <gtest/gtest.h>

#include "growth/skill_match.h"
#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

const Deadline& in_time() {
  static const Deadline limit = Deadline::after(std::chrono::hours(1));
  return limit;
}

std::vector<SkillMatch> ranked() {
  std::vector<SkillMatch> all;
  for (const auto& [id, likeness] : {std::pair{"bills", 0.85}, {"prices", 0.7}, {"travel", 0.5}}) {
    SkillMatch match;
    match.skill.skill_id = match.skill.name = id;
    match.likeness = likeness;
    match.use = likeness >= kFollowed ? SkillUse::kFollow : SkillUse::kReference;
    all.push_back(match);
  }
  return all;
}

std::vector<std::string> ids(const SkillChoice& choice) {
  std::vector<std::string> all;
  for (const SkillMatch& match : choice.matches) all.push_back(match.skill.skill_id);
  return all;
}

using Ids = std::vector<std::string>;

TEST(SkillChoice, MS_4_a_model_says_which_and_the_ranking_how_firmly) {
  ScriptedChat model;
  model.say(R"({"skills": ["travel", "bills", "travel"]})");
  const SkillChoice choice = chosen_by_model(model, "go to Rome", ranked(), 3, in_time());
  EXPECT_EQ(ids(choice), (Ids{"travel", "bills"}));
  EXPECT_EQ(choice.matches[0].use, SkillUse::kReference);
  EXPECT_GE(choice.matches[0].likeness, kReferred);
  EXPECT_EQ(choice.matches[1].use, SkillUse::kFollow);
  EXPECT_TRUE(choice.by.starts_with("skills/en 1")) << choice.by;
}

TEST(SkillChoice, MS_4_a_model_may_say_that_none_fits) {
  const SkillChoice choice = chosen_by_model(ScriptedChat().say(R"({"skills": []})"), "hello", ranked(), 3, in_time());
  EXPECT_TRUE(choice.matches.empty());
  EXPECT_TRUE(choice.failed.empty());
}

TEST(SkillChoice, MS_4_where_the_model_fails_the_ranking_stands) {
  for (const char* bad :
       {"no JSON", "{}", R"({"skills": "bills"})", R"({"skills": ["other"]})", R"({"skills": [3]})"}) {
    const SkillChoice choice = chosen_by_model(ScriptedChat().say(bad), "pay", ranked(), 3, in_time());
    EXPECT_EQ(ids(choice), (Ids{"bills", "prices"})) << bad;
    EXPECT_EQ(choice.by, "ranking");
    EXPECT_FALSE(choice.failed.empty()) << bad;
  }
  const auto late = Deadline::after(std::chrono::milliseconds(20));
  EXPECT_EQ(ids(chosen_by_model(ScriptedChat().hang(), "pay", ranked(), 1, late)), Ids{"bills"});
}

TEST(SkillChoice, MS_4_what_is_far_from_every_skill_costs_no_call) {
  auto far = ranked();
  for (SkillMatch& match : far) match.likeness = kWorthAsking / 2;
  ScriptedChat model;  // would fail if asked
  const SkillChoice choice = chosen_by_model(model, "hello", far, 3, in_time());
  EXPECT_TRUE(choice.matches.empty());
  EXPECT_TRUE(choice.failed.empty());
}

}  // namespace
}  // namespace weft
