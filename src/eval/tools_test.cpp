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

}  // namespace weft
