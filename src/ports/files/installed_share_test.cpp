#include "ports/files/installed_share.h"

#include <gtest/gtest.h>

#include "ports/files/file_system.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

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
