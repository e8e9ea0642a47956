#include "growth/belief_update.h"

#include <gtest/gtest.h>

#include <random>

namespace weft {
namespace {

constexpr std::int64_t kDay = 86'400'000;

AdaptationSettings average() {
  AdaptationSettings settings;
  settings.update = BeliefUpdate::kAverage;
  return settings;
}

SignalKind drawn(std::mt19937& draw) { return static_cast<SignalKind>(draw() % 5); }

TEST(BeliefUpdate, EV_4_literal_is_the_formula_of_the_specification) {
  // 0.72 of 8 pieces of evidence and a signal of 0.6.
  Belief belief;
  belief.confidence = 0.72;
  belief.evidence_count = 8;
  belief.choices = 8;
  agree(belief, SignalKind::kChoice, {kDay, 0}, average());
  EXPECT_NEAR(belief.confidence, 0.707, 0.0005);
  EXPECT_EQ(belief.evidence_count, 9);
}

TEST(BeliefUpdate, EV_4_literal_equals_the_formula_over_random_signals) {
  std::mt19937 draw(7);
  for (int round = 0; round < 300; ++round) {
    Belief belief;
    double expected = 0;
    std::int64_t n = 0;
    for (int i = 0; i < 30; ++i) {
      const SignalKind kind = drawn(draw);
      if (kind == SignalKind::kChoice) continue;
      agree(belief, kind, {kDay * i, 0}, average());
      if (kind == SignalKind::kSilence) continue;
      expected = (expected * static_cast<double>(n) + strength_of(kind)) / static_cast<double>(n + 1);
      ++n;
      ASSERT_NEAR(belief.confidence, expected, 1e-12);
    }
  }
}

TEST(BeliefUpdate, EV_4_confidence_stays_within_bounds_and_agreement_never_lowers_the_posterior) {
  std::mt19937 draw(11);
  for (const auto& settings : {AdaptationSettings(), average()}) {
    for (int round = 0; round < 500; ++round) {
      Belief belief;
      if (settings.update == BeliefUpdate::kPosterior) belief.confidence = 0.5;  // of Beta(1, 1)
      std::int64_t at = 0;
      for (int i = 0; i < 60; ++i) {
        at += static_cast<std::int64_t>(draw() % 40) * kDay;
        const SignalKind kind = drawn(draw);
        fade(belief, {at, 0}, settings);  // time is no signal
        const double before = belief.confidence;
        switch (draw() % 8) {
          case 0: confirm(belief, {at, 0}, settings); break;
          case 1: reject(belief, {at, 0}, settings); break;
          case 2:
          case 3: {
            contradict(belief, kind, {at, 0}, settings);
            ASSERT_LE(belief.confidence, before + 1e-9);
            break;
          }
          default: {
            agree(belief, kind, {at, 0}, settings);
            if (settings.update == BeliefUpdate::kPosterior) {
              ASSERT_GE(belief.confidence, before - 1e-9) << i;
            }
          }
        }
        ASSERT_GE(belief.confidence, 0.0);
        ASSERT_LE(belief.confidence, 1.0);
        ASSERT_GE(belief.alpha, 1.0);
        ASSERT_GE(belief.beta, 1.0);
      }
    }
  }
}

TEST(BeliefUpdate, EV_4_what_is_reachable_is_as_documented) {
  const AdaptationSettings posterior;
  const auto signals_until = [](SignalKind kind, double level, const AdaptationSettings& settings) {
    Belief belief;
    for (int n = 1; n <= 100; ++n) {
      agree(belief, kind, {kDay, 0}, settings);
      if (belief.confidence > level + 1e-9) return n;
    }
    return 0;
  };
  EXPECT_EQ(signals_until(SignalKind::kExplicit, 0.6, posterior), 1);
  EXPECT_EQ(signals_until(SignalKind::kEdit, 0.6, posterior), 2);
  EXPECT_EQ(signals_until(SignalKind::kChoice, 0.6, posterior), 3);
  EXPECT_EQ(signals_until(SignalKind::kFollowUp, 0.6, posterior), 3);
  EXPECT_EQ(signals_until(SignalKind::kExplicit, 0.9, posterior), 5);
  EXPECT_EQ(signals_until(SignalKind::kExplicit, 0.9, average()), 1);
  EXPECT_EQ(signals_until(SignalKind::kEdit, 0.6, average()), 1);
  EXPECT_EQ(signals_until(SignalKind::kEdit, 0.9, average()), 0);
  EXPECT_EQ(signals_until(SignalKind::kChoice, 0.6, average()), 0);
  EXPECT_EQ(signals_until(SignalKind::kSilence, 0.0, average()), 0);
}

TEST(BeliefUpdate, EV_4_three_choices_in_a_row_count) {
  for (const auto& settings : {AdaptationSettings(), average()}) {
    Belief belief;
    agree(belief, SignalKind::kChoice, {kDay, 0}, settings);
    agree(belief, SignalKind::kChoice, {kDay, 0}, settings);
    EXPECT_EQ(belief.evidence_count, 0);
    interrupt_choices(belief, settings);
    agree(belief, SignalKind::kChoice, {kDay, 0}, settings);
    agree(belief, SignalKind::kChoice, {kDay, 0}, settings);
    EXPECT_EQ(belief.evidence_count, 0);
    agree(belief, SignalKind::kChoice, {kDay, 0}, settings);
    EXPECT_EQ(belief.evidence_count, 3);
    interrupt_choices(belief, settings);  // those that count stay
    agree(belief, SignalKind::kChoice, {kDay, 0}, settings);
    EXPECT_EQ(belief.evidence_count, 4);
  }
}

TEST(BeliefUpdate, EV_4_contradictions_over_three_tenths_ask_and_confirmation_settles_them) {
  const AdaptationSettings settings;
  Belief belief;
  for (int i = 0; i < 3; ++i) agree(belief, SignalKind::kExplicit, {kDay, 0}, settings);
  EXPECT_TRUE(is_told(belief, settings));
  contradict(belief, SignalKind::kEdit, {kDay, 0}, settings);  // 1 of 3
  EXPECT_TRUE(belief.needs_confirmation);
  EXPECT_FALSE(is_told(belief, settings));
  agree(belief, SignalKind::kExplicit, {kDay, 0}, settings);  // 1 of 4
  EXPECT_FALSE(belief.needs_confirmation);
  contradict(belief, SignalKind::kEdit, {kDay, 0}, settings);
  confirm(belief, {kDay, 0}, settings);
  EXPECT_FALSE(belief.needs_confirmation);
  EXPECT_TRUE(belief.confirmed);
  reject(belief, {kDay, 0}, settings);
  EXPECT_FALSE(belief.confirmed);
  EXPECT_FALSE(is_told(belief, settings));
}

TEST(BeliefUpdate, EV_4_evidence_fades_by_half_and_a_clock_set_back_fades_nothing) {
  AdaptationSettings settings;
  settings.half_life_days = 10;
  Belief belief;
  agree(belief, SignalKind::kExplicit, {kDay * 100, 0}, settings);
  EXPECT_DOUBLE_EQ(belief.alpha, 3);
  Belief back = belief;
  fade(back, {kDay * 50, 0}, settings);
  EXPECT_DOUBLE_EQ(back.alpha, 3);
  fade(belief, {kDay * 110, 0}, settings);
  EXPECT_NEAR(belief.alpha, 2, 1e-9);
  EXPECT_NEAR(belief.confidence, 2.0 / 3, 1e-9);
}

}  // namespace
}  // namespace weft
