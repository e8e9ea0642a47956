#include "surface/api/paths.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/clock.h"
#include "ports/net/http_client.h"
#include "surface/api/api.h"
#include "surface/proxy/proxy.h"
#include "tests/support/test_engine.h"

namespace weft {
namespace {

TEST(Paths, PF_10_every_path_of_the_interface_is_told) {
  TestEngine engine;
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
  const auto client = make_http_client();
  const Config config;
  const SystemClock clock;
  proxy::Proxy proxy(engine, config, *client, nullptr, clock);
  http::Router of_proxy;
  proxy.add_to(of_proxy);
  for (const std::string& path : of_proxy.paths()) EXPECT_EQ(told.erase(path), 1u) << path;
  for (const char* path : {"POST /mcp", "GET /mcp", "DELETE /mcp", "GET /ui"}) EXPECT_EQ(told.erase(path), 1u) << path;
  EXPECT_TRUE(told.empty()) << *told.begin();
}

}  // namespace
}  // namespace weft
