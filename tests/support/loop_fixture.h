#pragma once

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "agent/builtin_tools.h"
#include "agent/loop.h"
#include "agent/tool.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_chat.h"
#include "tests/support/temporary_folder.h"

namespace weft::test {

/// Prompts that are the system text and all that was said.
class PlainContext final : public AgentContext {
 public:
  Result<AgentPrompt> prompt(const RunState& state, const PromptWish& wish, const Deadline&) override {
    AgentPrompt prompt;
    Message system;
    system.role = Role::kSystem;
    system.content = wish.system;
    prompt.messages.push_back(system);
    for (Message& message : state.told()) prompt.messages.push_back(std::move(message));
    prompt.tokens = 100;
    prompt.tools = tools;
    return prompt;
  }
  Result<CompactedTo> compact(const RunState&, std::int64_t) override {
    ++compactions;
    return CompactedTo{"k1", 100, 50};
  }
  Status finish(const RunState&) override { return {}; }
  int compactions = 0;
  std::vector<std::string> tools;  ///< those that fit, the best first
};

struct SeenHooks final : LoopHooks {
  LessonTold after_failure(const TaskReport&, const ReportStep& failed) override {
    lessons.push_back(failed.tool);
    return {"r1", "look before", {}, {}, {}, {}};
  }
  std::vector<Question> at_end(const RunState&, const TaskReport& report) override {
    ended.push_back(report);
    if (while_ending) while_ending();
    return left_open;
  }
  LessonTold learnt(const RunState& state) override { return tell ? tell(state) : LessonTold(); }
  GapsFound gaps_before(const RunState&, std::span<const ToolInfo>) override {
    ++looked;
    return gaps;
  }
  std::vector<Question> left_open;
  std::function<void()> while_ending;
  std::function<LessonTold(const RunState&)> tell;
  GapsFound gaps;
  int looked = 0;
  std::vector<std::string> lessons;
  std::vector<TaskReport> ended;
};

/// A run of one scripted model in a folder; `go` runs its loop to its end, as often as wanted.
class LoopTest : public testing::Test {
 protected:
  LoopTest() : results_(disk(), folder_.path() / "results"), endings_(disk(), folder_.path() / "ending") {
    settings_.model_retries = 0;
    add("look", ToolEffects::kNone, [](const std::string& arguments) { return ToolOutcome{"saw " + arguments}; });
    add("change", ToolEffects::kSome, [](const std::string&) { return ToolOutcome{"changed"}; });
    add("put", ToolEffects::kKeyed, [](const std::string&) { return ToolOutcome{"put"}; });
    EXPECT_TRUE(tools_.add(human_tool()).ok());
    EXPECT_TRUE(tools_.add(result_tool(results_)).ok());
  }

  void add(const std::string& name, ToolEffects effects, std::function<ToolOutcome(const std::string&)> run) {
    const ToolInfo info{name, "", R"({"type":"object","properties":{"at":{"type":"integer"}}})"};
    EXPECT_TRUE(tools_
                    .add(make_tool(info, effects,
                                   [this, name, run](const ToolRequest& request) -> Result<ToolOutcome> {
                                     {
                                       const std::lock_guard lock(mutex_);
                                       made_.push_back(name + request.arguments);
                                       keys_.push_back(request.key);
                                     }
                                     return run(request.arguments);
                                   }))
                    .ok());
  }

  void begin(AgentLimits limits = {50, 60, 1'000'000, 2, 3}) {
    open();
    emit(BusEventType::kRunStarted, RunStarted{"do it", "", "user:ann", "main", "", "", "", 0, limits, {}});
    emit(BusEventType::kUserMessage, Said{Message::user("do it")});
  }
  void open() {
    bus_ = nullptr;
    bus_ = Bus::open(disk(), folder_.path() / "r.jsonl", clock_).value();
  }
  template <class T>
  void emit(BusEventType type, const T& payload) {
    ASSERT_TRUE(bus_->emit(type, to_json(payload)).ok());
  }

  Result<LoopEnd> go(LoopStop* stop = nullptr) {
    LoopStop own;
    AgentLoop loop("r",
                   {*bus_, context_, model_, tools_, hooks_, questions_, results_, endings_, threads_, permissions_,
                    clock_, request_, "be good", 0},
                   settings_, stop == nullptr ? own : *stop);
    auto end = loop.run();
    state_ = fold("r", bus_->since(0)).value();
    return end;
  }

  std::vector<BusEvent> of(BusEventType type) const {
    std::vector<BusEvent> found;
    for (BusEvent& event : bus_->since(0))
      if (event.type == type) found.push_back(std::move(event));
    return found;
  }
  /// The content of the newest message of the newest request.
  std::string last_told() const { return model_.requests().back().messages.back().content; }

  TemporaryFolder folder_;
  FakeClock clock_;
  std::mutex mutex_;
  std::vector<std::string> made_, keys_;
  ToolRegistry tools_;
  ResultStore results_;
  EndingMarks endings_;
  PlainContext context_;
  ScriptedChat model_;
  SeenHooks hooks_;
  RunQuestions questions_;
  CallThreads threads_;
  Permissions permissions_;
  RequestContext request_{Scope::private_of(UserId("ann")).value(), {}, {}};
  LoopSettings settings_;
  std::unique_ptr<Bus> bus_;
  RunState state_;
};

/// An answer with several calls.
inline ChatReply calls(std::vector<ToolCall> made) {
  ChatReply reply;
  reply.message = Message::step("", std::move(made));
  reply.finish_reason = "tool_calls";
  reply.prompt_tokens = 50;
  reply.completion_tokens = 5;
  return reply;
}

}  // namespace weft::test
