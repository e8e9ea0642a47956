#include "agent/task_report.h"

#include <algorithm>
#include <map>

#include "agent/run_events.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kOutputBytes = 4000;

// Arguments as they can stand in JSON, whatever the model wrote.
std::string as_json(const std::string& arguments) {
  JsonWriter out;
  out.json_or_text(arguments);
  return out.take();
}

class ReportMaker {
 public:
  void take(const BusEvent& event) {
    if (report_.started.ms == 0) report_.started = event.time;
    report_.ended = event.time;
    switch (event.type) {
      case BusEventType::kRunStarted: return read<RunStarted>(event, [&](RunStarted start) { begin(start); });
      case BusEventType::kModelReply: return read<ModelReplied>(event, [&](ModelReplied reply) { answer(reply); });
      case BusEventType::kToolResult: return read<ToolAnswered>(event, [&](ToolAnswered result) { end(result); });
      case BusEventType::kToolIntent:
        return read<Intended>(event, [&](const Intended& intent) {
          ++report_.tool_calls;
          if (const auto at = place_.find(intent.call); at != place_.end())
            report_.steps[at->second].arguments = intent.arguments;
        });
      case BusEventType::kLimitReached:
        return read<LimitReached>(event, [&](const LimitReached& limit) {
          if (limit.limit != "depth") report_.limit = limit.limit;
        });
      case BusEventType::kUserMessage:
        return read<Said>(event, [&](const Said& said) {
          if (report_.output.empty()) return;
          report_.reaction_text = said.message.content;
          report_.claim = OutcomeClaim::kNone;  // of what was asked before
        });
      case BusEventType::kLesson: return read<LessonTold>(event, [&](const LessonTold& lesson) { add_learnt(lesson); });
      case BusEventType::kAgentOutput:
        return read<AgentOutput>(event, [&](const AgentOutput& output) {
          report_.output = output.text;
          report_.outcome = output.outcome;
          report_.outcome_by = output.outcome == Outcome::kUnknown ? Witness::kNobody
                               : output.by == Witness::kNobody     ? Witness::kModel
                                                                   : output.by;
          take_claim();
        });
      default: return;
    }
  }

  TaskReport report() { return std::move(report_); }
  std::vector<std::string> calls() { return std::move(calls_); }

 private:
  template <class T, class Take>
  void read(const BusEvent& event, const Take& take) {
    auto payload = payload_of<T>(event);
    if (payload.ok()) take(std::move(payload).value());
  }

  void begin(const RunStarted& start) {
    report_.task = start.task;
    report_.type = start.type;
    report_.owner = start.owner;
    report_.learn = start.learn;
  }

  // What was told counts, and is told once, whatever became of it later.
  void add_learnt(const LessonTold& learnt) {
    const auto add = [](const std::vector<std::string>& told, std::vector<std::string>& ids) {
      for (const std::string& one : told) {
        std::string id = one.substr(0, one.rfind('@'));
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(std::move(id));
      }
    };
    add(learnt.rules, report_.rules);
    add(learnt.skills, report_.skills);
  }

  // Who did the work speaks where nobody else does.
  void take_claim() {
    if (report_.outcome != Outcome::kUnknown || report_.claim == OutcomeClaim::kNone) return;
    report_.outcome = report_.claim == OutcomeClaim::kDone ? Outcome::kSuccess : Outcome::kFailure;
    report_.outcome_by = Witness::kModel;
  }

  ReportStep& add_step(const std::string& call) {
    ReportStep step;
    step.number = static_cast<std::int64_t>(report_.steps.size()) + 1;
    step.agent = "main";
    report_.steps.push_back(std::move(step));
    calls_.push_back(call);
    if (!call.empty()) place_[call] = report_.steps.size() - 1;
    return report_.steps.back();
  }

  void answer(const ModelReplied& reply) {
    const std::int64_t tokens = reply.prompt_tokens + reply.completion_tokens;
    report_.tokens += tokens;
    const Message& message = reply.message;
    const std::string thought = message.reasoning.empty() ? message.content : message.reasoning;
    if (message.tool_calls.empty()) {
      ReportStep& step = add_step({});
      step.thought = message.reasoning;
      step.output = std::string(cut_bytes(message.content, kOutputBytes));
      step.failed = message.content.empty();
      step.ms = reply.ms;
      step.tokens = tokens;
      return;
    }
    for (const ToolCall& call : message.tool_calls) {
      const bool first = &call == &message.tool_calls.front();
      ReportStep& step = add_step(call.id);
      step.tool = call.name;
      step.arguments = as_json(call.arguments);
      if (!first) continue;  // thought and tokens of the answer stand with its first call
      step.thought = thought;
      step.tokens = tokens;
      step.ms = reply.ms;
    }
  }

  void end(const ToolAnswered& result) {
    const auto at = place_.find(result.call);
    if (at == place_.end()) return;
    ReportStep& step = report_.steps[at->second];
    step.output = std::string(cut_bytes(result.output, kOutputBytes));
    step.failed = result.failed;
    if (const OutcomeClaim said = claim_of(step.tool, step.arguments); said != OutcomeClaim::kNone && !result.failed)
      report_.claim = said;
    step.ms += result.ms;
  }

  TaskReport report_;
  std::vector<std::string> calls_;
  std::map<std::string, std::size_t> place_;  ///< of a call among the steps
};

}  // namespace

TaskReport report_of(std::span<const BusEvent> events, std::vector<std::string>* calls) {
  ReportMaker maker;
  for (const BusEvent& event : events) maker.take(event);
  if (calls != nullptr) *calls = maker.calls();
  return maker.report();
}

}  // namespace weft
