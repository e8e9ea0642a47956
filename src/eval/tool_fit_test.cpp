#include "eval/tool_fit.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/hash_embedder.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class ToolFit : public testing::Test {
 protected:
  /// Tools whose names say what they do, while their descriptions and parameters all say the same many things.
  std::string set(const std::string& name) {
    const std::string prefix = folder_ / name;
    std::ofstream tools(prefix + ".tools.jsonl"), queries(prefix + ".queries.jsonl");
    for (int i = 0; i < 40; ++i) {
      const std::string verb = name + "verb" + std::to_string(i), other = name + "verb" + std::to_string((i + 7) % 40);
      tools << R"({"name":"do_)" << verb << R"(","description":"Helps with )" << other
            << R"( and much else","parameters":{"type":"object","properties":{"a":{"type":"string","description":")"
            << other << " of " << other << "\"}}}}\n";
      queries << R"({"id":"q)" << i << R"(","query":"Please )" << verb << R"( it for me","gold":["do_)" << verb
              << "\"],\"category\":\"" << (i % 2 == 0 ? "even" : "odd") << "\"}\n";
    }
    return prefix;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ToolFit, PF_19_weights_are_judged_on_sets_that_they_have_not_seen) {
  const std::vector<std::string> sets{set("brass"), set("copper"), set("nickel")};
  HashEmbedder embedder;
  for (Embedder* models : {static_cast<Embedder*>(nullptr), static_cast<Embedder*>(&embedder)}) {
    const auto fitted = fit_tools(sets, 2, models, Similarity::raw());
    ASSERT_TRUE(fitted.ok()) << fitted.error().message;
    ASSERT_EQ(fitted->sets.size(), 3u);
    for (const auto& [name, one] : fitted->sets) {
      EXPECT_EQ(one.left_out.queries, 40u) << name;
      EXPECT_GT(one.left_out.recall_at_5, 0.9) << name;
      ASSERT_EQ(one.by_category.size(), 2u) << name;
      const ToolScore &even = one.by_category.at("even"), &odd = one.by_category.at("odd");
      EXPECT_EQ(even.queries, 20u);
      EXPECT_NEAR((even.recall_at_5 + odd.recall_at_5) / 2, one.left_out.recall_at_5, 1e-9) << name;
    }
    const auto again = fit_tools(sets, 2, models, Similarity::raw());
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(fitted->source, again->source);
    EXPECT_EQ(to_json(*fitted), to_json(*again));
  }
}

TEST_F(ToolFit, PF_19_one_set_is_too_few_and_a_missing_one_is_named) {
  const auto one = fit_tools({set("brass")}, 1, nullptr, Similarity::raw());
  ASSERT_FALSE(one.ok());
  EXPECT_NE(one.error().message.find("fewer than two sets"), std::string::npos);
  const auto missing = fit_tools({folder_ / "nowhere"}, 1, nullptr, Similarity::raw());
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("nowhere"), std::string::npos);
}

}  // namespace
}  // namespace weft
