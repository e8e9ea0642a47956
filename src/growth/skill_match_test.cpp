#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "growth/skill_match.h"
#include "tests/support/scripted_chat.h"
#include "text/weight_file.h"

namespace weft {
namespace {

// Gives each text the vector that it was told to give, and none to others.
class GivenVectors final : public Likeness {
 public:
  explicit GivenVectors(std::map<std::string, Vector> given) : given_(std::move(given)) {}
  std::vector<double> to_all(std::string_view, std::span<const std::string> others) const override {
    return std::vector<double>(others.size());
  }
  TextVectors vectors(std::span<const std::string> texts) const override {
    TextVectors made{
        "some-embedder", std::make_shared<const Similarity>("some-embedder", Vector{}, Vector{}, 8.5, 0.05), {}};
    for (const std::string& text : texts) {
      const auto found = given_.find(text);
      made.vectors.push_back(found == given_.end() ? Vector{} : found->second);
    }
    return made;
  }
  bool by_meaning() const override { return true; }

 private:
  std::map<std::string, Vector> given_;
};

// At this cosine to the x axis.
Vector at(double cosine) { return {static_cast<float>(cosine), static_cast<float>(std::sqrt(1 - cosine * cosine)), 0}; }

Skill skill(const std::string& name, const std::string& when) {
  Skill made;
  made.skill_id = made.name = name;
  made.description = when;
  made.trigger_conditions = {when};
  made.steps = {{"look at <it>", "twice\nor more", {"search_web", "open"}}};
  return made;
}

TEST(SkillMatch, MS_4_the_two_cuts_and_the_order) {
  const std::vector<Skill> skills{skill("a", "one thing"), skill("b", "another thing"), skill("c", "something")};
  const GivenVectors likeness({{"do what was asked", at(1)},
                               {"one thing", at(0.39)},
                               {"a: one thing", at(0.39)},
                               {"a: one thing. one thing", at(0.39)},
                               {"another thing", at(0.6)},
                               {"b: another thing", at(0.6)},
                               {"b: another thing. another thing", at(0.6)},
                               {"something", at(0.1)},
                               {"c: something", at(0.1)},
                               {"c: something. something", at(0.1)}});
  const auto found = match_skills(likeness, skills, "do what was asked", 3);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].skill.skill_id, "b");
  EXPECT_EQ(found[0].use, SkillUse::kFollow);
  EXPECT_GE(found[0].likeness, kFollowed);
  EXPECT_EQ(found[1].skill.skill_id, "a");
  EXPECT_EQ(found[1].use, SkillUse::kReference);
  EXPECT_EQ(match_skills(likeness, skills, "do what was asked", 1).size(), 1u);
  EXPECT_TRUE(match_skills(likeness, {}, "do what was asked", 3).empty());
}

TEST(SkillMatch, MS_4_across_languages_less_is_expected_by_chance) {
  const std::vector<Skill> english{skill("release", "publish a release")};
  const std::vector<Skill> chinese{skill("发布", "发布新版本")};
  const GivenVectors likeness({{"publish it", at(1)},
                               {"publish a release", at(0.4)},
                               {"release: publish a release", at(0.4)},
                               {"release: publish a release. publish a release", at(0.4)},
                               {"发布新版本", at(0.4)},
                               {"发布: 发布新版本", at(0.4)},
                               {"发布: 发布新版本. 发布新版本", at(0.4)}});
  const double same = skill_likeness(likeness, english, "publish it").front().meaning;
  const double across = skill_likeness(likeness, chinese, "publish it").front().meaning;
  EXPECT_GT(across, same);
  const SkillWeights& weights = SkillWeights::general();
  EXPECT_GT(fitness({across, 0, true}, weights), fitness({same, 0, true}, weights));
  EXPECT_LT(fitness({across, 0, true}, weights), fitness({across, 1, true}, weights));
}

// The nearest skill of a library is near to anything that is said; an errand needs none.
TEST(SkillMatch, MS_4_an_errand_needs_more_to_be_told_of_a_skill_than_work_does) {
  SkillWeights weights = SkillWeights::general();
  EXPECT_EQ(work_in(weights, Vector{1, 0}, Language::kEnglish), 0);
  weights.tasks = {Vector{0, 0}, Vector{0, 0}};
  weights.work = {2, 0};
  weights.work_bias = -0.5;
  weights.work_share = 1.5;
  const double work = work_in(weights, Vector{1, 0}, Language::kEnglish);
  const double errand = work_in(weights, Vector{-1, 0}, Language::kChinese);
  EXPECT_NEAR(work, 2.25, 1e-6);
  EXPECT_NEAR(errand, -3.75, 1e-6);
  const double near = weights.refer;
  EXPECT_GT(fitness({near, 0, true, 0, work}, weights), kReferred);
  EXPECT_LT(fitness({near, 0, true, 0, errand}, weights), kReferred);
}

TEST(SkillMatch, MS_4_the_cuts_are_those_of_a_library_of_its_size) {
  SkillWeights weights = SkillWeights::general();
  EXPECT_EQ(crowding(weights, 100), 0);
  weights.crowd = 1;
  EXPECT_EQ(crowding(weights, 1), 0);
  EXPECT_LT(crowding(weights, 5), crowding(weights, 100));
  SkillLikeness near{weights.refer, 0, true};
  EXPECT_GE(fitness(near, weights), kReferred);
  near.crowd = crowding(weights, 100);
  EXPECT_LT(fitness(near, weights), kReferred);
}

TEST(SkillMatch, MS_4_the_whole_stands_behind_what_it_is_made_of) {
  EXPECT_EQ(skill_phrases(skill("a", "one")), (std::vector<std::string>{"one", "a: one", "a: one. one"}));
  Skill bare = skill("a", "one");
  bare.trigger_conditions.clear();
  EXPECT_EQ(skill_phrases(bare), (std::vector<std::string>{"a: one"}));
}

// A cache that is still cold must not put the scale of words where that of meaning belongs.
TEST(SkillMatch, MS_4_where_vectors_are_missing_words_decide_of_that_skill_alone) {
  const std::vector<Skill> skills{skill("a", "one thing"), skill("b", "water the tomato plants")};
  const std::map<std::string, Vector> first{{"water the tomato plants today", at(1)},
                                            {"one thing", at(0.6)},
                                            {"a: one thing", at(0.6)},
                                            {"a: one thing. one thing", at(0.6)}};
  const auto cold = skill_likeness(GivenVectors(first), skills, "water the tomato plants today");
  EXPECT_TRUE(cold[0].by_meaning);
  EXPECT_GE(cold[0].fits, kFollowed);
  EXPECT_FALSE(cold[1].by_meaning);
  EXPECT_GE(cold[1].fits, kReferred);  // by the words that it shares
  const auto none = skill_likeness(GivenVectors({}), skills, "water the tomato plants today");
  EXPECT_FALSE(none[0].by_meaning);
  EXPECT_LT(none[0].fits, kReferred);
  EXPECT_GE(none[1].fits, kReferred);
}

TEST(SkillMatch, MS_4_weights_ship_for_embedders_and_are_read) {
  EXPECT_EQ(SkillWeights::fitted_for("another"), nullptr);
  EXPECT_EQ(&SkillWeights::of_embedder("another"), &SkillWeights::general());
  const SkillWeights* small = SkillWeights::fitted_for("Multilingual-E5-small-q4");
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(&SkillWeights::of_embedder("multilingual-e5-small"), small);
  for (const ShippedWeights& file : std::span(shipped_weights_list, shipped_weights_count)) {
    if (!file.id.starts_with("skills/")) continue;
    const auto named = shipped_weights(file.id).text("embedder");
    const SkillWeights* shipped = SkillWeights::fitted_for(named);
    ASSERT_NE(shipped, nullptr) << file.id;
    EXPECT_EQ(shipped->embedder, named);
    EXPECT_EQ(shipped->work.size(), shipped_weights(file.id).list("work").size());
    EXPECT_EQ(shipped->crowd, shipped_weights(file.id).number("crowd"));
    EXPECT_LT(shipped->refer, shipped->follow);
  }
}

TEST(SkillMatch, MS_4_a_prompt_has_name_description_steps_and_only_paths_of_files) {
  const std::vector<std::string> files{"skills/folders/a/scripts/run.sh"};
  const std::string text = skill_text({skill("a", "one thing"), 0.7, SkillUse::kReference}, files);
  EXPECT_EQ(text,
            "## a [a]: a reference, follow it or not\none thing\n1. look at <it>\n   twice\n   or more\n   tools: "
            "search_web, "
            "open\nFiles to read or run only when needed:\n- skills/folders/a/scripts/run.sh\n");
  EXPECT_NE(skill_text({skill("a", "one"), 0.9, SkillUse::kFollow}, {}).find("[a]: follow it"), std::string::npos);
}

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
