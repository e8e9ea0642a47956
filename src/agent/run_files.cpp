#include "agent/run_files.h"

#include <algorithm>
#include <map>
#include <set>

#include "agent/run_state.h"
#include "model/growth_records.h"
#include "text/json.h"
#include "text/markup.h"
#include "text/utf8.h"

namespace weft {

Result<std::unique_ptr<Bus>> Bus::open(FileSystem& files, const std::filesystem::path& path, const Clock& clock) {
  std::unique_ptr<Bus> bus(new Bus(clock));
  Status broken;
  WEFT_TRY(bus->log_, LineLog::open(files, path, [&](std::string_view line) {
             if (broken.ok()) broken = bus->read(line);
           }));
  if (!broken.ok()) return corrupt(path.string() + ": " + broken.error().message);
  return bus;
}

Status Bus::read(std::string_view line) {
  const std::string place = "line " + std::to_string(events_.size() + 1);
  WEFT_TRY(BusEvent event, parse_record<BusEvent>(line, place, {.max_bytes = line.size() + 1}));
  if (event.id != events_.size() + 1)
    return corrupt(place + ": the number " + std::to_string(event.id) + " is out of order");
  events_.push_back(std::move(event));
  return {};
}

Result<BusEvent> Bus::emit(BusEventType type, std::string payload) {
  const std::lock_guard one(emit_mutex_);
  BusEvent event{last() + 1, clock_.now(), type, std::move(payload)};
  {
    const std::lock_guard lock(mutex_);
    if (!events_.empty()) event.time.ms = std::max(event.time.ms, events_.back().time.ms);
  }
  WEFT_CHECK(log_->append(to_json(event)));
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  more_.notify_all();
  if (noted_) noted_(event);
  return event;
}

std::vector<BusEvent> Bus::since(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto begin = std::min<std::uint64_t>(id, events_.size());
  return {events_.begin() + static_cast<std::ptrdiff_t>(begin), events_.end()};
}

std::uint64_t Bus::last() const {
  const std::lock_guard lock(mutex_);
  return events_.size();
}

bool Bus::wait_for_more(std::uint64_t id, const Deadline& deadline) const {
  std::unique_lock lock(mutex_);
  const auto there = [&] { return events_.size() > id; };
  if (deadline.until()) return more_.wait_until(lock, deadline.cancel(), *deadline.until(), there);
  return more_.wait(lock, deadline.cancel(), there);
}

namespace {

// Letters, digits, '-', '.' and '_': what a model names leaves no folder.
bool is_handle(const std::string& name) {
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), fine);
}

// The end of a text, from a line's begin where one is near.
std::string_view tail_of(std::string_view text, std::size_t most) {
  std::size_t at = text.size() - std::min(text.size(), most);
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  const auto line = text.find('\n', at);
  if (line != std::string_view::npos && line + 1 - at < most / 4) at = line + 1;
  return text.substr(at);
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// NUL and broken characters do not stand in texts; terminals' colours do.
bool is_binary(std::string_view output) {
  return output.find('\0') != std::string_view::npos || find_invalid_utf8(output).has_value();
}

}  // namespace

Result<std::filesystem::path> ResultStore::path_of(const std::string& run, const std::string& handle) const {
  if (!is_handle(run) || !is_handle(handle))
    return not_found("there is no result \"" + std::string(cut_bytes(handle, 80)) + "\"",
                     "handles stand in outputs that were cut");
  return folder_ / run / (handle + ".txt");
}

Status ResultStore::keep(const std::string& run, const std::string& handle, std::string_view text) {
  WEFT_TRY(const auto path, path_of(run, handle));
  WEFT_CHECK(files_.make_folder(path.parent_path()));
  return write_file(files_, path, text, true);
}

Status ResultStore::remove(const std::string& run, const std::string& handle) {
  const auto path = path_of(run, handle);
  return path.ok() ? files_.remove(*path) : Status();
}

Status ResultStore::remove_all(const std::string& run) {
  if (!is_handle(run)) return {};
  const auto kept = files_.list(folder_ / run);
  if (!kept.ok()) return kept.error().code == ErrorCode::kNotFound ? Status() : Status(kept.error());
  for (const auto& path : *kept) WEFT_CHECK(files_.remove(path));
  std::error_code ignored;
  std::filesystem::remove(folder_ / run, ignored);
  return {};
}

Result<std::string> ResultStore::read(const std::string& run, const std::string& handle) {
  WEFT_TRY(const auto path, path_of(run, handle));
  auto text = files_.read(path);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound)
    return not_found("there is no result \"" + handle + "\"", "handles stand in outputs that were cut");
  return text;
}

ShownOutput shown_output(std::string_view output, std::size_t most, const std::string& handle) {
  ShownOutput shown;
  if (is_binary(output)) {
    shown.text = "[the output is no text: " + std::to_string(output.size()) + " bytes of binary data]";
    return shown;
  }
  std::string plain = has_harmful(output) ? drop_harmful(output) : std::string(output);
  shown.hidden = static_cast<std::int64_t>(code_points(output) - code_points(plain));
  if (plain.size() <= most) {
    shown.text = std::move(plain);
    return shown;
  }
  shown.cut = true;
  const std::string_view head = cut_bytes(plain, most * 2 / 3), tail = tail_of(plain, most / 3);
  shown.text = std::string(head) + "\n[… " + std::to_string(plain.size() - head.size() - tail.size()) + " of " +
               std::to_string(plain.size()) +
               " bytes are left out here; the tool result_read shows them: {\"handle\":\"" + handle + "\"}]\n" +
               std::string(tail);
  return shown;
}

EndingMarks::EndingMarks(FileSystem& files, std::filesystem::path folder) : files_(files), folder_(std::move(folder)) {
  const auto left = files_.list(folder_);
  if (left.ok())
    for (const auto& path : *left) runs_.insert(path.filename().string());
}

Status EndingMarks::set(const std::string& run) {
  const std::lock_guard lock(mutex_);
  if (runs_.contains(run)) return {};
  WEFT_CHECK(files_.make_folder(folder_));
  WEFT_CHECK(write_file(files_, folder_ / run, "", true));
  runs_.insert(run);
  return {};
}

// Not flushed: a mark that comes back after a failure of power only has what is known looked at once more.
Status EndingMarks::clear(const std::string& run) {
  const std::lock_guard lock(mutex_);
  if (runs_.erase(run) == 0) return {};
  return files_.remove(folder_ / run);
}

bool EndingMarks::has(const std::string& run) const {
  const std::lock_guard lock(mutex_);
  return runs_.contains(run);
}

std::vector<std::string> EndingMarks::all() const {
  const std::lock_guard lock(mutex_);
  return {runs_.begin(), runs_.end()};
}

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
