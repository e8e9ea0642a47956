#include <gtest/gtest.h>

#include <random>

#include "growth/belief_book.h"
#include "growth/preference_signs.h"
#include "ports/files/file_system.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

BeliefSignal sign(SignalKind kind, std::string dimension, std::string value, std::string source,
                  std::int64_t ms = test::FakeClock().now().ms) {
  return {kind, std::move(dimension), std::move(value), "", std::move(source), {ms, 0}};
}

// Takes signals in as readers of the log do.
Status take(Store& store, BeliefBook& book, const std::string& owner, std::span<const BeliefSignal> signals) {
  WriteBatch batch;
  const auto doubts = book.take(owner, signals, batch);
  if (!doubts.ok()) return doubts.error();
  if (!batch.empty()) WEFT_CHECK(store.write(batch));
  return book.show(owner);
}

class BeliefBookTest : public ::testing::Test {
 protected:
  BeliefBook book(BeliefUpdate update = BeliefUpdate::kPosterior) {
    AdaptationSettings settings;
    settings.update = update;
    return {documents_, places(), clock_, settings};
  }
  GrowthFiles places() const { return {folder_.path()}; }
  std::string text(const std::string& owner) { return disk().read(places().beliefs(ScopeKey(owner))).value_or(""); }

  test::TemporaryFolder folder_;
  test::FakeClock clock_;
  std::unique_ptr<Store> store_ = open_store("memory:").value();
  DocumentFiles documents_{*store_};
};

TEST_F(BeliefBookTest, EV_4_is_kept_in_a_file_that_people_may_edit) {
  auto first = book();
  const BeliefSignal said = sign(SignalKind::kExplicit, "detail", "brief", "s1/m1", clock_.now().ms);
  ASSERT_TRUE(take(*store_, first, "user:ann", std::span(&said, 1)).ok());
  auto second = book();
  const auto beliefs = second.beliefs("user:ann");
  ASSERT_TRUE(beliefs.ok());
  ASSERT_EQ(beliefs->size(), 1u);
  EXPECT_EQ(beliefs->front().sources, std::vector<std::string>{"s1/m1"});
  EXPECT_EQ(second.told("user:ann")->front().value, "brief");
  EXPECT_TRUE(second.told("user:bob")->empty());

  std::string edited = text("user:ann");
  edited.replace(edited.find("value: brief"), 12, "value: terse");
  ASSERT_TRUE(write_file(disk(), places().beliefs(ScopeKey("user:ann")), edited, false).ok());
  EXPECT_EQ(second.told("user:ann")->front().value, "terse");
}

TEST_F(BeliefBookTest, EV_4_a_bad_entry_is_reported_and_stays_and_a_bad_file_is_left_alone) {
  auto all = book();
  const BeliefSignal said = sign(SignalKind::kExplicit, "detail", "brief", "s1/m1");
  ASSERT_TRUE(take(*store_, all, "user:ann", std::span(&said, 1)).ok());
  const std::string bad = text("user:ann") + "  - dimension: format\n    value: list\n    confidence: much\n";
  ASSERT_TRUE(write_file(disk(), places().beliefs(ScopeKey("user:ann")), bad, false).ok());
  const BeliefSignal more = sign(SignalKind::kExplicit, "tone", "formal", "s1/m2");
  ASSERT_TRUE(take(*store_, all, "user:ann", std::span(&more, 1)).ok());
  EXPECT_NE(text("user:ann").find("confidence: much"), std::string::npos);
  EXPECT_EQ(all.beliefs("user:ann")->size(), 2u);
  ASSERT_EQ(all.problems("user:ann").size(), 1u);
  EXPECT_NE(all.problems("user:ann").front().find("confidence"), std::string::npos);

  const std::string broken = "beliefs: [\n";
  ASSERT_TRUE(write_file(disk(), places().beliefs(ScopeKey("user:ann")), broken, false).ok());
  EXPECT_FALSE(take(*store_, all, "user:ann", std::span(&more, 1)).ok());
  EXPECT_EQ(text("user:ann"), broken);
}

TEST_F(BeliefBookTest, EV_4_a_source_counts_once_and_silence_is_recorded_only) {
  auto all = book();
  const std::vector<BeliefSignal> twice(2, sign(SignalKind::kExplicit, "detail", "brief", "s1/m1"));
  ASSERT_TRUE(take(*store_, all, "user:ann", twice).ok());
  EXPECT_EQ(all.beliefs("user:ann")->front().evidence_count, 1);
  const BeliefSignal silence;
  ASSERT_TRUE(take(*store_, all, "user:ann", std::span(&silence, 1)).ok());
  EXPECT_NE(text("user:ann").find("silent_answers: 1"), std::string::npos);
  EXPECT_EQ(all.beliefs("user:ann")->size(), 1u);
}

TEST_F(BeliefBookTest, PF_23_signals_that_are_written_with_other_rows_are_believed_once_these_are) {
  auto all = book();
  const BeliefSignal said = sign(SignalKind::kExplicit, "detail", "brief", "s1/m1");
  WriteBatch batch;
  ASSERT_TRUE(all.take("user:ann", std::span(&said, 1), batch).ok());
  EXPECT_TRUE(all.beliefs("user:ann")->empty());
  EXPECT_EQ(text("user:ann"), "");
  ASSERT_TRUE(store_->write(batch).ok());
  EXPECT_EQ(all.beliefs("user:ann")->size(), 1u);
  ASSERT_TRUE(all.show("user:ann").ok());
  EXPECT_NE(text("user:ann").find("brief"), std::string::npos);
}

TEST_F(BeliefBookTest, EV_4_what_is_said_outright_takes_the_place_of_what_was_believed) {
  auto all = book();
  std::vector<BeliefSignal> signs;
  for (int i = 0; i < 6; ++i) signs.push_back(sign(SignalKind::kExplicit, "detail", "brief", "s/" + std::to_string(i)));
  signs.push_back(sign(SignalKind::kExplicit, "detail", "detailed", "s/now"));
  ASSERT_TRUE(take(*store_, all, "user:ann", signs).ok());
  EXPECT_EQ(all.beliefs("user:ann")->front().value, "detailed");
  ASSERT_EQ(all.told("user:ann")->size(), 1u);
  EXPECT_EQ(all.told("user:ann")->front().value, "detailed");
}

TEST_F(BeliefBookTest, EV_4_people_confirm_reject_and_forget) {
  auto all = book();
  const std::vector<BeliefSignal> signs{sign(SignalKind::kExplicit, "format", "list", "s/1"),
                                        sign(SignalKind::kEdit, "format", "table", "s/2")};
  WriteBatch batch;
  ASSERT_EQ(all.take("user:ann", signs, batch)->size(), 1u);  // one dimension of one is in doubt
  ASSERT_TRUE(store_->write(batch).ok());
  EXPECT_TRUE(all.told("user:ann")->empty());
  EXPECT_TRUE(all.confirm("user:ann", "format", "table")->confirmed);
  EXPECT_EQ(all.told("user:ann")->front().value, "table");
  EXPECT_EQ(all.beliefs("user:ann")->size(), 1u);
  EXPECT_TRUE(all.reject("user:ann", "format", "").ok());
  EXPECT_TRUE(all.told("user:ann")->empty());
  EXPECT_EQ(all.reject("user:ann", "tone", "").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(*all.forget("user:ann", "format"), 1u);
}

TEST_F(BeliefBookTest, EV_4_erased_messages_take_their_share_with_them) {
  auto all = book();
  std::vector<BeliefSignal> signs;
  for (int i = 0; i < 4; ++i) signs.push_back(sign(SignalKind::kExplicit, "detail", "brief", "s/" + std::to_string(i)));
  signs.push_back(sign(SignalKind::kExplicit, "tone", "formal", "s/0"));
  ASSERT_TRUE(take(*store_, all, "user:ann", signs).ok());
  EXPECT_EQ(*all.erase_sources("user:ann", {"s/0", "s/1"}), 2u);
  const auto left = *all.beliefs("user:ann");
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].evidence_count, 2);
  EXPECT_EQ(left[0].sources, (std::vector<std::string>{"s/2", "s/3"}));
  EXPECT_EQ(text("user:ann").find("s/0"), std::string::npos);
  ASSERT_TRUE(all.erase("user:ann").ok());
  EXPECT_TRUE(all.beliefs("user:ann")->empty());
}

TEST_F(BeliefBookTest, PF_5_erased_messages_are_named_nowhere_whatever_the_file_holds) {
  const auto put = [&](const std::string& yaml) {
    ASSERT_TRUE(disk().make_folder(places().beliefs(ScopeKey("user:ann")).parent_path()).ok());
    ASSERT_TRUE(write_file(disk(), places().beliefs(ScopeKey("user:ann")), yaml, false).ok());
  };
  const std::set<std::string> gone{"s1/secret"};
  const std::string good = "  - dimension: tone\n    value: formal\n    sources:\n      - s1/m2\n";
  auto all = book();
  put("taken:\n  - s1/secret\nbeliefs:\n" + good);
  ASSERT_TRUE(all.erase_sources("user:ann", gone).ok());
  EXPECT_EQ(text("user:ann").find("secret"), std::string::npos);
  EXPECT_EQ(all.beliefs("user:ann")->size(), 1u);
  put("beliefs:\n  - dimension: detail\n    value: brief\n    confidence: lots\n    sources:\n      - s1/secret\n" +
      good);
  ASSERT_TRUE(all.erase_sources("user:ann", gone).ok());
  EXPECT_EQ(text("user:ann").find("secret"), std::string::npos);
  EXPECT_EQ(all.beliefs("user:ann")->size(), 1u);
  put("beliefs: [\n# s1/secret\n");
  ASSERT_TRUE(all.erase_sources("user:ann", gone).ok());
  EXPECT_EQ(text("user:ann").find("secret"), std::string::npos);
  const std::string broken = "beliefs: [\n# mend s1/secret-garden\n";
  put(broken);
  ASSERT_TRUE(all.erase_sources("user:ann", gone).ok());
  EXPECT_EQ(text("user:ann"), broken);
}

TEST_F(BeliefBookTest, EV_4_an_edit_is_never_mixed_with_newer_entries) {
  auto all = book();
  const BeliefSignal said = sign(SignalKind::kExplicit, "detail", "brief", "s1/m1");
  ASSERT_TRUE(take(*store_, all, "user:ann", std::span(&said, 1)).ok());
  const BeliefSignal more = sign(SignalKind::kExplicit, "detail", "brief", "s1/m2");
  WriteBatch batch;
  ASSERT_TRUE(all.take("user:ann", std::span(&more, 1), batch).ok());
  ASSERT_TRUE(store_->write(batch).ok());
  const std::string mine = "beliefs: []\n";
  ASSERT_TRUE(write_file(disk(), places().beliefs(ScopeKey("user:ann")), mine, false).ok());
  EXPECT_TRUE(all.beliefs("user:ann")->empty());
  ASSERT_TRUE(all.show("user:ann").ok());
  EXPECT_EQ(text("user:ann"), mine);
}

// A user with a preference in each of twelve dimensions, who shows the contrary in a fifth of the signs.
struct Simulated {
  int told = 0, right = 0, users = 0;
};

void live(Store& store, BeliefBook& book, std::uint64_t seed, bool sure_words, Simulated& sum) {
  std::mt19937_64 draw(seed);
  std::map<std::string, std::vector<std::string>> values;
  for (const PreferenceName& name : preference_names()) {
    auto& known = values[std::string(name.dimension)];
    for (const std::string_view value : {name.value, name.opposite})
      if (!value.empty() && std::find(known.begin(), known.end(), value) == known.end()) known.emplace_back(value);
  }
  ASSERT_EQ(values.size(), 12u);
  std::map<std::string, std::string> true_value;
  std::vector<std::string> dimensions;
  for (const auto& [dimension, all] : values) {
    dimensions.push_back(dimension);
    true_value[dimension] = all[draw() % all.size()];
  }
  std::vector<BeliefSignal> signs;
  for (int turn = 0; turn < 40; ++turn) {
    const std::string& dimension = dimensions[draw() % dimensions.size()];
    const auto& all = values[dimension];
    std::string shown = true_value[dimension];
    const auto part = draw() % 100;
    const SignalKind kind = part < 15   ? SignalKind::kExplicit
                            : part < 40 ? SignalKind::kEdit
                            : part < 65 ? SignalKind::kChoice
                            : part < 85 ? SignalKind::kFollowUp
                                        : SignalKind::kSilence;
    if (draw() % 5 == 0 && !(sure_words && kind == SignalKind::kExplicit)) do
        shown = all[draw() % all.size()];
      while (shown == true_value[dimension]);
    signs.push_back(sign(kind, dimension, shown, "s/" + std::to_string(turn)));
  }
  const std::string owner = "user:u" + std::to_string(seed);
  ASSERT_TRUE(take(store, book, owner, signs).ok());
  ++sum.users;
  const auto beliefs = *book.beliefs(owner);
  for (std::size_t i = 0; i < beliefs.size(); ++i) {
    const bool leads = i == 0 || beliefs[i - 1].dimension != beliefs[i].dimension;
    if (!leads || !is_told(beliefs[i], AdaptationSettings())) continue;
    ++sum.told;
    sum.right += beliefs[i].value == true_value[beliefs[i].dimension] ? 1 : 0;
  }
}

TEST_F(BeliefBookTest, EV_4_beliefs_that_are_told_are_right_for_a_simulated_user) {
  for (const BeliefUpdate update : {BeliefUpdate::kPosterior, BeliefUpdate::kAverage}) {
    for (const bool sure_words : {false, true}) {
      Simulated sum;
      AdaptationSettings settings;
      settings.update = update;
      test::TemporaryFolder folder;
      const auto store = open_store("memory:").value();
      DocumentFiles documents(*store);
      BeliefBook all(documents, {folder.path()}, clock_, settings);
      for (std::uint64_t seed = 1; seed <= 200; ++seed) live(*store, all, seed, sure_words, sum);
      const double right = static_cast<double>(sum.right) / sum.told;
      printf("%s, noise in %s: told %.2f of 12 preferences, %.1f %% of them right\n", to_string(update).data(),
             sure_words ? "all but words" : "all signs", static_cast<double>(sum.told) / sum.users, 100 * right);
      EXPECT_GT(right, 0.80) << to_string(update);
      EXPECT_GT(sum.told, 2 * sum.users) << to_string(update);
    }
  }
}

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
