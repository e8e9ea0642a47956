#include "ports/files/file.h"

#include <gtest/gtest.h>

#include <unistd.h>

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
}  // namespace weft
