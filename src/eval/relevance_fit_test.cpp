#include "eval/relevance_fit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "tests/support/hash_embedder.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class RelevanceFit : public testing::Test {
 protected:
  /// A set of two memories, each about matters of its own; a question names two words of the message that answers it.
  std::string set(const std::string& name) {
    const std::filesystem::path folder(folder_ / name);
    std::filesystem::create_directories(folder);
    for (const char* memory : {"one", "two"}) {
      std::ofstream messages(folder / (std::string(memory) + ".messages.jsonl"));
      std::ofstream asked(folder / (std::string(memory) + ".queries.jsonl"));
      for (int i = 0; i < 30; ++i) {
        const std::string key = name + memory + std::to_string(i);
        messages << R"({"id":"m)" << i << R"(","session":"s)" << i / 5
                 << R"(","time":"2025-01-01T00:00:00Z","role":"user","name":"ann","text":"We put the key)" << key
                 << " below the stone" << key << " near house number " << random_() % 50 << "\"}\n";
        asked << R"({"id":"q)" << i << R"(","query":"Where is the key)" << key << " and the stone" << key
              << R"(?","gold":["m)" << i << "\"]}\n";
      }
    }
    return folder.string();
  }

  Result<FittedRelevance> fit(const std::vector<std::string>& sets, const std::vector<std::string>& keep_out = {}) {
    return fit_known(config_, {sets, keep_out, 30, 0.05}, embedder_, {});
  }

  std::mt19937 random_{4};
  test::TemporaryFolder folder_;
  HashEmbedder embedder_;
  Config config_;
};

TEST_F(RelevanceFit, PF_14_tells_what_is_known_in_sets_that_it_has_not_seen) {
  const std::vector<std::string> sets{set("brass"), set("copper"), set("nickel")};
  const auto fitted = fit(sets);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message;
  for (const auto& by : fitted->sets) {
    ASSERT_EQ(by.size(), 3u);
    for (const auto& [name, one] : by) {
      EXPECT_EQ(one.left_out.own, 60u);
      EXPECT_GT(one.left_out.auc, 0.95) << name;
      EXPECT_LT(*one.left_out.own_refused, 0.2) << name;
      EXPECT_LT(*one.left_out.far_accepted, 0.2) << name;
    }
  }
  const auto again = fit(sets);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(fitted->source, again->source);
  EXPECT_EQ(to_json(*fitted), to_json(*again));
}

TEST_F(RelevanceFit, PF_14_what_is_kept_out_changes_nothing_that_ships) {
  const std::vector<std::string> two{set("brass"), set("copper")};
  const std::string third = set("nickel");
  const auto without = fit({two[0], two[1], third}, {"nickel"});
  ASSERT_TRUE(without.ok());
  EXPECT_TRUE(without->sets[1].at("nickel").kept_out);
  EXPECT_FALSE(without->sets[1].at("brass").kept_out);
  EXPECT_EQ(to_json(*without).find("null"), std::string::npos);
  EXPECT_FALSE(fit({folder_ / "nowhere"}).ok());
}

}  // namespace
}  // namespace weft
