#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <thread>

#include "base/threads.h"
#include "ports/embedding/embedder.h"
#include "tests/support/hash_embedder.h"

namespace weft {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(HashEmbedder, texts_that_share_words_are_nearer) {
  HashEmbedder embedder;
  const auto vector = [&](std::string_view text) { return *embedder.embed(text, EmbedUse::kCompare, {}); };
  EXPECT_NEAR(cosine(vector("The snake game"), vector("the SNAKE, game!")), 1.0, 1e-6);
  EXPECT_GT(cosine(vector("贪吃蛇游戏"), vector("写一个贪吃蛇")),
            cosine(vector("贪吃蛇游戏"), vector("今晚吃火锅")) + 0.2);
  EXPECT_LT(cosine(vector("alpha beta"), vector("gamma delta")), 0.4);
  EXPECT_EQ(embedder.embed("……", EmbedUse::kCompare, {}).error().code, ErrorCode::kInvalidArgument);
}

TEST(Embedding, prefixes_follow_the_family) {
  const EmbedPrefixes e5 = EmbedPrefixes::of_family("multilingual-E5-small-q4");
  EXPECT_EQ(e5.of(EmbedUse::kCompare), "query: ");
  EXPECT_EQ(e5.of(EmbedUse::kPassage), "passage: ");
  EXPECT_EQ(EmbedPrefixes::of_family("intfloat/e5-base").query, "query: ");
  for (const char* other : {"all-minilm-l6-v2-q8", "model-fe5-x", "e50", ""})
    EXPECT_EQ(EmbedPrefixes::of_family(other).query, "") << other;
}

TEST(Embedding, a_text_of_marks_alone_has_no_word) {
  for (const char* text : {"", " \t\n", "?!...", "。，！？", "……", "「」", "\u200B", "———"})
    EXPECT_FALSE(has_word(text)) << text;
  for (const char* text : {"a", "7?", "好。", "?é", "👍", "ｱ", "１"}) EXPECT_TRUE(has_word(text)) << text;
}

// Holds every call until it is released.
class GatedEmbedder final : public Embedder {
 public:
  std::string name() const override { return "gated"; }
  std::size_t dimensions() const override { return 2; }
  std::string prefix(EmbedUse use) const override { return use == EmbedUse::kPassage ? "passage: " : "query: "; }
  std::int64_t count_tokens(std::string_view) const override { return 1; }
  Result<Vector> embed(std::string_view, EmbedUse use, const Deadline& deadline) override {
    ++calls;
    while (!open && !deadline.passed()) std::this_thread::sleep_for(milliseconds(1));
    if (deadline.passed()) return deadline_error(deadline, "it");
    if (broken) return unavailable("broken");
    return use == EmbedUse::kPassage ? Vector{0, 1} : Vector{1, 0};
  }
  std::atomic<int> calls = 0;
  std::atomic<bool> open = true, broken = false;
};

TEST(CachedEmbedder, the_same_text_is_computed_once_for_each_prefix) {
  const auto inner = std::make_shared<GatedEmbedder>();
  CachedEmbedder cached(inner, 10);
  EXPECT_EQ(*cached.embed("a", EmbedUse::kCompare, {}), (Vector{1, 0}));
  EXPECT_EQ(*cached.embed("a", EmbedUse::kQuery, {}), (Vector{1, 0}));
  EXPECT_EQ(inner->calls, 1) << "equal prefixes share";
  EXPECT_EQ(*cached.embed("a", EmbedUse::kPassage, {}), (Vector{0, 1}));
  EXPECT_EQ(inner->calls, 2);
}

TEST(CachedEmbedder, the_longest_unused_leaves_first) {
  const auto inner = std::make_shared<GatedEmbedder>();
  CachedEmbedder cached(inner, 2);
  for (const char* text : {"a", "b", "a", "c", "a", "b"}) ASSERT_TRUE(cached.embed(text, EmbedUse::kCompare, {}).ok());
  EXPECT_EQ(inner->calls, 4) << "a, b, c, and b again";
}

TEST(CachedEmbedder, errors_are_not_kept) {
  const auto inner = std::make_shared<GatedEmbedder>();
  CachedEmbedder cached(inner, 2);
  inner->broken = true;
  EXPECT_EQ(cached.embed("a", EmbedUse::kCompare, {}).error().code, ErrorCode::kUnavailable);
  inner->broken = false;
  EXPECT_TRUE(cached.embed("a", EmbedUse::kCompare, {}).ok());
}

TEST(CachedEmbedder, callers_at_once_share_one_computation) {
  const auto inner = std::make_shared<GatedEmbedder>();
  inner->open = false;
  CachedEmbedder cached(inner, 10);
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 6; ++i) {
      callers.emplace_back([&] { right += cached.embed("a", EmbedUse::kCompare, {}).ok() ? 1 : 0; });
    }
    while (inner->calls == 0) std::this_thread::sleep_for(milliseconds(1));
    // A caller with less patience does not wait for the others' computation.
    EXPECT_EQ(cached.embed("a", EmbedUse::kCompare, Deadline::after(milliseconds(5))).error().code,
              ErrorCode::kTimeout);
    inner->open = true;
  }
  EXPECT_EQ(right, 6);
  EXPECT_EQ(inner->calls, 1);
}

TEST(CachedEmbedder, what_is_stored_steps_back_behind_what_somebody_waits_for) {
  const auto inner = std::make_shared<GatedEmbedder>();
  inner->open = false;
  CachedEmbedder cached(inner, 10);
  auto asked = std::async(std::launch::async, [&] { return cached.embed("q", EmbedUse::kQuery, {}).ok(); });
  while (inner->calls == 0) std::this_thread::sleep_for(milliseconds(1));
  auto stored = std::async(std::launch::async, [&] { return cached.embed("p", EmbedUse::kPassage, {}).ok(); });
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(inner->calls, 1);
  inner->open = true;
  EXPECT_TRUE(asked.get());
  EXPECT_TRUE(stored.get());
}

TEST(CachedEmbedder, what_is_stored_does_not_wait_for_ever) {
  const auto inner = std::make_shared<GatedEmbedder>();
  inner->open = false;
  CachedEmbedder cached(inner, 10);
  auto asked = std::async(std::launch::async, [&] { return cached.embed("q", EmbedUse::kQuery, {}).ok(); });
  while (inner->calls == 0) std::this_thread::sleep_for(milliseconds(1));
  auto stored = std::async(std::launch::async, [&] { return cached.embed("p", EmbedUse::kPassage, {}).ok(); });
  while (inner->calls < 2) std::this_thread::sleep_for(milliseconds(1));
  inner->open = true;
  EXPECT_TRUE(asked.get() && stored.get());
}

TEST(CachedEmbedder, a_waiting_caller_takes_over_from_one_that_ran_out_of_time) {
  const auto inner = std::make_shared<GatedEmbedder>();
  inner->open = false;
  CachedEmbedder cached(inner, 10);
  std::stop_source stop;
  auto impatient = std::async(std::launch::async, [&] {
    return cached.embed("a", EmbedUse::kCompare, Deadline(std::nullopt, stop.get_token()));
  });
  while (inner->calls == 0) std::this_thread::sleep_for(milliseconds(1));
  auto patient = std::async(std::launch::async, [&] { return cached.embed("a", EmbedUse::kCompare, {}); });
  stop.request_stop();
  EXPECT_EQ(impatient.get().error().code, ErrorCode::kCancelled);
  inner->open = true;
  EXPECT_TRUE(patient.get().ok());
}

TEST(BackgroundEmbedder, answers_unavailable_until_it_is_loaded) {
  std::latch gate(1);
  BackgroundEmbedder embedder("slow", [&]() -> Result<std::unique_ptr<Embedder>> {
    gate.wait();
    return std::unique_ptr<Embedder>(std::make_unique<HashEmbedder>(64));
  });
  EXPECT_EQ(embedder.embed("word", EmbedUse::kCompare, {}).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(embedder.state(), "loading");
  EXPECT_EQ(embedder.name(), "slow");
  EXPECT_EQ(embedder.dimensions(), 0U);
  EXPECT_EQ(embedder.count_tokens("word"), -1);
  EXPECT_EQ(embedder.wait_ready(Deadline::after(milliseconds(1))).error().code, ErrorCode::kTimeout);
  gate.count_down();
  ASSERT_TRUE(embedder.wait_ready(Deadline::after(seconds(20))).ok());
  EXPECT_EQ(embedder.state(), "ready");
  EXPECT_EQ(embedder.dimensions(), 64U);
  EXPECT_TRUE(embedder.embed("word", EmbedUse::kCompare, {}).ok());
}

TEST(BackgroundEmbedder, a_lasting_failure_is_told_and_a_passing_one_is_tried_again) {
  BackgroundEmbedder missing("missing",
                             []() -> Result<std::unique_ptr<Embedder>> { return not_found("no file", "fetch it"); });
  EXPECT_EQ(missing.wait_ready(Deadline::after(seconds(20))).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.state(), "failed: no file");
  EXPECT_NE(missing.embed("word", EmbedUse::kCompare, {}).error().message.find("no file"), std::string::npos);

  std::atomic<int> tries = 0;
  BackgroundEmbedder later(
      "later",
      [&]() -> Result<std::unique_ptr<Embedder>> {
        if (++tries < 3) return unavailable("not yet");
        return std::unique_ptr<Embedder>(std::make_unique<HashEmbedder>());
      },
      milliseconds(1));
  EXPECT_TRUE(later.wait_ready(Deadline::after(seconds(20))).ok());
  EXPECT_EQ(tries, 3);
}

TEST(BackgroundEmbedder, what_ends_at_once_loads_no_model) {
  std::atomic<int> loads = 0;
  {
    BackgroundEmbedder embedder("unasked", [&]() -> Result<std::unique_ptr<Embedder>> {
      ++loads;
      return std::unique_ptr<Embedder>(std::make_unique<HashEmbedder>());
    });
  }
  EXPECT_EQ(loads, 0);
}

TEST(BackgroundEmbedder, loads_though_nobody_asks) {
  BackgroundEmbedder embedder("unasked", [&]() -> Result<std::unique_ptr<Embedder>> {
    return std::unique_ptr<Embedder>(std::make_unique<HashEmbedder>());
  });
  while (!embedder.ready()) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(embedder.state(), "ready");
}

TEST(BackgroundEmbedder, PF_26_a_load_that_cannot_be_given_up_holds_up_no_program_that_ends) {
  const auto begun = std::make_shared<std::latch>(1), gate = std::make_shared<std::latch>(1);
  const int before = LeftThreads::count;
  LeftThreads::allowed = true;
  {
    BackgroundEmbedder embedder("slow", [begun, gate]() -> Result<std::unique_ptr<Embedder>> {
      begun->count_down();
      gate->wait();
      return std::unique_ptr<Embedder>(std::make_unique<HashEmbedder>());
    });
    EXPECT_FALSE(embedder.embed("word", EmbedUse::kCompare, {}).ok());
    begun->wait();
  }
  EXPECT_EQ(LeftThreads::count, before + 1);
  LeftThreads::allowed = false;
  LeftThreads::count = before;
  gate->count_down();
  while (gate.use_count() > 1) std::this_thread::yield();  // its thread is gone
}

TEST(BackgroundEmbedder, ends_while_it_waits_to_try_again) {
  BackgroundEmbedder embedder(
      "never", []() -> Result<std::unique_ptr<Embedder>> { return unavailable("no"); }, std::chrono::hours(1));
  while (embedder.state() == "loading") std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(embedder.state(), "waiting to try again: no");
}

}  // namespace
}  // namespace weft
