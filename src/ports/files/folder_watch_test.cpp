#include "ports/files/folder_watch.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;
using Clock = std::chrono::steady_clock;

void write(const std::filesystem::path& path) { std::ofstream(path, std::ios::app) << "line\n"; }

class Watched : public testing::Test {
 protected:
  Watched() : watch_(FolderWatch::open(folder_.path()).value()) {}
  // Whether a wait of a minute ended early: by what the system told, or by its own looking.
  bool wakes() {
    const auto begun = Clock::now();
    watch_.wait(std::chrono::minutes(1), {});
    return Clock::now() - begun < std::chrono::seconds(30);
  }

  TemporaryFolder folder_;
  FolderWatch watch_;
};

TEST_F(Watched, RE_1_what_changed_before_the_wait_ends_it) {
  write(folder_.path() / "a");
  EXPECT_TRUE(wakes());
  write(folder_.path() / "a");
  EXPECT_TRUE(wakes());
  std::filesystem::rename(folder_.path() / "a", folder_.path() / "b");
  EXPECT_TRUE(wakes());
}

TEST_F(Watched, RE_1_folders_that_come_later_are_watched_with_what_is_below_them) {
  std::filesystem::create_directories(folder_.path() / "new" / "deep");
  EXPECT_TRUE(wakes());
  std::jthread later([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    write(folder_.path() / "new" / "deep" / "a");
  });
  EXPECT_TRUE(wakes());
}

TEST_F(Watched, RE_1_a_wait_ends_when_it_is_told_to_and_when_its_time_is_over) {
  std::stop_source stop;
  std::jthread later([&] { stop.request_stop(); });
  watch_.wait(std::chrono::minutes(10), stop.get_token());
  watch_.wait(std::chrono::milliseconds(1), {});
  EXPECT_FALSE(FolderWatch::open(folder_.path() / "none").ok());
}

}  // namespace
}  // namespace weft
