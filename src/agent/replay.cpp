#include "agent/replay.h"

#include <algorithm>
#include <set>

#include "agent/builtin_tools.h"
#include "agent/run_state.h"
#include "agent/tool.h"
#include "text/json.h"
#include "text/statement.h"

namespace weft {
namespace {

constexpr std::string_view kProgressTool = "task_progress";

// What only concerns the run itself changes nothing.
bool is_bookkeeping(std::string_view tool) { return tool == kEnd || tool == kProgressTool; }

// Members in the order of their names, at every depth.
void sort_members(Value& value) {
  if (ValueObject* members = value.object()) {
    for (auto& [name, member] : *members) sort_members(member);
    std::stable_sort(members->begin(), members->end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  } else if (ValueList* list = value.list()) {
    for (Value& one : *list) sort_members(one);
  }
}

/// Reads a stream up to the first answer of the run.
class RecordReader {
 public:
  explicit RecordReader(std::string run) { record_.run = std::move(run); }

  Status take(const BusEvent& event) {
    switch (event.type) {
      case BusEventType::kRunStarted: {
        WEFT_TRY(record_.start, payload_of<RunStarted>(event));
        return {};
      }
      case BusEventType::kUserMessage: return ++said_ == 1 ? Status() : invalid_argument("somebody spoke to it");
      case BusEventType::kHumanQuery: return invalid_argument("a person was asked in it");
      case BusEventType::kCompacted: return invalid_argument("it is longer than its model's window");
      case BusEventType::kInterrupted: return invalid_argument("it was interrupted");
      case BusEventType::kLimitReached: return invalid_argument("it was ended by a limit");
      case BusEventType::kToolIntent: {
        WEFT_TRY(Intended intent, payload_of<Intended>(event));
        open_[intent.call] = std::move(intent);
        return {};
      }
      case BusEventType::kToolResult: {
        WEFT_TRY(ToolAnswered answer, payload_of<ToolAnswered>(event));
        add(std::move(answer));
        return {};
      }
      case BusEventType::kAgentOutput: {
        WEFT_TRY(const AgentOutput output, payload_of<AgentOutput>(event));
        record_.output = output.text;
        ended_ = true;
        return {};
      }
      default: return {};
    }
  }

  bool ended() const { return ended_; }
  RecordedRun record() { return std::move(record_); }

 private:
  void add(ToolAnswered answer) {
    const auto intent = open_.find(answer.call);
    if (intent == open_.end()) return;  // it was refused, and will be again
    const Intended& call = intent->second;
    const bool deed = call.effects != to_string(ToolEffects::kNone) && !is_bookkeeping(call.name) && !answer.failed;
    record_.calls.push_back({call_key(call.name, call.arguments), std::move(answer), deed});
  }

  RecordedRun record_;
  std::map<std::string, Intended> open_;
  int said_ = 0;
  bool ended_ = false;
};

/// The answers of a record: of the same call one after the other, then the last again.
class Answers {
 public:
  explicit Answers(const RecordedRun& record) {
    for (const RecordedCall& call : record.calls) answers_[call.key].push_back(call.answer);
  }

  std::optional<ToolAnswered> next(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = answers_.find(key);
    if (found == answers_.end()) return std::nullopt;
    ToolAnswered answer = found->second.front();
    if (found->second.size() > 1) found->second.pop_front();
    return answer;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::deque<ToolAnswered>> answers_;
};

std::shared_ptr<Tool> replayed(const std::string& run, std::shared_ptr<Tool> real, bool may_read,
                               std::shared_ptr<Answers> answers, ReplayWatch& watch) {
  const ToolInfo info = real->info();
  const auto call = [run, real = std::move(real), may_read, answers = std::move(answers),
                     &watch](const ToolRequest& request) -> Result<ToolOutcome> {
    const std::string& name = real->info().name;
    if (const auto known = answers->next(call_key(name, request.arguments)))
      return ToolOutcome{known->output, known->failed, known->provenance};
    if (is_bookkeeping(name)) return ToolOutcome{"noted", false, Provenance::kOwnRun};
    if (may_read)  // in the name of the recorded run: its own words are no memory of another one
      return real->run({request.request, run, request.call, request.arguments, {}, request.deadline});
    watch.stray(name + " was called as it was not called then");
    return cancelled("the replay leaves its record");
  };
  // Nothing is really done: after a kill each may be made again.
  return make_tool(info, ToolEffects::kNone, call);
}

std::multiset<std::string> deeds_of(const RecordedRun& record) {
  std::multiset<std::string> deeds;
  for (const RecordedCall& call : record.calls)
    if (call.deed) deeds.insert(call.key);
  return deeds;
}

// Deeds of the record that were not done in the replay.
std::multiset<std::string> left_out(const RecordedRun& record, std::span<const BusEvent> events) {
  std::multiset<std::string> left = deeds_of(record);
  for (const BusEvent& event : events) {
    if (event.type != BusEventType::kToolIntent) continue;
    const auto intent = payload_of<Intended>(event);
    if (!intent.ok()) continue;
    if (const auto at = left.find(call_key(intent->name, intent->arguments)); at != left.end()) left.erase(at);
  }
  return left;
}

}  // namespace

bool RecordedRun::has_deeds() const {
  return std::any_of(calls.begin(), calls.end(), [](const RecordedCall& call) { return call.deed; });
}

std::string call_key(const std::string& tool, const std::string& arguments) {
  auto read = parse_value(arguments, {.max_bytes = arguments.size() + 1}, "arguments");
  if (!read.ok()) return tool + "\n" + arguments;
  sort_members(*read);
  return tool + "\n" + to_json(*read);
}

Result<RecordedRun> recorded_run(const std::string& run, std::span<const BusEvent> events) {
  RecordReader reader(run);
  for (const BusEvent& event : events) {
    WEFT_CHECK(reader.take(event));
    if (reader.ended()) return reader.record();
  }
  return invalid_argument("it has not ended");
}

void ReplayWatch::stray(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (strayed_) return;
    why_ = why;
    strayed_ = true;
  }
  stop_();
}

std::string ReplayWatch::why() const {
  const std::lock_guard lock(mutex_);
  return why_;
}

Result<ToolRegistry> replay_tools(const RecordedRun& record, const ToolRegistry& real, const Permissions& permissions,
                                  ReplayWatch& watch) {
  for (const RecordedCall& call : record.calls)
    if (const std::string name = call.key.substr(0, call.key.find('\n')); real.find(name) == nullptr)
      return invalid_argument("its tool " + name + " is not there any more");
  const auto answers = std::make_shared<Answers>(record);
  ToolRegistry tools;
  for (const ToolInfo& info : real.infos()) {
    auto tool = real.share(info.name);
    const bool may_read = tool->effects() == ToolEffects::kNone && permissions.of(info.name) == Permission::kAllow;
    WEFT_CHECK(tools.add(replayed(record.run, std::move(tool), may_read, answers, watch)));
  }
  return tools;
}

Result<AgentPrompt> ReplayContext::prompt(const RunState& state, const PromptWish& wish, const Deadline&) {
  AgentPrompt prompt;
  Message system;
  system.role = Role::kSystem;
  system.content = wish.system;
  prompt.messages.push_back(std::move(system));
  for (Message& message : state.told()) prompt.messages.push_back(std::move(message));
  for (const ToolInfo& tool : wish.tools) prompt.tools.push_back(tool.name);
  return prompt;
}

LessonTold ReplayHooks::learnt(const RunState& state) {
  return state.learnt.empty() && state.used.model_calls == 0 ? told_ : LessonTold();
}

Result<Question> ReplayQuestions::ask(const Question& question) {
  watch_.stray("a person was asked as nobody was asked then");
  return question;
}

Outcome judge_replay(const RecordedRun& record, const RunState& replayed, std::span<const BusEvent> events,
                     std::string& why) {
  const auto unknown = [&why](const char* because) {
    why = because;
    return Outcome::kUnknown;
  };
  if (!replayed.output || replayed.limit) return Outcome::kFailure;
  if (!left_out(record, events).empty())
    return record.outcome == Outcome::kSuccess ? Outcome::kFailure : unknown("less was done than then");
  if (record.has_deeds()) return record.outcome;
  if (replayed.output->by == Witness::kVerifier) return replayed.output->outcome;
  if (record.by == Witness::kVerifier) return unknown("its verifier said nothing");
  if (Statement(record.output).says_the_same(Statement(replayed.output->text))) return record.outcome;
  return unknown("another answer was given, and only its user could judge it");
}

}  // namespace weft
