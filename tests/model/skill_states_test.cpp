#include "engine/lessons.h"

#include <gtest/gtest.h>

#include "ports/chat/chat_models.h"
#include "tests/model/model_files.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

constexpr const char* kQwen = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf";

Skill skill(const std::string& id, const std::string& description, const std::string& when) {
  Skill made;
  made.skill_id = made.name = id;
  made.description = description;
  made.trigger_conditions = {when};
  return made;
}

// The model is brought by `make chat-model`, and by nothing else.
TEST(SkillStates, MS_4_a_real_model_knows_what_is_needed_in_another_language_and_other_words) {
  if (!std::filesystem::exists(model_file(kQwen))) GTEST_SKIP() << "no " << kQwen << ": `make chat-model` brings it";
  LlamaChatOptions options;
  options.path = model_file(kQwen);
  options.window = 1024;
  auto model = open_llamacpp_chat(options);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const SkillWeights* weights = SkillStates::shipped_for(**model);
  ASSERT_NE(weights, nullptr) << (*model)->state_space().model;
  test::TemporaryFolder folder;
  auto states = SkillStates::open(**model, *weights, folder / "states.vectors");
  ASSERT_TRUE(states.ok()) << states.error().message;
  const std::vector<Skill> skills{
      skill("Moving house", "Changing one's home without losing anything", "Somebody leaves a flat for another one"),
      skill("腌菜", "自己在家做泡菜", "想把蔬菜保存起来"),
      skill("Stage fright", "Speaking before many people without fear", "A talk before an audience comes up"),
      skill("换轮胎", "路上自己更换汽车轮胎", "汽车轮胎没气了")};
  ASSERT_TRUE((*states)->learn(skills, {}).ok());
  for (const auto& [task, wanted] : {std::pair{"下个月租约到期，得换个地方住，帮我理一理", "Moving house"},
                                     {"I have far too many cucumbers, how do I make them last?", "腌菜"},
                                     {"明天要给三百个人讲话，我紧张得睡不着", "Stage fright"},
                                     {"There is a nail in my tyre and I am on the motorway", "换轮胎"}}) {
    const auto matches = (*states)->match(skills, task, 3, Deadline());
    ASSERT_TRUE(matches.ok()) << matches.error().message;
    ASSERT_FALSE(matches->empty()) << task;
    EXPECT_EQ(matches->front().skill.name, wanted) << task;
  }
  const auto errand = (*states)->match(skills, "What is the capital of Mongolia?", 3, Deadline());
  ASSERT_TRUE(errand.ok());
  EXPECT_TRUE(errand->empty());
}

}  // namespace
}  // namespace weft
