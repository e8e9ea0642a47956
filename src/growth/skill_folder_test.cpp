#include "growth/skill_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "growth/skill_lesson.h"
#include "growth/skill_library.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::FakeClock;
using test::TemporaryFolder;

SkillFolder folder_of(const std::string& front, const std::string& body = "Do it.") {
  return {"pdf-forms", "user:ann", {{"SKILL.md", "---\n" + front + "---\n" + body + "\n"}}, {}};
}

TEST(SkillFolder, MS_4_the_rules_of_agent_skills_are_checked_with_their_line) {
  struct Case {
    std::string front, wanted;
  };
  const std::string fine = "name: pdf-forms\ndescription: Fills forms.\n";
  for (const Case& c :
       std::vector<Case>{{"name: PDF-Forms\ndescription: x\n", "line 2: \"name\" must be lower-case"},
                         {"name: other\ndescription: x\n", "line 2: \"name\" must be the name of the folder"},
                         {"name: pdf--forms\ndescription: x\n", "line 2"},
                         {"name: -pdf\ndescription: x\n", "line 2"},
                         {"name: pdf-forms\n", "\"description\" is missing"},
                         {"name: pdf-forms\ndescription: \"\"\n", "line 3: \"description\" must not be empty"},
                         {"name: pdf-forms\ndescription: [a]\n", "line 3: \"description\" must be a text"},
                         {"name: pdf-forms\ndescription: " + std::string(1025, 'x') + "\n",
                          "line 3: \"description\" must have at most"},
                         {fine + "compatibility: " + std::string(501, 'x') + "\n", "line 4: \"compatibility\""},
                         {fine + "metadata: word\n", "line 4: \"metadata\" must be a map"},
                         {"name: &a pdf-forms\ndescription: *a\n", "line 2"}}) {
    const auto made = skill_from_folder(folder_of(c.front));
    ASSERT_FALSE(made.ok()) << c.front;
    EXPECT_NE(made.error().message.find(c.wanted), std::string::npos) << made.error().message;
  }
  EXPECT_FALSE(skill_from_folder(folder_of(fine, "")).ok());
  SkillFolder leaves = folder_of(fine);
  leaves.files.push_back({"../outside.txt", "x"});
  EXPECT_FALSE(skill_from_folder(leaves).ok());
  const auto good = skill_from_folder(
      folder_of(fine + "license: MIT\nmetadata:\n  author: a\nallowed-tools: Bash(git:*) Read\n", "# Fill\n1. Open"));
  ASSERT_TRUE(good.ok()) << good.error().message;
  EXPECT_EQ(good->body, "# Fill\n1. Open");
  EXPECT_EQ(good->origin, SkillOrigin::kImported);
}

TEST(SkillFolder, MS_4_what_is_imported_comes_with_its_files_runs_nothing_and_goes_out_the_same) {
  const TemporaryFolder place;
  const std::filesystem::path theirs = place.path() / "theirs" / "pdf-forms";
  std::filesystem::create_directories(theirs / "scripts");
  std::ofstream(theirs / "SKILL.md") << "---\nname: pdf-forms\ndescription: Fills forms in PDF files.\n---\nRun it.\n";
  std::ofstream(theirs / "scripts" / "fill.sh") << "#!/bin/sh\ntouch " << (place / "ran") << "\n";
  std::filesystem::permissions(theirs / "scripts" / "fill.sh", std::filesystem::perms::owner_all);
  auto folder = read_skill_folder(disk(), theirs);
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  FakeClock clock;
  WordLikeness words;
  const auto store = open_store("memory:").value();
  DocumentFiles documents(*store);
  SkillLibrary library({*store, documents, disk(), {place.path()}, clock, words});
  folder->owner = "user:ann";
  const auto skill = library.import_folder(*folder, "ann");
  ASSERT_TRUE(skill.ok()) << skill.error().message;
  EXPECT_EQ(library.resources(*skill), (std::vector<std::string>{"scripts/fill.sh"}));
  const auto copied = place.path() / "skills/folders/pdf-forms/scripts/fill.sh";
  EXPECT_EQ(std::filesystem::status(copied).permissions() & std::filesystem::perms::owner_exec,
            std::filesystem::perms::none);
  EXPECT_FALSE(std::filesystem::exists(place / "ran"));
  const auto out = library.export_folder(ScopeKey("user:ann"), "pdf-forms");
  ASSERT_TRUE(out.ok());
  ASSERT_EQ(out->files.size(), 2u);
  const auto again = skill_from_folder(*out);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->body, skill->body);
  EXPECT_EQ(again->description, skill->description);
  std::filesystem::create_symlink("/etc/hosts", theirs / "hosts");
  EXPECT_FALSE(read_skill_folder(disk(), theirs).ok());
  ASSERT_TRUE(library.change(ScopeKey("user:ann"), "pdf-forms", {SkillAction::kRemove, "ann", "", 0}).ok());
  EXPECT_FALSE(std::filesystem::exists(place.path() / "skills/folders/pdf-forms"));
}

TEST(SkillFolder, MS_4_steps_become_a_valid_folder_with_a_numbered_list) {
  Skill skill;
  skill.skill_id = "competitive_analysis_v3";
  skill.name = "竞品分析";
  skill.description = "系统化的竞品分析流程";
  skill.trigger_conditions = {"用户请求分析竞品"};
  skill.steps = {{"确认维度", "功能、\n定价", {}}, {"收集", "", {"search_web"}}};
  const SkillFolder folder = folder_from_skill(skill, {});
  EXPECT_EQ(folder.name, "competitive-analysis-v3");
  const auto read = skill_from_folder(folder);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->description, "系统化的竞品分析流程；用户请求分析竞品");
  EXPECT_NE(read->body.find("1. **确认维度**\n   功能、\n   定价\n2. **收集** (`search_web`)"), std::string::npos)
      << read->body;
}

TEST(SkillLesson, MS_4_a_procedure_in_a_persons_words_becomes_steps) {
  const auto english =
      skill_from_lesson({"# Weekly release\nWhen we ship on Friday, do this:\n\n"
                         "1. Run the tests: all of them, with `run_tests`\n"
                         "   - also the slow ones\n2. Write the notes\n3) Tag it with `git_tag`\n",
                         "", ""});
  ASSERT_TRUE(english.ok()) << english.error().message;
  EXPECT_EQ(english->name, "Weekly release");
  EXPECT_EQ(english->trigger_conditions, (std::vector<std::string>{"When we ship on Friday, do this"}));
  ASSERT_EQ(english->steps.size(), 3u);
  EXPECT_EQ(english->steps[0].action, "Run the tests");
  EXPECT_EQ(english->steps[0].details, "all of them, with `run_tests`\nalso the slow ones");
  EXPECT_EQ(english->steps[0].tools, (std::vector<std::string>{"run_tests"}));
  EXPECT_EQ(english->steps[2].action, "Tag it with `git_tag`");
  EXPECT_EQ(english->origin, SkillOrigin::kTaught);

  const auto chinese =
      skill_from_lesson({"报销流程\n每次员工提交报销时按下面做：\n第一步：核对发票\n第二步，查预算：看`query_budget`\n"
                         "3、通知本人\n（四）归档\n",
                         "", ""});
  ASSERT_TRUE(chinese.ok()) << chinese.error().message;
  ASSERT_EQ(chinese->steps.size(), 4u);
  EXPECT_EQ(chinese->steps[1].action, "查预算");
  EXPECT_EQ(chinese->steps[1].tools, (std::vector<std::string>{"query_budget"}));
  EXPECT_EQ(chinese->steps[3].action, "归档");
  EXPECT_NE(chinese->trigger_conditions[0].find("每次员工提交报销时"), std::string::npos);

  const auto bullets = skill_from_lesson({"- open the file\n- read 3.5 pages\n", "Reading", ""});
  ASSERT_EQ(bullets->steps.size(), 2u);
  EXPECT_EQ(bullets->name, "Reading");
  EXPECT_FALSE(skill_from_lesson({"Just do it well.", "", ""}).ok());
}

}  // namespace
}  // namespace weft
