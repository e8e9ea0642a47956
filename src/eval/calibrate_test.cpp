#include "eval/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace weft {
namespace {

/// Vectors of two subjects that lie close to a common direction, as those of real models do.
class CrowdedEmbedder : public Embedder {
 public:
  std::string name() const override { return "crowded"; }
  std::size_t dimensions() const override { return 3; }
  std::int64_t count_tokens(std::string_view) const override { return -1; }
  Result<Vector> embed(std::string_view text, EmbedUse, const Deadline&) override {
    if (text.empty()) return invalid_argument("no word");
    const bool ships = text.find("ship") != std::string_view::npos || text.find("船") != std::string_view::npos;
    const float little = 0.01F * static_cast<float>(text.size() % 5);
    Vector vector = {0.95F, ships ? 0.3F : little, ships ? little : 0.3F};
    const float norm = std::sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    for (float& value : vector) value /= norm;
    return vector;
  }
};

std::string dialogues(bool two_topics) {
  const std::string path = testing::TempDir() + "/weft_calibrate.jsonl";
  std::ofstream out(path);
  for (int i = 0; i < 6; ++i) {
    const std::string more(static_cast<std::size_t>(i), 'x');
    out << R"({"id":")" << i << R"(","turns":[{"role":"user","text":"a ship )" << more << R"("},{"role":"assistant","text":"the ship sails"})"
        << R"(,{"role":"user","text":"a pie"},{"role":"assistant","text":"apple pie )" << more << R"("}],"starts":[0)"
        << (two_topics ? ",2" : "") << "]}\n";
    out << R"({"id":"z)" << i << R"(","turns":[{"role":"user","text":"一条船)" << more << R"("},{"role":"assistant","text":"船开了"})"
        << R"(,{"role":"user","text":"苹果派"},{"role":"assistant","text":"派很甜)" << more << R"("}],"starts":[0)"
        << (two_topics ? ",2" : "") << "]}\n";
  }
  return path;
}

TEST(Calibrate, ST_8_crowded_cosines_are_spread_and_the_cut_lies_at_0_6) {
  CrowdedEmbedder embedder;
  const auto fitted = calibrate_similarity({dialogues(true)}, embedder, {});
  ASSERT_TRUE(fitted.ok());
  EXPECT_NEAR(fitted->similarity.scale(fitted->best_cosine), 0.6, 1e-6);
  const auto vector = [&](const char* text) { return embedder.embed(text, EmbedUse::kCompare, Deadline()).value(); };
  EXPECT_GT(cosine(vector("a ship"), vector("a pie")), 0.8);  // raw cosines say nothing
  const auto& similarity = fitted->similarity;
  EXPECT_GT(similarity.between(vector("a ship"), Language::kEnglish, vector("ship sails"), Language::kEnglish), 0.6);
  EXPECT_LT(similarity.between(vector("a ship"), Language::kEnglish, vector("a pie"), Language::kEnglish), 0.6);
  EXPECT_LT(similarity.between(vector("船"), Language::kChinese, vector("派"), Language::kChinese), 0.6);
}

TEST(Calibrate, ST_8_the_same_data_give_the_same_calibration) {
  CrowdedEmbedder embedder;
  const auto path = dialogues(true);
  const auto a = calibrate_similarity({path}, embedder, {});
  const auto b = calibrate_similarity({path}, embedder, {});
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->similarity.to_json(), b->similarity.to_json());
}

TEST(Calibrate, ST_8_data_without_pairs_are_refused) {
  const std::string path = testing::TempDir() + "/weft_calibrate_one.jsonl";
  std::ofstream(path) << R"({"id":"a","turns":[{"role":"user","text":"ship"}],"starts":[0]})" << "\n";
  CrowdedEmbedder embedder;
  EXPECT_FALSE(calibrate_similarity({path}, embedder, {}).ok());
}

}  // namespace
}  // namespace weft
