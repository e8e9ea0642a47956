#include "agent/redact_run.h"

#include <algorithm>
#include <map>
#include <set>

#include "agent/run_events.h"
#include "agent/wait_words.h"
#include "text/json.h"

namespace weft {
namespace {

constexpr const char* kErased = "[erased]";

// Which words of a run go: found first, since an output is known as a message only when all of its turn are there.
class GoneWords {
 public:
  GoneWords(const std::string& run, const RunRedaction& redaction) : run_(run), redaction_(redaction) {}

  void look_at(const BusEvent& event) {
    switch (event.type) {
      case BusEventType::kUserMessage: {
        const bool gone = count(id_of(event.id));
        if (!first_said_) first_said_ = true, task_goes_ = gone;
        if (gone) events_.insert(event.id);
        return;
      }
      case BusEventType::kModelReply: return look_at_reply(event);
      case BusEventType::kToolResult: return look_at_result(event);
      case BusEventType::kHumanQuery: {
        const auto asked = payload_of<Asked>(event);
        if (asked.ok() && asked->call.empty()) said_answers_.insert(asked->question.id);
        return;
      }
      case BusEventType::kHumanResponse: {
        // An answer that no call waits for is a message of its own.
        const auto answer = payload_of<Answered>(event);
        if (!answer.ok() || answer->text.empty() || !said_answers_.contains(answer->question)) return;
        if (count(id_of(event.id))) events_.insert(event.id);
        return;
      }
      default: return;
    }
  }

  bool event(std::uint64_t id) const { return events_.contains(id); }
  bool call(const std::string& id) const { return calls_.contains(id); }
  bool output(const std::string& call) const { return outputs_.contains(call); }
  bool task() const { return task_goes_; }
  bool any_reply() const { return any_reply_; }
  bool any_output() const { return !outputs_.empty(); }
  bool any() const { return gone_ > 0 || !events_.empty(); }
  bool all() const { return gone_ > 0 && gone_ == messages_; }

 private:
  std::string id_of(std::uint64_t event, std::size_t part = 0) const {
    return run_ + "." + std::to_string(event) + (part == 0 ? "" : "." + std::to_string(part));
  }

  bool count(const std::string& id) {
    ++messages_;
    const bool gone = redaction_.goes(id);
    gone_ += gone ? 1 : 0;
    return gone;
  }

  void look_at_reply(const BusEvent& event) {
    const auto reply = payload_of<ModelReplied>(event);
    const bool gone = count(id_of(event.id));
    if (gone) events_.insert(event.id), any_reply_ = true;
    open_.clear();
    answered_ = 0;
    if (!reply.ok()) return;
    for (const ToolCall& call : reply->message.tool_calls) {
      open_.push_back(call.id);
      if (gone) calls_.insert(call.id);
    }
  }

  // Outputs are messages of the event that closed their turn, in the order of the calls.
  void look_at_result(const BusEvent& event) {
    if (++answered_ < open_.size()) return;
    for (std::size_t i = 0; i < open_.size(); ++i)
      if (count(id_of(event.id, i + 1))) outputs_.insert(open_[i]);
    open_.clear();
    answered_ = 0;
  }

  const std::string& run_;
  const RunRedaction& redaction_;
  std::set<std::uint64_t> events_;
  std::set<std::string> calls_, outputs_, said_answers_;
  std::vector<std::string> open_;
  std::size_t answered_ = 0, messages_ = 0, gone_ = 0;
  bool first_said_ = false, task_goes_ = false, any_reply_ = false;
};

class Redactor {
 public:
  Redactor(const GoneWords& gone, const RunRedaction& redaction, RedactedRun& into)
      : gone_(gone), redaction_(redaction), into_(into) {}

  void take(BusEvent event) {
    std::string payload = redacted(event);
    if (payload != event.payload) into_.changed = true, event.payload = std::move(payload);
    into_.events.push_back(std::move(event));
  }

 private:
  template <class Payload, class Blank>
  static std::string with(const BusEvent& event, const Blank& blank) {
    auto payload = payload_of<Payload>(event);
    if (!payload.ok()) return "{}";
    blank(*payload);
    return to_json(*payload);
  }

  std::string redacted(const BusEvent& event) {
    switch (event.type) {
      case BusEventType::kRunStarted:
        return gone_.task() ? with<RunStarted>(event, [](RunStarted& one) { one.task = kErased; }) : event.payload;
      case BusEventType::kUserMessage:
        return gone_.event(event.id)
                   ? with<Said>(event, [](Said& one) { one.message = Message::user(kErased, one.message.name); })
                   : event.payload;
      case BusEventType::kModelReply: return gone_.event(event.id) ? reply(event) : event.payload;
      case BusEventType::kToolIntent: return intent(event);
      case BusEventType::kToolResult: return result(event);
      case BusEventType::kHumanQuery: return query(event);
      case BusEventType::kHumanResponse: return response(event);
      default: return rest(event);
    }
  }

  static std::string reply(const BusEvent& event) {
    return with<ModelReplied>(event, [](ModelReplied& one) {
      Message bare = Message::step({}, std::move(one.message.tool_calls));
      bare.content = kErased;
      for (ToolCall& call : bare.tool_calls) call.arguments = "{}";
      one.message = std::move(bare);
    });
  }

  std::string intent(const BusEvent& event) {
    const auto one = payload_of<Intended>(event);
    if (!one.ok() || !gone_.call(one->call)) return event.payload;
    if (one->name == "file_write") {
      const auto path = json_text(json_member(one->arguments, "path"));
      const auto content = json_text(json_member(one->arguments, "content"));
      if (path.ok() && content.ok()) into_.files.emplace_back(*path, *content);
    }
    return with<Intended>(event, [](Intended& blank) { blank.arguments = "{}"; });
  }

  std::string result(const BusEvent& event) {
    const auto one = payload_of<ToolAnswered>(event);
    if (!one.ok() || !gone_.output(one->call)) return event.payload;
    if (!one->handle.empty()) into_.handles.push_back(one->handle);
    return with<ToolAnswered>(event, [](ToolAnswered& blank) { blank.output = kErased, blank.handle.clear(); });
  }

  std::string query(const BusEvent& event) {
    const auto one = payload_of<Asked>(event);
    if (!one.ok()) return event.payload;
    call_of_[one->question.id] = one->call;
    // What no call waits for was asked of the task.
    const bool goes = one->call.empty() ? gone_.task() || gone_.any_reply() : gone_.call(one->call);
    if (!goes) return event.payload;
    into_.questions.push_back(one->question.id);
    return with<Asked>(event, [](Asked& blank) {
      blank.question.text = kErased;
      blank.question.why.clear(), blank.question.fallback.clear(), blank.question.arguments.clear();
      const bool fixed =
          blank.question.kind == QuestionKind::kApproval || blank.question.kind == QuestionKind::kUnknownOutcome;
      if (!fixed) blank.question.choices.clear();
    });
  }

  std::string response(const BusEvent& event) {
    const auto one = payload_of<Answered>(event);
    if (!one.ok()) return event.payload;
    const auto call = call_of_.find(one->question);
    const std::string of = call == call_of_.end() ? std::string() : call->second;
    const bool said = gone_.event(event.id) || gone_.output(of), asked = gone_.call(of);
    if (!said && !asked) return event.payload;
    if (said) into_.questions.push_back(one->question);
    return with<Answered>(event, [&](Answered& blank) {
      if (said && blank.choice.empty()) blank.text = kErased;
      blank.arguments.clear();
    });
  }

  std::string rest(const BusEvent& event) {
    if (event.type == BusEventType::kAgentOutput && gone_.any_reply())
      return with<AgentOutput>(event, [](AgentOutput& one) { one.text = kErased, one.verdict.clear(); });
    if (event.type == BusEventType::kProgress && gone_.any_reply())
      return with<ProgressTold>(event, [](ProgressTold& one) { one = {}; });
    if (event.type == BusEventType::kLesson) return lesson(event);
    if (event.type == BusEventType::kSubAgentStarted || event.type == BusEventType::kSubAgentEnded) {
      const auto one = payload_of<SubAgent>(event);
      if (!one.ok() || (!gone_.call(one->call) && !gone_.output(one->call))) return event.payload;
      return with<SubAgent>(event, [this](SubAgent& blank) {
        if (gone_.call(blank.call)) blank.task = kErased;
        if (gone_.output(blank.call) && !blank.text.empty()) blank.text = kErased;
      });
    }
    return event.payload;
  }

  // Of failed steps, of other sessions' rules, of what memory says of the task.
  std::string lesson(const BusEvent& event) {
    const auto one = payload_of<LessonTold>(event);
    if (!one.ok()) return event.payload;
    bool goes = gone_.any_output() || gone_.any_reply();
    if (one->is_learnt()) goes = redaction_.repeats(event.payload);
    if (!one->gaps.empty()) goes = gone_.task() || redaction_.repeats(event.payload);
    if (!goes) return event.payload;
    return with<LessonTold>(event, [](LessonTold& blank) {
      blank.text = kErased;
      for (std::string& gap : blank.gaps) gap = kErased;
    });
  }

  const GoneWords& gone_;
  const RunRedaction& redaction_;
  RedactedRun& into_;
  std::map<std::string, std::string> call_of_;  ///< of a question
};

}  // namespace

RedactedRun redact_run(const std::string& run, std::span<const BusEvent> events, const RunRedaction& redaction) {
  GoneWords gone(run, redaction);
  for (const BusEvent& event : events) gone.look_at(event);
  RedactedRun left;
  left.nothing_left = gone.all();
  Redactor redactor(gone, redaction, left);
  for (const BusEvent& event : events) redactor.take(event);
  return left;
}

}  // namespace weft
