#include "demo/demonstration.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "demo/data_files.h"
#include "weft/config.h"

namespace weft {
namespace {

// What the demonstration writes, piece by piece.
std::string shown(bool colours, bool json) {
  const ScratchWorkspace folder;
  Config config;
  config.workspace = folder.path();
  config.embedding.provider = EmbeddingProvider::kNone;
  const auto engine = Engine::open(config);
  EXPECT_TRUE(engine.ok()) << engine.error().message;
  const auto scope = Scope::private_of(UserId("ann"));
  std::string told;
  const Status played =
      demonstrate(**engine, {*scope, {}, {}}, {[&](std::string_view text) { told += text; }, colours, json});
  EXPECT_TRUE(played.ok()) << played.error().message;
  return told;
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Demonstration, PF_1_tells_of_topics_memories_and_prompts) {
  const std::string told = shown(false, false);
  EXPECT_GE(count_of(told, "topic closed"), 3U);
  EXPECT_EQ(count_of(told, "\n ? "), 6U) << told;
  EXPECT_GE(count_of(told, "\n   message "), 3U) << "what the prompts hold of the talk";
  EXPECT_EQ(told.find('\x1b'), std::string::npos);
  EXPECT_NE(shown(true, false).find('\x1b'), std::string::npos);
}

TEST(Demonstration, PF_1_as_json_it_is_one_line_of_all_that_was_seen) {
  const std::string told = shown(false, true);
  EXPECT_EQ(count_of(told, "\n"), 1U);
  const auto seen = nlohmann::json::parse(told);
  EXPECT_GE(seen.at("observed").size(), 10U);
  EXPECT_GE(seen.at("memories").size(), 3U);
  EXPECT_EQ(seen.at("questions").size(), 6U);
  EXPECT_EQ(seen.at("status").at("embedder").at("state"), "none") << seen.at("status");
}

}  // namespace
}  // namespace weft
