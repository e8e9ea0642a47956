#include "flow/memory/day_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;

constexpr std::int64_t kTen = 1'763'978'400'000;  // 2025-11-24T10:00Z

DayNote note(std::int64_t minute, std::string session, std::string line, std::string id) {
  DayNote made{{kTen + minute * 60'000, 0}, session, "About " + session, std::move(line), session + "/" + id};
  return made;
}

TEST(DayLog, MS_2_a_day_is_told_by_time_and_session) {
  const TemporaryFolder folder;
  DayLog log(disk(), folder.path() / "daily");
  ASSERT_TRUE(log.add({note(30, "竞品", "用户：分析竞品", "m1"), note(31, "竞品", "search_web → 3 条", "m2")}).ok());
  ASSERT_TRUE(log.add({note(40, "b", "User: hello", "m1"), note(50, "竞品", "助手：好了", "m3")}).ok());
  const auto text = log.read("2025-11-24");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text,
            "## 10:30 - About 竞品 <!-- 竞品 -->\n- 用户：分析竞品 <!-- 竞品/m1 -->\n"
            "- search_web → 3 条 <!-- 竞品/m2 -->\n\n## 10:40 - About b <!-- b -->\n- User: hello <!-- b/m1 -->\n\n"
            "## 10:50 - About 竞品 <!-- 竞品 -->\n- 助手：好了 <!-- 竞品/m3 -->\n");
  EXPECT_EQ(*log.headings("2025-11-24", "竞品"), std::vector<std::string>{"10:40 - About b"});
  EXPECT_EQ(log.headings("2025-11-24", "")->size(), 3u);
  EXPECT_TRUE(log.headings("2020-01-01", "")->empty());
}

TEST(DayLog, MS_2_a_crash_at_any_byte_neither_loses_nor_doubles_a_line) {
  const TemporaryFolder folder;
  std::vector<DayNote> notes;
  for (int i = 0; i < 6; ++i)
    notes.push_back(note(i, i < 3 ? "a" : "b", "line 行 " + std::to_string(i), std::to_string(i)));
  DayLog whole(disk(), folder.path() / "whole");
  ASSERT_TRUE(whole.add(notes).ok());
  const std::string text = *whole.read("2025-11-24");
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    DayLog log(disk(), folder.path() / "cut");
    std::filesystem::create_directories(log.folder());
    std::ofstream(log.folder() / "2025-11-24.md", std::ios::trunc) << text.substr(0, cut);
    ASSERT_TRUE(log.add(notes).ok());
    const std::string after = *log.read("2025-11-24");
    for (const DayNote& one : notes) {
      const auto at = after.find("<!-- " + one.mark + " -->");
      ASSERT_NE(at, std::string::npos) << cut << "\n" << after;
      ASSERT_EQ(after.find("<!-- " + one.mark + " -->", at + 1), std::string::npos) << cut << "\n" << after;
    }
  }
}

TEST(DayLog, MS_2_text_of_people_stays) {
  const TemporaryFolder folder;
  DayLog log(disk(), folder.path());
  ASSERT_TRUE(log.add({note(1, "a", "one", "1")}).ok());
  std::ofstream(folder / "2025-11-24.md", std::ios::app) << "my own remark, without a line break";
  ASSERT_TRUE(log.add({note(2, "a", "two", "2")}).ok());
  EXPECT_NE(log.read("2025-11-24")->find("my own remark, without a line break\n- two"), std::string::npos);
}

// One log goes on while people, and an erasure, change its file.
TEST(DayLog, MS_2_a_log_that_goes_on_sees_what_others_did_to_its_day) {
  const TemporaryFolder folder;
  DayLog log(disk(), folder.path() / "daily");
  ASSERT_TRUE(log.add({note(0, "a", "one", "1"), note(1, "a", "two", "2")}).ok());
  ASSERT_TRUE(log.add({note(1, "a", "two", "2"), note(2, "a", "three", "3")}).ok());
  const auto path = folder.path() / "daily" / "2025-11-24.md";
  std::ofstream(path, std::ios::app) << "- mine, without an end";
  ASSERT_TRUE(log.add({note(3, "b", "four", "4")}).ok());
  DayLog other(disk(), folder.path() / "daily");
  ASSERT_EQ(*other.erase([](std::string_view mark) { return mark == "a/2"; }), 1u);
  ASSERT_TRUE(log.add({note(4, "b", "five", "5"), note(5, "a", "six", "6")}).ok());
  EXPECT_EQ(*log.read("2025-11-24"),
            "## 10:00 - About a <!-- a -->\n- one <!-- a/1 -->\n- three <!-- a/3 -->\n- mine, without an end\n\n"
            "## 10:03 - About b <!-- b -->\n- four <!-- b/4 -->\n- five <!-- b/5 -->\n\n"
            "## 10:05 - About a <!-- a -->\n- six <!-- a/6 -->\n");
  std::filesystem::remove(path);
  ASSERT_TRUE(log.add({note(6, "a", "seven", "7")}).ok());
  EXPECT_EQ(*log.read("2025-11-24"), "## 10:06 - About a <!-- a -->\n- seven <!-- a/7 -->\n");
  ASSERT_TRUE(log.add({note(24 * 60, "a", "tomorrow", "8"), note(7, "a", "late", "9")}).ok());
  EXPECT_EQ(*log.read("2025-11-24"), "## 10:06 - About a <!-- a -->\n- seven <!-- a/7 -->\n- late <!-- a/9 -->\n");
  EXPECT_EQ(*log.read("2025-11-25"), "## 10:00 - About a <!-- a -->\n- tomorrow <!-- a/8 -->\n");
}

TEST(DayLog, PF_11_erased_lines_go_with_the_heading_made_of_them) {
  const TemporaryFolder folder;
  DayLog log(disk(), folder.path());
  DayNote secret = note(1, "a", "User: my secret", "1");
  secret.title = "my secret";
  ASSERT_TRUE(log.add({secret, note(2, "a", "fine", "2"), note(3, "b", "other", "1")}).ok());
  EXPECT_EQ(*log.erase([](std::string_view mark) { return mark == "a/1"; }), 1u);
  const std::string text = *log.read("2025-11-24");
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  EXPECT_NE(text.find("fine"), std::string::npos);
  EXPECT_NE(text.find("other"), std::string::npos);
  ASSERT_TRUE(log.erase_all().ok());
  EXPECT_TRUE(log.days()->empty());
}

TEST(DayLog, MS_2_old_days_are_shortened_once_and_originals_stay_where_wanted) {
  const TemporaryFolder folder;
  DayLog log(disk(), folder.path());
  ASSERT_TRUE(log.add({note(1, "a", "asked", "1"), note(2, "a", "tool", "2"), note(3, "a", "answered", "3"),
                       note(60 * 24 * 40, "a", "later", "4")})
                  .ok());
  const std::string before = *log.read("2025-11-24");
  EXPECT_EQ(*log.shorten("2025-12-01", shorten_day, true), 1u);
  EXPECT_EQ(*log.shorten("2025-12-01", shorten_day, true), 0u);
  const std::string after = *log.read("2025-11-24");
  EXPECT_NE(after.find("asked"), std::string::npos);
  EXPECT_NE(after.find("answered"), std::string::npos);
  EXPECT_EQ(after.find("tool"), std::string::npos);
  EXPECT_EQ(*DayLog(disk(), folder.path() / "originals").read("2025-11-24"), before);
  EXPECT_EQ(log.days()->size(), 2u);
}

TEST(DayLog, PF_23_a_line_that_a_shortened_day_has_lost_is_not_added_again) {
  const TemporaryFolder folder;
  const std::vector<DayNote> notes{note(1, "a", "asked", "1"), note(2, "a", "tool", "2"),
                                   note(3, "a", "answered", "3")};
  ASSERT_TRUE(DayLog(disk(), folder.path()).add(notes).ok());
  ASSERT_EQ(*DayLog(disk(), folder.path()).shorten("2025-12-01", shorten_day, true), 1u);
  DayLog log(disk(), folder.path());
  const std::string before = *log.read("2025-11-24");
  ASSERT_TRUE(log.add(notes).ok());
  EXPECT_EQ(*log.read("2025-11-24"), before);
}

}  // namespace
}  // namespace weft
