// Planned prompts, states, quests, lore and tools through the engine.
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/engine_context_fixture.h"

namespace weft::test {
namespace {

TEST_F(EngineContext, HC_1_a_change_of_numbers_is_done_and_answered_without_a_prompt) {
  open();
  put();
  const WovenContext fast = weave("HP -5");
  EXPECT_TRUE(fast.messages.empty());
  EXPECT_NE(fast.answer.find("80"), std::string::npos) << fast.answer;
  EXPECT_EQ(fast.answer.front(), 'h') << fast.answer;  // a number of the world itself has no owner
  EXPECT_EQ(fast.state_version, 2);
  EXPECT_NE(state(as("ann")).find(R"("value":80)"), std::string::npos);
  // Said among other things it is a story.
  EXPECT_TRUE(weave("I give him three reasons why the potion smells odd.").answer.empty());
  EXPECT_EQ(engine_->state(as("ann"), "default").read(0)->version, 2);
}

TEST_F(EngineContext, HC_3_a_planned_prompt_has_its_skeleton_and_what_curation_found) {
  open();
  put();
  import_world();
  turn("We mended the boat last week.", "The ferryman was glad.");
  const WovenContext woven = weave("I try the door of the lighthouse. What do I see?");
  ASSERT_TRUE(woven.plan.has_value());
  EXPECT_EQ(woven.plan->active_quest_id, "key");
  const std::string text = text_of(woven);
  EXPECT_NE(text.find("health: 85 (hurt)"), std::string::npos) << text;
  EXPECT_NE(text.find("Find the key"), std::string::npos);
  EXPECT_NE(text.find("Only the silver key opens its door"), std::string::npos) << text;
  // What changes with each turn stands before what the player says, which is the last word and said once.
  const std::string said = "I try the door of the lighthouse. What do I see?";
  const std::string& last = woven.messages.back().content;
  EXPECT_TRUE(last.starts_with("<context_layer type=\"deterministic\">")) << last;
  EXPECT_TRUE(last.ends_with("</context_layer>\n\n" + said)) << last;
  EXPECT_EQ(text.find(said), text.rfind(said));
  EXPECT_EQ(woven.state_version, 1);
  const WovenContext several = weave(said, [](ContextRequest& what) { what.system_messages = "several"; });
  EXPECT_EQ(several.messages.back().content, said);
  // What was chosen stands in the report by its id, beside how curation ended.
  bool chosen = false;
  for (const ReportSection& section : woven.report.sections)
    for (const ReportItem& item : section.items)
      chosen = chosen || (item.id.starts_with("lore:world.md") && item.kept && item.source == "rag_chain");
  EXPECT_TRUE(chosen);
}

TEST_F(EngineContext, HC_2_a_plan_from_outside_is_taken_as_it_is) {
  open();
  put();
  import_world();
  PlanContext plan;
  plan.active_quest_id = "key";
  plan.current_goal = "Let the player meet the keeper";
  plan.template_id = "narrative";
  plan.search_intent.enabled = false;
  const WovenContext woven = weave("Hello?", [&](ContextRequest& what) { what.plan = plan; });
  EXPECT_EQ(woven.plan->current_goal, plan.current_goal);
  EXPECT_NE(text_of(woven).find("Let the player meet the keeper"), std::string::npos);
  EXPECT_EQ(text_of(woven).find("silver key opens"), std::string::npos);
  ContextRequest wrong;
  wrong.input = "Hello?";
  wrong.plan = plan;
  wrong.plan->active_quest_id = "nobody";
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).context(wrong).error().code, ErrorCode::kNotFound);
}

TEST_F(EngineContext, HC_4_a_users_own_template_goes_before_the_shipped_one) {
  open();
  put();
  std::filesystem::create_directories(std::filesystem::path(config_.workspace) / "templates");
  std::ofstream(std::filesystem::path(config_.workspace) / "templates" / "mine.jinja")
      << "<mine version=\"{{ state_version }}\">{{ state.place }}</mine>";
  const WovenContext woven = weave("I look around me slowly.", [](ContextRequest& what) { what.template_id = "mine"; });
  EXPECT_NE(text_of(woven).find("<mine version=\"1\">harbour</mine>"), std::string::npos) << text_of(woven);
  ContextRequest unknown;
  unknown.input = "I look around me slowly.";
  unknown.planned = true;
  unknown.template_id = "../secret";
  EXPECT_FALSE(engine_->session(as("ann"), SessionId("s")).context(unknown).ok());
}

TEST_F(EngineContext, HC_7_versions_of_a_state_outlive_the_process_and_can_be_taken_back) {
  config_.state.snapshot_every = 3;
  open();
  put();
  for (int i = 0; i < 8; ++i)
    ASSERT_TRUE(engine_->state(as("ann"), "default").apply({R"(["ADD","potion.count",1])", "model", {}}).ok());
  const std::string newest = state(as("ann"));
  open();
  EXPECT_EQ(state(as("ann")), newest);
  EXPECT_EQ(engine_->state(as("ann"), "default").read(5)->json.find(R"("count":6)") != std::string::npos, true);
  EXPECT_EQ(engine_->state(as("ann"), "default").log(100)->size(), 9u);
  EXPECT_EQ(engine_->state(as("ann"), "default").log(2)->front().version, 8);
  const auto back = engine_->state(as("ann"), "default").roll_back(1, "user");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->version, 10);
  open();
  EXPECT_NE(state(as("ann")).find(R"("count":2)"), std::string::npos);
  const auto late = engine_->state(as("ann"), "default").apply({R"(["SET","potion.count",0])", "model", 3});
  EXPECT_EQ(late.error().code, ErrorCode::kConflict);
  EXPECT_EQ(engine_->state(as("ann"), "default").read(99).error().code, ErrorCode::kNotFound);
}

TEST_F(EngineContext, AC_10_the_prompts_of_a_talk_only_grow) {
  open();
  turn("My bees live behind the barn near the old mill.", "Noted.", "old");
  turn("My honey is sold at the market in Bergen every May.", "Noted.", "old");
  drain();
  std::vector<Message> history;
  std::set<std::string> said_already;  // each memory stands where it was first needed, and nowhere else
  for (const char* said : {"Where do my bees live?", "Thanks. And where is my honey sold?", "In which month is that?",
                           "Go on.", "Go on."}) {
    history.push_back(user(said));
    ContextRequest what;
    what.history = history;
    const auto woven = engine_->session(as("ann"), SessionId("talk")).context(what);
    ASSERT_TRUE(woven.ok()) << woven.error().message;
    EXPECT_EQ(woven->report.prefix_break, "") << said;
    EXPECT_EQ(woven->report.prefix_equal_bytes, woven->report.last_prompt_bytes);
    for (const ReportSection& section : woven->report.sections)
      for (const ReportItem& item : section.items) {
        if (section.name != "memory" || !item.kept) continue;
        EXPECT_TRUE(said_already.insert(item.id).second) << item.id;
      }
    history.push_back(assistant("Answer to: " + std::string(said)));
  }
  EXPECT_FALSE(said_already.empty());
  // What is erased stands in no block.
  EraseRequest erase;
  erase.everything = true;
  ASSERT_TRUE(engine_->memory(as("ann")).erase(erase).ok());
  ContextRequest what;
  what.history = history;
  what.history.push_back(user("And now?"));
  const auto woven = engine_->session(as("ann"), SessionId("talk")).context(what);
  ASSERT_TRUE(woven.ok());
  EXPECT_EQ(text_of(*woven).find("behind the barn"), std::string::npos);
}

TEST_F(EngineContext, PF_3_states_quests_lore_and_compactions_stay_in_their_scope) {
  open();
  put();
  import_world();
  talk(30);
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).compact({}).ok());
  EXPECT_EQ(engine_->state(as("bob"), "default").read(0)->version, 0);
  EXPECT_EQ(engine_->state(in("g", "ann"), "default").read(0)->version, 0);
  EXPECT_TRUE(engine_->story(as("bob")).quests()->empty());
  EXPECT_TRUE(engine_->memory(as("bob")).items(ItemKind::kLore, 10)->empty());
  EXPECT_TRUE(engine_->session(as("bob"), SessionId("s")).compactions()->empty());
  ContextRequest what;
  what.input = "I try the door of the lighthouse. What do I see?";
  what.planned = true;
  const auto woven = engine_->session(as("bob"), SessionId("s")).context(what).value();
  EXPECT_EQ(text_of(woven).find("silver"), std::string::npos);
}

TEST_F(EngineContext, HC_8_lore_that_comes_only_sometimes_comes_about_as_often) {
  open();
  const auto lore = engine_->story(as("ann")).import_lore(
      R"({"entries":{"0":{"uid":0,"key":["ghost"],"comment":"Ghost","content":"The ghost wears grey silk.",
                     "probability":30,"useProbability":true,"sticky":4}}})",
      "ghosts.json");
  ASSERT_TRUE(lore.ok()) << lore.error().message;
  // What is not used is told, not passed over.
  EXPECT_EQ(std::count_if(lore->problems.begin(), lore->problems.end(),
                          [](const std::string& problem) { return problem.find("sticky") != std::string::npos; }),
            1);
  int came = 0;
  constexpr int kTurns = 100;
  const auto comes = [&](int turn) {
    // Nothing but its key calls it up.
    const auto woven = weave("Turn " + std::to_string(turn) + ": is the ghost here?", [](ContextRequest& what) {
      what.plan = PlanContext();
      what.plan->search_intent.enabled = true;
      what.plan->search_intent.domain_weight = {0, 0, 0};
    });
    return text_of(woven).find("grey silk") != std::string::npos;
  };
  for (int turn = 0; turn < kTurns; ++turn) came += comes(turn) ? 1 : 0;
  EXPECT_GT(came, 12);
  EXPECT_LT(came, 55);
  EXPECT_EQ(comes(7), comes(7));
}

TEST_F(EngineContext, HC_8_lore_of_a_file_that_is_read_again_is_not_doubled) {
  open();
  import_world();
  const auto again = engine_->story(as("ann")).import_lore("# The lighthouse\n\nIt fell into the sea.\n", "world.md");
  ASSERT_TRUE(again.ok());
  drain();
  const auto lore = items(ItemKind::kLore);
  ASSERT_EQ(lore.size(), 1u);
  EXPECT_NE(lore[0].text.find("fell into the sea"), std::string::npos);
}

TEST_F(EngineContext, HC_12_the_prompt_is_also_one_text_for_plain_models) {
  open();
  put();
  import_world();
  turn("Where am I?", "At the harbour.");
  const WovenContext woven = weave("I go to the <lighthouse>.", [](ContextRequest& what) {
    what.skein = true;
    what.system = "You tell the story.";
  });
  std::size_t last = 0;
  for (const char* part : {"<root>", "<system>", "You tell the story.", "type=\"deterministic\"", "</system>",
                           "<chat_history>", "Where am I?", "<user_input>", "&lt;lighthouse&gt;", "</root>"}) {
    const std::size_t at = woven.skein.find(part);
    ASSERT_NE(at, std::string::npos) << part << " in " << woven.skein;
    EXPECT_GE(at, last) << part;
    last = at;
  }
}

TEST_F(EngineContext, AC_8_few_of_many_tools_are_described_and_stay_while_the_task_lasts) {
  open();
  std::vector<ToolInfo> tools;
  for (int i = 0; i < 60; ++i)
    tools.push_back({"shell_tool_" + std::to_string(i), "Does thing number " + std::to_string(i) + " with wood.", ""});
  tools.push_back(
      {"search_flights", "Finds flights between two airports on a date.",
       R"({"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from"]})"});
  tools.push_back({"search_hotels", "Finds hotels in a town for some nights.", ""});
  const auto ask = [&](const std::string& input) {
    return weave(input, [&](ContextRequest& what) {
      what.planned = false;
      what.tools = tools;
      what.task.description = "Book flights and hotels for a journey";
    });
  };
  const WovenContext first = ask("find flights to Bergen");
  EXPECT_GE(first.tools.size(), 1u);
  EXPECT_LE(first.tools.size(), 7u);
  const auto described = [](const WovenContext& woven) {
    for (const Message& message : woven.messages)
      if (message.content.starts_with("<tools>")) return message.content;
    return std::string();
  };
  EXPECT_NE(described(first).find("search_flights(from: string"), std::string::npos) << described(first);
  EXPECT_NE(described(first).find("search_hotels"), std::string::npos);
  // What was described stays as it is; what a later input needs stands behind it.
  std::string before = described(first);
  before.resize(before.rfind("</tools>"));
  EXPECT_TRUE(described(ask("and now a hotel")).starts_with(before)) << before;
}

}  // namespace
}  // namespace weft::test
