#include "flow/stream/topic_shift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace weft {
namespace {

const Similarity kPlain("test", {}, {}, 8, 0.05);

ShiftTurn turn(std::string_view text, std::span<const float> vector = {}) { return {text, vector, {}}; }

Vector axis(std::size_t at) {
  Vector vector(8, 0.0F);
  vector[at] = 1;
  return vector;
}

TopicTrace trace_of(std::initializer_list<const char*> texts) {
  TopicTrace trace;
  for (const char* text : texts) trace.take(turn(text), kPlain);
  return trace;
}

TopicTrace travel_en() {
  return trace_of({"Which train goes to Vienna tomorrow?", "The 9:12 train goes to Vienna from platform 4.",
                   "How much is a ticket for the train?", "A ticket to Vienna is 34 euros."});
}

TopicTrace travel_zh() {
  return trace_of(
      {"明天去杭州的高铁有几班？", "明天去杭州的高铁有十二班。", "那二等座的票价是多少？", "二等座票价是七十三元。"});
}

double shift(const TopicTrace& trace, const ShiftTurn& next) { return judge_shift(trace, next, kPlain).probability; }

TEST(TopicShift, ST_8_a_plain_change_weighs_more_than_a_follow_up_in_english) {
  const auto trace = travel_en();
  EXPECT_GT(shift(trace, turn("Great. By the way, can you recommend a soup recipe for tonight?")),
            shift(trace, turn("Is that train direct to Vienna?")));
}

TEST(TopicShift, ST_8_a_plain_change_weighs_more_than_a_follow_up_in_chinese) {
  const auto trace = travel_zh();
  EXPECT_GT(shift(trace, turn("好的。对了，另外帮我推荐一个做汤的食谱吧？")),
            shift(trace, turn("那这趟高铁几点到杭州？")));
}

TEST(TopicShift, ST_7_short_follow_ups_stay_in_both_languages) {
  for (const auto* text : {"why?", "it fails", "go on", "ok"}) EXPECT_LT(shift(travel_en(), turn(text)), 0.5) << text;
  for (const auto* text : {"继续", "报错了", "为什么？", "好的"})
    EXPECT_LT(shift(travel_zh(), turn(text)), 0.5) << text;
}

TEST(TopicShift, ST_8_an_empty_trace_always_starts) { EXPECT_DOUBLE_EQ(shift(TopicTrace(), turn("hello")), 1); }

TEST(TopicShift, ST_8_the_judgement_says_whether_a_vector_took_part) {
  const Vector vector = axis(0);
  TopicTrace trace;
  trace.take(turn("one", vector), kPlain);
  EXPECT_TRUE(judge_shift(trace, turn("two", vector), kPlain).by_model);
  EXPECT_FALSE(judge_shift(trace, turn("two"), kPlain).by_model);
  EXPECT_FALSE(judge_shift(travel_en(), turn("Is that train direct?"), kPlain).reasons.empty());
}

TEST(TopicShift, ST_6_the_kernel_moves_with_ema_and_stays_with_first) {
  const Vector x = axis(0);
  const Vector y = axis(1);
  for (const bool first : {false, true}) {
    TopicTrace trace({.first_anchor = first, .rate = 0.3});
    trace.move_kernel("one", x, kPlain);
    EXPECT_NEAR(*trace.kernel_cosine("two", x, kPlain), 1, 1e-3);
    trace.move_kernel("two", y, kPlain);
    // 0.7 x + 0.3 y: its cosine with y is 0.3 / sqrt(0.58).
    EXPECT_NEAR(*trace.kernel_cosine("three", y, kPlain), first ? 0 : 0.3 / std::sqrt(0.58), 0.01);
    trace.cut();
    trace.move_kernel("four", y, kPlain);
    EXPECT_NEAR(*trace.kernel_cosine("five", y, kPlain), 1, 1e-3);
  }
}

TEST(TopicShift, ST_11_a_summary_seeds_the_kernel) {
  auto trace = travel_en();
  const Vector summary = axis(3);
  trace.seed("The user builds a snake game in Python.", summary, kPlain);
  EXPECT_FALSE(trace.empty());
  EXPECT_NEAR(*trace.kernel_cosine("The snake game: the wall", summary, kPlain), 1, 1e-3);
}

TEST(TopicShift, ST_5_what_is_near_joins_and_what_is_far_begins_anew) {
  // Four subjects in turn: of each, six turns that lie near each other.
  std::mt19937 random(11);
  std::normal_distribution<float> noise(0, 0.15F);
  const auto near_axis = [&](std::size_t at) {
    Vector vector = axis(at);
    for (float& value : vector) value += noise(random);
    return vector;
  };
  TopicTrace trace;
  int right = 0, torn = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    const Vector vector = near_axis(i / 6);
    const ShiftTurn next = turn(i % 2 == 0 ? "tell me more of this one" : "there is a lot to say here", vector);
    const bool cut = i > 0 && judge_shift(trace, next, kPlain).probability >= 0.5;
    if (cut) (i % 6 == 0 ? right : torn) += 1;
    if (cut) trace.cut();
    trace.take(next, kPlain);
  }
  EXPECT_GE(right, 2) << "of three";
  EXPECT_LE(torn, 1);
}

TEST(TopicShift, ST_8_a_topic_of_one_turn_is_not_left_as_easily) {
  EXPECT_LT(shift_hazard(1), shift_hazard(2));
  EXPECT_LT(shift_hazard(2), 0);
  EXPECT_EQ(shift_hazard(3), 0);
  auto young = travel_en(), old = travel_en();
  young.cut();
  young.take(turn("Thanks"), kPlain);
  old.take(turn("Thanks"), kPlain);
  EXPECT_LT(shift(young, turn("Can you recommend a soup?")), shift(old, turn("Can you recommend a soup?")));
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
  TopicTrace going;
  TopicTrace restarted = going;
  for (int i = 0; i < 400; ++i) {
    const std::string said = text();
    const Vector made = random() % 4 == 0 ? Vector() : vector();
    ShiftTurn next = turn(said, made);
    next.time = Time{i * 60'000, 60};
    const auto a = judge_shift(going, next, kPlain);
    ASSERT_EQ(a.probability, judge_shift(restarted, next, kPlain).probability) << i;
    for (TopicTrace* trace : {&going, &restarted}) {
      if (a.probability >= 0.5) trace->cut();
      trace->take(next, kPlain);
      if (random() % 2 == 0 || trace == &going) continue;
      auto loaded = TopicTrace::load(trace->save());
      ASSERT_TRUE(loaded.ok());
      *trace = std::move(loaded).value();
    }
    ASSERT_EQ(restarted.save(), going.save()) << i;
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
    trace.take(turn(query, vector), kPlain);
    trace.move_kernel(query, vector, kPlain);
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
  ShiftTurn before = turn("You are welcome.");
  before.time = Time{0, 0};
  trace.take(before, kPlain);
  ShiftTurn soon = turn("Where is platform 4?");
  soon.time = Time{60'000, 0};
  ShiftTurn late = soon;
  late.time = Time{4 * 3'600'000, 0};
  EXPECT_GT(shift(trace, late), shift(trace, soon));
  ShiftTurn back = soon;
  back.time = Time{-5'000, 0};
  EXPECT_FALSE(trace.gap_seconds(back).has_value());
}

TEST(TopicShift, ST_8_the_trees_ask_for_signals_that_there_are) {
  const auto signals = travel_en().signals(turn("x"), kPlain);
  EXPECT_EQ(signals.size(), shift_signal_names().size());
  for (const bool vectors : {false, true}) {
    const ShiftWeights& weights = shift_weights(vectors);
    EXPECT_FALSE(weights.trees.empty());
    for (const ShiftTree& tree : weights.trees) {
      for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
        const auto& node = tree.nodes[at];
        if (node.signal < 0) continue;
        ASSERT_LT(static_cast<std::size_t>(node.signal), signals.size());
        ASSERT_GT(static_cast<std::size_t>(node.left), at) << "a way through a tree ends";
        ASSERT_LT(static_cast<std::size_t>(node.left) + 1, tree.nodes.size());
      }
    }
  }
}

TEST(TopicShift, ST_8_only_the_beginning_of_a_turn_counts_and_characters_stay_whole) {
  std::string text = "  ";
  for (int i = 0; i < 200; ++i) text += "站";
  const auto piece = shift_piece(text);
  EXPECT_LE(piece.size(), 300U);
  EXPECT_EQ(piece.size() % 3, 0U);
  EXPECT_EQ(shift_piece(" \n"), "");
  const std::string long_text = "Which train goes to Vienna? " + std::string(300, 'x');
  EXPECT_EQ(shift(travel_en(), turn(long_text)), shift(travel_en(), turn(long_text + " soup by the way")));
}

BorderRate after(int turns, double logit) {
  BorderRate rate;
  for (int i = 0; i < turns; ++i) rate.take(logit);
  return rate;
}

TEST(BorderRate, ST_8_a_conversation_that_nothing_is_known_of_changes_as_often_as_any) {
  EXPECT_EQ(BorderRate().shift(), 0);
}

TEST(BorderRate, ST_8_where_little_speaks_for_a_change_the_same_evidence_says_less_with_each_turn) {
  double before = 0;
  for (const int turns : {1, 10, 50, 150}) {
    const double shift = after(turns, -3).shift();
    EXPECT_LT(shift, before) << turns;
    before = shift;
  }
  EXPECT_GT(after(20, 2).shift(), 0) << "and more where subjects change all the time";
}

TEST(BorderRate, ST_8_a_conversation_that_was_quiet_for_long_still_changes_its_subject) {
  BorderRate rate = after(100'000, -20);
  EXPECT_GT(rate.shift(), -3.5);
  EXPECT_LE(rate.turns, 201);
  const double quiet = rate.shift();
  for (int i = 0; i < 5; ++i) rate.take(3);
  EXPECT_GT(rate.shift(), quiet + 0.5);
}

}  // namespace

}  // namespace weft
