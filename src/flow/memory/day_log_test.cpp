#include "flow/memory/day_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "base/strings.h"
#include "tests/support/other_store.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;

constexpr std::int64_t kTen = 1'763'978'400'000;  // 2025-11-24T10:00Z
constexpr const char* kDate = "2025-11-24";

DayNote note(std::int64_t minute, std::string session, std::string line, std::string id) {
  DayNote made{{kTen + minute * 60'000, 0}, session, "About " + session, std::move(line), session + "/" + id};
  return made;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class DayLogTest : public testing::Test {
 protected:
  DayLog log(std::chrono::milliseconds patience = {}) {
    return DayLog(*store_, disk(), ScopeKey("user:ann"), folder_.path() / "daily", patience);
  }
  std::filesystem::path file(const std::string& day = kDate) const { return folder_.path() / "daily" / (day + ".md"); }
  std::string shown(const std::string& day = kDate) const { return disk().read(file(day)).value_or("(no file)"); }

  // As a reader of the log does it.
  Status add(DayLog& log, const std::vector<DayNote>& notes, bool shows = true) {
    WriteBatch batch;
    WEFT_CHECK(log.add(notes, batch));
    WEFT_CHECK(store_->write(batch));
    return shows ? log.show(batch) : Status();
  }
  Status add(const std::vector<DayNote>& notes) {
    DayLog one = log();
    return add(one, notes);
  }
  std::string read(const std::string& day = kDate) { return log().read(day).value_or("(no day)"); }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_ = open_store("memory:").value();
};

TEST_F(DayLogTest, MS_2_a_day_is_told_by_time_and_session) {
  DayLog log = this->log();
  ASSERT_TRUE(add(log, {note(30, "竞品", "用户：分析竞品", "m1"), note(31, "竞品", "search_web → 3 条", "m2")}).ok());
  ASSERT_TRUE(add(log, {note(40, "b", "User: hello", "m1"), note(50, "竞品", "助手：好了", "m3")}).ok());
  EXPECT_EQ(read(),
            "## 10:30 - About 竞品 <!-- 竞品 -->\n- 用户：分析竞品 <!-- 竞品/m1 -->\n"
            "- search_web → 3 条 <!-- 竞品/m2 -->\n\n## 10:40 - About b <!-- b -->\n- User: hello <!-- b/m1 -->\n\n"
            "## 10:50 - About 竞品 <!-- 竞品 -->\n- 助手：好了 <!-- 竞品/m3 -->\n");
  EXPECT_EQ(shown(), read());
  EXPECT_EQ(*log.headings(kDate, "竞品"), std::vector<std::string>{"10:40 - About b"});
  EXPECT_EQ(log.headings(kDate, "")->size(), 3u);
  EXPECT_TRUE(log.headings("2020-01-01", "")->empty());
}

TEST_F(DayLogTest, MS_2_a_crash_at_any_byte_neither_loses_nor_doubles_a_line) {
  std::vector<DayNote> notes;
  for (int i = 0; i < 6; ++i)
    notes.push_back(note(i, i < 3 ? "a" : "b", "line 行 " + std::to_string(i), std::to_string(i)));
  ASSERT_TRUE(add({notes.begin(), notes.begin() + 2}).ok());
  const std::size_t before = shown().size();
  DayLog killed = log();
  ASSERT_TRUE(add(killed, {notes.begin() + 2, notes.end()}, false).ok());
  const std::string whole = read();
  ASSERT_EQ(shown(), whole);
  for (std::size_t cut = 0; cut <= whole.size(); cut += cut < before ? 7 : 1) {
    std::ofstream(file(), std::ios::trunc) << whole.substr(0, cut);
    ASSERT_EQ(read(), whole) << cut;
    ASSERT_EQ(shown(), whole) << cut;
  }
  ASSERT_TRUE(add(notes).ok());
  EXPECT_EQ(read(), whole) << "no line twice";
}

TEST_F(DayLogTest, PF_23_lines_of_a_write_that_failed_are_in_neither_store_nor_file) {
  DayLog log = this->log();
  ASSERT_TRUE(add(log, {note(0, "a", "one", "1")}).ok());
  WriteBatch lost;
  ASSERT_TRUE(log.add({note(1, "a", "two", "2")}, lost).ok());
  EXPECT_EQ(shown().find("two"), std::string::npos);
  // Another program writes the day meanwhile.
  ASSERT_TRUE(add({note(2, "b", "theirs", "1")}).ok());
  const Status late = store_->write(lost);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::kConflict);
  ASSERT_TRUE(add(log, {note(1, "a", "two", "2")}).ok());
  EXPECT_EQ(count(read(), "two"), 1u);
  EXPECT_EQ(count(read(), "theirs"), 1u);
  EXPECT_EQ(shown(), read());
}

// The file is flushed, the store's write was not: a power cut takes it back, and the reader adds its notes again.
TEST_F(DayLogTest, PF_23_a_power_cut_that_leaves_the_file_ahead_doubles_no_line) {
  ASSERT_TRUE(add({note(0, "a", "one", "1")}).ok());
  DayLog lost = log();
  WriteBatch batch;
  ASSERT_TRUE(lost.add({note(1, "a", "two", "2"), note(2, "b", "three", "3")}, batch).ok());
  std::ofstream(file(), std::ios::app) << batch.documents.front().body;
  ASSERT_TRUE(add({note(1, "a", "two", "2"), note(2, "b", "three", "3"), note(3, "b", "four", "4")}).ok());
  for (const char* line : {"- one", "- two", "- three", "- four"}) EXPECT_EQ(count(read(), line), 1u) << read();
  EXPECT_EQ(shown(), read());
}

TEST_F(DayLogTest, MS_2_text_of_people_stays) {
  DayLog log = this->log();
  ASSERT_TRUE(add(log, {note(1, "a", "one", "1")}).ok());
  std::ofstream(file(), std::ios::app) << "my own remark, without a line break";
  EXPECT_TRUE(read().ends_with("my own remark, without a line break")) << "it is part of the day at once";
  ASSERT_TRUE(add(log, {note(2, "a", "two", "2")}).ok());
  EXPECT_NE(shown().find("my own remark, without a line break\n- two"), std::string::npos);
  EXPECT_EQ(shown(), read());
}

TEST_F(DayLogTest, MS_2_an_edit_beside_lines_that_were_not_shown_yet_loses_neither) {
  DayLog log = this->log();
  ASSERT_TRUE(add(log, {note(0, "a", "one", "1"), note(1, "a", "wrong", "2")}).ok());
  ASSERT_TRUE(add(log, {note(2, "a", "not shown", "3")}, false).ok());
  std::ofstream(file(), std::ios::trunc) << "- one <!-- a/1 -->\n- mine\n";
  EXPECT_EQ(read(), "- one <!-- a/1 -->\n- mine\n- not shown <!-- a/3 -->\n");
  EXPECT_EQ(shown(), read());
}

TEST_F(DayLogTest, MS_2_an_edit_of_an_older_text_keeps_what_was_added_since) {
  DayLog log = this->log();
  ASSERT_TRUE(add(log, {note(0, "a", "one", "1"), note(1, "a", "two", "2")}).ok());
  const std::string opened = shown();
  for (int i = 3; i < 8; ++i) ASSERT_TRUE(add(log, {note(i, "a", "later", std::to_string(i))}).ok());
  std::ofstream(file(), std::ios::trunc) << "# My day\n" << opened;
  EXPECT_TRUE(read().starts_with("# My day\n" + opened)) << read();
  EXPECT_EQ(count(read(), "- later"), 5u);
  EXPECT_EQ(shown(), read());
}

TEST_F(DayLogTest, MS_2_a_file_that_is_being_written_is_not_taken_from_its_editor) {
  DayLog log = this->log(std::chrono::hours(1));
  ASSERT_TRUE(add(log, {note(0, "a", "one", "1")}).ok());
  ASSERT_TRUE(add(log, {note(1, "a", "two", "2")}).ok());
  const std::string whole = shown(), edited = whole + "- mine, a long line at the end\n- and another one\n";
  std::ofstream editor(file(), std::ios::trunc);
  for (std::size_t at = 0; at < edited.size(); at += 7) {
    EXPECT_TRUE(log.read(kDate).ok());
    editor << edited.substr(at, 7) << std::flush;
  }
  EXPECT_EQ(*log.read(kDate), edited);
  ASSERT_TRUE(add(log, {note(2, "a", "three", "3")}).ok());
  EXPECT_EQ(*log.read(kDate), edited + "- three <!-- a/3 -->\n");
  EXPECT_EQ(shown(), edited + "- three <!-- a/3 -->\n");
}

TEST_F(DayLogTest, PF_5_a_folder_in_the_place_of_a_day_holds_up_nothing) {
  ASSERT_TRUE(add({note(0, "a", "one", "1")}).ok());
  std::filesystem::remove(file());
  std::filesystem::create_directories(file());
  ASSERT_TRUE(add({note(1, "a", "two", "2")}).ok());
  EXPECT_EQ(count(read(), "\n- "), 2u) << read();
  EXPECT_EQ(*log().erase([](std::string_view mark) { return mark == "a/1"; }), 1u);
  ASSERT_TRUE(log().erase_all().ok());
  EXPECT_EQ(read(), "(no day)");
}

// One log goes on while people, and an erasure, change its file.
TEST_F(DayLogTest, MS_2_a_log_that_goes_on_sees_what_others_did_to_its_day) {
  DayLog log = this->log();
  ASSERT_TRUE(add(log, {note(0, "a", "one", "1"), note(1, "a", "two", "2")}).ok());
  ASSERT_TRUE(add(log, {note(1, "a", "two", "2"), note(2, "a", "three", "3")}).ok());
  std::ofstream(file(), std::ios::app) << "- mine, without an end";
  ASSERT_TRUE(add(log, {note(3, "b", "four", "4")}).ok());
  ASSERT_EQ(*this->log().erase([](std::string_view mark) { return mark == "a/2"; }), 1u);
  ASSERT_TRUE(add(log, {note(4, "b", "five", "5"), note(5, "a", "six", "6")}).ok());
  EXPECT_EQ(shown(),
            "## 10:00 - About a <!-- a -->\n- one <!-- a/1 -->\n- three <!-- a/3 -->\n- mine, without an end\n\n"
            "## 10:03 - About b <!-- b -->\n- four <!-- b/4 -->\n- five <!-- b/5 -->\n\n"
            "## 10:05 - About a <!-- a -->\n- six <!-- a/6 -->\n");
  const std::string whole = shown();
  std::filesystem::remove(file());
  ASSERT_TRUE(add(log, {note(6, "a", "seven", "7")}).ok());
  EXPECT_EQ(shown(), whole + "- seven <!-- a/7 -->\n") << "a file that was removed is written again";
  ASSERT_TRUE(add(log, {note(24 * 60, "a", "tomorrow", "8"), note(7, "a", "late", "9")}).ok());
  EXPECT_EQ(shown(), whole + "- seven <!-- a/7 -->\n- late <!-- a/9 -->\n");
  EXPECT_EQ(shown("2025-11-25"), "## 10:00 - About a <!-- a -->\n- tomorrow <!-- a/8 -->\n");
  EXPECT_EQ(*log.days(), (std::vector<std::string>{kDate, "2025-11-25"}));
}

TEST_F(DayLogTest, SC_3_programs_on_one_store_add_to_one_day_and_see_what_was_erased) {
  test::OtherStore shared(*store_);
  const auto add_to = [&](DayLog& log, const DayNote& note) -> Status {
    WriteBatch batch;
    WEFT_CHECK(log.add({note}, batch));
    WEFT_CHECK(shared.write(batch));
    return log.show(batch);
  };
  DayLog one(shared, disk(), ScopeKey("user:ann"), folder_.path()), two(shared, disk(), ScopeKey("user:ann"), "");
  ASSERT_TRUE(add_to(one, note(0, "a", "one", "1")).ok());
  ASSERT_TRUE(add_to(two, note(1, "a", "two", "2")).ok());
  ASSERT_TRUE(add_to(one, note(2, "a", "three", "3")).ok());
  const std::string whole =
      "## 10:00 - About a <!-- a -->\n- one <!-- a/1 -->\n- two <!-- a/2 -->\n- three <!-- a/3 -->\n";
  EXPECT_EQ(*two.read(kDate), whole);
  // The day begins anew, with as many versions as `one` has seen.
  ASSERT_TRUE(two.erase_all().ok());
  for (int i = 4; i < 7; ++i) ASSERT_TRUE(add_to(two, note(i, "b", "other", std::to_string(i))).ok());
  ASSERT_TRUE(add_to(one, note(7, "a", "last", "7")).ok());
  EXPECT_TRUE(one.read(kDate)->ends_with("\n\n## 10:07 - About a <!-- a -->\n- last <!-- a/7 -->\n"));
  EXPECT_EQ(one.read(kDate)->find("- one"), std::string::npos);
  // Lines that were made for a day which was erased since are refused.
  WriteBatch late;
  ASSERT_TRUE(one.add({note(8, "a", "late", "8")}, late).ok());
  ASSERT_TRUE(two.erase_all().ok());
  EXPECT_EQ(shared.write(late).error().code, ErrorCode::kConflict);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "no files beside a shared store";
}

TEST_F(DayLogTest, MS_2_a_folder_that_was_removed_is_written_again) {
  ASSERT_TRUE(add({note(0, "a", "one", "1")}).ok());
  ASSERT_TRUE(add({note(1, "a", "two", "2")}).ok());
  const std::string whole = read();
  std::filesystem::remove_all(file().parent_path());
  EXPECT_EQ(*log().days(), std::vector<std::string>{kDate});
  EXPECT_EQ(read(), whole);
  EXPECT_EQ(shown(), whole);
}

TEST_F(DayLogTest, PF_23_days_of_a_former_release_are_taken_in) {
  std::filesystem::create_directories(file().parent_path());
  std::ofstream(file()) << "## 09:00 - Before <!-- a -->\n- earlier <!-- a/0 -->\n";
  EXPECT_EQ(*log().days(), std::vector<std::string>{kDate});
  ASSERT_TRUE(add({note(1, "a", "later", "1")}).ok());
  EXPECT_EQ(read(), "## 09:00 - Before <!-- a -->\n- earlier <!-- a/0 -->\n- later <!-- a/1 -->\n");
  EXPECT_EQ(shown(), read());
  EXPECT_EQ(*log().erase([](std::string_view mark) { return mark == "a/0"; }), 1u);
  EXPECT_EQ(read().find("earlier"), std::string::npos);
}

TEST_F(DayLogTest, PF_11_erased_lines_go_with_the_heading_made_of_them) {
  DayNote secret = note(1, "a", "User: my secret", "1");
  secret.title = "my secret";
  ASSERT_TRUE(add({secret, note(2, "a", "fine", "2"), note(3, "b", "other", "1")}).ok());
  EXPECT_EQ(*log().erase([](std::string_view mark) { return mark == "a/1"; }), 1u);
  for (const std::string& text : {read(), shown()}) {
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    EXPECT_NE(text.find("fine"), std::string::npos);
    EXPECT_NE(text.find("other"), std::string::npos);
  }
  EXPECT_EQ(*log().erase([](std::string_view) { return true; }), 2u) << "a day without a line goes";
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_TRUE(log().days()->empty());
  ASSERT_TRUE(add({note(4, "a", "again", "4")}).ok());
  ASSERT_TRUE(log().erase_all().ok());
  EXPECT_TRUE(log().days()->empty());
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(DayLogTest, MS_2_old_days_are_shortened_once_and_originals_stay_where_wanted) {
  ASSERT_TRUE(add({note(1, "a", "asked", "1"), note(2, "a", "tool", "2"), note(3, "a", "answered", "3"),
                   note(60 * 24 * 40, "a", "later", "4")})
                  .ok());
  const std::string before = read();
  EXPECT_EQ(*log().shorten("2025-12-01", shorten_day, true), 1u);
  EXPECT_EQ(*log().shorten("2025-12-01", shorten_day, true), 0u);
  const std::string after = read();
  EXPECT_NE(after.find("asked"), std::string::npos);
  EXPECT_NE(after.find("answered"), std::string::npos);
  EXPECT_EQ(after.find("tool"), std::string::npos);
  EXPECT_EQ(shown(), after);
  EXPECT_EQ(shown("originals/2025-11-24"), before);
  EXPECT_EQ(log().days()->size(), 2u);
  // Erased lines go from the original, too.
  EXPECT_EQ(*log().erase([](std::string_view mark) { return mark == "a/2"; }), 1u);
  EXPECT_EQ(shown("originals/2025-11-24").find("tool"), std::string::npos);
  EXPECT_EQ(read(), after);
}

}  // namespace
}  // namespace weft
