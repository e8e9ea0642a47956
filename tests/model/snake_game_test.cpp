// The scenario of a large piece of work and a small fix after it, with the real embedder, in both languages.
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/engine_impl.h"
#include "tests/model/model_files.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::assistant, test::user;

struct Story {
  const char *language, *before, *before_answer, *task, *step, *done, *fix, *fixed, *game, *wall;
};

const Story kChinese{"zh",
                     "帮我想一个周末的菜单",
                     "周六做番茄炒蛋，周日炖排骨。",
                     "帮我用 Python 写一个贪吃蛇游戏",
                     "贪吃蛇的移动和吃食物的逻辑写好了，类 Snake 负责蛇身，类 Game 负责画面和计分。",
                     "已完成贪吃蛇核心逻辑，包含类 Snake 和 Game。",
                     "蛇撞墙没死",
                     "已经在 Game.update 里加上撞墙判定，蛇撞墙后游戏结束。",
                     "贪吃蛇",
                     "撞墙"};
const Story kEnglish{"en",
                     "Plan the meals for our weekend",
                     "Tomato and eggs on Saturday, braised ribs on Sunday.",
                     "Write a snake game in Python for me",
                     "The moves of the snake and the eating of food are written; class Snake keeps the body, class "
                     "Game draws and counts.",
                     "The core logic of the snake game is done, with the classes Snake and Game.",
                     "the snake hits the wall and does not die",
                     "Game.update checks for the wall now: the game ends when the snake hits it.",
                     "snake game",
                     "wall"};

class SnakeGame : public testing::TestWithParam<Story> {
 protected:
  void open(const std::string& preset) {
    Config config;
    config.workspace = folder_ / "ws";
    ASSERT_TRUE(apply_preset(config, preset).ok());
    config.stream.max_processing_tokens = 6000;
    auto opened = EngineImpl::open(config);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    engine_ = std::move(opened).value();
    ASSERT_TRUE(engine_->wait_ready(std::chrono::seconds(60)).ok());
  }
  ObserveReport observe(const std::vector<Message>& messages) {
    return engine_->session(Caller(request_).awaiting_decisions(), SessionId("s")).observe(messages).value();
  }

  // A block of some 6,000 tokens: many steps with tools, each telling a bit.
  std::vector<Message> large_block(const Story& story) {
    std::vector<Message> messages{user(story.task)};
    std::int64_t tokens = 0;
    for (int i = 0; tokens < 6000; ++i) {
      const std::string id = "c" + std::to_string(i);
      messages.push_back(test::calls({{id, "file_edit"}}, story.step));
      std::string code = "class Snake:\n    body = []\nclass Game:\n    snake = Snake()\n";
      for (int line = 0; line < 12; ++line) code += "    step_" + std::to_string(i * 12 + line) + " = 0\n";
      messages.push_back(test::output(id, code));
      tokens += engine_->models().tokens().count(story.step) + engine_->models().tokens().count(code);
    }
    messages.push_back(assistant(story.done));
    return messages;
  }

  test::TemporaryFolder folder_;
  RequestContext request_{Scope::private_of(UserId("ann")).value(), {}, {}};
  std::unique_ptr<EngineImpl> engine_;
};

TEST_P(SnakeGame, ST_12_a_large_task_is_cut_off_and_the_small_fix_keeps_its_context) {
  WEFT_NEED_MODEL("multilingual-e5-small-q4.gguf");
  const Story& story = GetParam();
  open("balanced");
  const auto large = observe(large_block(story));
  ASSERT_TRUE(large.observations.back().decision);
  const auto small = observe({user(story.fix), assistant(story.fixed)});
  ASSERT_EQ(small.flushed.size(), 1u);
  EXPECT_EQ(small.flushed[0].reason, FlushReason::kRelay);
  EXPECT_GT(small.flushed[0].tokens, 6000);
  EXPECT_EQ(small.observations[1].decision->verdict, Verdict::kRelay);
  ASSERT_TRUE(engine_->session(request_, SessionId("s")).save().ok());
  ASSERT_TRUE(engine_->drain(std::chrono::seconds(120)).ok());
  const auto events = engine_->memory(request_).items(ItemKind::kEvent, 100).value();
  ASSERT_EQ(events.size(), 2u);
  // The memory of the fix can be read by a stranger: it names the game and the wall.
  EXPECT_NE(events[1].text.find(story.game), std::string::npos) << events[1].text;
  EXPECT_NE(events[1].text.find(story.wall), std::string::npos) << events[1].text;
}

TEST_P(SnakeGame, ST_12_the_fix_is_nearer_to_the_summary_than_another_topic_is) {
  WEFT_NEED_MODEL("multilingual-e5-small-q4.gguf");
  const Story& story = GetParam();
  open("balanced");
  Embedder& embedder = *engine_->models().embedder();
  const Similarity& similarity = *engine_->models().similarity();
  const auto vector = [&](const char* text) { return embedder.embed(text, EmbedUse::kCompare, {}).value(); };
  const Language language = language_of(story.done);
  const double fix = similarity.between(vector(story.fix), language, vector(story.done), language);
  const double other = similarity.between(vector(story.before), language, vector(story.done), language);
  EXPECT_GT(fix, other);
}

TEST_P(SnakeGame, ST_12_with_the_literal_preset_the_cut_comes_before_the_likeness) {
  WEFT_NEED_MODEL("multilingual-e5-small-q4.gguf");
  const Story& story = GetParam();
  open("literal");
  observe({user(story.before), assistant(story.before_answer)});
  observe(large_block(story));
  const auto small = observe({user(story.fix), assistant(story.fixed)});
  EXPECT_EQ(small.observations[1].decision->verdict, Verdict::kRelay);
  ASSERT_TRUE(engine_->session(request_, SessionId("s")).save().ok());
  ASSERT_TRUE(engine_->drain(std::chrono::seconds(120)).ok());
  const auto events = engine_->memory(request_).items(ItemKind::kEvent, 100).value();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_NE(events[2].text.find(story.game), std::string::npos) << events[2].text;
}

INSTANTIATE_TEST_SUITE_P(Languages, SnakeGame, testing::Values(kChinese, kEnglish),
                         [](const auto& story) { return std::string(story.param.language); });

TEST(LocalEmbedder, ST_14_the_default_embedder_is_small_and_needs_no_network) {
  WEFT_NEED_MODEL("multilingual-e5-small-q4.gguf");
  Config config;
  EXPECT_EQ(config.embedding.provider, EmbeddingProvider::kLocal);
  const auto file = std::filesystem::path(model_folder(config)) / (config.embedding.model + ".gguf");
  EXPECT_LT(std::filesystem::file_size(file), 100u * 1000 * 1000);
}

}  // namespace
}  // namespace weft
