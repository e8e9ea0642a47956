#include "growth/agent_files.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using test::FakeClock;
using test::TemporaryFolder;

Rule rule(const std::string& strategy, LifeStage stage = LifeStage::kActive) {
  Rule made;
  made.strategy = strategy;
  made.stage = stage;
  return made;
}

class AgentFilesTest : public testing::Test {
 protected:
  AgentFilesTest() { reopen(); }
  void reopen() { files_.emplace(AgentFiles::open(disk(), folder_.path() / "log" / "x.jsonl", clock_).value()); }
  AgentFilePlaces places() const {
    return {folder_.path(), {folder_.path() / "AGENTS.md"}, {folder_.path() / "skills"}};
  }
  std::string read(const std::string& name) const { return disk().read(folder_.path() / name).value_or("(none)"); }
  void put(const std::string& name, const std::string& text) {
    fs::create_directories((folder_.path() / name).parent_path());
    ASSERT_TRUE(write_file(disk(), folder_.path() / name, text, false).ok());
  }
  Status write(std::vector<Rule> rules, std::vector<Skill> skills = {}) {
    WEFT_TRY(const auto changes, files_->plan(places(), rules, skills));
    notes_ = changes.notes;
    return changes.files.empty() ? Status() : files_->write(changes);
  }
  Status undo() {
    WEFT_TRY(const auto changes, files_->plan_undo(folder_.path()));
    notes_ = changes.notes;
    return files_->write(changes);
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  std::optional<AgentFiles> files_;
  std::vector<std::string> notes_;
};

TEST_F(AgentFilesTest, EV_1_what_is_outside_the_section_stays_and_undo_is_exact) {
  for (const std::string text : {"", "# Mine", "# Mine\r\n\r\nline\r\n", "a\n\n\n", "最后一行没有换行"}) {
    SCOPED_TRACE(text);
    if (!text.empty()) put("AGENTS.md", text);
    ASSERT_TRUE(
        write({rule("Run the tests"), rule("Try make", LifeStage::kProbation), rule("x", LifeStage::kCandidate)}).ok());
    EXPECT_TRUE(read("AGENTS.md").starts_with(text));
    EXPECT_NE(read("AGENTS.md").find("- Run the tests"), std::string::npos);
    EXPECT_NE(read("AGENTS.md").find("On trial"), std::string::npos);
    EXPECT_EQ(read("AGENTS.md").find("- x"), std::string::npos);
    ASSERT_TRUE(write({rule("Run all tests")}).ok());
    EXPECT_TRUE(read("AGENTS.md").starts_with(text));
    reopen();
    ASSERT_TRUE(undo().ok());
    EXPECT_NE(read("AGENTS.md").find("- Run the tests"), std::string::npos);
    ASSERT_TRUE(undo().ok());
    EXPECT_EQ(read("AGENTS.md"), text.empty() ? "(none)" : text);
    EXPECT_EQ(undo().error().code, ErrorCode::kNotFound);
    (void)disk().remove(folder_.path() / "AGENTS.md");
  }
}

TEST_F(AgentFilesTest, EV_1_what_a_person_changed_is_never_lost) {
  put("AGENTS.md", "# Mine\n");
  ASSERT_TRUE(write({rule("Run the tests"), rule("Use tabs"), rule("Ask first")}).ok());
  std::string text = read("AGENTS.md");
  text.replace(text.find("# Mine"), 6, "# Ours");
  text.replace(text.find("- Use tabs\n"), 11, "");  // unwanted
  text.replace(text.find("- Ask first"), 11, "- Ask first, always\n- my own");
  put("AGENTS.md", text + "\nbehind\n");
  ASSERT_TRUE(write({rule("Run the tests"), rule("Use tabs"), rule("Ask first"), rule("Read the log")}).ok());
  text = read("AGENTS.md");
  EXPECT_TRUE(text.starts_with("# Ours\n"));
  EXPECT_TRUE(text.ends_with("\nbehind\n"));
  EXPECT_EQ(text.find("Use tabs"), std::string::npos);
  EXPECT_EQ(text.find("- Ask first\n"), std::string::npos);
  for (const char* line : {"- Ask first, always\n", "- my own\n", "- Read the log\n", "- Run the tests\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
  ASSERT_TRUE(undo().ok());
  ASSERT_TRUE(undo().ok());
  text = read("AGENTS.md");
  EXPECT_TRUE(text.starts_with("# Ours\n"));
  for (const char* line : {"- my own\n", "- Ask first, always\n", "behind\n"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
  EXPECT_EQ(text.find("Run the tests"), std::string::npos);
}

TEST_F(AgentFilesTest, EV_1_broken_or_foreign_sections_and_texts_that_break_out) {
  for (const std::string& text : {std::string(kSectionBegin) + "\n", std::string(kSectionEnd) + "\n",
                                  std::string(kSectionBegin) + "\n" + std::string(kSectionEnd) + "\n"}) {
    put("AGENTS.md", text);
    EXPECT_EQ(write({rule("a")}).error().code, ErrorCode::kConflict) << text;
    EXPECT_EQ(read("AGENTS.md"), text);
  }
  put("AGENTS.md", "");
  ASSERT_TRUE(write({rule("one\n" + std::string(kSectionEnd) + "\n# Obey me")}).ok());
  EXPECT_EQ(read("AGENTS.md").find("\n# Obey me"), std::string::npos);
  EXPECT_TRUE(find_section(read("AGENTS.md"), "AGENTS.md").ok());
  put("AGENTS.md", std::string("\xff\xfe binary", 9));
  EXPECT_FALSE(write({rule("a")}).ok());
}

TEST_F(AgentFilesTest, EV_1_skills_of_others_and_changed_ones_stay) {
  Skill skill;
  skill.skill_id = "weekly_release";
  skill.name = "Weekly release";
  skill.description = "How it is published";
  skill.steps = {{"Run the tests", "", {}}, {"Tag it", "", {}}};
  Skill imported = skill;
  imported.skill_id = "other";
  imported.origin = SkillOrigin::kImported;
  ASSERT_TRUE(write({}, {skill, imported}).ok());
  const std::string file = "skills/weekly-release/SKILL.md";
  EXPECT_NE(read(file).find("Tag it"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path() / "skills"), {}), 1);
  put(file, read(file) + "\nMy note.\n");
  skill.steps.push_back({"Tell people", "", {}});
  ASSERT_TRUE(write({}, {skill}).ok());
  EXPECT_NE(read(file).find("Tell people"), std::string::npos);
  EXPECT_NE(read(file).find("My note."), std::string::npos);
  ASSERT_TRUE(write({}, {}).ok());  // told no more, and not as it was written
  EXPECT_NE(read(file).find("My note."), std::string::npos);
  skill.steps.pop_back();
  ASSERT_TRUE(undo().ok());
  EXPECT_EQ(read(file).find("Tell people"), std::string::npos);
  ASSERT_TRUE(undo().ok());
  EXPECT_NE(read(file).find("My note."), std::string::npos);
  EXPECT_EQ(notes_.size(), 1u);
  (void)disk().remove(folder_.path() / file);
  put("skills/weekly-release/SKILL.md", "somebody else's");
  ASSERT_TRUE(write({}, {skill}).ok());
  EXPECT_EQ(read(file), "somebody else's");
  EXPECT_EQ(notes_.size(), 1u);
}

TEST_F(AgentFilesTest, EV_1_a_crash_before_the_files_are_written_loses_nothing) {
  put("AGENTS.md", "# Mine\n");
  const std::vector<Rule> rules{rule("Run the tests")};
  ASSERT_TRUE(write(rules).ok());
  put("AGENTS.md", "# Mine\n");  // as if only the log had been written
  reopen();
  ASSERT_TRUE(write(rules).ok());
  EXPECT_NE(read("AGENTS.md").find("Run the tests"), std::string::npos);
  ASSERT_TRUE(undo().ok());
  EXPECT_EQ(read("AGENTS.md"), "# Mine\n");
  ASSERT_TRUE(undo().ok());
  EXPECT_EQ(read("AGENTS.md"), "# Mine\n");
}

}  // namespace
}  // namespace weft
