#include "flow/stream/topic_shift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "flow/stream/shift_weights.h"

namespace weft {
namespace {

const Similarity kPlain("test", {}, {}, 8, 0.05);

ShiftUnit unit(std::string_view query, std::string_view reply = {}, std::span<const float> vector = {}) {
  ShiftUnit made;
  made.query = query;
  made.reply = reply;
  made.speaker = "user";
  made.vector = vector;
  return made;
}

Vector axis(std::size_t at) {
  Vector vector(8, 0.0F);
  vector[at] = 1;
  return vector;
}

TopicTrace travel_en() {
  TopicTrace trace;
  trace.start_topic(unit("Which train goes to Vienna tomorrow?", "The 9:12 train goes to Vienna from platform 4."),
                    kPlain);
  trace.adsorb(unit("How much is a ticket for the train?", "A ticket to Vienna is 34 euros."), kPlain);
  return trace;
}

TopicTrace travel_zh() {
  TopicTrace trace;
  trace.start_topic(unit("明天去杭州的高铁有几班？", "明天去杭州的高铁有十二班。"), kPlain);
  trace.adsorb(unit("那二等座的票价是多少？", "二等座票价是七十三元。"), kPlain);
  return trace;
}

double shift(const TopicTrace& trace, const ShiftUnit& next) { return judge_shift(trace, next, kPlain).probability; }

TEST(TopicShift, ST_8_a_plain_change_weighs_more_than_a_follow_up_in_english) {
  const auto trace = travel_en();
  EXPECT_GT(shift(trace, unit("Great. By the way, can you recommend a soup recipe for tonight?")),
            shift(trace, unit("Is that train direct to Vienna?")));
}

TEST(TopicShift, ST_8_a_plain_change_weighs_more_than_a_follow_up_in_chinese) {
  const auto trace = travel_zh();
  EXPECT_GT(shift(trace, unit("好的。对了，另外帮我推荐一个做汤的食谱吧？")),
            shift(trace, unit("那这趟高铁几点到杭州？")));
}

TEST(TopicShift, ST_7_short_follow_ups_stay_in_both_languages) {
  for (const auto* text : {"why?", "it fails", "go on", "ok"}) EXPECT_LT(shift(travel_en(), unit(text)), 0.5) << text;
  for (const auto* text : {"继续", "报错了", "为什么？", "好的"})
    EXPECT_LT(shift(travel_zh(), unit(text)), 0.5) << text;
}

TEST(TopicShift, ST_8_an_empty_trace_always_starts) { EXPECT_DOUBLE_EQ(shift(TopicTrace(), unit("hello")), 1); }

TEST(TopicShift, ST_8_the_judgement_says_whether_a_vector_took_part) {
  const Vector vector = axis(0);
  TopicTrace trace;
  trace.start_topic(unit("one", {}, vector), kPlain);
  EXPECT_TRUE(judge_shift(trace, unit("two", {}, vector), kPlain).by_model);
  EXPECT_FALSE(judge_shift(trace, unit("two"), kPlain).by_model);
  EXPECT_FALSE(judge_shift(travel_en(), unit("Is that train direct?"), kPlain).reasons.empty());
}

TEST(TopicShift, ST_6_the_kernel_moves_with_ema_and_stays_with_first) {
  const Vector x = axis(0);
  const Vector y = axis(1);
  for (const bool first : {false, true}) {
    TopicTrace trace({.first_anchor = first, .rate = 0.3, .turns = false});
    trace.start_topic(unit("one", {}, x), kPlain);
    EXPECT_NEAR(*trace.kernel_cosine(unit("two", {}, x), kPlain), 1, 1e-3);
    trace.adsorb(unit("two", {}, y), kPlain);
    // 0.7 x + 0.3 y: its cosine with y is 0.3 / sqrt(0.58).
    EXPECT_NEAR(*trace.kernel_cosine(unit("three", {}, y), kPlain), first ? 0 : 0.3 / std::sqrt(0.58), 0.01);
    trace.start_topic(unit("four", {}, y), kPlain);
    EXPECT_NEAR(*trace.kernel_cosine(unit("five", {}, y), kPlain), 1, 1e-3);
  }
}

TEST(TopicShift, ST_11_a_summary_seeds_the_kernel) {
  auto trace = travel_en();
  const Vector summary = axis(3);
  trace.seed("The user builds a snake game in Python.", summary, kPlain);
  EXPECT_EQ(trace.topic_units(), 0);
  EXPECT_FALSE(trace.empty());
  EXPECT_NEAR(*trace.kernel_cosine(unit("The snake game: the wall", {}, summary), kPlain), 1, 1e-3);
}

TEST(TopicShift, ST_15_a_saved_trace_judges_as_the_one_that_went_on) {
  std::mt19937 random(7);
  const std::vector<std::string> words = {"train", "soup", "Wien", "also", "why", "it",  "recommend",
                                          "按钮",  "高铁", "继续", "对了", "?",   "报错"};
  const auto text = [&] {
    std::string out;
    for (std::size_t n = 1 + random() % 9; n > 0; --n) out += words[random() % words.size()] + " ";
    return out;
  };
  const auto vector = [&] {
    Vector made(16);
    for (float& value : made) value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
    return made;
  };
  for (const bool turns : {false, true}) {
    TopicTrace going({.first_anchor = false, .rate = 0.3, .turns = turns});
    TopicTrace restarted = going;
    for (int i = 0; i < 200; ++i) {
      const std::string query = text();
      const std::string reply = turns ? std::string() : text();
      const Vector made = random() % 4 == 0 ? Vector() : vector();
      ShiftUnit next = unit(query, reply, made);
      next.time = Time{i * 60'000, 60};
      if (turns && random() % 2 == 0) next.speaker = "assistant";
      const auto a = judge_shift(going, next, kPlain);
      const auto b = judge_shift(restarted, next, kPlain);
      ASSERT_EQ(a.probability, b.probability) << i;
      ASSERT_EQ(a.similarity, b.similarity) << i;
      a.probability >= 0.5 ? going.start_topic(next, kPlain) : going.adsorb(next, kPlain);
      a.probability >= 0.5 ? restarted.start_topic(next, kPlain) : restarted.adsorb(next, kPlain);
      auto loaded = TopicTrace::load(restarted.save());
      ASSERT_TRUE(loaded.ok());
      ASSERT_EQ(loaded->save(), going.save()) << i;
      restarted = std::move(loaded).value();
    }
  }
}

TEST(TopicShift, ST_15_a_trace_stays_small) {
  TopicTrace trace;
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string query;
    for (int k = 0; k < 30; ++k) query += "word" + std::to_string(random() % 50000) + " ";
    Vector vector(1536);
    for (float& value : vector) value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
    trace.adsorb(unit(query, {}, vector), kPlain);
  }
  EXPECT_LT(trace.save().size(), 16U * 1024);
}

TEST(TopicShift, ST_15_broken_bytes_are_refused) {
  const std::string bytes = travel_en().save();
  EXPECT_FALSE(TopicTrace::load("").ok());
  EXPECT_FALSE(TopicTrace::load("something else entirely").ok());
  for (std::size_t cut = 0; cut < bytes.size(); cut += 7)
    EXPECT_FALSE(TopicTrace::load(bytes.substr(0, cut)).ok()) << cut;
  EXPECT_FALSE(TopicTrace::load(bytes + "x").ok());
  std::string huge = bytes;
  for (std::size_t i = 8; i < huge.size(); ++i) huge[i] = '\xff';
  EXPECT_FALSE(TopicTrace::load(huge).ok());
}

TEST(TopicShift, ST_8_a_long_pause_makes_a_new_topic_likelier) {
  auto trace = travel_en();
  ShiftUnit before = unit("Thanks", "You are welcome.");
  before.time = Time{0, 0};
  trace.adsorb(before, kPlain);
  ShiftUnit soon = unit("Where is platform 4?");
  soon.time = Time{60'000, 0};
  ShiftUnit late = soon;
  late.time = Time{4 * 3'600'000, 0};
  EXPECT_GT(shift(trace, late), shift(trace, soon));
  ShiftUnit back = soon;
  back.time = Time{-5'000, 0};
  EXPECT_FALSE(trace.gap_seconds(back).has_value());
}

TEST(TopicShift, ST_8_the_table_fits_the_signals) {
  const auto& weights = shift_weights();
  EXPECT_EQ(weights.mean.size(), shift_feature_names().size());
  EXPECT_EQ(weights.scale.size(), weights.mean.size());
  EXPECT_EQ(weights.hidden.size(), weights.mean.size() * weights.bias.size());
  EXPECT_EQ(weights.output.size(), weights.bias.size());
  EXPECT_EQ(travel_en().features(unit("x"), kPlain).size(), weights.mean.size());
}

}  // namespace
}  // namespace weft
