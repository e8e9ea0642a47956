#include "eval/tools.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/hash_embedder.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class EvalTools : public testing::Test {
 protected:
  std::string write(const std::string& tools, const std::string& queries) {
    const std::string prefix = folder_.path().string() + "/set";
    std::ofstream(prefix + ".tools.jsonl") << tools;
    std::ofstream(prefix + ".queries.jsonl") << queries;
    return prefix;
  }
  std::string sample() {
    return write(R"({"name":"oven_heat","description":"Heats the oven.","parameters":{}}
{"name":"lamp_on","description":"Switches the lamp on."}

{"name":"radio_play","description":"Plays music on the radio.","parameters":{"type":"object"}}
)",
                 R"({"id":"1","query":"heat the oven","gold":["oven_heat"],"category":"one"}
{"id":"2","query":"Switch on the lamp. Play music.","gold":["lamp_on","radio_play"],"category":"two"}
{"id":"3","query":"heat the oven","gold":["lamp_on"],"candidates":["radio_play"],"category":"one"}
)");
  }
  test::TemporaryFolder folder_;
  const Similarity raw_ = Similarity::raw();
};

TEST_F(EvalTools, AC_8_shares_are_means_over_requests_and_candidates_limit_the_pool) {
  const auto report = eval_tools({sample()}, {}, nullptr, raw_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->all.queries, 3u);
  EXPECT_NEAR(report->all.recall_at_5, 2.0 / 3, 1e-9);
  EXPECT_NEAR(report->all.recall_at_1, 1.5 / 3, 1e-9);
  EXPECT_NEAR(report->all.all_at_5, 2.0 / 3, 1e-9);
  EXPECT_EQ(report->by, "words");
  const auto json = nlohmann::json::parse(to_json(*report));
  EXPECT_EQ(json.at("queries"), 3);
  for (const char* key : {"recall@1", "recall@5", "any@5", "all@5"}) EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json.at("by_category").at("set/two").at("recall@5"), 1.0);
}

TEST_F(EvalTools, AC_8_predictions_are_written_and_baselines_differ_in_what_speaks) {
  const std::string out = folder_.path().string() + "/out.jsonl";
  HashEmbedder embedder;
  const auto both = eval_tools({sample()}, {"", out, 0}, &embedder, raw_);
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_EQ(both->by, "words+vectors");
  std::ifstream file(out);
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_EQ(nlohmann::json::parse(line).at("ranked").at(0), "oven_heat");
  EXPECT_EQ(eval_tools({sample()}, {"bm25", "", 0}, &embedder, raw_)->by, "words");
  EXPECT_EQ(eval_tools({sample()}, {"vector", "", 0}, &embedder, raw_)->by, "vectors");
  EXPECT_FALSE(eval_tools({sample()}, {"vector", "", 0}, nullptr, raw_).ok());
  EXPECT_FALSE(eval_tools({sample()}, {"luck", "", 0}, nullptr, raw_).ok());
}

TEST_F(EvalTools, AC_8_errors_name_file_and_line) {
  const std::string good = R"({"name":"a","description":"b"})"
                           "\n";
  const auto fails = [&](const std::string& tools, const std::string& queries, const std::string& where) {
    const auto report = eval_tools({write(tools, queries)}, {}, nullptr, raw_);
    ASSERT_FALSE(report.ok());
    EXPECT_NE(report.error().message.find(where), std::string::npos) << report.error().message;
  };
  fails(good + "{broken", "", "set.tools.jsonl:2");
  fails(good + good, "", "set.tools.jsonl:2");
  fails(good + R"({"description":"no name"})", "", "set.tools.jsonl:2");
  fails(good, R"({"id":"1","query":"q","gold":["unknown"]})", "set.queries.jsonl:1");
  fails(good, R"({"id":"1","query":"q","gold":[]})", "set.queries.jsonl:1");
  fails(good, "\xff\xfe", "set.queries.jsonl:1");
  EXPECT_EQ(eval_tools({folder_.path().string() + "/none"}, {}, nullptr, raw_).error().code, ErrorCode::kNotFound);
}

}  // namespace

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
