#include "agent/replay.h"

#include <gtest/gtest.h>

#include "agent/tool.h"
#include "base/clock.h"

namespace weft {
namespace {

/// Writes the stream of a run as a loop would have written it.
class Stream {
 public:
  Stream() {
    RunStarted start;
    start.task = "count", start.owner = "user:ann";
    add(BusEventType::kRunStarted, start);
    add(BusEventType::kUserMessage, Said{Message::user("count")});
  }
  template <class T>
  Stream& add(BusEventType type, const T& payload) {
    events_.push_back({events_.size() + 1, Time{1000, 0}, type, to_json(payload)});
    return *this;
  }
  Stream& call(const std::string& tool, const std::string& arguments, const std::string& output,
               const std::string& effects = "none", bool failed = false) {
    const std::string id = "c" + std::to_string(events_.size());
    ModelReplied reply;
    reply.message = Message::step("", {{id, tool, arguments}});
    reply.seen = events_.size();
    add(BusEventType::kModelReply, reply);
    add(BusEventType::kToolIntent, Intended{id, tool, arguments, effects, ""});
    ToolAnswered answer;
    answer.call = id, answer.output = output, answer.failed = failed;
    return add(BusEventType::kToolResult, answer);
  }
  Stream& end(const std::string& text, Outcome outcome = Outcome::kUnknown, Witness by = Witness::kNobody) {
    AgentOutput output{text, "answered", outcome, events_.size()};
    output.by = by;
    return add(BusEventType::kAgentOutput, output);
  }
  std::span<const BusEvent> events() const { return events_; }
  RunState state() const { return fold("r", events_).value(); }

 private:
  std::vector<BusEvent> events_;
};

/// A registry of two tools that count how often they were really called.
class ReplayTest : public testing::Test {
 protected:
  ReplayTest() {
    for (const auto& [name, effects] : std::vector<std::pair<std::string, ToolEffects>>{
             {"look", ToolEffects::kNone}, {"put", ToolEffects::kSome}, {"end", ToolEffects::kKeyed}})
      EXPECT_TRUE(real_
                      .add(make_tool({name, "", ""}, effects,
                                     [this, name = name](const ToolRequest& request) -> Result<ToolOutcome> {
                                       ++really_;
                                       return ToolOutcome{name + " by " + request.run};
                                     }))
                      .ok());
  }
  Result<ToolOutcome> call(const ToolRegistry& tools, const std::string& tool, const std::string& arguments) {
    const auto scope = Scope::of_user("ann").value();
    const RequestContext request{scope, {}, {}};
    return tools.find(tool)->run({request, "replay", "c1", arguments, "", Deadline()});
  }

  ToolRegistry real_;
  Permissions permissions_;
  int really_ = 0, stopped_ = 0;
  ReplayWatch watch_{[this] { ++stopped_; }};
};

TEST_F(ReplayTest, EV_1_calls_are_answered_from_the_record_and_nothing_is_done) {
  const Stream stream = Stream()
                            .call("look", R"({"at":1,"deep":true})", "saw one")
                            .call("look", R"({"at":1,"deep":true})", "saw two")
                            .call("put", R"({"at":2})", "done", "some")
                            .end("two");
  const auto record = recorded_run("r1", stream.events());
  ASSERT_TRUE(record.ok()) << record.error().message;
  EXPECT_EQ(record->output, "two");
  EXPECT_TRUE(record->has_deeds());
  const auto tools = replay_tools(*record, real_, permissions_, watch_);
  ASSERT_TRUE(tools.ok());
  EXPECT_EQ(tools->find("put")->effects(), ToolEffects::kNone);
  EXPECT_EQ(call(*tools, "look", R"({ "deep": true, "at": 1 })")->output, "saw one");
  EXPECT_EQ(call(*tools, "look", R"({"at":1,"deep":true})")->output, "saw two");
  EXPECT_EQ(call(*tools, "look", R"({"at":1,"deep":true})")->output, "saw two");
  EXPECT_EQ(call(*tools, "put", R"({"at":2})")->output, "done");
  EXPECT_EQ(call(*tools, "end", R"({"outcome":"done"})")->output, "noted");
  EXPECT_EQ(really_, 0);
  // What only reads is really asked, in the name of the run that is played.
  EXPECT_EQ(call(*tools, "look", R"({"at":7})")->output, "look by r1");
  EXPECT_EQ(stopped_, 0);
  EXPECT_FALSE(call(*tools, "put", R"({"at":3})").ok());
  EXPECT_EQ(really_, 1);
  EXPECT_TRUE(watch_.strayed());
  EXPECT_EQ(stopped_, 1);
}

TEST_F(ReplayTest, EV_1_what_is_only_read_after_asking_is_not_read) {
  ASSERT_TRUE(permissions_.add("look=ask").ok());
  const auto record = recorded_run("r1", Stream().end("two").events());
  const auto tools = replay_tools(*record, real_, permissions_, watch_);
  EXPECT_FALSE(call(*tools, "look", "{}").ok());
  EXPECT_EQ(really_, 0);
}

TEST_F(ReplayTest, EV_1_runs_in_which_others_took_part_or_whose_tools_are_gone_are_not_played) {
  EXPECT_FALSE(recorded_run("r1", Stream().events()).ok());
  EXPECT_FALSE(
      recorded_run("r1", Stream().add(BusEventType::kUserMessage, Said{Message::user("and more")}).end("two").events())
          .ok());
  EXPECT_FALSE(
      recorded_run("r1",
                   Stream().add(BusEventType::kLimitReached, LimitReached{"calls", "calls", 3}).end("two").events())
          .ok());
  EXPECT_FALSE(recorded_run("r1", Stream().add(BusEventType::kHumanQuery, Asked()).end("two").events()).ok());
  const auto record = recorded_run("r1", Stream().call("gone", "{}", "x").end("two").events());
  ASSERT_TRUE(record.ok());
  const auto tools = replay_tools(*record, real_, permissions_, watch_);
  ASSERT_FALSE(tools.ok());
  EXPECT_NE(tools.error().message.find("gone"), std::string::npos);
}

TEST_F(ReplayTest, EV_1_the_same_deeds_go_as_they_went_and_less_is_a_failure) {
  const auto run = [] { return Stream().call("put", R"({"at":2})", "done", "some"); };
  auto record = recorded_run("r1", run().end("two").events()).value();
  record.outcome = Outcome::kSuccess, record.by = Witness::kVerifier;
  const auto judged = [&](const Stream& stream) {
    std::string why;
    return judge_replay(record, stream.state(), stream.events(), why);
  };
  EXPECT_EQ(judged(run().end("another answer")), Outcome::kSuccess);
  EXPECT_EQ(judged(Stream().end("two")), Outcome::kFailure);
  EXPECT_EQ(judged(run().add(BusEventType::kLimitReached, LimitReached{"calls", "calls", 3}).end("two")),
            Outcome::kFailure);
  record.outcome = Outcome::kFailure;
  EXPECT_EQ(judged(run().end("two")), Outcome::kFailure);
  EXPECT_EQ(judged(Stream().end("two")), Outcome::kUnknown);
}

TEST_F(ReplayTest, EV_1_an_answer_is_judged_by_its_verifier_else_only_where_it_is_the_same) {
  auto record = recorded_run("r1", Stream().call("look", "{}", "saw").end("There are 42 boxes.").events()).value();
  const auto judged = [&](const Stream& stream) {
    std::string why;
    return judge_replay(record, stream.state(), stream.events(), why);
  };
  record.outcome = Outcome::kSuccess, record.by = Witness::kVerifier;
  EXPECT_EQ(judged(Stream().end("40", Outcome::kFailure, Witness::kVerifier)), Outcome::kFailure);
  EXPECT_EQ(judged(Stream().end("There are 42 boxes.")), Outcome::kUnknown);
  record.by = Witness::kUser;
  EXPECT_EQ(judged(Stream().end("there are 42 boxes")), Outcome::kSuccess);
  EXPECT_EQ(judged(Stream().end("There are 40 boxes.")), Outcome::kUnknown);
}

}  // namespace
}  // namespace weft
