#include "ports/index/vector_scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace weft {
namespace {

using Numbers = std::vector<float>;
constexpr std::size_t kLength = 96;

double product(const Numbers& a, const Numbers& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

Numbers unit(Numbers vector) {
  const double length = std::sqrt(product(vector, vector));
  for (float& value : vector) value = static_cast<float>(value / length);
  return vector;
}

Numbers without(const Numbers& vector, const Numbers& mean) {
  Numbers rest(vector);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= mean[i];
  return unit(rest);
}

class Centred : public testing::Test {
 protected:
  Numbers random(double spread) {
    std::normal_distribution<float> draw(0, static_cast<float>(spread));
    Numbers vector(kLength);
    for (float& value : vector) value = draw(random_);
    return vector;
  }
  /// Near one of the means, as texts of one language are.
  Numbers near(const Numbers& mean) {
    Numbers vector = random(0.05);
    for (std::size_t i = 0; i < kLength; ++i) vector[i] += mean[i];
    return unit(vector);
  }

  std::mt19937 random_{7};
};

TEST_F(Centred, MS_5_cosines_are_those_of_vectors_without_the_mean_of_their_language) {
  const LanguageMeans means{{unit(random(1)), unit(random(1))}};
  CentredVectors vectors(means);
  std::vector<Numbers> kept;
  for (std::uint32_t slot = 0; slot < 300; ++slot) {
    kept.push_back(near(means.of[slot % 2]));
    vectors.set(slot, kept.back());
  }
  vectors.clear(17);
  for (const std::size_t language : {0U, 1U}) {
    const Numbers query = near(means.of[language]), centred = without(query, means.of[language]);
    Numbers found(kept.size()), plain(kept.size());
    vectors.cosines(query, found);
    vectors.dot(query, plain);
    for (std::size_t slot = 0; slot < kept.size(); ++slot) {
      const bool there = slot != 17;
      EXPECT_NEAR(found[slot], there ? product(centred, without(kept[slot], means.of[slot % 2])) : 0, 0.01) << slot;
      EXPECT_NEAR(plain[slot], there ? product(query, kept[slot]) : 0, 0.005) << slot;
    }
  }
}

TEST_F(Centred, MS_5_without_means_nothing_is_taken_away) {
  CentredVectors vectors;
  const Numbers one = unit(random(1)), query = unit(random(1));
  vectors.set(3, one);
  Numbers found(4);
  vectors.cosines(query, found);
  EXPECT_NEAR(found[3], product(one, query), 0.005);
  EXPECT_EQ(found[0], 0);
}

TEST_F(Centred, PF_13_means_of_another_model_are_left_alone) {
  CentredVectors vectors(LanguageMeans{{Numbers(kLength + 1, 0.1F), Numbers(kLength + 1, 0.2F)}});
  const Numbers one = unit(random(1));
  vectors.set(0, one);
  Numbers found(1);
  vectors.cosines(one, found);
  EXPECT_NEAR(found[0], 1, 0.005);
}

TEST_F(Centred, MS_5_a_vector_that_is_the_mean_itself_is_like_nothing) {
  const LanguageMeans means{{unit(random(1)), unit(random(1))}};
  CentredVectors vectors(means);
  vectors.set(0, means.of[0]);
  Numbers found(1);
  vectors.cosines(near(means.of[0]), found);
  EXPECT_TRUE(std::isfinite(found[0]));
}

}  // namespace
}  // namespace weft
