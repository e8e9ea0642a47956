#include "growth/skill_library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include "growth/skill_folder.h"
#include "tests/support/fake_clock.h"
#include "tests/support/other_store.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::FakeClock;
using test::OtherStore;
using test::TemporaryFolder;

constexpr const char* kSpecFile = R"(skill_id: "competitive_analysis_v3"
name: "竞品分析"
description: "系统化的竞品分析流程"
trigger_conditions:
  - "用户请求分析竞品或竞争对手"
  - "需要对比多个产品或服务"
steps:
  - action: "确认分析维度"
    details: "与用户确认关注哪些方面"
  - action: "官方信息收集"
    tools: ["browser_navigate", "browser_extract"]
  - action: "第三方评价收集"
    tools: ["search_web", "browser_navigate"]
learned_from: ["reflection_042", "reflection_056"]
success_rate: 0.88
last_updated: "2026-02-14"
version_history:
  - v1: "基础版本"
  - v2: "添加了'先官方后第三方'的顺序策略"
  - v3: "添加了信息时效性验证步骤"
)";

class SkillLibraryTest : public ::testing::Test {
 protected:
  SkillPorts ports() { return {*store_, documents_, disk(), {folder_.path()}, clock_, words_}; }

  void person_writes(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(places_.skills());
    std::ofstream(places_.skills() / name, std::ios::binary) << text;
  }

  Skill skill(const std::string& id, const std::string& owner, const std::string& when) {
    Skill made;
    made.skill_id = id;
    made.owner = owner;
    made.name = id;
    made.description = when;
    made.trigger_conditions = {when};
    made.steps = {{"look", "first", {"search_web"}}, {"write", "", {"write_file"}}};
    return made;
  }

  TaskReport report(const std::string& id, const std::string& skill, Outcome outcome) {
    TaskReport made;
    made.id = id;
    made.owner = "user:ann";
    made.skills = {skill};
    made.outcome = outcome;
    made.outcome_by = Witness::kVerifier;
    return made;
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  WordLikeness words_;
  GrowthFiles places_{folder_.path()};
  std::unique_ptr<Store> store_ = open_store("memory:").value();
  DocumentFiles documents_{*store_};
  SkillLibrary library_{ports()};
};

TEST_F(SkillLibraryTest, MS_4_the_format_of_the_specification_is_read_and_kept_when_it_changes) {
  person_writes("analysis.yaml", kSpecFile);
  auto read = library_.find(ScopeKey("user:ann"), "competitive_analysis_v3");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->steps[2].tools, (std::vector<std::string>{"search_web", "browser_navigate"}));
  EXPECT_DOUBLE_EQ(read->success_rate, 0.88);
  ASSERT_EQ(read->version_history.size(), 3u);
  EXPECT_EQ(read->version_history[1].note, "添加了'先官方后第三方'的顺序策略");
  EXPECT_EQ(version_of(*read), 3);
  Skill changed = *read;
  changed.steps.pop_back();
  ASSERT_TRUE(library_.put(changed, "shorter").ok());
  const auto now = library_.find(ScopeKey("user:ann"), "competitive_analysis_v3");
  EXPECT_EQ(version_of(*now), 4);
  EXPECT_EQ(now->version_history.size(), 3u);
  EXPECT_EQ(skill_version(*now, 3)->steps.size(), 3u);
  EXPECT_FALSE(skill_version(*now, 2).ok());
  EXPECT_TRUE(std::filesystem::exists(places_.skills() / "analysis.yaml"));  // the person's own name for it
}

TEST_F(SkillLibraryTest, MS_6_files_of_people_are_read_anew_and_bad_ones_told_and_left_alone) {
  person_writes("analysis.yaml", kSpecFile);
  EXPECT_EQ(library_.list(ScopeKey("user:ann"))->size(), 1u);
  const std::string bad = "skill_id: a\nname: b\ndescription: c\nsteps:\n  - action: x\n    tols: [y]\n";
  person_writes("bad.yaml", bad);
  person_writes("bomb.yaml", "skill_id: &a b\nname: *a\n");
  person_writes("empty.yaml", "skill_id: e\nname: e\ndescription: e\n");
  std::string changed = kSpecFile;
  changed.replace(changed.find("竞品分析"), std::string("竞品分析").size(), "对手的分析");
  person_writes("analysis.yaml", changed);
  EXPECT_EQ(library_.find(ScopeKey("user:ann"), "competitive_analysis_v3")->name, "对手的分析");
  const auto problems = library_.problems();
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_NE(problems[0].find("learned/bad.yaml: line 6"), std::string::npos) << problems[0];
  EXPECT_NE(problems[0].find("tols"), std::string::npos) << problems[0];
  EXPECT_NE(problems[1].find("bomb.yaml: line 1"), std::string::npos) << problems[1];
  EXPECT_NE(problems[2].find("steps"), std::string::npos) << problems[2];
  Skill same = skill("bad", "user:ann", "whatever");
  EXPECT_EQ(library_.put(same, "").error().code, ErrorCode::kConflict);
  EXPECT_EQ(*disk().read(places_.skills() / "bad.yaml"), bad);
}

TEST_F(SkillLibraryTest, EV_1_every_version_can_be_seen_compared_and_put_back) {
  ASSERT_TRUE(library_.put(skill("report", "user:ann", "monthly report"), "").ok());
  Skill second = *library_.find(ScopeKey("user:ann"), "report");
  second.steps[0].details = "twice";
  ASSERT_TRUE(library_.put(second, "looks twice").ok());
  const std::string diff = *library_.diff(ScopeKey("user:ann"), "report", 0, 0);
  EXPECT_NE(diff.find("-    details: first"), std::string::npos) << diff;
  EXPECT_NE(diff.find("+    details: twice"), std::string::npos) << diff;
  const auto back = library_.change(ScopeKey("user:ann"), "report", {SkillAction::kRollBack, "ann", "", 0});
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->steps[0].details, "first");
  EXPECT_EQ(version_of(*back), 3);
  EXPECT_EQ(skill_version(*back, 2)->steps[0].details, "twice");
  EXPECT_EQ(library_.change(ScopeKey("user:bob"), "report", {}).error().code, ErrorCode::kNotFound);
}

TEST_F(SkillLibraryTest, MS_4_five_tasks_that_fail_in_a_row_deprecate_it_unless_it_is_pinned) {
  ASSERT_TRUE(library_.put(skill("report", "user:ann", "monthly report"), "").ok());
  ASSERT_TRUE(library_.put(skill("kept", "user:ann", "kept report"), "").ok());
  ASSERT_TRUE(library_.change(ScopeKey("user:ann"), "kept", {SkillAction::kPin, "ann", "", 0}).ok());
  const auto fail = [&](int n, Outcome outcome) {
    TaskReport made = report("t" + std::to_string(n), "report", outcome);
    made.skills.push_back("kept");
    ASSERT_TRUE(library_.count(made).ok());
    ASSERT_TRUE(library_.count(made).ok());  // once
  };
  for (int n = 0; n < 4; ++n) fail(n, Outcome::kFailure);
  fail(4, Outcome::kSuccess);
  for (int n = 5; n < 9; ++n) fail(n, Outcome::kFailure);
  fail(9, Outcome::kUnknown);
  EXPECT_EQ(library_.find(ScopeKey("user:ann"), "report")->stage, LifeStage::kActive);
  SkillLibrary after_restart(ports());
  ASSERT_TRUE(after_restart.count(report("t8", "report", Outcome::kFailure)).ok());  // known from the log
  ASSERT_TRUE(after_restart.count(report("t10", "report", Outcome::kFailure)).ok());
  ASSERT_TRUE(after_restart.count(report("t10", "kept", Outcome::kFailure)).ok());
  const auto ended = library_.find(ScopeKey("user:ann"), "report");
  EXPECT_EQ(ended->stage, LifeStage::kDeprecated);
  EXPECT_EQ(ended->uses.injected, 11);
  EXPECT_EQ(ended->uses.failed, 9);
  EXPECT_EQ(ended->uses.succeeded, 1);
  EXPECT_DOUBLE_EQ(ended->success_rate, 0.1);
  EXPECT_NE(ended->version_history.back().note.find("5 tasks in a row"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(places_.deprecated_skills() / "report.yaml"));
  EXPECT_FALSE(std::filesystem::exists(places_.skills() / "report.yaml"));
  EXPECT_EQ(library_.find(ScopeKey("user:ann"), "kept")->stage, LifeStage::kActive);
  EXPECT_TRUE(library_.match(ScopeKey("user:ann"), "monthly report").size() == 1);  // "kept report" shares a word
  ASSERT_TRUE(library_.change(ScopeKey("user:ann"), "report", {SkillAction::kEnable, "ann", "", 0}).ok());
  EXPECT_EQ(library_.match(ScopeKey("user:ann"), "monthly report").front().skill.skill_id, "report");
}

TEST_F(SkillLibraryTest, MS_4_uses_that_a_former_version_counted_are_taken_in_and_not_counted_again) {
  ASSERT_TRUE(library_.put(skill("report", "user:ann", "monthly report"), "").ok());
  const std::string line =
      R"({"time":"2026-02-14T10:00:00Z","report":"t1","skill":"report","version":1,"followed":true,)";
  std::ofstream(places_.skill_uses()) << line << R"("outcome":"unknown"})" << "\n"
                                      << line << R"("outcome":"success"})" << "\n{broken\n";
  for (int start = 0; start < 2; ++start) ASSERT_TRUE(library_.take_former_uses().ok());
  EXPECT_FALSE(std::filesystem::exists(places_.skill_uses()));
  EXPECT_EQ(*disk().read(places_.skill_uses().string() + ".unread"), "{broken\n");
  ASSERT_TRUE(library_.count(report("t1", "report", Outcome::kSuccess)).ok());
  EXPECT_EQ(library_.find(ScopeKey("user:ann"), "report")->uses.injected, 0);
  ASSERT_TRUE(library_.count(report("t2", "report", Outcome::kSuccess)).ok());
  EXPECT_EQ(library_.find(ScopeKey("user:ann"), "report")->uses.injected, 1);
}

TEST_F(SkillLibraryTest, SC_2_programs_on_one_store_have_the_same_skills_and_count_a_report_once) {
  OtherStore stores[] = {OtherStore(*store_), OtherStore(*store_)};
  DocumentFiles documents[] = {DocumentFiles(stores[0]), DocumentFiles(stores[1])};
  SkillLibrary one({stores[0], documents[0], disk(), {folder_.path()}, clock_, words_});
  SkillLibrary two({stores[1], documents[1], disk(), {folder_.path()}, clock_, words_});
  ASSERT_TRUE(one.put(skill("report", "user:ann", "monthly report"), "").ok());
  ASSERT_TRUE(two.find(ScopeKey("user:ann"), "report").ok());
  EXPECT_EQ(two.match(ScopeKey("user:ann"), "monthly report").size(), 1u);
  ASSERT_TRUE(two.change(ScopeKey("user:ann"), "report", {SkillAction::kPin, "ann", "", 0}).ok());
  EXPECT_TRUE(one.find(ScopeKey("user:ann"), "report")->pinned);
  EXPECT_EQ(two.put(skill("report", "user:bob", "mine now"), "").error().code, ErrorCode::kConflict);
  std::atomic<int> failed = 0;
  const auto count = [&](SkillLibrary& library) {
    for (int n = 0; n < 40; ++n)
      failed += !library.count(report("t" + std::to_string(n), "report", Outcome::kFailure)).ok();
  };
  std::thread beside([&] { count(one); });
  count(two);
  beside.join();
  EXPECT_EQ(failed, 0);
  const Skill counted = *one.find(ScopeKey("user:ann"), "report");
  EXPECT_EQ(counted.uses.injected, 40);
  EXPECT_EQ(counted.uses.failed, 40);
  ASSERT_TRUE(one.change(ScopeKey("user:ann"), "report", {SkillAction::kRemove, "ann", "", 0}).ok());
  EXPECT_TRUE(two.all()->empty());
  EXPECT_FALSE(std::filesystem::exists(places_.skills()));
}

TEST_F(SkillLibraryTest, SC_2_a_look_at_a_shared_store_reads_only_what_has_changed) {
  OtherStore stores[] = {OtherStore(*store_), OtherStore(*store_)};
  DocumentFiles documents[] = {DocumentFiles(stores[0]), DocumentFiles(stores[1])};
  SkillLibrary one({stores[0], documents[0], disk(), {folder_.path()}, clock_, words_});
  SkillLibrary two({stores[1], documents[1], disk(), {folder_.path()}, clock_, words_});
  for (int n = 0; n < 30; ++n)
    ASSERT_TRUE(one.put(skill("report" + std::to_string(n), "user:ann", "monthly report"), "").ok());
  ASSERT_EQ(two.all()->size(), 30u);
  const auto look = [&] {
    test::CountedDocuments& counted = stores[1].documents();
    counted.reads = counted.rows_read = 0;
    EXPECT_EQ(two.told(ScopeKey("user:ann")).size(), 30u);
    return std::pair(counted.reads.load(), counted.rows_read.load());
  };
  EXPECT_EQ(look(), std::pair(std::size_t{1}, std::size_t{0})) << "nothing has changed";
  ASSERT_TRUE(one.count(report("t1", "report7", Outcome::kSuccess)).ok());
  EXPECT_EQ(look(), std::pair(std::size_t{2}, std::size_t{2})) << "the change and the skill";
  EXPECT_EQ(two.find(ScopeKey("user:ann"), "report7")->uses.succeeded, 1);
  // Whoever has missed more changes than are kept reads all again.
  for (int n = 2; n < 300; ++n)
    ASSERT_TRUE(one.count(report("t" + std::to_string(n), "report7", Outcome::kSuccess)).ok());
  EXPECT_EQ(look().first, 3u);
  EXPECT_EQ(two.find(ScopeKey("user:ann"), "report7")->uses.succeeded, 299);
  EXPECT_LE(store_->documents().latest(ScopeKey("workspace"), "skill_change", 999)->size(), 201u);

  // What is erased is named by no change, and a new skill of the same name is not taken for it.
  ASSERT_TRUE(one.change(ScopeKey("user:ann"), "report7", {SkillAction::kRemove, "ann", "", 0}).ok());
  const auto changes = store_->documents().latest(ScopeKey("workspace"), "skill_change", 999);
  for (const DocumentRow& change : *changes) EXPECT_EQ(change.body.find("report7"), std::string::npos);
  EXPECT_EQ(two.all()->size(), 29u);
  ASSERT_TRUE(one.put(skill("report7", "user:ann", "daily report"), "").ok());
  EXPECT_EQ(two.find(ScopeKey("user:ann"), "report7")->description, "daily report");
}

TEST_F(SkillLibraryTest, MS_4_uses_of_a_removed_skill_go_in_one_write_with_it) {
  for (const bool shared : {false, true}) {
    SCOPED_TRACE(shared);
    OtherStore store(*store_, shared);
    DocumentFiles documents(store), impatient(store, std::chrono::milliseconds(0));
    SkillLibrary first({store, documents, disk(), {folder_.path()}, clock_, words_});
    SkillLibrary other({store, impatient, disk(), {folder_.path()}, clock_, words_});
    const auto uses = [&] { return store_->documents().latest(ScopeKey("workspace"), "skill_use", 9)->size(); };
    for (const char* id : {"report", "other"}) {
      ASSERT_TRUE(first.put(skill(id, "user:ann", "monthly report"), "").ok());
      ASSERT_TRUE(first.count(report("t1", id, Outcome::kSuccess)).ok());
    }
    store.fail_after(0);
    if (shared) {
      EXPECT_FALSE(first.change(ScopeKey("user:ann"), "report", {SkillAction::kRemove, "ann", "", 0}).ok());
    }
    EXPECT_EQ(uses(), 2u);
    store.mend();
    ASSERT_TRUE(first.change(ScopeKey("user:ann"), "report", {SkillAction::kRemove, "ann", "", 0}).ok());
    EXPECT_EQ(uses(), 1u);
    // A person who removes the file removes the skill.
    if (shared) {
      ASSERT_TRUE(first.change(ScopeKey("user:ann"), "other", {SkillAction::kRemove, "ann", "", 0}).ok());
    } else {
      std::filesystem::remove(places_.skills() / "other.yaml");
    }
    EXPECT_TRUE(other.all()->empty());
    EXPECT_EQ(uses(), 0u);
    SkillLibrary library({store, documents, disk(), {folder_.path()}, clock_, words_});
    ASSERT_TRUE(library.put(skill("report", "user:ann", "monthly report"), "").ok());
    ASSERT_TRUE(library.count(report("t1", "report", Outcome::kSuccess)).ok());
    EXPECT_EQ(library.find(ScopeKey("user:ann"), "report")->uses.injected, 1) << "a new skill has uses of its own";
    ASSERT_TRUE(library.change(ScopeKey("user:ann"), "report", {SkillAction::kRemove, "ann", "", 0}).ok());
  }
}

TEST_F(SkillLibraryTest, PF_5_an_erasure_that_failed_is_done_again) {
  OtherStore store(*store_, false);
  DocumentFiles documents(store);
  SkillLibrary library({store, documents, disk(), {folder_.path()}, clock_, words_});
  ASSERT_TRUE(library.put(skill("report", "user:ann", "monthly report"), "").ok());
  ASSERT_TRUE(library.count(report("t1", "report", Outcome::kSuccess)).ok());
  store.fail_after(0);
  EXPECT_FALSE(library.erase({"user:ann", true, {}, {}, {}}).ok());
  store.mend();
  SkillLibrary after_restart({store, documents, disk(), {folder_.path()}, clock_, words_});
  ASSERT_TRUE(after_restart.erase({"user:ann", true, {}, {}, {}}).ok());
  for (const char* kind : {"skill", "skill_use", "shown"})
    EXPECT_TRUE(store_->documents().latest(ScopeKey("workspace"), kind, 9)->empty()) << kind;
}

TEST_F(SkillLibraryTest, MS_6_a_folder_whose_skill_is_not_kept_leaves_no_file) {
  OtherStore store(*store_, false);
  DocumentFiles documents(store);
  SkillLibrary library({store, documents, disk(), {folder_.path()}, clock_, words_});
  SkillFolder folder;
  folder.name = "tides";
  folder.owner = "user:ann";
  folder.files = {{"SKILL.md", "---\nname: tides\ndescription: reads tide tables\n---\nLook at the table.\n"},
                  {"table.txt", "high, low\n"}};
  store.fail_after(0);
  EXPECT_EQ(library.import_folder(folder, "ann").error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(std::filesystem::exists(places_.skill_folders() / "tides"));
  store.mend();
  const auto kept = library.import_folder(folder, "ann");
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(library.resources(*kept), (std::vector<std::string>{"table.txt"}));
}

TEST_F(SkillLibraryTest, MS_4_a_write_that_fails_changes_neither_the_skill_nor_its_uses) {
  OtherStore store(*store_, false);
  DocumentFiles documents(store);
  SkillLibrary library({store, documents, disk(), {folder_.path()}, clock_, words_});
  ASSERT_TRUE(library.put(skill("report", "user:ann", "monthly report"), "").ok());
  const std::string text = *disk().read(places_.skills() / "report.yaml");
  store.fail_after(0);
  EXPECT_EQ(library.count(report("t1", "report", Outcome::kFailure)).error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(library.put(skill("other", "user:ann", "other report"), "").ok());
  EXPECT_EQ(library.all()->size(), 1u);
  EXPECT_EQ(library.find(ScopeKey("user:ann"), "report")->uses.injected, 0);
  EXPECT_TRUE(store_->documents().latest(ScopeKey("workspace"), "skill_use", 9)->empty());
  EXPECT_EQ(*disk().read(places_.skills() / "report.yaml"), text);
  store.mend();
  ASSERT_TRUE(library.count(report("t1", "report", Outcome::kFailure)).ok());
  EXPECT_EQ(library.find(ScopeKey("user:ann"), "report")->uses.injected, 1);
}

TEST_F(SkillLibraryTest, MS_6_files_of_a_former_workspace_become_documents_and_files_go_where_their_skills_belong) {
  Skill ended = skill("ended", "user:ann", "yearly report");
  ended.stage = LifeStage::kRetired;
  person_writes("analysis.yml", kSpecFile);
  person_writes("ended.yaml", write_skill(ended));
  EXPECT_EQ(library_.all()->size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(places_.skills() / "analysis.yml"));
  EXPECT_TRUE(std::filesystem::exists(places_.deprecated_skills() / "ended.yaml"));
  EXPECT_FALSE(std::filesystem::exists(places_.skills() / "ended.yaml"));
  const auto rows = store_->documents().all(ScopeKey("workspace"), "skill");
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].id + "," + (*rows)[1].id, "analysis,ended");
  EXPECT_EQ((*rows)[0].body, kSpecFile);

  // Another file of the same name, or of the same skill, is left alone.
  person_writes("ended.yaml", write_skill(skill("begun", "user:ann", "daily report")));
  person_writes("copy.yaml", kSpecFile);
  EXPECT_EQ(library_.all()->size(), 2u);
  ASSERT_EQ(library_.problems().size(), 2u);
  EXPECT_NE(library_.problems()[0].find("copy.yaml: the id"), std::string::npos);
  EXPECT_NE(library_.problems()[1].find("learned/ended.yaml: deprecated/ended.yaml has the same name and counts"),
            std::string::npos);
  EXPECT_EQ(library_.find(ScopeKey("user:ann"), "ended")->stage, LifeStage::kRetired);
}

TEST_F(SkillLibraryTest, MS_6_of_two_files_of_one_name_the_one_that_was_shown_counts_also_after_a_restart) {
  person_writes("report.yml", write_skill(skill("report", "user:ann", "monthly report")));
  EXPECT_EQ(library_.all()->size(), 1u);
  person_writes("report.yaml", write_skill(skill("report", "user:ann", "daily report")));
  SkillLibrary after_restart(ports());
  for (SkillLibrary* library : {&library_, &after_restart}) {
    EXPECT_EQ(library->find(ScopeKey("user:ann"), "report")->description, "monthly report");
    ASSERT_EQ(library->problems().size(), 1u);
    EXPECT_NE(library->problems()[0].find("learned/report.yaml: learned/report.yml has the same name and counts"),
              std::string::npos);
  }
  person_writes("report.yml", write_skill(skill("report", "user:ann", "yearly report")));
  EXPECT_EQ(library_.find(ScopeKey("user:ann"), "report")->description, "yearly report");
}

TEST_F(SkillLibraryTest, PF_5_MS_6_no_copy_of_an_erased_or_removed_skill_becomes_the_skill_again) {
  for (const bool erases : {true, false}) {
    SCOPED_TRACE(erases);
    const std::string text = write_skill(skill("report", "user:ann", "monthly report"));
    ASSERT_TRUE(library_.put(skill("report", "user:ann", "monthly report"), "").ok());
    for (const char* name : {"report.yml", "copy.yaml"}) person_writes(name, text);
    std::filesystem::create_directories(places_.deprecated_skills());
    std::ofstream(places_.deprecated_skills() / "report.yaml") << "skill_id: [\n";
    // Of another owner, under the name of a file that goes.
    person_writes("copy.yml", write_skill(skill("bobs", "user:bob", "daily report")));
    EXPECT_EQ(library_.all()->size(), 1u);
    if (erases) {
      ASSERT_TRUE(library_.erase({"user:ann", true, {}, {}, {}}).ok());
    } else {
      ASSERT_TRUE(library_.change(ScopeKey("user:ann"), "report", {SkillAction::kRemove, "ann", "", 0}).ok());
    }
    SkillLibrary after_restart(ports());
    for (SkillLibrary* library : {&library_, &after_restart}) {
      const auto left = library->all();
      ASSERT_EQ(left->size(), 1u);
      EXPECT_EQ(left->front().skill_id, "bobs");
      EXPECT_TRUE(library->problems().empty());
    }
    EXPECT_FALSE(std::filesystem::exists(places_.skills() / "copy.yaml"));
    EXPECT_FALSE(std::filesystem::exists(places_.deprecated_skills() / "report.yaml"));
    ASSERT_TRUE(library_.erase({"user:bob", true, {}, {}, {}}).ok());
  }
}

TEST_F(SkillLibraryTest, MS_6_an_edit_of_an_older_text_takes_back_no_count) {
  ASSERT_TRUE(library_.put(skill("report", "user:ann", "monthly report"), "").ok());
  ASSERT_TRUE(library_.count(report("t1", "report", Outcome::kSuccess)).ok());
  std::string opened = *disk().read(places_.skills() / "report.yaml");
  for (const char* id : {"t2", "t3"}) ASSERT_TRUE(library_.count(report(id, "report", Outcome::kFailure)).ok());
  const auto at = opened.find("monthly report");
  ASSERT_NE(at, std::string::npos);
  person_writes("report.yaml", opened.replace(at, 7, "yearly"));
  const Skill edited = *library_.find(ScopeKey("user:ann"), "report");
  EXPECT_EQ(edited.description, "yearly report");
  EXPECT_EQ(edited.uses.injected, 3);
  EXPECT_EQ(edited.uses.failed, 2);
}

TEST_F(SkillLibraryTest, MS_6_a_file_that_is_read_only_holds_up_no_count) {
  ASSERT_TRUE(library_.put(skill("report", "user:ann", "monthly report"), "").ok());
  std::filesystem::permissions(places_.skills() / "report.yaml", std::filesystem::perms::owner_read);
  ASSERT_TRUE(library_.count(report("t1", "report", Outcome::kSuccess)).ok());
  EXPECT_EQ(library_.find(ScopeKey("user:ann"), "report")->uses.injected, 1);
}

TEST_F(SkillLibraryTest, MS_6_a_file_that_a_person_removes_ends_its_skill) {
  DocumentFiles documents(*store_, std::chrono::milliseconds(50));
  SkillLibrary library({*store_, documents, disk(), {folder_.path()}, clock_, words_});
  ASSERT_TRUE(library.put(skill("report", "user:ann", "monthly report"), "").ok());
  ASSERT_TRUE(library.put(skill("other", "user:ann", "other report"), "").ok());
  std::filesystem::remove(places_.skills() / "report.yaml");
  EXPECT_EQ(library.all()->size(), 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  EXPECT_EQ(library.all()->size(), 1u);
  EXPECT_EQ(store_->documents().all(ScopeKey("workspace"), "skill")->size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(places_.skills() / "report.yaml"));
  ASSERT_TRUE(library.put(skill("report", "user:ann", "monthly report"), "").ok());
  EXPECT_EQ(version_of(*library.find(ScopeKey("user:ann"), "report")), 1);
  std::filesystem::remove_all(places_.skills());
  EXPECT_EQ(library.all()->size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(places_.skills() / "report.yaml"));
}

TEST_F(SkillLibraryTest, MS_4_followed_is_calling_its_tools_in_its_order_or_naming_it) {
  const Skill asked = skill("report", "user:ann", "monthly report");
  TaskReport one = report("t", "report", Outcome::kSuccess);
  one.steps.resize(3);
  one.steps[0].tool = "search_web";
  one.steps[1].tool = "other";
  one.steps[2].tool = "write_file";
  EXPECT_TRUE(was_followed(asked, one));
  std::reverse(one.steps.begin(), one.steps.end());
  EXPECT_FALSE(was_followed(asked, one));
  one.steps[1].thought = "As the skill Report has it, I look first.";
  EXPECT_TRUE(was_followed(asked, one));
}

TEST_F(SkillLibraryTest, MS_4_only_what_is_alike_and_ones_own_is_matched) {
  ASSERT_TRUE(library_.put(skill("anns", "user:ann", "compare the prices of two shops"), "").ok());
  ASSERT_TRUE(library_.put(skill("bobs", "user:bob", "compare the prices of two shops"), "").ok());
  ASSERT_TRUE(library_.put(skill("ours", "workspace", "water the plants in the office"), "").ok());
  const auto found = library_.match(ScopeKey("user:ann"), "Compare the prices of the two shops");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].skill.skill_id, "anns");
  EXPECT_EQ(found[0].use, SkillUse::kFollow);
  EXPECT_EQ(library_.match(ScopeKey("group:g"), "Water the office plants").front().skill.skill_id, "ours");
  EXPECT_TRUE(library_.match(ScopeKey("user:ann"), "Translate this poem").empty());
  ASSERT_TRUE(library_.change(ScopeKey("user:ann"), "anns", {SkillAction::kDisable, "ann", "", 0}).ok());
  EXPECT_TRUE(library_.match(ScopeKey("user:ann"), "Compare the prices of the two shops").empty());
  EXPECT_EQ(library_.put(skill("bobs", "user:ann", "mine now"), "").error().code, ErrorCode::kConflict);
}

TEST_F(SkillLibraryTest, MS_4_what_is_erased_leaves_neither_file_nor_line) {
  ASSERT_TRUE(library_.put(skill("anns", "user:ann", "one"), "").ok());
  ASSERT_TRUE(library_.put(skill("ours", "workspace", "two"), "").ok());
  ASSERT_TRUE(library_.count(report("t1", "anns", Outcome::kSuccess)).ok());
  ASSERT_TRUE(library_.count(report("t1", "ours", Outcome::kSuccess)).ok());
  ASSERT_TRUE(library_.erase({"user:ann", true, {}, {}, {}}).ok());
  EXPECT_EQ(library_.all()->size(), 1u);
  const auto uses = store_->documents().latest(ScopeKey("workspace"), "skill_use", 9);
  ASSERT_EQ(uses->size(), 1u);
  EXPECT_NE(uses->front().body.find("ours"), std::string::npos);
  ASSERT_TRUE(library_.count(report("t1", "ours", Outcome::kSuccess)).ok());
  EXPECT_EQ(library_.find(ScopeKey("user:ann"), "ours")->uses.injected, 1);
}

}  // namespace
}  // namespace weft
