#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ports/embedding/vector_file.h"
#include "tests/support/hash_embedder.h"
#include "tests/support/scripted_chat.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

TEST(VectorFile, MS_5_a_second_run_embeds_nothing_and_gives_the_same) {
  test::TemporaryFolder folder;
  const std::string path = folder / "vectors";
  std::vector<Vector> first;
  for (int run = 0; run < 3; ++run) {
    HashEmbedder inner;
    auto cache = VectorFile::open(path, inner);
    ASSERT_TRUE(cache.ok()) << cache.error().message;
    for (int i = 0; i < 50; ++i) {
      const auto vector = (*cache)->embed("text number " + std::to_string(i), EmbedUse::kPassage, Deadline());
      ASSERT_TRUE(vector.ok());
      if (run == 0) first.push_back(*vector);
      EXPECT_EQ(*vector, first[static_cast<std::size_t>(i)]);
    }
    // The third run finds a record that was cut off, and mends it.
    EXPECT_EQ(inner.calls(), run == 0 ? 50 : run == 1 ? 0 : 1);
    cache = Error{};
    if (run == 1) std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
  }
}

TEST(VectorFile, MS_5_models_and_uses_stay_apart_and_errors_are_not_kept) {
  test::TemporaryFolder folder;
  HashEmbedder one, other(256, "another");
  auto cache = VectorFile::open(folder / "vectors", one);
  ASSERT_TRUE(cache.ok());
  EXPECT_FALSE((*cache)->embed("", EmbedUse::kQuery, Deadline()).ok());
  ASSERT_TRUE((*cache)->embed("words", EmbedUse::kQuery, Deadline()).ok());
  cache = VectorFile::open(folder / "vectors", other);
  ASSERT_TRUE(cache.ok());
  ASSERT_TRUE((*cache)->embed("words", EmbedUse::kQuery, Deadline()).ok());
  EXPECT_EQ(other.calls(), 1);
  EXPECT_EQ(one.calls(), 2) << "the empty text was asked for, too";
  EXPECT_FALSE(VectorFile::open(folder / "no" + std::string("/such/folder"), one).ok());
}

TEST(VectorFile, MS_5_what_is_not_wanted_any_more_is_in_the_file_no_more) {
  test::TemporaryFolder folder;
  const std::string path = folder / "vectors";
  HashEmbedder inner;
  {
    auto cache = VectorFile::open(path, inner);
    ASSERT_TRUE(cache.ok());
    for (const char* text : {"one", "two", "three"})
      ASSERT_TRUE((*cache)->embed(text, EmbedUse::kCompare, Deadline()).ok());
    const auto size = std::filesystem::file_size(path);
    const std::vector<std::string> left{"two", "four"};
    ASSERT_TRUE((*cache)->keep_only(left, EmbedUse::kCompare).ok());
    EXPECT_LT(std::filesystem::file_size(path), size);
    EXPECT_TRUE((*cache)->kept("one", EmbedUse::kCompare).empty());
    EXPECT_FALSE((*cache)->kept("two", EmbedUse::kCompare).empty());
    ASSERT_TRUE((*cache)->embed("four", EmbedUse::kCompare, Deadline()).ok());
  }
  auto again = VectorFile::open(path, inner);
  ASSERT_TRUE(again.ok());
  for (const char* text : {"two", "four"}) EXPECT_FALSE((*again)->kept(text, EmbedUse::kCompare).empty()) << text;
  for (const char* text : {"one", "three"}) EXPECT_TRUE((*again)->kept(text, EmbedUse::kCompare).empty()) << text;
  (*again)->clear_cache();
  EXPECT_TRUE((*again)->kept("two", EmbedUse::kCompare).empty());
}

TEST(VectorFile, MS_5_vectors_of_another_length_and_what_is_no_such_file_are_not_read) {
  test::TemporaryFolder folder;
  const std::string path = folder / "vectors";
  HashEmbedder longer(256, "same name"), shorter(64, "same name");
  auto cache = VectorFile::open(path, longer);
  ASSERT_TRUE(cache.ok());
  ASSERT_TRUE((*cache)->embed("words", EmbedUse::kCompare, Deadline()).ok());
  cache = VectorFile::open(path, shorter);
  ASSERT_TRUE(cache.ok());
  EXPECT_TRUE((*cache)->kept("words", EmbedUse::kCompare).empty());
  EXPECT_EQ((*cache)->embed("words", EmbedUse::kCompare, Deadline())->size(), 64U);
  cache = Error{};
  std::ofstream(path) << std::string(1000, 'x');
  cache = VectorFile::open(path, shorter);
  ASSERT_TRUE(cache.ok());
  EXPECT_TRUE((*cache)->kept("words", EmbedUse::kCompare).empty());
}

ScriptedChat& counting(ScriptedChat& model) {
  return model.give_states({"Trained 1B", 3}, [](const ChatRequest& request) {
    return std::vector<float>{static_cast<float>(request.messages.front().content.size()), 1, 2};
  });
}

TEST(StateEmbedder, MS_4_a_text_is_read_up_to_where_the_model_would_name_its_guide) {
  ScriptedChat model;
  StateEmbedder embedder(counting(model));
  EXPECT_EQ(embedder.dimensions(), 3U);
  const auto vector = embedder.embed("把发票发给我", EmbedUse::kQuery, Deadline());
  ASSERT_TRUE(vector.ok()) << vector.error().message;
  EXPECT_NEAR(cosine(*vector, *vector), 1, 1e-6);
  const auto asked = model.requests();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_TRUE(asked[0].wants_state);
  EXPECT_FALSE(asked[0].answer_start.empty());
  ASSERT_EQ(asked[0].messages.size(), 1U);
  EXPECT_NE(asked[0].messages[0].content.find("\"把发票发给我\""), std::string::npos) << asked[0].messages[0].content;
}

TEST(StateEmbedder, MS_4_its_name_is_that_of_the_trained_model_and_not_of_the_setting) {
  ScriptedChat one("fast one"), other("another name"), third("fast one");
  counting(one), counting(other);
  third.give_states({"Trained 7B", 3}, [](const ChatRequest&) { return std::vector<float>{1, 0, 0}; });
  EXPECT_EQ(StateEmbedder(one).name(), StateEmbedder(other).name());
  EXPECT_NE(StateEmbedder(one).name(), StateEmbedder(third).name());
  EXPECT_NE(StateEmbedder(one).name(), "Trained 1B") << "what is asked is in the name, too";
}

TEST(StateEmbedder, MS_4_what_gives_no_vector_says_why) {
  ScriptedChat model;
  StateEmbedder embedder(counting(model));
  EXPECT_EQ(embedder.embed(" …?! ", EmbedUse::kCompare, Deadline()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(model.requests().empty());
  const auto late = embedder.embed("late", EmbedUse::kCompare, Deadline::after(std::chrono::milliseconds(0)));
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  ScriptedChat broken;
  broken.give_states({"Trained 1B", 3}, [](const ChatRequest&) { return std::vector<float>{0, 0, 0}; });
  EXPECT_EQ(StateEmbedder(broken).embed("words", EmbedUse::kCompare, Deadline()).error().code, ErrorCode::kUnavailable);
}

TEST(StateEmbedder, MS_4_a_long_text_is_cut) {
  ScriptedChat model;
  StateEmbedder embedder(counting(model));
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "字";
  ASSERT_TRUE(embedder.embed(text, EmbedUse::kCompare, Deadline()).ok());
  EXPECT_LT(model.requests()[0].messages[0].content.size(), 4000U);
}

TEST(StateEmbedder, MS_4_what_the_window_does_not_take_is_cut_further) {
  ScriptedChat model;
  model.give_states({"Trained 1B", 3}, [](const ChatRequest&) { return std::vector<float>{1, 2, 3}; });
  model.most_bytes(500);
  StateEmbedder embedder(model);
  std::string text;
  for (int i = 0; i < 500; ++i) text += "字";
  ASSERT_TRUE(embedder.embed(text, EmbedUse::kCompare, Deadline()).ok());
  EXPECT_LE(model.requests().back().messages[0].content.size(), 500U);
  model.most_bytes(10);
  EXPECT_EQ(embedder.embed(text, EmbedUse::kCompare, Deadline()).error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace weft
