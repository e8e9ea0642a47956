#include "eval/choice_fit.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

// Of each task the wording tells the right one of five, the ranking tells nothing.
std::vector<WeighedTask> told_by_wording(std::size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 1);
  std::vector<WeighedTask> tasks;
  for (std::size_t i = 0; i < count; ++i) {
    WeighedTask task;
    task.task = i;
    const bool related = i % 3 != 0;
    for (std::size_t k = 0; k < 5; ++k) {
      task.shown.push_back(i + k);
      task.likeness.push_back(0.6 + 0.05 * noise(random));
    }
    const std::size_t right = random() % 5;
    if (related) task.skill = task.shown[right];
    for (std::size_t k = 0; k <= 5; ++k) {
      const bool told = related ? k == right : k == 5;
      task.wording.push_back(-60 + 2 * noise(random) + (told ? 15 : 0));
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

TEST(ChoiceFit, MS_4_finds_what_tells_and_a_cut_that_leaves_unrelated_tasks_alone) {
  const auto fit = fit_choice(told_by_wording(240));
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_GT(fit->weights.wording, 0.2);
  EXPECT_EQ(fit->unseen.tasks, 160);
  EXPECT_EQ(fit->unseen.unrelated, 80);
  EXPECT_GT(fit->unseen.right, 150);
  EXPECT_LE(fit->fitted.told, 4) << "6 % of the unrelated ones";
  EXPECT_FALSE(fit_choice({}).ok());
}

TEST(ChoiceFit, MS_4_a_file_of_weighings_saves_asking_the_model_again) {
  const std::string path = testing::TempDir() + "/weighings.jsonl", lines = testing::TempDir() + "/weighed.jsonl";
  std::remove(path.c_str());
  std::ofstream(lines)
      << R"({"skill":"a","lang":"en","name":"Prices","description":"compare prices","when":["prices of shops"],"tuning":["compare prices of shops"],"held":["prices"]}
)" << R"({"unrelated":"compare shops of prices","lang":"en","held":false}
)";
  const auto set = read_skill_set(lines);
  ASSERT_TRUE(set.ok()) << set.error().message;
  ScriptedChat model;
  model.weigh([](const ChatRequest& request, const std::string& answer) {
    return -0.25 * static_cast<double>(answer.size() + request.messages.back().content.size());
  });
  const auto first = weigh_tasks(*set, WordLikeness(), model, path, false);
  ASSERT_TRUE(first.ok()) << first.error().message;
  ASSERT_EQ(first->size(), 2U) << "held tasks are not looked at";
  EXPECT_EQ(first->at(0).right(), 0U);
  EXPECT_EQ(first->at(1).right(), 1U) << "none";
  const auto asked = model.requests().size();
  const auto second = weigh_tasks(*set, WordLikeness(), model, path, false);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(model.requests().size(), asked);
  EXPECT_EQ(second->at(0).wording, first->at(0).wording);
  EXPECT_EQ(second->at(1).wording, first->at(1).wording);
}

TEST(ChoiceFit, MS_4_the_shipped_weights_are_read) {
  EXPECT_GT(ChoiceWeights::shipped().wording, 0);
  EXPECT_GT(ChoiceWeights::shipped().told, 0);
  EXPECT_LT(ChoiceWeights::shipped().told, 1);
}

}  // namespace
}  // namespace weft
