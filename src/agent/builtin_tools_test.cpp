#include "agent/builtin_tools.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "agent/tool.h"
#include "base/clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

TEST(WorkFolder, AL_2_no_path_leaves_it) {
  const TemporaryFolder folder;
  const auto work = WorkFolder::open(folder.path() / "work");
  ASSERT_TRUE(work.ok());
  std::ofstream(folder.path() / "secret") << "secret";
  fs::create_symlink(folder.path(), folder.path() / "work" / "out");
  fs::create_symlink(folder.path() / "secret", folder.path() / "work" / "link");
  for (const std::string path : {"../secret", "a/../../secret", "/etc/passwd", "out/secret", "link", ""}) {
    EXPECT_FALSE(work->read(path, 1000).ok()) << path;
    EXPECT_FALSE(work->write(path, "changed").ok()) << path;
  }
  EXPECT_FALSE(work->list("out", true, 10).ok());
  EXPECT_FALSE(work->list("..", true, 10).ok());
  std::string kept;
  std::ifstream(folder.path() / "secret") >> kept;
  EXPECT_EQ(kept, "secret");
}

TEST(WorkFolder, AL_2_what_is_written_is_read_and_listed) {
  const TemporaryFolder folder;
  const auto work = WorkFolder::open(folder.path() / "work");
  ASSERT_TRUE(work->write("笔记/plan.md", "one").ok());
  ASSERT_TRUE(work->write("笔记/plan.md", "two").ok());
  EXPECT_EQ(work->read("./笔记/plan.md", 1000).value(), "two");
  EXPECT_EQ(work->read("笔记/plan.md", 2).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(work->read("nothing", 10).error().code, ErrorCode::kNotFound);
  const auto all = work->list("", true, 10);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[1].path, "笔记/plan.md");
  EXPECT_EQ(work->list("", false, 10)->size(), 1u);
}

ProcessCall shell(const std::string& line, std::chrono::milliseconds limit = 10s) {
  ProcessCall call;
  call.command = {"/bin/sh", "-c", line};
  call.deadline = Deadline::after(limit);
  return call;
}

TEST(Process, AL_2_output_input_exit_code_and_a_clean_environment) {
  ::setenv("WEFT_TEST_SECRET", "open sesame", 1);
  ProcessCall call = shell("cat; echo \"[$WEFT_TEST_SECRET$OWN]\" >&2; exit 3");
  call.input = std::string(200'000, 'x');
  call.environment = {{"OWN", "mine"}};
  const auto end = run_process(call);
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(end->code, 3);
  EXPECT_EQ(end->output.size(), 200'000 + std::string("[mine]\n").size());
  call.most_bytes = 1000;
  EXPECT_EQ(run_process(call)->output.size(), 1000u);
  call.command = {"/no/such/program"};
  EXPECT_EQ(run_process(call).error().code, ErrorCode::kNotFound);
}

TEST(Process, AL_2_who_does_not_end_is_killed_with_all_that_it_started) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "child").string();
  const Stopwatch watch;
  const auto end = run_process(shell("sleep 60 & echo $! > " + file + "; wait", 300ms));
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kTimeout);
  EXPECT_LT(watch.ms(), 5000);
  pid_t child = 0;
  std::ifstream(file) >> child;
  ASSERT_GT(child, 0);
  // It is gone, or waits for whoever inherits it.
  bool gone = false;
  for (int i = 0; i < 100 && !gone; ++i) {
    std::string about;
    std::ifstream status("/proc/" + std::to_string(child) + "/stat");
    std::getline(status, about);
    gone = about.empty() || about.find(") Z") != std::string::npos;
    if (!gone) std::this_thread::sleep_for(20ms);
  }
  EXPECT_TRUE(gone);
}

TEST(Process, AL_2_a_program_that_left_others_behind_has_ended) {
  const Stopwatch watch;
  const auto end = run_process(shell("sleep 30 & echo here"));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->output, "here\n");
  EXPECT_LT(watch.ms(), 8000);
}

TEST(Permissions, AL_2_the_longest_name_counts_and_a_run_only_tightens) {
  Permissions permissions;
  ASSERT_TRUE(permissions.add("*=allow, file_*=ask, file_read=allow, shell_run=deny").ok());
  EXPECT_EQ(permissions.of("file_read"), Permission::kAllow);
  EXPECT_EQ(permissions.of("file_write"), Permission::kAsk);
  ASSERT_TRUE(permissions.add("shell_run=allow,file_read=deny").ok());
  EXPECT_EQ(permissions.of("shell_run"), Permission::kDeny);
  EXPECT_EQ(permissions.of("file_read"), Permission::kDeny);
  EXPECT_EQ(permissions.of("else"), Permission::kAllow);
  EXPECT_FALSE(permissions.add("shell_run=perhaps").ok());
  EXPECT_FALSE(permissions.add("shell_run").ok());
}

TEST(Results, AL_2_what_deceives_is_taken_out_and_what_is_long_is_cut) {
  const auto hidden = shown_output("fine\xf3\xa0\x81\x81\xe2\x80\xae text", 1000, "c1");
  EXPECT_EQ(hidden.text, "fine text");
  EXPECT_EQ(hidden.hidden, 2);
  std::string chinese;
  for (int i = 0; i < 5000; ++i) chinese += "汉";
  const auto cut = shown_output(chinese, 900, "c1");
  EXPECT_TRUE(cut.cut);
  EXPECT_LT(cut.text.size(), 1200u);
  EXPECT_EQ(cut.text.find("\xef\xbf\xbd"), std::string::npos);
  EXPECT_NE(cut.text.find("\"handle\":\"c1\""), std::string::npos);
}

TEST(Results, AL_2_a_handle_leaves_no_folder) {
  const TemporaryFolder folder;
  ResultStore results(disk(), folder.path() / "r");
  ASSERT_TRUE(results.keep("run", "c1", "all of it").ok());
  EXPECT_EQ(results.read("run", "c1").value(), "all of it");
  for (const std::string handle : {"../run/c1", "", "c2", "/etc/passwd"})
    EXPECT_EQ(results.read("run", handle).error().code, ErrorCode::kNotFound) << handle;
}

}  // namespace
}  // namespace weft
