#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ports/files/file_system.h"
#include "tests/support/temporary_folder.h"

namespace weft {

namespace {

TEST(WorkspaceLock, PF_9_a_second_process_is_refused_with_the_holder_named) {
  test::TemporaryFolder folder;
  auto first = WorkspaceLock::take(folder.path());
  ASSERT_TRUE(first.ok());
  const auto second = WorkspaceLock::take(folder.path());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos);
}

TEST(EncodeFileName, CM_7_no_id_leaves_the_folder) {
  EXPECT_EQ(encode_file_name("abc-1.2"), "abc-1.2");
  EXPECT_EQ(encode_file_name("../x"), "%2E.%2Fx");
  EXPECT_EQ(encode_file_name("a:b"), "a%3Ab");
  EXPECT_LE(encode_file_name(std::string(10'000, '/')).size(), 200u);
  EXPECT_NE(encode_file_name(std::string(300, 'a') + "1"), encode_file_name(std::string(300, 'a') + "2"));
}

}  // namespace

namespace {

namespace fs = std::filesystem;

// As on most machines, whoever runs this.
class PrivateFolder : public testing::Test {
 protected:
  PrivateFolder() : before_(::umask(022)) {}
  ~PrivateFolder() override { ::umask(before_); }

 private:
  const mode_t before_;
};

mode_t mode_of(const fs::path& path) {
  struct stat about{};
  EXPECT_EQ(::stat(path.c_str(), &about), 0) << path;
  return about.st_mode & 0777;
}

TEST_F(PrivateFolder, PF_10_it_and_all_that_is_made_in_it_are_its_owners_alone) {
  const test::TemporaryFolder above;
  ASSERT_EQ(::chmod(above.path().c_str(), 0755), 0);
  const fs::path folder = above.path() / "a" / "workspace";
  ASSERT_TRUE(make_private_folder(folder).ok());
  EXPECT_EQ(mode_of(folder), 0700U);
  EXPECT_EQ(mode_of(folder.parent_path()), 0755U);
  ASSERT_TRUE(make_folder(folder / "queues" / "pending").ok());
  ASSERT_TRUE(write_file(folder / "queues" / "one.json", "{}", false).ok());
  ASSERT_TRUE(disk().open(folder / "two").ok());
  EXPECT_EQ(mode_of(folder / "queues"), 0700U);
  EXPECT_EQ(mode_of(folder / "queues" / "pending"), 0700U);
  EXPECT_EQ(mode_of(folder / "queues" / "one.json"), 0600U);
  EXPECT_EQ(mode_of(folder / "two"), 0600U);
  // Beside it files are as they always were.
  ASSERT_TRUE(write_file(above.path() / "AGENTS.md", "x", false).ok());
  EXPECT_EQ(mode_of(above.path() / "AGENTS.md"), 0644U);
}

TEST_F(PrivateFolder, PF_10_a_folder_that_is_there_keeps_its_rights) {
  const test::TemporaryFolder above;
  const fs::path folder = above.path() / "open";
  ASSERT_EQ(::mkdir(folder.c_str(), 0755), 0);
  ASSERT_TRUE(make_private_folder(folder).ok());
  ASSERT_TRUE(make_private_folder(folder.string() + "/").ok());
  EXPECT_EQ(mode_of(folder), 0755U);
  ASSERT_TRUE(write_file(folder / "file", "x", false).ok());
  EXPECT_EQ(make_private_folder(folder / "file").error().code, ErrorCode::kUnavailable);
}

TEST(InstalledShare, PF_2_it_is_found_from_where_the_program_or_library_stands) {
  const test::TemporaryFolder folder;
  const auto prefix = folder.path() / "prefix";
  ASSERT_TRUE(make_folder(prefix / "share" / "weft").ok());
  for (const char* binary : {"bin/weft", "lib/libweft.so", "lib/x86_64-linux-gnu/libweft.so"})
    EXPECT_EQ(installed_share_of(prefix / binary), prefix / "share" / "weft") << binary;
  EXPECT_EQ(installed_share_of(folder.path() / "build" / "weft"), "");
  EXPECT_EQ(installed_share_of("bin/weft"), "") << "whatever stands where this was started";
  EXPECT_EQ(installed_share_of(""), "");
}

}  // namespace
}  // namespace weft
