// States through the engine: schemas, and many entities whose numbers change.
#include <stdexcept>

#include "tests/support/engine_fixture.h"
#include "tests/support/failing_clock.h"

namespace weft::test {
namespace {

class EngineState : public EngineTest {
 protected:
  static constexpr const char* kState =
      R"({"health":{"value":85,"description":"hurt"},"bag":{"_anchor":"bag","items":[{"id":"potion","name":"Potion","count":2}]}})";
  static constexpr const char* kSchema =
      R"({"type":"object","required":["health"],"properties":{"health":{"properties":{"value":{"type":"integer","minimum":0,"maximum":100}}}}})";

  Status apply(const std::string& operations) {
    const auto changed = engine_->state(as("ann"), "default").apply({operations, "model", {}});
    return changed.ok() ? Status() : changed.error();
  }
  std::string answer(const std::string& input) {
    ContextRequest what;
    what.input = input;
    what.planned = true;
    const auto woven = engine_->session(as("ann"), SessionId("s")).context(what);
    EXPECT_TRUE(woven.ok()) << woven.error().message;
    return woven.ok() ? woven->answer : std::string();
  }
};

TEST_F(EngineState, HC_7_a_schema_holds_for_every_change_and_outlives_the_process) {
  open();
  ASSERT_TRUE(engine_->state(as("ann"), "default").put_json(kState, "game").ok());
  EXPECT_EQ(engine_->state(as("ann"), "default").schema().value(), "");
  ASSERT_TRUE(engine_->state(as("ann"), "default").set_schema_json(kSchema, "author").ok());
  for (const bool again : {false, true}) {
    if (again) open();
    EXPECT_EQ(engine_->state(as("ann"), "default").schema().value(), kSchema);
    EXPECT_EQ(apply(R"(["SET","health",101])").error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(engine_->state(as("ann"), "default").put_json(R"({"bag":[]})", "game").ok());
    EXPECT_TRUE(apply(R"(["ADD","health",-5])").ok());
  }
  EXPECT_EQ(engine_->state(as("ann"), "default").read(0)->version, 3);
  // It is of one state of one scope.
  EXPECT_TRUE(engine_->state(as("ann"), "other").put_json(R"({"bag":[]})", "game").ok());
  EXPECT_TRUE(engine_->state(as("bob"), "default").put_json(R"({"bag":[]})", "game").ok());
}

TEST_F(EngineState, HC_7_a_schema_that_the_state_breaks_is_refused_and_an_empty_one_lifts_it) {
  open();
  ASSERT_TRUE(engine_->state(as("ann"), "default").put_json(R"({"health":200})", "game").ok());
  ASSERT_TRUE(engine_->state(as("ann"), "default").put_json(kState, "game").ok());
  EXPECT_FALSE(engine_->state(as("ann"), "default").set_schema_json(R"({"required":["mana"]})", "author").ok());
  EXPECT_FALSE(engine_->state(as("ann"), "default").set_schema_json(R"({"type":7})", "author").ok());
  const char* strict = R"({"properties":{"health":{"type":"object"}}})";
  ASSERT_TRUE(engine_->state(as("ann"), "default").set_schema_json(strict, "author").ok());
  // A former version from before the schema may break it: it does not come back, and nothing has changed.
  EXPECT_FALSE(engine_->state(as("ann"), "default").roll_back(1, "user").ok());
  EXPECT_EQ(engine_->state(as("ann"), "default").read(0)->version, 2);
  EXPECT_NE(engine_->state(as("ann"), "default").read(0)->json.find("hurt"), std::string::npos);
  ASSERT_TRUE(engine_->state(as("ann"), "default").set_schema_json("", "author").ok());
  EXPECT_EQ(engine_->state(as("ann"), "default").schema().value(), "");
  EXPECT_TRUE(engine_->state(as("ann"), "default").roll_back(1, "user").ok());
}

TEST_F(EngineState, HC_1_a_number_that_the_schema_forbids_is_a_matter_for_the_story) {
  open();
  ASSERT_TRUE(engine_->state(as("ann"), "default").put_json(kState, "game").ok());
  ASSERT_TRUE(engine_->state(as("ann"), "default").set_schema_json(kSchema, "author").ok());
  ContextRequest what;
  what.input = "HP +50";
  what.planned = true;
  const auto told = engine_->session(as("ann"), SessionId("s")).context(what);
  ASSERT_TRUE(told.ok()) << told.error().message;
  EXPECT_TRUE(told->answer.empty());
  ASSERT_TRUE(told->plan.has_value());
  EXPECT_EQ(told->plan->template_id, "narrative");
  EXPECT_TRUE(told->plan->search_intent.enabled);
  const std::string& last = told->messages.back().content;
  EXPECT_TRUE(last.ends_with("</notice>\n\nHP +50")) << last;
  EXPECT_NE(last.find("<notice>\nNothing was changed: "), std::string::npos) << last;
  EXPECT_TRUE(told->notice.starts_with("Nothing was changed: ")) << told->notice;
  EXPECT_NE(told->notice.find("[health][value]"), std::string::npos) << told->notice;
  EXPECT_EQ(engine_->state(as("ann"), "default").read(0)->version, 1);
  EXPECT_FALSE(answer("HP -5").empty());
}

TEST_F(EngineState, HC_1_numbers_and_names_of_each_version_are_the_ones_that_are_spoken_of) {
  open();
  ASSERT_TRUE(engine_->state(as("ann"), "default").put_json(kState, "game").ok());
  EXPECT_NE(answer("HP -5").find("80"), std::string::npos);
  EXPECT_NE(answer("HP -5").find("75"), std::string::npos);
  EXPECT_NE(answer("Give me 3 potions").find("5"), std::string::npos);
  ASSERT_TRUE(apply(R"(["PUSH","bag",{"id":"arrow","name":"Arrow","count":7}])").ok());
  EXPECT_NE(answer("Give me 3 arrows").find("10"), std::string::npos);
  ASSERT_TRUE(apply(R"([["SET","arrow.name","Bolt"]])").ok());
  EXPECT_NE(answer("Give me 2 bolts").find("12"), std::string::npos);
}

// Keeping an answer breaks off at each look at the clock; what of it is kept then, the client's retry makes whole.
TEST_F(EngineState, PF_23_a_retry_repairs_what_was_broken_off_behind_the_commit) {
  const Message answer = assistant("You are hit.\n```state\n[[\"ADD\",\"health\",-5]]\n```", "a1");
  EngineParts parts;
  parts.clock = std::make_unique<FailingClock>();
  parts.embedder = std::make_unique<HashEmbedder>();
  engine_ = EngineImpl::open(config_, std::move(parts)).value();
  int number = 0;
  for (bool broken = true; broken; ++number) {
    const SessionId session("s" + std::to_string(number));
    ASSERT_TRUE(engine_->state(as("ann"), "default").put_json(kState, "game").ok());
    const auto before = engine_->state(as("ann"), "default").read(0)->json;
    FailingClock::fail_at(number);
    try {
      (void)engine_->session(as("ann"), session).observe(answer);
    } catch (const std::runtime_error&) {
    }
    broken = FailingClock::has_failed();
    ASSERT_TRUE(engine_->session(as("ann"), session).observe(answer).ok());
    EXPECT_NE(engine_->state(as("ann"), "default").read(0)->json, before) << "broken off at look " << number;
  }
  EXPECT_GT(number, 1);
}

}  // namespace
}  // namespace weft::test
