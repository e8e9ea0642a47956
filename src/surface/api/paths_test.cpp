#include "surface/api/paths.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "surface/api/api.h"
#include "tests/support/fake_engine.h"

namespace weft {
namespace {

TEST(Paths, PF_10_every_path_of_the_interface_is_told) {
  FakeEngine engine;
  http::Router router;
  add_api(router, engine);
  std::set<std::string> told;
  for (const PathInfo& path : http_paths()) {
    EXPECT_TRUE(told.insert(std::string(path.path)).second) << path.path;
    EXPECT_FALSE(path.text.empty());
  }
  for (const std::string& path : router.paths()) EXPECT_TRUE(told.contains(path)) << path;
  for (const std::string& path : router.paths()) told.erase(path);
  // What is left are the proxy's and the other doors.
  for (const char* path : {"POST /v1/chat/completions", "POST /v1/messages", "POST /v1/messages/count_tokens",
                           "GET /v1/models", "GET /v1/models/{id}", "POST /v1/completions", "POST /v1/embeddings",
                           "POST /v1/responses", "POST /v1/moderations", "POST /mcp", "GET /ui"})
    EXPECT_EQ(told.erase(path), 1u) << path;
  EXPECT_TRUE(told.empty()) << *told.begin();
}

}  // namespace
}  // namespace weft
