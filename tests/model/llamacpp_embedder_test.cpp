#include "ports/embedding/embedding_models.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/model/model_files.h"

namespace weft {
namespace {

constexpr const char* kE5 = "multilingual-e5-small-q4.gguf";

// Loaded once for all tests: it takes a second.
Embedder* shared_e5() {
  static const std::unique_ptr<Embedder> e5 = [] {
    LlamaEmbedderOptions options;
    options.path = model_file(kE5);
    options.contexts = 3;
    options.max_tokens = 64;
    auto opened = open_llamacpp_embedder(options);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return opened.ok() ? std::move(opened).value() : nullptr;
  }();
  return e5.get();
}

Vector embed(Embedder& embedder, std::string_view text, EmbedUse use = EmbedUse::kCompare) {
  auto vector = embedder.embed(text, use, {});
  EXPECT_TRUE(vector.ok()) << vector.error().message;
  return vector.ok() ? std::move(vector).value() : Vector(embedder.dimensions());
}

TEST(LlamaEmbedder, near_in_meaning_is_near_in_both_languages_and_across) {
  WEFT_NEED_MODEL(kE5);
  Embedder* const e5 = shared_e5();
  ASSERT_NE(e5, nullptr);
  EXPECT_EQ(e5->name(), "multilingual-e5-small-q4");
  EXPECT_EQ(e5->dimensions(), 384U);
  const Vector snake_zh = embed(*e5, "贪吃蛇撞到墙以后游戏没有结束");
  const Vector game_zh = embed(*e5, "修复游戏里蛇碰到边界时的判断");
  const Vector dinner_zh = embed(*e5, "今晚我们去哪里吃火锅比较好");
  const Vector snake_en = embed(*e5, "The snake hits the wall but the game does not end");
  const Vector dinner_en = embed(*e5, "Where shall we go for dinner tonight?");
  EXPECT_GT(cosine(snake_zh, game_zh), cosine(snake_zh, dinner_zh));
  EXPECT_GT(cosine(snake_zh, snake_en), cosine(snake_zh, dinner_en));
  EXPECT_GT(cosine(dinner_zh, dinner_en), cosine(dinner_zh, snake_en));
  EXPECT_NEAR(cosine(snake_zh, snake_zh), 1.0, 1e-5);
}

TEST(LlamaEmbedder, the_use_decides_the_prefix) {
  WEFT_NEED_MODEL(kE5);
  Embedder* const e5 = shared_e5();
  ASSERT_NE(e5, nullptr);
  const std::string text = "We meet at the station at noon.";
  EXPECT_EQ(embed(*e5, text, EmbedUse::kCompare), embed(*e5, text, EmbedUse::kQuery));
  EXPECT_NE(embed(*e5, text, EmbedUse::kPassage), embed(*e5, text, EmbedUse::kQuery));
  LlamaEmbedderOptions options;
  options.path = model_file(kE5);
  options.passage_prefix = "query: ";
  auto same = open_llamacpp_embedder(options);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(embed(**same, text, EmbedUse::kPassage), embed(**same, text, EmbedUse::kQuery));
}

TEST(LlamaEmbedder, callers_at_once_get_what_each_would_get_alone) {
  WEFT_NEED_MODEL(kE5);
  Embedder* const e5 = shared_e5();
  ASSERT_NE(e5, nullptr);
  std::vector<std::string> texts;
  for (int i = 0; i < 12; ++i)
    texts.push_back("第" + std::to_string(i) + "个问题 about train number " + std::to_string(i * i));
  std::vector<Vector> alone;
  for (const std::string& text : texts) alone.push_back(embed(*e5, text));
  std::atomic<int> different = 0;
  {
    std::vector<std::jthread> callers;
    for (std::size_t caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, caller] {
        for (std::size_t i = 0; i < texts.size(); ++i) {
          const std::size_t which = (i + caller * 3) % texts.size();
          const auto vector = e5->embed(texts[which], EmbedUse::kCompare, {});
          if (!vector.ok() || *vector != alone[which]) ++different;
        }
      });
    }
  }
  EXPECT_EQ(different, 0);
}

TEST(LlamaEmbedder, long_texts_are_cut_and_only_their_beginning_counts) {
  WEFT_NEED_MODEL(kE5);
  Embedder* const e5 = shared_e5();
  ASSERT_NE(e5, nullptr);
  std::string head, tail;
  for (int i = 0; i < 12; ++i) head += "The harbour was quiet on that morning. ";
  for (int i = 0; i < 20000; ++i) tail += "股票今天又跌了。";
  EXPECT_GT(e5->count_tokens(head), 64);
  EXPECT_EQ(embed(*e5, head), embed(*e5, head + tail)) << "what lies behind the cut must not matter";
  EXPECT_NEAR(cosine(embed(*e5, std::string(300000, 'a')), embed(*e5, std::string(300000, 'a'))), 1.0, 1e-5);
}

TEST(LlamaEmbedder, odd_texts_have_defined_answers) {
  WEFT_NEED_MODEL(kE5);
  Embedder* const e5 = shared_e5();
  ASSERT_NE(e5, nullptr);
  for (const std::string text : {"", "   \n", "……？！", "?!"}) {
    const auto vector = e5->embed(text, EmbedUse::kCompare, {});
    ASSERT_FALSE(vector.ok()) << text;
    EXPECT_EQ(vector.error().code, ErrorCode::kInvalidArgument);
  }
  for (const std::string& text : {std::string("\xff\xfe broken \x80"), std::string("nul\0inside", 10),
                                  std::string("👩‍💻"), std::string("<s></s> [CLS]")}) {
    double length = 0;
    for (float x : embed(*e5, text)) length += static_cast<double>(x) * static_cast<double>(x);
    EXPECT_NEAR(std::sqrt(length), 1.0, 1e-4) << text;
  }
}

TEST(LlamaEmbedder, counts_tokens_without_special_ones) {
  WEFT_NEED_MODEL(kE5);
  Embedder* const e5 = shared_e5();
  ASSERT_NE(e5, nullptr);
  EXPECT_EQ(e5->count_tokens(""), 0);
  EXPECT_GE(e5->count_tokens("hello world"), 2);
  EXPECT_LE(e5->count_tokens("hello world"), 3);
}

TEST(LlamaEmbedder, a_passed_deadline_and_a_cancelled_caller_are_told_apart) {
  WEFT_NEED_MODEL(kE5);
  Embedder* const e5 = shared_e5();
  ASSERT_NE(e5, nullptr);
  EXPECT_EQ(e5->embed("a word", EmbedUse::kCompare, Deadline::after(std::chrono::milliseconds(-1))).error().code,
            ErrorCode::kTimeout);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(e5->embed("a word", EmbedUse::kCompare, Deadline(std::nullopt, stop.get_token())).error().code,
            ErrorCode::kCancelled);
  EXPECT_TRUE(e5->embed("a word", EmbedUse::kCompare, {}).ok()) << "the context is free again";
}

TEST(LlamaEmbedder, a_missing_and_a_broken_file_are_named) {
  LlamaEmbedderOptions options;
  options.path = "/nowhere/model.gguf";
  const auto missing = open_llamacpp_embedder(options);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find(options.path), std::string::npos);
  options.path = std::filesystem::temp_directory_path() / "weft-broken.gguf";
  std::ofstream(options.path) << "GGUF but no model";
  const auto broken = open_llamacpp_embedder(options);
  std::filesystem::remove(options.path);
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace weft
