#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>

#include "ports/embedding/embedder.h"
#include "text/weight_file.h"

namespace weft {
namespace {

TEST(Similarity, ST_8_raw_leaves_cosines_as_they_are) {
  const Similarity raw = Similarity::raw();
  EXPECT_TRUE(raw.is_raw());
  EXPECT_DOUBLE_EQ(raw.scale(0.37), 0.37);
  const Vector vector = {0.6F, 0.8F};
  EXPECT_EQ(raw.centre(vector, Language::kChinese), vector);
}

TEST(Similarity, ST_8_the_means_of_both_languages_are_taken_away) {
  const Similarity similarity("x", {0.8F, 0.0F}, {0.0F, 0.8F}, 10, 0);
  const Vector vector = {0.8F, 0.6F};
  const Vector english = similarity.centre(vector, Language::kEnglish);
  EXPECT_NEAR(english[0], 0, 1e-6);
  EXPECT_NEAR(english[1], 1, 1e-6);
  const Vector chinese = similarity.centre(vector, Language::kChinese);
  EXPECT_LT(chinese[1], 0);
  EXPECT_NEAR(std::hypot(chinese[0], chinese[1]), 1, 1e-6);
}

TEST(Similarity, ST_8_the_default_models_are_fitted_and_their_best_cut_is_at_0_6) {
  for (const auto* name : {"multilingual-e5-small-q4", "all-MiniLM-L6-v2-q8"}) {
    const Similarity similarity = Similarity::for_embedder(name);
    EXPECT_TRUE(similarity.is_fitted()) << name;
    EXPECT_NEAR(similarity.scale(0.095), 0.6, 0.01) << name;
    EXPECT_EQ(similarity.centre(Vector(384, 0.05F), Language::kEnglish).size(), 384U);
    EXPECT_LT(similarity.scale(-1), similarity.scale(1));
  }
}

TEST(Similarity, ST_8_an_unknown_embedder_gets_a_guess) {
  const Similarity guess = Similarity::for_embedder("nobody-knows-it");
  EXPECT_FALSE(guess.is_fitted());
  EXPECT_FALSE(guess.is_raw());
  EXPECT_LT(guess.scale(0.0), 0.5);
  EXPECT_GT(guess.scale(0.5), 0.6);
}

TEST(Similarity, PF_19_those_that_ship_are_found_by_the_name_of_their_embedder) {
  std::size_t seen = 0;
  for (const ShippedWeights& file : std::span(shipped_weights_list, shipped_weights_count)) {
    if (!file.id.starts_with("similarity/")) continue;
    ++seen;
    const auto read = Similarity::parse(file.source);
    ASSERT_TRUE(read.ok()) << file.id << ": " << read.error().message;
    EXPECT_FALSE(read->mean(Language::kEnglish).empty()) << file.id;
    EXPECT_FALSE(read->mean(Language::kChinese).empty()) << file.id;
    EXPECT_TRUE(Similarity::for_embedder("some/" + std::string(file.id.substr(11)) + "-q8").is_fitted());
  }
  EXPECT_GE(seen, 2u);
}

TEST(Similarity, ST_8_a_calibration_is_read_as_it_was_written) {
  const auto read = Similarity::parse(
      R"({"embedder":"mine","slope":7.5,"middle":0.0625,"english_mean":[0.25,0.5],"chinese_mean":[0.125,-0.5]})");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->embedder(), "mine");
  EXPECT_TRUE(read->is_fitted());
  EXPECT_EQ(read->mean(Language::kChinese)[1], -0.5F);
  EXPECT_DOUBLE_EQ(read->scale(0.3), Similarity("mine", {}, {}, 7.5, 0.0625).scale(0.3));
}

TEST(Similarity, ST_8_broken_calibrations_are_refused) {
  for (const auto* text :
       {"", "{}", "[1]", R"({"embedder":"x","english_mean":[],"chinese_mean":[],"slope":-1,"middle":0})"}) {
    EXPECT_FALSE(Similarity::parse(text).ok()) << text;
  }
}

}  // namespace
}  // namespace weft
