// A narrative game: exact state, quests that open one another, lore that comes when it is called up, and a prompt under
// a deadline.
#include <weft/weft.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

namespace {

using weft::Value;
using weft::ValueList;
using weft::ValueObject;

weft::Status fill(const weft::Engine& engine, const weft::Caller& player) {
  const Value world(ValueObject{
      {"hero", ValueObject{{"hp", 40}, {"silver", 12}}},
      {"bag", ValueObject{{"items", ValueList{ValueObject{{"id", "rope"}, {"name", "Rope"}, {"count", 1}}}}}}});
  WEFT_TRY(const auto state, engine.state(player).put(world));

  const weft::Story story = engine.story(player);
  WEFT_TRY(const auto one, story.put_quest({.id = "lighthouse",
                                            .title = "The Dark Lighthouse",
                                            .objective = "Find out why Grey Point is dark.",
                                            .status = weft::QuestStatus::kActive}));
  WEFT_TRY(const auto two, story.put_quest({.id = "keeper",
                                            .title = "The Missing Keeper",
                                            .objective = "Find Oda Brandt.",
                                            .prerequisites = {"lighthouse"}}));
  weft::LoreEntry entry;
  entry.id = "grey-point";
  entry.title = "Grey Point";
  entry.text = "The oak door of the lighthouse has two locks; the harbour master carries the second key.";
  entry.keys = {"lighthouse", "灯塔"};
  WEFT_TRY(const auto lore, story.put_lore(entry));
  return {};
}

weft::Status run(const std::string& workspace) {
  weft::Config config;
  config.workspace = workspace;
  WEFT_TRY(const auto engine, weft::Engine::open(config));
  const weft::Caller player = weft::Scope::of_user("player-1");
  WEFT_CHECK(fill(*engine, player));

  // A blow and a purchase: both or none. The numbers are the game's, never the model's.
  const weft::State state = engine->state(player);
  WEFT_TRY(const auto changed, state.apply(weft::StateOps().add("hero.hp", -15).add("hero.silver", -12).by("rules")));
  const auto wrong = state.apply(weft::StateOps().set("hero.hp", 99).push("chest", "gold"));
  std::printf("a change that cannot be whole: %s\n", wrong.error().message.c_str());
  WEFT_TRY(const Value hp, state.get("hero.hp"));
  std::printf("version %lld, hp %s\n", static_cast<long long>(changed.version), weft::to_json(hp).c_str());

  weft::ContextRequest turn;
  turn.input = "I walk up to the lighthouse and try the door.";
  turn.planned = true;
  using namespace std::chrono_literals;
  WEFT_TRY(const auto woven, engine->session(player.within(2s), "game").context(turn));
  std::string prompt;
  for (const weft::Message& message : woven.messages) prompt += message.content + "\n";
  std::printf("\n%s\n", prompt.c_str());

  WEFT_TRY(const auto quests,
           engine->story(player).move_quest("lighthouse", weft::QuestStatus::kCompleted, "The lamp oil was stolen."));
  for (const weft::Quest& quest : quests) {
    std::printf("%-20s %s\n", quest.title.c_str(), std::string(weft::to_string(quest.status)).c_str());
  }
  const bool all = prompt.find("two locks") != std::string::npos && hp == Value(25) && !wrong.ok();
  return all ? weft::Status() : weft::internal("the story is not as told");
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "weft-example-story-game";
  std::filesystem::remove_all(folder);
  const weft::Status done = run(folder.string());
  if (!done.ok()) std::fprintf(stderr, "%s | %s\n", done.error().message.c_str(), done.error().hint.c_str());
  std::filesystem::remove_all(folder);
  return done.ok() ? 0 : 1;
}
