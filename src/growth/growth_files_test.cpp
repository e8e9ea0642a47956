#include "growth/growth_files.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(GrowthFiles, EV_1_files_lie_where_the_format_has_them_and_ids_stay_in_their_folder) {
  const GrowthFiles files{"/w"};
  EXPECT_EQ(files.active_rules(), "/w/evolution/rules/active_rules.yaml");
  EXPECT_EQ(files.skills(), "/w/skills/learned");
  EXPECT_EQ(files.beliefs(ScopeKey("user:default")), "/w/beliefs/beliefs.yaml");
  EXPECT_EQ(files.beliefs(ScopeKey("user:ann")), "/w/beliefs/users/ann/beliefs.yaml");
  EXPECT_EQ(files.beliefs(ScopeKey("group:../../etc")).string().find("/../"), std::string::npos);
}

}  // namespace
}  // namespace weft
