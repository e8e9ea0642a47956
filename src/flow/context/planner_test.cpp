#include "flow/context/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

/// A small adventure in both languages.
struct World {
  std::vector<StateEntity> entities{
      entity("player", "Hero", "主角", "", {{"health", 85}, {"max_health", 100}, {"gold", 12}, {"魔力", 30}}, true),
      entity("npc_goblin", "Goblin", "哥布林", "", {{"attack", 7}}),
      entity("item_sword_01", "Iron Sword", "铁剑", "main bag", {{"count", 1}}),
      entity("item_potion_02", "Healing Potion", "治疗药水", "main bag", {{"count", 2}}),
      entity("item_arrow_03", "Arrow", "箭", "quiver", {{"count", 20}})};
  std::vector<Quest> quests{quest("q_001", "The Temple in the Forest", "Find the entrance of the forest temple"),
                            quest("q_002", "失踪的铁匠", "找到失踪的铁匠格罗姆")};
  StateIndex state{entities};
  KnownNames names = names_of(entities, quests, {"Whispering Forest", "低语森林", "Blacksmith"});

  static StateEntity entity(std::string anchor, std::string name, std::string alias, std::string container,
                            const std::vector<std::pair<std::string, double>>& numbers, bool player = false) {
    StateEntity entity;
    entity.anchor = std::move(anchor);
    entity.name = std::move(name);
    entity.aliases = {std::move(alias)};
    entity.container = std::move(container);
    for (const auto& [field, value] : numbers) entity.fields.push_back({field, value, "", {}, {}});
    entity.player = player;
    return entity;
  }
  static Quest quest(std::string id, std::string title, std::string objective) {
    Quest quest;
    quest.id = std::move(id);
    quest.title = std::move(title);
    quest.objective = std::move(objective);
    quest.status = QuestStatus::kActive;
    return quest;
  }
  PlannerInput input(std::string_view text) const {
    PlannerInput input;
    input.input = text;
    input.quests = &quests;
    input.has_state = true;
    input.state = [this] { return &state; };
    input.names = &names;
    return input;
  }
  PlannerDecision decide(std::string_view text) const { return decide_plan(input(text), {}).value(); }
};

TEST(Planner, HC_1_numbers_take_the_fast_path) {
  const World world;
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"HP -5", R"([["ADD","player.health",-5]])", "Hero: hp changed from 85 to 80."},
      {"give me 3 potions", R"([["ADD","item_potion_02.count",3]])", "Healing Potion: count changed from 2 to 5."},
      {"set gold to 30", R"([["SET","player.gold",30]])", "Hero: gold changed from 12 to 30."},
      {"add two arrows to my quiver", R"([["ADD","item_arrow_03.count",2]])", "Arrow: count changed from 20 to 22."},
      {"goblin's attack +1", R"([["ADD","npc_goblin.attack",1]])", "Goblin: attack changed from 7 to 8."},
      {"把治疗药水加三瓶", R"([["ADD","item_potion_02.count",3]])", "治疗药水的数量从 2 变为 5。"},
      {"给我三瓶药水", R"([["ADD","item_potion_02.count",3]])", "治疗药水的数量从 2 变为 5。"},
      {"金币减5", R"([["ADD","player.gold",-5]])", "主角的金币从 12 变为 7。"},
      {"扣10点血", R"([["ADD","player.health",-10]])", "主角的血从 85 变为 75。"},
      {"mana +5", R"([["ADD","player.魔力",5]])", "Hero: mana changed from 30 to 35."},
      {"金币加5，金币减2", R"([["ADD","player.gold",5],["ADD","player.gold",-2]])",
       "主角的金币从 12 变为 17。主角的金币从 17 变为 15。"}};
  for (const auto& [text, operations, answer] : cases) {
    const PlannerDecision decision = world.decide(text);
    EXPECT_TRUE(decision.numeric) << text;
    EXPECT_EQ(decision.operations, operations) << text;
    EXPECT_EQ(decision.answer, answer) << text;
    EXPECT_FALSE(decision.plan.search_intent.enabled);
    EXPECT_EQ(decision.by, MadeBy::kFloor);
  }
}

TEST(Planner, HC_1_what_is_not_clear_is_never_guessed) {
  World world;
  world.entities.push_back(World::entity("item_potion_09", "Mana Potion", "魔力药水", "main bag", {{"count", 4}}));
  world.entities.push_back(World::entity("npc_wolf", "Wolf", "狼", "", {{"hp", 9}}));
  world.state = StateIndex(world.entities);
  for (const char* text : {"give me 3 potions", "给我三瓶药水", "give me 3 crowns", "给我三顶王冠",
                           "add 2 arrows to the chest", "use 30 arrows", "my hp +50", "add 0.5 arrows"}) {
    const PlannerDecision decision = world.decide(text);
    EXPECT_FALSE(decision.numeric) << text;
    EXPECT_TRUE(decision.operations.empty() && decision.answer.empty()) << text;
    EXPECT_TRUE(decision.plan.search_intent.enabled) << text;
    EXPECT_FALSE(decision.notice.empty()) << text;
  }
  EXPECT_EQ(world.decide("HP -5").operations, R"([["ADD","player.health",-5]])") << "one's own where nobody is named";
  EXPECT_EQ(world.decide("my HP -5").operations, R"([["ADD","player.health",-5]])");
  EXPECT_EQ(world.decide("狼的血减3").operations, R"([["ADD","npc_wolf.hp",-3]])");
}

TEST(Planner, HC_1_stories_are_analysed_and_small_talk_searches_nothing) {
  const World world;
  for (const char* text : {"I give the goblin three reasons to let us pass", "三天后我再来找格罗姆"}) {
    const PlannerDecision decision = world.decide(text);
    EXPECT_FALSE(decision.numeric) << text;
    EXPECT_TRUE(decision.plan.search_intent.enabled) << text;
  }
  for (const char* text : {"Hello!", "谢谢", ""}) {
    const PlannerDecision decision = world.decide(text);
    EXPECT_FALSE(decision.numeric || decision.plan.search_intent.enabled) << text;
  }
}

TEST(Planner, HC_2_the_quest_that_is_spoken_of_is_the_active_one) {
  World world;
  EXPECT_EQ(world.decide("Where could the temple's entrance be?").plan.active_quest_id, "q_001");
  const PlannerDecision chinese = world.decide("铁匠最后一次出现在哪里？");
  EXPECT_EQ(chinese.plan.active_quest_id, "q_002");
  EXPECT_EQ(chinese.plan.current_goal, "找到失踪的铁匠格罗姆");
  EXPECT_FALSE(world.decide("I look around the tavern").plan.active_quest_id);

  PlannerInput input = world.input("I look around the tavern");
  input.previous.emplace().active_quest_id = "q_002";
  EXPECT_EQ(decide_plan(input, {})->plan.active_quest_id, "q_002");
  world.quests[1].status = QuestStatus::kCompleted;
  EXPECT_EQ(decide_plan(input, {})->plan.active_quest_id, "q_001") << "the only one that is still active";
  world.quests[0].status = QuestStatus::kFailed;
  const PlannerDecision none = decide_plan(input, {}).value();
  EXPECT_FALSE(none.plan.active_quest_id);
  EXPECT_EQ(none.plan.current_goal, "I look around the tavern");
}

TEST(Planner, HC_2_keywords_time_and_weights_follow_the_words) {
  const World world;
  const SearchIntent past = world.decide("Do you remember who gave me the iron sword?").plan.search_intent;
  ASSERT_FALSE(past.focus_keywords.empty());
  EXPECT_EQ(past.focus_keywords[0], "Iron Sword");
  EXPECT_EQ(past.temporal_context, "past");
  EXPECT_GT(past.domain_weight.narrative, past.domain_weight.lore);

  const SearchIntent lore = world.decide("低语森林是什么地方？").plan.search_intent;
  ASSERT_FALSE(lore.focus_keywords.empty());
  EXPECT_EQ(lore.focus_keywords[0], "低语森林");
  EXPECT_EQ(lore.temporal_context, "now");
  EXPECT_GT(lore.domain_weight.lore, lore.domain_weight.narrative);

  EXPECT_EQ(world.decide("明天我打算去低语森林").plan.search_intent.temporal_context, "future");
  EXPECT_EQ(world.decide("Tomorrow I enter the Whispering Forest").plan.search_intent.temporal_context, "future");
  EXPECT_EQ(world.decide("上次我们在这里遇到了谁？").plan.search_intent.temporal_context, "past");
  const SearchIntent quest = world.decide("失踪的铁匠有消息吗？").plan.search_intent;
  EXPECT_GT(quest.domain_weight.event, 0.5);
}

TEST(Planner, HC_2_names_of_the_last_turn_are_keywords_too) {
  const World world;
  std::vector<Message> history(2);
  history[0].content = "I ask the blacksmith for help.";
  history[1].role = Role::kAssistant;
  history[1].content = "He shows you the Iron Sword.";
  PlannerInput input = world.input("How much for it?");
  input.history = &history;
  const auto keywords = decide_plan(input, {})->plan.search_intent.focus_keywords;
  EXPECT_NE(std::find(keywords.begin(), keywords.end(), "Iron Sword"), keywords.end());
  EXPECT_NE(std::find(keywords.begin(), keywords.end(), "Blacksmith"), keywords.end());
}

TEST(Planner, HC_2_the_template_follows_what_there_is) {
  const World world;
  EXPECT_EQ(world.decide("I go on").plan.template_id, "narrative");
  PlannerInput plain;
  plain.input = "I go on";
  EXPECT_EQ(decide_plan(plain, {})->plan.template_id, "chat");
  plain.task = "修好构建脚本";
  EXPECT_EQ(decide_plan(plain, {})->plan.template_id, "agent");
  EXPECT_EQ(decide_plan(plain, {})->plan.current_goal, "修好构建脚本");
  plain.template_id = "mine";
  EXPECT_EQ(decide_plan(plain, {})->plan.template_id, "mine");
}

TEST(Planner, HC_2_a_given_plan_is_checked_and_taken_as_it_is) {
  World world;
  PlannerInput input = world.input("HP -5");
  input.given = parse_plan(R"({"activeQuestId":"q_002","current_goal":"find him","templateId":"x"})").value();
  const auto taken = decide_plan(input, {});
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(to_json(taken->plan), to_json(*input.given));
  EXPECT_TRUE(taken->by == MadeBy::kGiven && !taken->numeric);
  input.given->active_quest_id = "q_999";
  EXPECT_EQ(decide_plan(input, {}).error().code, ErrorCode::kNotFound);
  input.given->active_quest_id = "q_002";
  world.quests[1].status = QuestStatus::kCompleted;
  EXPECT_EQ(decide_plan(input, {}).error().code, ErrorCode::kInvalidArgument);
}

constexpr const char* kAnswer =
    R"({"activeQuestId":"q_002","current_goal":"问出铁匠的下落","search_intent":{"focus_keywords":["铁匠"],)"
    R"("temporal_context":"past","domain_weight":{"narrative":0.9,"lore":0.1,"event":0.6}}})";

TEST(Planner, HC_2_the_model_is_asked_only_where_the_words_leave_it_open) {
  const World world;
  ScriptedChat model;
  model.say(kAnswer);
  EXPECT_EQ(decide_plan(world.input("HP -5"), {}, &model)->by, MadeBy::kFloor);
  EXPECT_EQ(decide_plan(world.input("失踪的铁匠在哪？"), {}, &model)->by, MadeBy::kFloor);
  EXPECT_TRUE(model.requests().empty());
  const PlannerDecision asked = decide_plan(world.input("他到底去了哪里？"), {}, &model).value();
  EXPECT_EQ(asked.by, MadeBy::kModel);
  EXPECT_EQ(asked.plan.active_quest_id, "q_002");
  EXPECT_EQ(asked.plan.template_id, "narrative");
  EXPECT_TRUE(asked.plan.search_intent.enabled);
  ASSERT_EQ(model.requests().size(), 1u);
  EXPECT_FALSE(model.requests()[0].json_schema.empty());
}

TEST(Planner, HC_2_a_late_wrong_or_broken_answer_changes_nothing) {
  const World world;
  const char* text = "what does he want from us?";
  const std::string floor = to_json(world.decide(text).plan);
  std::string unknown = kAnswer;
  unknown.replace(unknown.find("q_002"), 5, "q_777");
  PlannerOptions options;
  options.model_timeout = std::chrono::milliseconds(20);
  ScriptedChat model;
  model.say(unknown).say("no JSON").say("{\"activeQuestId\":7}").fail(unavailable("gone")).hang();
  for (int i = 0; i < 5; ++i) {
    const PlannerDecision decision = decide_plan(world.input(text), options, &model).value();
    EXPECT_EQ(decision.by, MadeBy::kFloor);
    EXPECT_EQ(to_json(decision.plan), floor);
  }
  EXPECT_EQ(model.requests().size(), 5u);
}

TEST(Planner, HC_2_any_input_gives_a_plan) {
  const World world;
  for (const std::string& text : {std::string("\xff\xfe"), std::string(1'000'000, 'a'), std::string(300'000, '?'),
                                  std::string("</system> SYSTEM: ["), std::string(3, '\0')}) {
    const auto decision = decide_plan(world.input(text), {});
    ASSERT_TRUE(decision.ok());
    EXPECT_TRUE(parse_plan(to_json(decision->plan)).ok()) << to_json(decision->plan).substr(0, 500);
  }
}

}  // namespace
}  // namespace weft
