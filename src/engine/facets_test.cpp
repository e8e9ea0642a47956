// The facets of the public interface, as programs call them.
#include "tests/support/engine_fixture.h"

namespace weft {
namespace {

using namespace weft::test;

class Facets : public EngineTest {
 protected:
  Facets() { open(); }
  const Engine& engine() const { return *engine_; }
};

template <class R>
ErrorCode code_of(const R& result) {
  return result.ok() ? ErrorCode::kInternal : result.error().code;
}

TEST_F(Facets, PF_10_one_message_a_list_and_a_span_are_observed_alike) {
  const Session session = engine().session(Scope::of_user("ann"), "today");
  const auto one = session.observe(Message::user("My sister Mei lives in Utrecht."));
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(one->observations.size(), 1u);
  EXPECT_EQ(session.observe({Message::assistant("Noted."), Message::user("She plays the cello.")})->observations.size(),
            2u);
  EXPECT_EQ(session.observe(std::vector{Message::assistant("Nice.")})->observations.size(), 1u);
  const auto history = session.history();
  ASSERT_EQ(history->size(), 4u);
  EXPECT_EQ(history->back().message.content, "Nice.");
  const auto found = engine().memory(Scope::of_user("ann")).search("Utrecht");
  ASSERT_FALSE(found->hits.empty());
  EXPECT_EQ(found->hits.front().item.text, "My sister Mei lives in Utrecht.");
}

// What is said while somebody walks through the list moves a conversation to its head; it comes once all the same.
TEST_F(Facets, PF_10_each_conversation_comes_once_whatever_is_said_meanwhile) {
  const auto ann = Scope::of_user("ann");
  const auto say = [&](int session, const char* text) {
    ASSERT_TRUE(engine().session(ann, "s" + std::to_string(session)).observe(Message::user(text)).ok());
  };
  for (int i = 0; i < 9; ++i) say(i, "hello");
  std::vector<std::string> seen;
  SessionsPlace from;
  for (int page = 0; page < 20; ++page) {
    const auto some = engine().watch(ann).sessions(from, 2);
    ASSERT_TRUE(some.ok()) << some.error().message;
    for (const SessionSummary& one : some->sessions) seen.push_back(one.session.str());
    if (!some->next) break;
    from = *some->next;
    say(page, "again");       // one that comes later in the list
    say(8 - page, "again");   // and one that has been there
    say(100 + page, "new");   // and one that is new
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"s8", "s7", "s6", "s5", "s4", "s3", "s2", "s1", "s0"}));
  EXPECT_EQ(engine().watch(ann).sessions(1000)->size(), 9U + 4U);
}

TEST_F(Facets, PF_3_a_wrong_id_is_an_error_at_each_call) {
  const auto nobody = Scope::of_user("");
  EXPECT_EQ(code_of(engine().session(nobody, "today").observe(Message::user("a"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(engine().memory(nobody).search("a")), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(engine().profiles(nobody).read()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(engine().state(nobody).read()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(engine().story(nobody).quests()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(engine().memory(Scope::of_group("a\nb")).search("a")), ErrorCode::kInvalidArgument);

  const auto ann = Scope::of_user("ann");
  const Session broken = engine().session(ann, std::string(300, 'x'));
  EXPECT_EQ(code_of(broken.observe(Message::user("a"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.sync({})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.save()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.context("a")), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.standing_text()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.end({})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.history()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.task()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.set_task({})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.end_task()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.compact()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.compactions()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(broken.undo_compaction()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(engine().state(ann, "").read()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(engine().story(ann).remove_lore("")), ErrorCode::kInvalidArgument);
}

TEST_F(Facets, PF_3_a_facet_shows_nothing_of_another_scope) {
  const auto ann = Scope::of_user("ann"), bob = Scope::of_user("bob"), group = Scope::of_group("hikers", "ann");
  ASSERT_TRUE(engine().session(ann, "s").observe(Message::user("The key lies under the blue stone.")).ok());
  ASSERT_TRUE(engine().state(ann).put(ValueObject{{"hp", 5}}).ok());
  ASSERT_TRUE(engine().profiles(ann).write("Likes tea.\n").ok());
  for (const auto& other : {bob, group}) {
    EXPECT_TRUE(engine().memory(other).search("blue stone")->hits.empty());
    EXPECT_TRUE(engine().session(other, "s").history()->empty());
    EXPECT_EQ(engine().state(other).read()->version, 0);
    EXPECT_EQ(code_of(engine().profiles(other).read()), ErrorCode::kNotFound);
  }
}

TEST_F(Facets, PF_10_conditions_of_a_call_go_with_its_caller) {
  const Caller ann(Scope::of_user("ann"));
  std::stop_source stop;
  stop.request_stop();
  // What was said is kept, also where nobody waits for the answer any more.
  EXPECT_TRUE(engine().session(ann.cancelled_by(stop.get_token()), "s").observe(Message::user("a")).ok());
  EXPECT_EQ(engine().session(ann, "s").history()->size(), 1u);
  ASSERT_TRUE(engine().state(ann.of_world("coast")).put(ValueObject{{"tide", "low"}}).ok());
  EXPECT_EQ(*engine().state(ann.in_world("coast")).get("tide"), Value("low"));
  EXPECT_EQ(code_of(engine().state(ann).get("tide")), ErrorCode::kNotFound);
}

TEST_F(Facets, PF_10_a_state_is_read_and_changed_without_json) {
  const State state = engine().state(Scope::of_user("ann"), "game");
  ASSERT_TRUE(state.put(ValueObject{{"hero", ValueObject{{"hp", 40}, {"name", "灯"}}}}).ok());
  const auto changed = state.apply(StateOps().add("hero.hp", -15).set("hero.name", "Oda").if_version(1));
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  EXPECT_EQ(*state.get("hero.hp"), Value(25));
  EXPECT_EQ(*state.get("hero.name"), Value("Oda"));
  EXPECT_EQ(*state.read(1)->tree()->find("hero")->find("hp"), Value(40));
  EXPECT_EQ(code_of(state.get("hero.mana")), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(state.apply(StateOps().add("hero.hp", 1).if_version(1))), ErrorCode::kConflict);
  EXPECT_EQ(code_of(state.apply(StateOps().set("hero.hp", 99).add("nobody.hp", 1))), ErrorCode::kNotFound);
  EXPECT_EQ(*state.get("hero.hp"), Value(25));
}

TEST_F(Facets, PF_10_a_profile_is_the_scopes_own_unless_another_is_named) {
  const ScopeProfiles mine = engine().profiles(Scope::of_user("ann"));
  ASSERT_TRUE(mine.write("First.\n").ok());
  ASSERT_TRUE(mine.write("Second.\n").ok());
  const auto versions = mine.history();
  ASSERT_FALSE(versions->empty());
  EXPECT_EQ(mine.roll_back(versions->back().version)->body, "First.\n");
  EXPECT_EQ(mine.read()->entity, (EntityKey{EntityType::kUser, "ann"}));
  EXPECT_EQ(code_of(mine.read(EntityKey{EntityType::kUser, "bob"})), ErrorCode::kPermission);
  const ScopeProfiles group = engine().profiles(Scope::of_group("hikers", "ann"));
  EXPECT_EQ(group.write("A group.\n")->entity, (EntityKey{EntityType::kGroup, "hikers"}));
}

}  // namespace
}  // namespace weft
