#include "growth/transcript_follower.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::string said(const std::string& who, const std::string& text, int second) {
  return R"({"type":")" + who + R"(","sessionId":"s1","timestamp":"2026-03-01T10:00:)" + std::to_string(10 + second) +
         R"(Z","message":{"role":")" + who + R"(","content":[{"type":"text","text":")" + text + "\"}]}}\n";
}
std::string called(int number) {
  const std::string id = std::to_string(number);
  return R"({"type":"assistant","sessionId":"s1","message":{"role":"assistant","content":[{"type":"tool_use","id":"t)" +
         id + R"(","name":"Bash","input":{"command":"make"}}]}})" + "\n" +
         R"({"type":"user","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t)" +
         id + R"(","is_error":true,"content":"no rule"}]}})" + "\n";
}

class Follower : public testing::Test {
 protected:
  Follower() {
    fs::create_directories(folder_.path() / "sessions" / "deep");
    open();
  }
  void open(std::optional<TranscriptFormat> format = {}) {
    follower_.emplace(TranscriptFollower::open(disk(), folder_.path() / "log.jsonl",
                                               {folder_.path() / "sessions", format, std::chrono::seconds(60)})
                          .value());
  }
  fs::path file(const std::string& name) const { return folder_.path() / "sessions" / name; }
  void add(const std::string& name, const std::string& text) {
    std::ofstream(file(name), std::ios::app | std::ios::binary) << text;
  }
  void rest(const std::string& name, int seconds) {
    fs::last_write_time(file(name), fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  }
  // Ids of what one look finds; kept unless a crash is played.
  std::vector<TaskReport> look(bool crash = false) {
    auto found = follower_->look().value();
    std::vector<TaskReport> reports;
    for (const auto& one : found.found) {
      reports.insert(reports.end(), one.reports.begin(), one.reports.end());
      if (crash) continue;
      EXPECT_TRUE(follower_->taken(one).ok());
    }
    return reports;
  }

  TemporaryFolder folder_;
  std::optional<TranscriptFollower> follower_;
};

TEST_F(Follower, RE_1_a_task_ends_with_the_next_one_or_when_the_file_rests) {
  const std::string name = "deep/a.jsonl";
  add(name, said("user", "Build it", 0) + called(1));
  EXPECT_TRUE(look().empty());
  const std::string answer = said("assistant", "It fails.", 3);
  add(name, answer.substr(0, 40));
  EXPECT_TRUE(look().empty());
  add(name, answer.substr(40));
  EXPECT_TRUE(look().empty());
  add(name, said("user", "不对，先运行 configure", 4));
  const auto first = look();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].task, "Build it");
  EXPECT_EQ(first[0].reaction_text, "不对，先运行 configure");
  EXPECT_EQ(first[0].provenance, Provenance::kImported);
  add(name, called(2));
  rest(name, 100);  // not answered yet
  EXPECT_TRUE(look().empty());
  add(name, said("assistant", "Now it builds.", 6));
  rest(name, 61);
  const auto second = look();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].task, "不对，先运行 configure");
  EXPECT_NE(first[0].id, second[0].id);
  add(name, called(3) + said("user", "Thanks", 8) + said("assistant", "Welcome.", 9) + said("user", "Bye", 9));
  const auto third = look();  // what went on of a counted task is none of its own
  ASSERT_EQ(third.size(), 1u);
  EXPECT_EQ(third[0].task, "Thanks");
  EXPECT_EQ(third[0].steps.size(), 1u);
}

TEST_F(Follower, RE_1_a_crash_finds_the_same_tasks_again_and_a_restart_none_twice) {
  add("a.jsonl", said("user", "One", 0) + said("assistant", "1", 1) + said("user", "Two", 2));
  const auto lost = look(true);
  open();
  const auto again = look();
  ASSERT_EQ(lost.size(), 1u);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(lost[0].id, again[0].id);
  open();
  EXPECT_TRUE(look().empty());
  add("a.jsonl", said("assistant", "2", 3) + said("user", "Three", 4));
  ASSERT_EQ(look().size(), 1u);
}

TEST_F(Follower, RE_1_renamed_cut_and_replaced_files) {
  add("a.jsonl", said("user", "One", 0) + said("assistant", "1", 1) + said("user", "Two", 2));
  ASSERT_EQ(look().size(), 1u);
  fs::rename(file("a.jsonl"), file("a.jsonl.1"));
  add("a.jsonl.1", said("assistant", "2", 3));
  rest("a.jsonl.1", 61);
  add("a.jsonl", said("user", "Another", 5) + said("assistant", "3", 6) + said("user", "x", 7));
  const auto rotated = look();
  ASSERT_EQ(rotated.size(), 2u);
  EXPECT_EQ(rotated[0].task, "Two");
  EXPECT_EQ(rotated[1].task, "Another");
  std::ofstream(file("a.jsonl"), std::ios::trunc)
      << said("user", "New", 8) + said("assistant", "4", 9) + said("user", "y", 10);
  const auto cut = look();
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].task, "New");
}

TEST_F(Follower, RE_1_documents_count_once_when_they_rest_and_other_files_are_left_alone) {
  const std::string begin = R"({"trajectory":[{"thought":"look","action":"ls","observation":"a.py"})";
  const std::string history = R"(],"history":[{"role":"user","content":"Fix a.py"}]})";
  add("run.traj", begin + history);
  add("0.json", R"({"id":0,"source":"user","action":"message","args":{"content":"an event alone"}})");
  add("package.json", R"({"name":"x"})");
  add("notes.txt", said("user", "no", 0));
  EXPECT_TRUE(look().empty());
  for (const char* name : {"run.traj", "0.json", "package.json"}) rest(name, 61);
  const auto first = look();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].task, "Fix a.py");
  std::ofstream(file("run.traj"), std::ios::trunc)
      << begin + R"(,{"thought":"done","action":"submit","observation":""})" + history;
  rest("run.traj", 61);
  for (const TaskReport& later : look()) EXPECT_EQ(later.id, first[0].id);
}

TEST_F(Follower, RE_1_only_the_format_that_is_asked_for) {
  add("a.jsonl", said("user", "One", 0) + said("assistant", "1", 1) + said("user", "Two", 2));
  open(TranscriptFormat::kCodex);
  EXPECT_TRUE(look().empty());
  open(TranscriptFormat::kClaudeCode);
  EXPECT_EQ(look().size(), 1u);
}

}  // namespace
}  // namespace weft
