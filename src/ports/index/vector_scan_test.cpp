#include "ports/index/vector_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace weft {
namespace {

using Vectors = std::vector<std::vector<float>>;

std::vector<float> unit(std::vector<float> values) {
  double sum = 0;
  for (const float value : values) sum += value * value;
  for (float& value : values) value = static_cast<float>(value / std::sqrt(sum));
  return values;
}

std::vector<float> noise(std::mt19937& random, std::size_t dimensions, float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(dimensions);
  for (float& value : values) value = normal(random);
  return values;
}

Vectors random_vectors(std::mt19937& random, std::size_t count, std::size_t dimensions) {
  Vectors vectors;
  for (std::size_t i = 0; i < count; ++i) vectors.push_back(unit(noise(random, dimensions)));
  return vectors;
}

/// As embedding models give them: one strong common direction, so that all cosines are high, topics around it, and a
/// few dimensions much larger than the rest.
Vectors model_like_vectors(std::mt19937& random, std::size_t count, std::size_t dimensions) {
  auto common = noise(random, dimensions, 1.5f);
  common[3] *= 6;
  Vectors topics;
  for (int i = 0; i < 30; ++i) topics.push_back(noise(random, dimensions, 0.6f));
  Vectors vectors;
  for (std::size_t i = 0; i < count; ++i) {
    auto values = noise(random, dimensions, 0.5f);
    const auto& topic = topics[random() % topics.size()];
    for (std::size_t d = 0; d < dimensions; ++d) values[d] += common[d] + topic[d];
    vectors.push_back(unit(values));
  }
  return vectors;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<std::size_t> best_ten(const std::vector<double>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + 10, order.end(),
                    [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  order.resize(10);
  return order;
}

/// Share of the exact ten best that the scan finds among its own ten best.
double share_found(const Vectors& stored, const Vectors& queries) {
  VectorScan scan;
  for (std::uint32_t i = 0; i < stored.size(); ++i) scan.set(i, stored[i]);
  double found = 0;
  for (const auto& query : queries) {
    std::vector<float> scores(stored.size());
    scan.dot(query, scores);
    std::vector<double> exact;
    for (const auto& one : stored) exact.push_back(dot(query, one));
    const auto wanted = best_ten(exact), got = best_ten(std::vector<double>(scores.begin(), scores.end()));
    for (const std::size_t one : wanted) found += std::count(got.begin(), got.end(), one) > 0 ? 0.1 : 0;
  }
  return found / static_cast<double>(queries.size());
}

TEST(VectorScan, MS_5_the_ten_best_are_those_of_exact_arithmetic) {
  std::mt19937 random(3);
  EXPECT_GE(share_found(random_vectors(random, 4000, 384), random_vectors(random, 50, 384)), 0.98);
  const auto all = model_like_vectors(random, 4050, 384);
  EXPECT_GE(share_found({all.begin(), all.begin() + 4000}, {all.begin() + 4000, all.end()}), 0.95);
}

TEST(VectorScan, products_are_near_the_exact_ones_for_any_length_of_vector) {
  std::mt19937 random(4);
  for (const std::size_t dimensions : {1u, 3u, 63u, 64u, 65u, 384u, 768u, 1024u}) {
    const auto stored = random_vectors(random, 30, dimensions);
    const auto query = random_vectors(random, 1, dimensions)[0];
    VectorScan scan;
    for (std::uint32_t i = 0; i < stored.size(); ++i) scan.set(i, stored[i]);
    std::vector<float> scores(stored.size());
    scan.dot(query, scores);
    for (std::size_t i = 0; i < stored.size(); ++i) EXPECT_NEAR(scores[i], dot(query, stored[i]), 0.004) << dimensions;
  }
}

TEST(VectorScan, slots_without_a_vector_score_nothing) {
  VectorScan scan;
  std::vector<float> scores(5, 9);
  scan.dot(std::vector<float>{1, 0}, scores);
  EXPECT_EQ(scores, std::vector<float>(5, 0));
  scan.set(3, std::vector<float>{1, 0});
  EXPECT_FALSE(scan.has(2));
  EXPECT_TRUE(scan.has(3));
  scan.dot(std::vector<float>{1, 0}, scores);
  EXPECT_EQ(scores[2], 0);
  EXPECT_NEAR(scores[3], 1, 0.01);
  EXPECT_EQ(scan.count(), 1u);
}

TEST(VectorScan, PF_5_a_cleared_vector_is_gone) {
  VectorScan scan;
  scan.set(0, std::vector<float>{1, 0});
  scan.clear(0);
  std::vector<float> scores(1, 9);
  scan.dot(std::vector<float>{1, 0}, scores);
  EXPECT_EQ(scores[0], 0);
  EXPECT_EQ(scan.count(), 0u);
  scan.set(0, std::vector<float>{0, 1});
  scan.dot(std::vector<float>{0, 1}, scores);
  EXPECT_NEAR(scores[0], 1, 0.01);
}

TEST(VectorScan, a_query_of_another_length_finds_nothing) {
  VectorScan scan;
  scan.set(0, std::vector<float>{1, 0});
  std::vector<float> scores(1, 9);
  scan.dot(std::vector<float>{1, 0, 0}, scores);
  EXPECT_EQ(scores[0], 0);
}

}  // namespace
}  // namespace weft
