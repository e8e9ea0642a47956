#include "ports/embedding/state_embedder.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

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
