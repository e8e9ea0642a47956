#include "agent/run_state.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace weft {
namespace {

/// Writes streams as a loop could have written them, at random.
class RandomRun {
 public:
  explicit RandomRun(unsigned seed) : random_(seed) {
    add(BusEventType::kRunStarted, RunStarted{"sort the post", "office", "user:ann", "main", "", "", "", 0, {}, {}});
    say("sort the post");
  }

  std::vector<BusEvent> make(std::size_t count) {
    while (events_.size() < count) step();
    return events_;
  }

 private:
  template <class T>
  void add(BusEventType type, const T& payload) {
    events_.push_back(
        {events_.size() + 1, Time{static_cast<std::int64_t>(events_.size()) * 1000, 0}, type, to_json(payload)});
  }
  void say(const std::string& text) { add(BusEventType::kUserMessage, Said{Message::user(text)}); }
  std::size_t upto(std::size_t most) { return random_() % most; }

  void step() {
    if (!open_.empty()) return work_off();
    if (upto(6) == 0) return say("also this, 还有 " + std::to_string(random_()));
    if (upto(9) == 0) return add(BusEventType::kProgress, ProgressTold{{"a"}, {"c"}, "b"});
    if (upto(20) == 0) return add(BusEventType::kInterrupted, Interrupted{"user", "lunch"});
    if (upto(20) == 0) return add(BusEventType::kCompacted, CompactedTo{"k", 10, 5});
    ModelReplied reply;
    reply.seen = events_.size() - upto(2);
    reply.prompt_tokens = 10;
    reply.message = Message::step("hm", {});
    const std::size_t calls = upto(4);
    for (std::size_t i = 0; i < calls; ++i)
      open_.push_back("c" + std::to_string(events_.size()) + "_" + std::to_string(i));
    for (const std::string& id : open_) reply.message.tool_calls.push_back({id, "look", "{\"at\":1}"});
    if (calls == 0 && upto(3) != 0) reply.message.content = "done with it";
    add(BusEventType::kModelReply, reply);
    if (!reply.message.content.empty() && upto(2) == 0)
      add(BusEventType::kAgentOutput, AgentOutput{"done", "answered", Outcome::kUnknown, events_.size()});
  }

  void work_off() {
    if (upto(7) == 0) return say("wait");
    const std::size_t at = upto(open_.size());
    const std::string id = open_[at];
    if (upto(2) == 0) add(BusEventType::kToolIntent, Intended{id, "look", "{\"at\":1}", "none", ""});
    ToolAnswered answer;
    answer.call = id;
    answer.output = "output of " + id;
    answer.failed = upto(3) == 0;
    add(BusEventType::kToolResult, answer);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  std::mt19937 random_;
  std::vector<BusEvent> events_;
  std::vector<std::string> open_;
};

std::string told(const RunState& state) {
  std::string all = std::to_string(state.last) + (state.ended() ? " ended" : "") + (state.answered ? " answered" : "") +
                    (state.interrupted ? " interrupted" : "") + " " + std::to_string(state.used.tool_calls) + " " +
                    std::to_string(state.used.tokens) + " " + std::to_string(state.used.repeats);
  for (const Message& message : state.told()) all += "\n" + to_json(message);
  for (const CallState& call : state.calls) all += "\nopen " + call.call.id;
  return all;
}

TEST(RunState, AL_4_any_prefix_and_the_rest_is_the_whole) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto events = RandomRun(seed).make(80);
    const auto whole = fold("r", events);
    ASSERT_TRUE(whole.ok()) << seed << ": " << whole.error().message;
    std::mt19937 random(seed);
    const std::size_t cut = random() % events.size();
    auto resumed = fold("r", std::span(events).first(cut));
    ASSERT_TRUE(resumed.ok());
    for (const BusEvent& event : std::span(events).subspan(cut)) ASSERT_TRUE(resumed->apply(event).ok());
    EXPECT_EQ(told(*resumed), told(*whole)) << seed;
  }
}

TEST(RunState, AL_1_messages_are_what_chat_models_take_at_every_event) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    RunState state;
    state.run = "r";
    for (const BusEvent& event : RandomRun(seed).make(80)) {
      ASSERT_TRUE(state.apply(event).ok());
      std::vector<std::string> wanted;
      std::set<std::string> ids;
      for (const Message& message : state.messages) {
        EXPECT_TRUE(ids.insert(message.id.str()).second) << "two messages have the id " << message.id.str();
        if (message.role == Role::kTool) {
          ASSERT_FALSE(wanted.empty());
          EXPECT_EQ(message.tool_call_id, wanted.front());
          wanted.erase(wanted.begin());
          continue;
        }
        EXPECT_TRUE(wanted.empty()) << "an output is missing before: " << to_json(message);
        for (const ToolCall& call : message.tool_calls) wanted.push_back(call.id);
      }
      EXPECT_EQ(wanted.size(), state.calls.size());
    }
  }
}

TEST(RunState, AL_3_what_is_said_while_the_model_answers_stands_behind_its_answer) {
  RunState state;
  std::uint64_t id = 0;
  const auto apply = [&](BusEventType type, const auto& payload) {
    const Status taken = state.apply({++id, Time{1, 0}, type, to_json(payload)});
    ASSERT_TRUE(taken.ok()) << taken.error().message;
  };
  apply(BusEventType::kRunStarted, RunStarted{"t", "", "", "", "", "", "", 0, {}, {}});
  apply(BusEventType::kUserMessage, Said{Message::user("one")});
  apply(BusEventType::kUserMessage, Said{Message::user("two")});
  ModelReplied reply;
  reply.message = Message::assistant("answer to one");
  reply.seen = 2;
  apply(BusEventType::kModelReply, reply);
  EXPECT_FALSE(state.answered);
  apply(BusEventType::kAgentOutput, AgentOutput{"answer to one", "", Outcome::kUnknown, 2});
  EXPECT_FALSE(state.ended());
  const auto all = state.told();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].content, "answer to one");
  EXPECT_EQ(all[2].content, "two");
}

TEST(RunState, AL_4_what_cannot_be_is_refused) {
  auto events = RandomRun(3).make(20);
  auto gap = events;
  gap.erase(gap.begin() + 5);
  EXPECT_EQ(fold("r", gap).error().code, ErrorCode::kCorrupt);
  events.push_back({21, Time{}, BusEventType::kToolResult, R"({"call":"nobody","output":"x","ms":1})"});
  EXPECT_EQ(fold("r", events).error().code, ErrorCode::kCorrupt);
}

TEST(TaskReport, RE_1_each_call_is_a_step_with_its_output) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto events = RandomRun(seed).make(80);
    std::vector<std::string> calls;
    const TaskReport report = report_of(events, &calls);
    EXPECT_EQ(report.task, "sort the post");
    EXPECT_EQ(report.owner, "user:ann");
    ASSERT_EQ(report.steps.size(), calls.size());
    const auto state = fold("r", events);
    EXPECT_EQ(report.tool_calls, state->used.tool_calls);
    EXPECT_EQ(report.tokens, state->used.tokens);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].empty() || report.steps[i].output.empty()) continue;
      EXPECT_EQ(report.steps[i].output, "output of " + calls[i]);
    }
  }
}

/// A run whose model ends with these arguments, and then answers.
std::vector<BusEvent> ended_with(const std::string& arguments, bool failed, AgentOutput output) {
  std::vector<BusEvent> events;
  const auto add = [&](BusEventType type, const auto& payload) {
    events.push_back({events.size() + 1, Time{1000, 0}, type, to_json(payload)});
  };
  add(BusEventType::kRunStarted, RunStarted{"sort the post", "office", "user:ann", "main", "", "", "", 0, {}, {}});
  add(BusEventType::kUserMessage, Said{Message::user("sort the post")});
  ModelReplied reply;
  reply.message = Message::step("", {{"c1", "end", arguments}});
  reply.seen = 2;
  add(BusEventType::kModelReply, reply);
  add(BusEventType::kToolIntent, Intended{"c1", "end", arguments, "keyed", "k"});
  ToolAnswered told;
  told.call = "c1", told.output = "kept", told.failed = failed;
  add(BusEventType::kToolResult, told);
  output.seen = events.size();
  add(BusEventType::kAgentOutput, output);
  return events;
}

TEST(RunState, RE_1_the_models_claim_is_the_outcome_where_nobody_else_says_one) {
  const AgentOutput open{"sorted", "answered", Outcome::kUnknown, 0};
  const auto report = [](const std::vector<BusEvent>& events) { return report_of(events); };
  TaskReport told = report(ended_with(R"({"outcome":"done"})", false, open));
  EXPECT_EQ(told.claim, OutcomeClaim::kDone);
  EXPECT_EQ(told.outcome, Outcome::kSuccess);
  EXPECT_EQ(told.outcome_by, Witness::kModel);
  told = report(ended_with(R"({"outcome":"not_done"})", false, open));
  EXPECT_EQ(told.outcome, Outcome::kFailure);
  // A verifier's word stands over it; a call that did not work, or says nothing, claims nothing.
  AgentOutput verified = open;
  verified.outcome = Outcome::kFailure, verified.by = Witness::kVerifier;
  told = report(ended_with(R"({"outcome":"done"})", false, verified));
  EXPECT_EQ(told.outcome, Outcome::kFailure);
  EXPECT_EQ(told.outcome_by, Witness::kVerifier);
  EXPECT_EQ(told.claim, OutcomeClaim::kDone);
  EXPECT_EQ(report(ended_with(R"({"outcome":"done"})", true, open)).claim, OutcomeClaim::kNone);
  EXPECT_EQ(report(ended_with(R"({"action_summary":"sorted"})", false, open)).outcome, Outcome::kUnknown);
  // What is asked for next is another matter.
  auto events = ended_with(R"({"outcome":"done"})", false, open);
  EXPECT_EQ(fold("r", events)->claim, OutcomeClaim::kDone);
  events.push_back(
      {events.size() + 1, Time{2000, 0}, BusEventType::kUserMessage, to_json(Said{Message::user("more")})});
  EXPECT_EQ(fold("r", events)->claim, OutcomeClaim::kNone);
  EXPECT_EQ(report(events).claim, OutcomeClaim::kNone);
}

}  // namespace
}  // namespace weft
