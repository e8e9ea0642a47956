#include "text/yaml_value.h"

#include <gtest/gtest.h>

#include <random>

#include "model/growth_records.h"

namespace weft {
namespace {

Rule some_rule() {
  Rule rule;
  rule.id = "007";
  rule.owner = "user:ann";
  rule.strategy = "yes: check the source first";
  rule.applies_to = "写报告之前\n以及查资料时\n";
  rule.confidence = Grade::kHigh;
  rule.restricts = true;
  rule.version = 3;
  rule.goal_rate = 0.7;
  rule.learned_from = {"12", "no", "~"};
  rule.uses.injected = 5;
  rule.created = Time{1'700'000'000'000};
  rule.history.push_back({1, Time{5'000}, "null", R"({"version":1,"note":"1"})"});
  return rule;
}

TEST(YamlRecord, EV_1_a_rule_as_yaml_reads_back_as_it_was) {
  const Rule rule = some_rule();
  const std::string yaml = to_yaml(rule);
  const auto back = read_yaml_record<Rule>(yaml, "rule.yaml");
  ASSERT_TRUE(back.ok()) << back.error().message << "\n" << yaml;
  EXPECT_EQ(to_json(*back), to_json(rule)) << yaml;
  // For people: a line a field, and texts of several lines as such.
  EXPECT_NE(yaml.find("\nowner: "), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("applies_to: |\n  写报告之前\n  以及查资料时\n"), std::string::npos) << yaml;
}

TEST(YamlRecord, EV_2_random_skills_read_back_as_they_were) {
  std::mt19937 random(7);
  const std::vector<std::string> parts{"a",    " ", "\n", "\n\n", "  ", ": ",           "- ", "#",
                                       "|",    "'", "\"", "\\",   "0",  "true",         "~",  "\t",
                                       "钥匙", "{", "]",  "\r",   "%",  "\xE2\x80\xA8", "…"};
  const auto text = [&] {
    std::string made;
    for (unsigned i = random() % 7; i > 0; --i) made += parts[random() % parts.size()];
    return made;
  };
  for (int round = 0; round < 2'000; ++round) {
    Skill skill;
    skill.skill_id = "s" + text();
    skill.name = "n" + text();
    skill.description = "d" + text();
    skill.body = text();
    skill.trigger_conditions = {text(), text()};
    skill.steps = {{"step" + text(), text(), {text()}}};
    skill.success_rate = 0.25;
    const std::string yaml = to_yaml(skill);
    const auto back = read_yaml_record<Skill>(yaml, "skill.yaml");
    ASSERT_TRUE(back.ok()) << back.error().message << "\n" << yaml;
    ASSERT_EQ(to_json(*back), to_json(skill)) << yaml;
  }
}

TEST(YamlRecord, EV_1_what_is_wrong_is_told_with_line_and_key) {
  const std::string begin = "id: r1\nstrategy: check\nstage: active\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {begin + "confidence: SURE\n", "rules.yaml: line 4: \"confidence\" must be one of: LOW, MEDIUM, HIGH"},
      {begin + "goal_tasks: many\n", "rules.yaml: line 4: \"goal_tasks\" must be a whole number"},
      {begin + "goal_rate: 1.5\n", "rules.yaml: line 4: \"goal_rate\" must be a number from 0 to 1"},
      {begin + "pinned: yes\n", "rules.yaml: line 4: \"pinned\" must be true or false"},
      {begin + "uses:\n  injected: 1\n  followd: 2\n", "rules.yaml: line 6: there is no field \"uses.followd\""},
      {begin + "history:\n  - version: 1\n  - version: x\n", "rules.yaml: line 6: \"history[1].version\""},
      {begin + "learned_from: one\n", "rules.yaml: line 4: \"learned_from\" must be an array"},
      {"id: r1\nstage: active\n", "rules.yaml: line 1: \"strategy\" must be given"},
      {"- a\n", "rules.yaml: line 1: must be a map"},
      {begin + "note: [\n", "rules.yaml: line "},
      {begin + "note: &a x\n", "rules.yaml: line 4: anchors"},
  };
  for (const auto& [yaml, message] : cases) {
    const auto read = read_yaml_record<Rule>(yaml, "rules.yaml");
    ASSERT_FALSE(read.ok()) << yaml;
    EXPECT_EQ(read.error().message.rfind(message, 0), 0u) << read.error().message << "\nwanted: " << message;
  }
}

TEST(YamlRecord, EV_1_one_bad_entry_takes_no_other_with_it) {
  const std::string yaml =
      "# by hand\nrules:\n  - id: a\n    strategy: one\n  # broken\n  - id: b\n    strategie: two\n\n"
      "  - id: c\n    strategy: three\nthrough: 4\n";
  const auto tree = parse_yaml_tree(yaml, {}, "r.yaml");
  ASSERT_TRUE(tree.ok());
  const auto entries = read_yaml_list<Rule>(yaml, *tree, "rules", "r.yaml");
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->good.size(), 2u);
  EXPECT_EQ(entries->good[1].id, "c");
  ASSERT_EQ(entries->bad.size(), 1u);
  EXPECT_EQ(entries->bad[0].message, "r.yaml: line 7: there is no field \"strategie\"");
  EXPECT_EQ(entries->bad_text[0], "  - id: b\n    strategie: two\n\n");
  EXPECT_FALSE(read_yaml_list<Rule>("rules: x", *parse_yaml_tree("rules: x", {}, "r"), "rules", "r").ok());
}

}  // namespace
}  // namespace weft
