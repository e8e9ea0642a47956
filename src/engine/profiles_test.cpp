#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "engine/profiles.h"
#include "ports/files/document_files.h"
#include "ports/files/file_system.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

const EntityKey kAnn{EntityType::kUser, "1708213363"};

class ProfileFilesTest : public testing::Test {
 protected:
  ProfileFilesTest() { reopen(); }

  void reopen() {
    files_.reset();
    store_.reset();
    store_ = open_store("sqlite:" + (folder_ / "weft.db")).value();
    documents_ = std::make_unique<DocumentFiles>(*store_, std::chrono::milliseconds(0));
    files_ = ProfileFiles::open(*store_, *documents_, folder_.path() / "profiles", {}).value();
  }
  Profile with_body(const std::string& body, const EntityKey& entity = kAnn) {
    Profile profile;
    profile.entity = entity;
    profile.name = "Ann";
    profile.body = body;
    return profile;
  }
  Time now() { return {1'771'655'400'000 + 1000 * ++ticks_, 0}; }
  Result<Profile> write(const Profile& profile, Time time) {
    return files_->update(profile.entity, time, [&](const auto&) { return Result<Profile>(profile); });
  }
  void put(const std::string& body) {
    const auto written = write(with_body(body), now());
    ASSERT_TRUE(written.ok()) << written.error().message;
  }
  std::string body() { return files_->read(kAnn, now())->body; }
  std::vector<std::string> kept() {
    std::vector<std::string> bodies;
    const auto versions = files_->history(kAnn, now());
    for (const auto& one : *versions) bodies.push_back(files_->read_version(kAnn, one.version, now())->body);
    return bodies;
  }
  std::filesystem::path path() { return *files_->path_of(kAnn); }
  // The files that show the earlier versions.
  std::vector<std::filesystem::path> shown() {
    std::vector<std::filesystem::path> paths;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path() / "profiles/history/users/1708213363"))
      paths.push_back(file.path());
    std::sort(paths.begin(), paths.end());
    return paths;
  }
  void edit(const std::string& text) { std::ofstream(path(), std::ios::trunc) << text; }

  test::TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<DocumentFiles> documents_;
  std::unique_ptr<ProfileFiles> files_;
  std::int64_t ticks_ = 0;
};

using Bodies = std::vector<std::string>;

TEST_F(ProfileFilesTest, CM_7_a_profile_lies_where_the_spec_says) {
  put("likes tea");
  EXPECT_EQ(path(), folder_.path() / "profiles/users/1708213363.md");
  ASSERT_TRUE(write(with_body("a group", {EntityType::kGroup, "g1"}), now()).ok());
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "profiles/groups/g1.md"));
  EXPECT_EQ(body(), "likes tea");
}

TEST_F(ProfileFilesTest, CM_8_each_write_keeps_what_stood_there_and_five_are_kept) {
  for (int i = 1; i <= 8; ++i) put(std::to_string(i));
  EXPECT_EQ(kept(), (Bodies{"3", "4", "5", "6", "7"}));
  EXPECT_EQ(body(), "8");
  put("8");
  EXPECT_EQ(kept().size(), 5u);
  const auto versions = files_->history(kAnn, now());
  EXPECT_EQ(versions->back().version, 7);
  EXPECT_EQ(versions->back().author, "weft");
  const auto paths = shown();
  ASSERT_EQ(paths.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(*read_file(paths[i]), (*versions)[i].body);
}

TEST_F(ProfileFilesTest, CM_8_rollback_puts_a_version_in_place_and_can_be_taken_back) {
  for (int i = 1; i <= 7; ++i) put(std::to_string(i));
  const std::string before = *read_file(path());
  const auto oldest = files_->history(kAnn, now())->front();
  const std::string wanted = oldest.body;
  const auto rolled = files_->rollback(kAnn, oldest.version, now());
  ASSERT_TRUE(rolled.ok()) << rolled.error().message;
  EXPECT_EQ(rolled->body, "2");
  EXPECT_EQ(*read_file(path()), wanted);
  EXPECT_EQ(kept(), (Bodies{"3", "4", "5", "6", "7"}));
  ASSERT_TRUE(files_->rollback(kAnn, files_->history(kAnn, now())->back().version, now()).ok());
  EXPECT_EQ(*read_file(path()), before);
  const auto missing = files_->rollback(kAnn, 99, now());
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().hint.find("kept are"), std::string::npos);
}

TEST_F(ProfileFilesTest, CM_7_an_edit_by_a_person_is_noticed_stays_and_becomes_a_snapshot) {
  put("one");
  put("two");
  edit("---\nname: Annie\n---\nby hand");
  EXPECT_EQ(files_->glance(kAnn)->body, "by hand");
  EXPECT_EQ(body(), "by hand");
  EXPECT_EQ(kept(), (Bodies{"one", "two"}));
  put("three");
  EXPECT_EQ(kept(), (Bodies{"one", "two", "by hand"}));
  EXPECT_EQ(files_->history(kAnn, now())->back().author, "edit");
  EXPECT_EQ(body(), "three");
  edit("again");
  put("four");  // noticed by the write itself
  EXPECT_EQ(kept(), (Bodies{"one", "two", "by hand", "three", "again"}));
}

TEST_F(ProfileFilesTest, CM_7_a_profile_that_a_person_made_or_deleted) {
  edit("hello");
  EXPECT_EQ(body(), "hello");
  put("two");
  std::filesystem::remove(path());
  EXPECT_EQ(files_->read(kAnn, now()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(kept(), (Bodies{"hello", "two"}));
  ASSERT_TRUE(files_->rollback(kAnn, 2, now()).ok());
  EXPECT_EQ(body(), "two");
}

TEST_F(ProfileFilesTest, CM_7_broken_front_matter_is_never_overwritten) {
  put("one");
  const std::string broken = "---\nname: Ann\ntags: [a\n---\nprecious";
  edit(broken);
  const auto read = files_->read(kAnn, now());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(read.error().message.find("1708213363.md: line"), std::string::npos) << read.error().message;
  EXPECT_FALSE(write(with_body("two"), now()).ok());
  EXPECT_FALSE(files_->update(kAnn, now(), [&](const auto&) { return Result<Profile>(with_body("x")); }).ok());
  EXPECT_EQ(*read_file(path()), broken);
  EXPECT_EQ(files_->list(EntityType::kUser, now())->front().problem.empty(), false);
  // A rollback is a person's wish; what was broken is kept too.
  ASSERT_TRUE(files_->rollback(kAnn, 1, now()).ok());
  EXPECT_EQ(body(), "one");
  EXPECT_EQ(*files_->read_version_text(kAnn, files_->history(kAnn, now())->back().version, now()), broken);
}

TEST_F(ProfileFilesTest, CM_7_a_read_only_profile_is_left_alone) {
  put("one");
  ASSERT_EQ(::chmod(path().c_str(), 0444), 0);
  const auto written = write(with_body("two"), now());
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kPermission);
  EXPECT_EQ(files_->rollback(kAnn, 1, now()).ok(), false);
  EXPECT_EQ(body(), "one");
  ASSERT_EQ(::chmod(path().c_str(), 0644), 0);
  put("two");
}

TEST_F(ProfileFilesTest, CM_7_no_id_leaves_the_folder) {
  for (const std::string& id :
       {std::string(), std::string("a\0b", 3), std::string(300, 'x'), std::string("a\nb"), std::string("\xFF")}) {
    const auto written = write(with_body("x", {EntityType::kUser, id}), now());
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(files_->remove({EntityType::kUser, id}).ok());
  }
  const Bodies ids{"..",
                   ".",
                   "../../etc/passwd",
                   "a/b",
                   "a\\b",
                   "/root/x",
                   "C:\\x",
                   "\xF0\x9F\x98\x80",
                   "con",
                   "NUL.txt",
                   "com1",
                   "人",
                   "a b",
                   "x.",
                   "~",
                   "a.md",
                   "history",
                   "%2E",
                   "-rf",
                   std::string(256, 'y'),
                   std::string(85 * 3, ' ')};
  for (const std::string& id : ids) {
    const EntityKey key{EntityType::kUser, id};
    ASSERT_TRUE(write(with_body(id, key), now()).ok()) << id;
    ASSERT_TRUE(write(with_body(id + "2", key), now()).ok()) << id;
    EXPECT_EQ(files_->read(key, now())->body, id + "2");
    EXPECT_EQ(files_->path_of(key)->parent_path(), folder_.path() / "profiles/users");
  }
  const auto listed = files_->list(EntityType::kUser, now());
  ASSERT_EQ(listed->size(), ids.size());
  for (const auto& entry : *listed) {
    EXPECT_EQ(entry.problem, "") << entry.entity.id;
    EXPECT_NE(std::find(ids.begin(), ids.end(), entry.entity.id), ids.end()) << entry.entity.id;
  }
  std::size_t outside = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
    outside += file.path().filename() != "profiles" && !file.path().filename().string().starts_with("weft.db");
  EXPECT_EQ(outside, 0u);
}

TEST_F(ProfileFilesTest, CM_7_names_give_their_ids_back) {
  for (const std::string id : {"1708213363", "a:b", "../x", "con", "Com7.x", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(profile_id_of(*profile_file_name(id)), id);
  }
  EXPECT_EQ(*profile_file_name("1708213363"), "1708213363");
  EXPECT_EQ(*profile_file_name("nul"), "%6Eul");
  for (const std::string name : {"", "a b", "%2", "%zz", "%61", "..", "x/y"}) {
    EXPECT_FALSE(profile_id_of(name).has_value()) << name;
  }
}

TEST_F(ProfileFilesTest, CM_7_foreign_files_are_listed_with_their_problem) {
  put("one");
  std::ofstream(folder_.path() / "profiles/users/Ann Smith.md") << "text";
  std::ofstream(folder_.path() / "profiles/users/notes.txt") << "text";
  std::filesystem::copy_file(path(), folder_.path() / "profiles/users/copy.md");
  const auto listed = files_->list(EntityType::kUser, now());
  ASSERT_EQ(listed->size(), 3u);
  std::size_t problems = 0;
  for (const auto& entry : *listed) problems += !entry.problem.empty();
  EXPECT_EQ(problems, 2u);
}

TEST_F(ProfileFilesTest, PF_17_a_file_that_names_somebody_else_enters_nobodys_versions) {
  put("one");
  std::filesystem::copy_file(path(), folder_.path() / "profiles/users/bob.md");
  const EntityKey bob{EntityType::kUser, "bob"};
  EXPECT_EQ(files_->read(bob, now()).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(files_->history(bob, now()).error().code, ErrorCode::kCorrupt);
  EXPECT_TRUE(files_->show(ScopeKey("user:bob"), now()).ok());
  EXPECT_TRUE(store_->documents().all(ScopeKey("user:bob"), "")->empty());
}

TEST_F(ProfileFilesTest, CM_7_a_huge_profile_is_refused_and_can_be_rolled_back) {
  put("one");
  put("two");
  EXPECT_EQ(write(with_body(std::string(2 << 20, 'x')), now()).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(body(), "two");
  edit(std::string(2 << 20, 'x'));
  EXPECT_EQ(files_->read(kAnn, now()).error().code, ErrorCode::kTooLarge);
  ASSERT_TRUE(files_->rollback(kAnn, 1, now()).ok());
  EXPECT_EQ(body(), "one");
}

TEST_F(ProfileFilesTest, PF_17_a_change_cannot_take_over_another_profile) {
  put("one");
  const auto changed = files_->update(
      kAnn, now(), [&](const auto&) { return Result<Profile>(with_body("x", {EntityType::kUser, "other"})); });
  EXPECT_FALSE(changed.ok());
  EXPECT_FALSE(files_->update(kAnn, now(), [](const auto&) { return Result<Profile>(cancelled("no")); }).ok());
  EXPECT_EQ(body(), "one");
}

TEST_F(ProfileFilesTest, PF_5_erasure_leaves_no_file_and_says_what_went) {
  put("secret 1");
  put("secret 2");
  edit("secret by hand");
  put("secret 3");
  std::ofstream(folder_.path() / "profiles/history/users/1708213363/000001.md.tmp1-1") << "secret";
  const auto erased = files_->remove(kAnn);
  ASSERT_TRUE(erased.ok()) << erased.error().message;
  EXPECT_GE(*erased, 4u);
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path() / "profiles")) {
    EXPECT_FALSE(file.is_regular_file()) << file.path();
  }
  EXPECT_TRUE(store_->documents().all(ScopeKey("user:1708213363"), "")->empty());
  EXPECT_EQ(files_->remove(kAnn).value(), 0u);
  EXPECT_EQ(files_->read(kAnn, now()).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(files_->history(kAnn, now())->empty());
}

TEST_F(ProfileFilesTest, PF_5_redaction_reaches_every_kept_version) {
  put("a secret");
  put("b secret");
  edit("---\nname: [broken\n---\nc secret");
  ASSERT_FALSE(files_->read(kAnn, now()).ok());
  edit("d\n");
  const auto redacted = files_->redact(kAnn, now(), [](Profile& profile) {
    if (const auto at = profile.body.find("secret"); at != std::string::npos) profile.body.erase(at, 6);
  });
  ASSERT_TRUE(redacted.ok()) << redacted.error().message;
  EXPECT_EQ(*redacted, 3u);
  const auto rows = store_->documents().versions(ScopeKey("user:1708213363"), "profile", "user:1708213363", 0, 9);
  EXPECT_EQ(rows->size(), 4u);
  for (const DocumentRow& row : *rows) EXPECT_EQ(row.body.find("secret"), std::string::npos) << row.version;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path() / "profiles")) {
    if (!file.is_regular_file()) continue;
    EXPECT_EQ(read_file(file.path())->find("secret"), std::string::npos) << file.path();
  }
  EXPECT_EQ(body(), "d\n");
  EXPECT_EQ(files_->history(kAnn, now())->size(), 3u);
}

TEST_F(ProfileFilesTest, CM_8_many_threads_lose_no_change) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        const auto changed = files_->update(kAnn, {}, [&](std::optional<Profile> before) {
          Profile profile = before.value_or(with_body(""));
          profile.body += "x";
          return Result<Profile>(profile);
        });
        EXPECT_TRUE(changed.ok());
      }
    });
  }
  threads.clear();
  EXPECT_EQ(body(), std::string(100, 'x'));
  const auto history = files_->history(kAnn, now());
  for (const auto& one : *history) EXPECT_EQ(one.author, "weft");
}

// Changes that are written with other rows.
class ProfileChangeTest : public ProfileFilesTest {
 protected:
  Status change(const StoredProfile& before, const std::string& body, const std::vector<std::string>& lost = {}) {
    Profile after = before.profile;
    after.body = body;
    WriteBatch batch;
    WEFT_CHECK(files_->change(before, after, lost, now(), batch));
    return store_->write(batch);
  }
  Status show() { return files_->show(ScopeKey("user:1708213363"), now()); }
};

TEST_F(ProfileChangeTest, PF_23_a_file_that_shows_an_older_version_is_no_edit) {
  put("one");
  ASSERT_TRUE(change(*files_->before_change(kAnn, now()), "two").ok());
  EXPECT_NE(read_file(path())->find("one"), std::string::npos);
  reopen();  // as after a kill between the commit and the file
  EXPECT_EQ(files_->glance(kAnn)->body, "two");
  ASSERT_TRUE(show().ok());
  EXPECT_NE(read_file(path())->find("two"), std::string::npos);
  EXPECT_EQ(kept(), (Bodies{"one"}));
}

TEST_F(ProfileChangeTest, PF_23_a_first_version_gets_its_file_after_a_kill) {
  ASSERT_TRUE(change(*files_->before_change(kAnn, now()), "one").ok());
  reopen();
  EXPECT_EQ(body(), "one");
  EXPECT_NE(read_file(path())->find("one"), std::string::npos);
}

TEST_F(ProfileChangeTest, CM_7_an_edit_of_a_file_that_is_behind_is_merged) {
  put("- likes tea\n- lives in Graz\n- has a dog\n");
  ASSERT_TRUE(
      change(*files_->before_change(kAnn, now()), "- likes tea\n- lives in Graz\n- has a dog\n- has a cat\n").ok());
  std::string text = *read_file(path());
  text.replace(text.find("tea"), 3, "mate");
  edit(text);
  EXPECT_EQ(body(), "- likes mate\n- lives in Graz\n- has a dog\n- has a cat\n");
  EXPECT_NE(read_file(path())->find("mate"), std::string::npos);
  EXPECT_NE(read_file(path())->find("cat"), std::string::npos);
}

TEST_F(ProfileChangeTest, CM_7_an_earlier_version_that_a_person_puts_back_is_an_edit) {
  put("one");
  const std::string first = *read_file(path());
  put("two");
  edit(first);
  EXPECT_EQ(body(), "one");
  reopen();
  EXPECT_EQ(body(), "one");
  EXPECT_EQ(kept(), (Bodies{"one", "two"}));
}

TEST_F(ProfileChangeTest, PF_23_a_version_is_flushed_before_its_file_shows_it) {
  const StoredProfile before = *files_->before_change(kAnn, now());
  WriteBatch batch;
  batch.repeatable = true;
  ASSERT_TRUE(files_->change(before, with_body("one"), {}, now(), batch).ok());
  EXPECT_FALSE(batch.repeatable);
}

TEST_F(ProfileChangeTest, PF_23_a_change_of_an_older_version_is_refused) {
  put("one");
  const StoredProfile before = *files_->before_change(kAnn, now());
  put("two");
  EXPECT_EQ(change(before, "three").error().code, ErrorCode::kConflict);
  EXPECT_EQ(body(), "two");
}

TEST_F(ProfileChangeTest, CM_8_lines_without_room_go_to_the_archive_once) {
  put("- old\n- new\n");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(change(*files_->before_change(kAnn, now()), "- new\n", {"- old\n"}).ok());
  ASSERT_TRUE(show().ok());
  EXPECT_EQ(read_file(folder_.path() / "profiles/archive/users/1708213363.md").value(), "- old\n");
  ASSERT_TRUE(files_
                  ->redact(kAnn, now(),
                           [](Profile& profile) {
                             if (const auto at = profile.body.find("old"); at != std::string::npos)
                               profile.body.erase(at, 3);
                           })
                  .ok());
  EXPECT_EQ(read_file(folder_.path() / "profiles/archive/users/1708213363.md").value(), "- \n");
  ASSERT_TRUE(files_->remove(kAnn).ok());
  EXPECT_FALSE(read_file(folder_.path() / "profiles/archive/users/1708213363.md").ok());
}

TEST_F(ProfileChangeTest, CM_7_files_that_went_with_their_folder_come_back) {
  put("one");
  ItemRow item;
  item.row = 1;
  item.scope = ScopeKey("user:1708213363");
  item.item.id = ItemId("user:1708213363");
  WriteBatch batch;
  batch.items.push_back(item);
  ASSERT_TRUE(store_->write(batch).ok());
  std::filesystem::remove_all(folder_.path() / "profiles");
  EXPECT_EQ(body(), "one");
  EXPECT_TRUE(std::filesystem::exists(path()));
  std::filesystem::remove_all(folder_.path() / "profiles");
  reopen();
  EXPECT_TRUE(std::filesystem::exists(path()));
  std::filesystem::remove(path());  // the file alone: that is a person's wish
  reopen();
  EXPECT_EQ(files_->read(kAnn, now()).error().code, ErrorCode::kNotFound);
}

TEST_F(ProfileChangeTest, CM_7_a_file_that_goes_while_its_folder_is_removed_ends_no_profile) {
  put("one");
  DocumentFiles patient(*store_, std::chrono::hours(1));
  const auto files = ProfileFiles::open(*store_, patient, folder_.path() / "profiles", {}).value();
  std::filesystem::remove(path());
  EXPECT_EQ(files->read(kAnn, now())->body, "one");
  EXPECT_EQ(files->glance(kAnn)->body, "one");
  EXPECT_FALSE(std::filesystem::exists(path())) << "it may be a person's wish";
  std::filesystem::remove_all(folder_.path() / "profiles");
  ASSERT_TRUE(files->show(ScopeKey("user:1708213363"), now()).ok());
  EXPECT_EQ(files->read(kAnn, now())->body, "one");
  EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(ProfileChangeTest, CM_7_an_editor_that_held_an_older_version_takes_no_newer_line_away) {
  const auto write_at = [&](const std::string& body) {
    Profile profile = with_body(body);
    profile.updated_at = now();
    ASSERT_TRUE(write(profile, now()).ok());
  };
  write_at("- likes tea\n- lives in Graz\n");
  std::string buffer = *read_file(path());
  write_at("- likes tea\n- lives in Graz\n- has a dog\n");
  buffer.replace(buffer.find("tea"), 3, "mate");
  edit(buffer);
  EXPECT_EQ(body(), "- likes mate\n- lives in Graz\n- has a dog\n");
  std::string current = *read_file(path());
  current.erase(current.find("- has a dog"));
  edit(current);  // a person takes the newest line out of the newest version
  EXPECT_EQ(body(), "- likes mate\n- lives in Graz\n");
}

TEST_F(ProfileChangeTest, CM_8_a_full_archive_loses_its_oldest_lines) {
  put("- new\n");
  const std::string line = "- " + std::string(1000, 'x');
  std::vector<std::string> lost;
  for (int i = 0; i < 1100; ++i) lost.push_back(line + std::to_string(i) + "\n");
  ASSERT_TRUE(change(*files_->before_change(kAnn, now()), "- new\n", lost).ok());
  ASSERT_TRUE(show().ok());
  const std::string archive = *read_file(folder_.path() / "profiles/archive/users/1708213363.md");
  EXPECT_LE(archive.size(), DocumentPlace::kMaxBytes);
  EXPECT_GT(archive.size(), DocumentPlace::kMaxBytes - 2000);
  EXPECT_TRUE(archive.starts_with(line));
  EXPECT_TRUE(archive.ends_with("1099\n"));
}

TEST_F(ProfileChangeTest, CM_8_versions_of_a_former_release_are_taken_in) {
  const auto earlier = folder_.path() / "profiles/history/users/1708213363";
  std::filesystem::create_directories(earlier);
  std::ofstream(earlier / "000003-20260221T063000Z-weft.md") << "one";
  std::ofstream(earlier / "000004-20260221T064000Z-edit.md") << "two";
  std::ofstream(earlier / "written.md") << "three";
  edit("three");
  EXPECT_EQ(body(), "three");
  EXPECT_EQ(kept(), (Bodies{"one", "two"}));
  const auto versions = files_->history(kAnn, now());
  EXPECT_EQ(versions->front().version, 3);
  EXPECT_EQ(versions->back().author, "edit");
  EXPECT_EQ(format_time(versions->back().time), "2026-02-21T06:40:00Z");
  EXPECT_EQ(shown().size(), 2u);
  put("four");
  EXPECT_EQ(kept(), (Bodies{"one", "two", "three"}));
  EXPECT_EQ(files_->history(kAnn, now())->back().author, "weft");
}

}  // namespace
}  // namespace weft
