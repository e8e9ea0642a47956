#include "growth/skill_match.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

// Says of each text what it was told to say.
class GivenLikeness final : public Likeness {
 public:
  explicit GivenLikeness(std::vector<double> given) : given_(std::move(given)) {}
  std::vector<double> to_all(std::string_view, std::span<const std::string> others) const override {
    std::vector<double> all;
    for (std::size_t i = 0; i < others.size(); ++i) all.push_back(given_[i % given_.size()]);
    return all;
  }
  bool by_meaning() const override { return true; }

 private:
  std::vector<double> given_;
};

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
  const GivenLikeness likeness({0.95, 0.93, 0.99, 0.99, 0.3, 0.2});
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
  const GivenLikeness likeness({0.9});
  const double same = skill_likeness(likeness, english, "publish it").front().meaning;
  const double across = skill_likeness(likeness, chinese, "publish it").front().meaning;
  EXPECT_GT(across, same);
  EXPECT_GT(fitness({across, 0}, true), fitness({same, 0}, true));
  EXPECT_LT(fitness({across, 0}, true), fitness({across, 1}, true));
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

}  // namespace
}  // namespace weft
