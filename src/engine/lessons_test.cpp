#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>

#include "engine/lessons.h"
#include "growth/skill_match.h"
#include "tests/support/scripted_chat.h"
#include "tests/support/temporary_folder.h"
#include "text/weight_file.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr const char* kTrained = "Qwen2.5 Coder 1.5B Instruct GGUF";

// A model that reads a text as being about the first of these words that it holds, and puts it there.
class ReadingModel {
 public:
  ReadingModel() {
    const SkillWeights& weights = *SkillWeights::fitted_for(std::string(kTrained) + ", guide title 1");
    size_ = weights.work.size();
    chat.give_states({kTrained, size_}, [this, &weights](const ChatRequest& request) {
      const std::string& text = request.messages.front().content;
      const auto language = static_cast<std::size_t>(language_of(text));
      const bool is_task = text.find("please") != std::string::npos || text.find("请") != std::string::npos;
      return state(text, (is_task ? weights.tasks : weights.conditions)[language]);
    });
  }

  ScriptedChat chat;

 private:
  std::vector<float> state(const std::string& text, const Vector& mean) const {
    std::uint32_t about = 0;
    for (const auto& [word, place] : {std::pair{"bill", 1U}, {"发票", 1U}, {"hive", 2U}, {"蜂", 2U}})
      if (about == 0 && text.find(word) != std::string::npos) about = place;
    std::mt19937 random(about);
    std::normal_distribution<float> draw(0, 0.8F / std::sqrt(static_cast<float>(size_)));
    std::vector<float> state(mean);
    for (float& number : state) number += draw(random);
    return state;
  }

  std::size_t size_ = 0;
};

Skill skill(const std::string& id, const std::string& when) {
  Skill made;
  made.skill_id = made.name = id;
  made.description = when;
  made.trigger_conditions = {when};
  return made;
}

const std::vector<Skill>& skills() {
  static const std::vector<Skill> all{skill("paying", "a bill has come"), skill("bees", "a hive is ill")};
  return all;
}

std::vector<std::string> ids(const std::vector<SkillMatch>& matches) {
  std::vector<std::string> all;
  for (const SkillMatch& match : matches) all.push_back(match.skill.skill_id);
  return all;
}

class SkillStatesTest : public ::testing::Test {
 protected:
  std::unique_ptr<SkillStates> open() {
    auto opened = SkillStates::open(model_.chat, *SkillStates::shipped_for(model_.chat), file_);
    EXPECT_TRUE(opened.ok());
    return std::move(*opened);
  }

  test::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "skills/states.vectors";
  ReadingModel model_;
};

TEST_F(SkillStatesTest, MS_4_a_task_finds_its_skill_in_another_language_and_without_a_shared_word) {
  const auto states = open();
  ASSERT_TRUE(states->learn(skills(), {}).ok());
  for (const auto& [task, id] :
       {std::pair{"please settle this: billing", "paying"}, {"请处理一下发票", "paying"}, {"请看看这箱蜂", "bees"}}) {
    const auto matches = states->match(skills(), task, 3, Deadline());
    ASSERT_TRUE(matches.ok()) << matches.error().message;
    ASSERT_FALSE(matches->empty()) << task;
    EXPECT_EQ(ids(*matches).front(), id) << task;
  }
}

TEST_F(SkillStatesTest, MS_4_what_skills_say_is_read_once_and_a_task_when_it_comes) {
  {
    const auto states = open();
    ASSERT_TRUE(states->learn(skills(), {}).ok());
  }
  const std::size_t read = model_.chat.requests().size();
  EXPECT_EQ(read, skill_phrases(skills()[0]).size() + skill_phrases(skills()[1]).size());
  const auto states = open();
  ASSERT_TRUE(states->learn(skills(), {}).ok());
  EXPECT_EQ(model_.chat.requests().size(), read);
  ASSERT_TRUE(states->match(skills(), "please look", 3, Deadline()).ok());
  EXPECT_EQ(model_.chat.requests().size(), read + 1);
}

TEST_F(SkillStatesTest, MS_4_until_all_is_read_nobody_is_told_by_states) {
  const auto states = open();
  ASSERT_TRUE(states->learn(std::span(skills()).first(1), {}).ok());
  EXPECT_EQ(states->match(skills(), "please pay", 3, Deadline()).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(states->match(std::span(skills()).first(1), "please pay", 3, Deadline()).ok());
  ASSERT_TRUE(states->learn(skills(), {}).ok());
  const auto late = states->match(skills(), "please pay", 3, Deadline::after(std::chrono::milliseconds(0)));
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
}

TEST_F(SkillStatesTest, MS_4_what_a_skill_said_that_is_gone_is_not_kept) {
  const auto states = open();
  ASSERT_TRUE(states->learn(skills(), {}).ok());
  const auto size = std::filesystem::file_size(file_);
  ASSERT_TRUE(states->keep_only(std::span(skills()).first(1)).ok());
  EXPECT_LT(std::filesystem::file_size(file_), size);
  EXPECT_FALSE(states->match(skills(), "please pay", 3, Deadline()).ok());
  ASSERT_TRUE(states->keep_only({}).ok());
  EXPECT_LT(std::filesystem::file_size(file_), 64U);
}

TEST_F(SkillStatesTest, MS_4_only_states_that_weights_were_fitted_for_serve) {
  EXPECT_NE(SkillStates::shipped_for(model_.chat), nullptr);
  ScriptedChat none, strange, short_states;
  strange.give_states({"Another 7B", 8}, [](const ChatRequest&) { return std::vector<float>(8, 1); });
  short_states.give_states({kTrained, 8}, [](const ChatRequest&) { return std::vector<float>(8, 1); });
  EXPECT_EQ(SkillStates::shipped_for(none), nullptr);
  EXPECT_EQ(SkillStates::shipped_for(strange), nullptr);
  EXPECT_EQ(SkillStates::shipped_for(short_states), nullptr);
}

TEST_F(SkillStatesTest, MS_4_weights_of_somebodys_own_are_for_the_model_that_they_were_fitted_for) {
  const std::string path = folder_ / "own.json";
  const auto write = [&](const std::string& source) { std::ofstream(path) << source; };
  const std::span files(shipped_weights_list, shipped_weights_count);
  const auto own = std::find_if(files.begin(), files.end(), [&](const ShippedWeights& file) {
    return file.id.starts_with("skills/") &&
           shipped_weights(file.id).text("embedder") == SkillStates::shipped_for(model_.chat)->embedder;
  });
  ASSERT_NE(own, files.end());
  const std::string fitted(own->source);
  write(fitted);
  EXPECT_TRUE(SkillStates::read_weights(model_.chat, path).ok());
  ScriptedChat strange;
  strange.give_states({"Another 7B", 8}, [](const ChatRequest&) { return std::vector<float>(8, 1); });
  const auto wrong = SkillStates::read_weights(strange, path);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("another 7b"), std::string::npos) << wrong.error().message;
  EXPECT_FALSE(SkillStates::read_weights(ScriptedChat().give_states({}, {}), path).ok());
  EXPECT_EQ(SkillStates::read_weights(model_.chat, folder_ / "none.json").error().code, ErrorCode::kNotFound);
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    std::string broken = fitted;
    broken.erase(random() % broken.size(), 1 + random() % 400);
    write(broken);
    const auto read = SkillStates::read_weights(model_.chat, path);  // refused, or whole by chance; never more
    EXPECT_TRUE(read.ok() || read.error().code == ErrorCode::kInvalidArgument) << read.error().message;
  }
}

}  // namespace
}  // namespace weft
