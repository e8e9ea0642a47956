#include "growth/transcripts.h"

#include <xxhash.h>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "growth/claude_transcript.h"
#include "growth/report_builder.h"
#include "model/growth_records.h"
#include "text/json.h"
#include "text/typed_words.h"

namespace weft {
namespace {

// How other agents write down what they did.

// One object of a transcript is handed on to the builder. Each tells whether it knew the object.

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

Time time_in(const Json& object) {
  for (const char* name : {"timestamp", "time", "created_at"}) {
    const auto time = parse_time(text_of(object, name));
    if (time.ok()) return *time;
  }
  return {};
}

std::int64_t whole(const Json& object, const char* name) {
  const Json& at = member(object, name);
  return at.is_number_integer() ? at.get<std::int64_t>() : 0;
}

std::string text_or_json(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? std::string() : write_json(value);
}

// What the person asked for. Some programs show a model first how to work.
std::string asked_in(std::string_view text) {
  if (trimmed(text).starts_with("Here is a demonstration of how to ")) return {};
  return typed_words(text);
}

// Where a line of Claude Code comes from.
struct ClaudeLine {
  bool from_user = false;
  Time time;
  std::string id;
};

std::string content_text(const Json& content);

void take_claude_block(const Json& block, const ClaudeLine& line, ReportBuilder& into, std::string& said) {
  const std::string type = text_of(block, "type");
  const Time time = line.time;
  if (type == "text") {
    if (line.from_user)
      into.user(text_of(block, "text"), line.time, line.id);
    else
      said += (said.empty() ? "" : "\n") + text_of(block, "text");
  } else if (type == "thinking") {
    into.thought(text_of(block, "thinking"));
  } else if (type == "tool_use") {
    into.thought(std::exchange(said, {}));
    into.call(text_of(block, "id"), text_of(block, "name"), text_or_json(member(block, "input")), time);
  } else if (type == "tool_result") {
    const Json& failed = member(block, "is_error");
    into.output(text_of(block, "tool_use_id"), content_text(member(block, "content")),
                failed.is_boolean() && failed.get<bool>(), time);
  }
}

bool is_of_shell(const Json& part) { return part.contains("stdout") || part.contains("stderr"); }

// The output of one command of a shell; whether the command failed.
bool take_streams(const Json& part, std::string& text) {
  for (const char* stream : {"stdout", "stderr"})
    if (const std::string one = text_of(part, stream); !one.empty()) text += (text.empty() ? "" : "\n") + one;
  const Json& outcome = member(part, "outcome");
  return whole(outcome.is_object() ? outcome : part, "exit_code") != 0 || text_of(outcome, "type") == "timeout";
}

// An output is text, JSON text with the text and the exit code, or what each command of a shell gave.
void take_codex_output(const Json& item, Time time, ReportBuilder& into) {
  const Json& output = member(item, "output");
  const Json parsed = output.is_string() ? lenient_json<Json>(output.get<std::string>()) : output;
  std::string text = content_text(output);
  bool failed = false;
  const Json parts = parsed.is_array() ? parsed : Json::array({parsed.is_object() ? parsed : item});
  if (std::any_of(parts.begin(), parts.end(), is_of_shell)) {
    text.clear();
    for (const Json& part : parts)
      if (is_of_shell(part))
        failed = take_streams(part, text) || failed;
      else if (const std::string one = content_text(Json::array({part})); !one.empty())
        text += (text.empty() ? "" : "\n") + one;
  } else if (parsed.is_object() && parsed.contains("output")) {
    text = text_or_json(parsed["output"]);
    failed = whole(member(parsed, "metadata"), "exit_code") != 0;
  } else if (parsed.is_object() && member(parsed, "success").is_boolean()) {
    text = text_or_json(member(parsed, "content"));
    failed = !parsed["success"].get<bool>();
  }
  into.output(text_of(item, "call_id"), text, failed, time);
}

std::string joined_command(const Json& command) {
  if (!command.is_array()) return text_or_json(command);
  std::string line;
  for (const Json& word : command) line += (line.empty() ? "" : " ") + text_or_json(word);
  return line;
}

// The text of a content: itself, or that of its parts.
std::string content_text(const Json& content) {
  if (!content.is_array()) return text_or_json(content);
  std::string text;
  for (const Json& part : content) {
    const std::string one = part.is_string() ? part.get<std::string>() : part.is_object() ? text_of(part, "text") : "";
    if (!one.empty()) text += (text.empty() ? "" : "\n") + one;
  }
  return text;
}

// The person's own request in a message (see text/typed_words.h), without demonstrations.
std::string asked_words(const Json& message) {
  const Json& content = member(message, "content");
  const Json& demonstration = member(message, "is_demo");
  if (demonstration == Json(true) || text_of(message, "message_type") == "demonstration") return {};
  if (!content.is_array()) return asked_in(content_text(content));
  std::string words;
  for (const Json& part : content) {
    const std::string one = asked_in(content_text(Json::array({part})));
    if (!one.empty()) words += (words.empty() ? "" : "\n") + one;
  }
  return words;
}

// A chat message in OpenAI's form.
bool take_message(const Json& message, ReportBuilder& into) {
  if (!message.is_object()) return false;
  const std::string role = text_of(message, "role"), content = content_text(member(message, "content"));
  const Time time = time_in(message);
  if (role == "system" || role == "developer" || member(message, "is_demo") == Json(true)) return true;
  if (role == "user") {
    into.user(asked_words(message), time);
  } else if (role == "tool") {
    into.output(text_of(message, "tool_call_id"), content, false, time);
  } else if (role == "assistant") {
    into.thought(text_of(message, "reasoning_content"));
    const Json& calls = member(message, "tool_calls");
    if (!calls.is_array() || calls.empty()) {
      into.answer(content, time);
      return true;
    }
    into.thought(content);
    for (const Json& call : calls) {
      const Json& function = member(call, "function");
      if (function.is_object())
        into.call(text_of(call, "id"), text_of(function, "name"), text_or_json(member(function, "arguments")), time);
    }
  } else {
    return false;
  }
  return true;
}

// A line of a Claude Code session, as `ClaudeTranscript` gives it.
bool take_claude_line(const Json& line, ReportBuilder& into) {
  const Json& message = member(line, "message");
  const ClaudeLine said_by{text_of(line, "type") == "user", time_in(line), text_of(line, "uuid")};
  const Json& usage = member(message, "usage");
  into.tokens(whole(usage, "input_tokens") + whole(usage, "output_tokens"));
  const Json& content = member(message, "content");
  std::string said;
  if (content.is_string() && said_by.from_user)
    into.user(content.get_ref<const std::string&>(), said_by.time, said_by.id);
  else if (content.is_string())
    said = content.get<std::string>();
  for (const Json& block : content.is_array() ? content : Json::array())
    if (block.is_object()) take_claude_block(block, said_by, into, said);
  into.answer(said, said_by.time);
  return true;
}

// A line of a Codex session: a response item, bare or as the payload of one with a time.
bool take_codex_line(const Json& line, ReportBuilder& into) {
  const Json& payload = member(line, "payload");
  const Json& item = payload.is_object() ? payload : line;
  const std::string outer = text_of(line, "type"), type = text_of(item, "type");
  if (outer == "session_meta") {
    into.report().session = text_of(item, "id");
    return true;
  }
  if (payload.is_object() && outer != "response_item") return !outer.empty();
  const Time time = time_in(line);
  if (type == "message") {
    const std::string role = text_of(item, "role");
    if (role == "user") into.user(asked_words(item), time);
    if (role == "assistant") into.answer(content_text(member(item, "content")), time);
  } else if (type == "reasoning") {
    into.thought(content_text(member(item, "summary")));
  } else if (type == "function_call" || type == "custom_tool_call") {
    into.call(text_of(item, "call_id"), text_of(item, "name"),
              text_or_json(member(item, type == "function_call" ? "arguments" : "input")), time);
  } else if (type == "local_shell_call") {
    Json arguments{{"command", joined_command(member(member(item, "action"), "command"))}};
    into.call(text_of(item, "call_id"), "local_shell", write_json(arguments), time);
  } else if (type.ends_with("_call") && !text_of(item, "call_id").empty()) {
    const Json& action = member(item, "action");
    into.call(text_of(item, "call_id"), type.substr(0, type.size() - std::string_view("_call").size()),
              action.is_null() ? text_or_json(member(item, "operation")) : text_or_json(action), time);
  } else if (type.ends_with("_output")) {
    take_codex_output(item, time, into);
  }
  return true;
}

// An event of OpenHands: an action, or an observation that answers one.
bool take_openhands_event(const Json& event, ReportBuilder& into) {
  const std::string action = text_of(event, "action"), observation = text_of(event, "observation");
  const Time time = time_in(event);
  if (!observation.empty()) {
    const Json& extras = member(event, "extras");
    const bool failed =
        observation == "error" || whole(extras, "exit_code") > 0 || whole(member(extras, "metadata"), "exit_code") > 0;
    if (observation != "agent_state_changed" && observation != "null" && observation != "recall")
      into.output_of_last(content_text(member(event, "content")), failed, time);
    return true;
  }
  if (action.empty()) return false;
  const Json& args = member(event, "args");
  if (action == "message" || action == "system") {
    const std::string text = text_of(args, "content");
    if (text_of(event, "source") == "user") into.user(asked_in(text), time);
    if (text_of(event, "source") == "agent" && action == "message") into.answer(text, time);
  } else if (action == "finish") {
    into.answer(args.contains("final_thought") ? text_of(args, "final_thought") : text_of(args, "thought"), time);
  } else if (action == "think") {
    into.thought(text_of(args, "thought"));
  } else if (action != "change_agent_state" && action != "recall" && action != "null") {
    into.thought(text_of(args, "thought"));
    Json rest = args.is_object() ? args : Json::object();
    rest.erase("thought");
    into.call(write_json(member(event, "id")), action, write_json(rest), time);
  }
  return true;
}

// A step of a SWE-agent trajectory: thought, action, observation.
bool take_swe_step(const Json& step, ReportBuilder& into) {
  const std::string action = text_of(step, "action");
  if (action.empty() && !step.contains("observation")) return false;
  into.thought(text_of(step, "thought"));
  const auto end = action.find_first_of(" \n");
  into.call("", action.substr(0, end), write_json(Json{{"command", action}}));
  into.output_of_last(text_or_json(member(step, "observation")));
  const Json& time = member(step, "execution_time");
  if (time.is_number()) into.report().steps.back().ms = 1000 * time.get<double>();
  return true;
}

// What a source says of the outcome: {"reward": 0}, {"success": true}, {"resolved": false}, {"error": "…"}.
void take_outcome(const Json& outcome, ReportBuilder& into) {
  if (!outcome.is_object()) return;
  for (const char* name : {"success", "resolved"})
    if (const Json& at = member(outcome, name); at.is_boolean())
      into.outcome(at.get<bool>() ? Outcome::kSuccess : Outcome::kFailure, Witness::kVerifier);
  if (const Json& at = member(outcome, "reward"); at.is_number())
    into.outcome(at.get<double>() > 0.5 ? Outcome::kSuccess : Outcome::kFailure, Witness::kVerifier);
  const std::string error = text_of(outcome, "error");
  if (error.empty()) return;
  into.outcome(Outcome::kFailure, Witness::kVerifier);
  into.report().limit = error;
}

constexpr std::size_t kLargestLine = 32 * 1024 * 1024;
constexpr std::string_view kImported = "imported/";  // what ids of reports begin with

bool has(const Json& object, const char* name) { return object.is_object() && object.contains(name); }

bool is_list(const Json& object, const char* name) { return has(object, name) && object[name].is_array(); }

bool is_claude(const Json& line) {
  if (!has(line, "type") || !line["type"].is_string()) return false;
  return has(line, "sessionId") || has(line, "leafUuid") || has(line, "uuid") || has(line, "snapshot") ||
         (has(line, "message") && line["message"].is_object());
}

bool is_codex(const Json& line) {
  if (has(line, "payload")) return true;
  if (!has(line, "type") || !line["type"].is_string()) return false;
  const auto& type = line["type"].get_ref<const std::string&>();
  return type == "message" || type == "reasoning" || type.ends_with("_call") || type.ends_with("_call_output");
}

bool is_openhands(const Json& event) {
  return has(event, "source") && (has(event, "action") || has(event, "observation"));
}

std::string id_of(const Json& run) {
  for (const char* name : {"id", "instance_id", "session_id"})
    if (has(run, name) && run[name].is_string()) return run[name].get<std::string>();
  return {};
}

std::string hash_of(std::string_view text) {
  std::array<char, 20> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return hash.data();
}

struct LineFormat {
  TranscriptFormat format;
  bool (*is)(const Json&);
  bool (*take)(const Json&, ReportBuilder&);
};
constexpr std::array<LineFormat, 3> kLineFormats{
    {{TranscriptFormat::kOpenHands, is_openhands, take_openhands_event},
     {TranscriptFormat::kCodex, is_codex, take_codex_line},
     {TranscriptFormat::kMessages, [](const Json& one) { return has(one, "role"); }, take_message}}};

class Reader {
 public:
  Reader(std::string_view text, const TranscriptPlace& place) : text_(text), place_(place) {
    session_.report().session = place.session;
  }

  Result<Transcripts> read() {
    if (auto whole = lenient_json<Json>(text_); !whole.is_discarded() && take_document(whole)) {
      finish_run(text_, id_of(whole), text_.size());
    } else if (!place_.whole) {
      take_lines();
    }
    if (claude_) found_.left_out = claude_->left_out();
    if (!known_ || found_.reports.empty()) {
      std::string why = place_.file + ": there is no run in it that can be read";
      if (!found_.problems.empty()) why += "; " + found_.problems.front();
      return invalid_argument(why,
                              "OpenAI-style messages, sessions of Claude Code or Codex (JSON Lines), events of "
                              "OpenHands, trajectories of SWE-agent");
    }
    return std::move(found_);
  }

 private:
  using Take = bool (*)(const Json&, ReportBuilder&);

  // One JSON document that is a whole run.
  bool take_document(const Json& whole) {
    if (is_list(whole, "trajectory"))
      return take_all(TranscriptFormat::kSweAgent, whole["trajectory"], take_swe_step, whole);
    if (is_list(whole, "messages"))
      return take_all(TranscriptFormat::kMessages, whole["messages"], take_message, whole);
    const Json& events = is_list(whole, "history") ? whole["history"] : whole;
    if (!events.is_array() || events.empty()) return false;
    if (is_openhands(events.front()))
      return take_all(TranscriptFormat::kOpenHands, events, take_openhands_event, whole);
    return has(events.front(), "role") && take_all(TranscriptFormat::kMessages, events, take_message, whole);
  }

  bool take_all(TranscriptFormat format, const Json& parts, Take take, const Json& whole) {
    know(format);
    if (format == TranscriptFormat::kSweAgent) take_swe_task(whole);
    std::size_t number = 0;
    for (const Json& part : parts) {
      ++number;
      if (!part.is_object() || !take(part, run_)) skip("entry " + std::to_string(number), "its form is not known");
    }
    if (has(whole, "outcome")) take_outcome(whole["outcome"], run_);
    if (has(whole, "report")) take_outcome(whole["report"], run_);
    return true;
  }

  // A trajectory has its task in the history beside it, behind demonstrations.
  void take_swe_task(const Json& whole) {
    if (!is_list(whole, "history")) return;
    for (const Json& message : whole["history"])
      if (has(message, "role") && message["role"] == "user")
        if (const std::string task = asked_words(message); !task.empty()) return run_.user(task);
  }

  void take_lines() {
    std::size_t number = 0, begin = 0;
    while (begin < text_.size()) {
      auto end = text_.find('\n', begin);
      if (end == std::string_view::npos) end = text_.size();
      const std::string_view line = text_.substr(begin, end - begin);
      ++number;
      if (line.find_first_not_of(" \t\r") != std::string_view::npos)
        take_line(line, begin, "line " + std::to_string(number));
      begin = end + 1;
    }
    if (session_.empty()) return;
    found_.open = true;
    add_task(session_.take(), text_.size());
  }

  void take_line(std::string_view line, std::size_t begin, const std::string& place) {
    if (const auto good = check_json(line, {.max_bytes = kLargestLine, .max_depth = 256}, place); !good.ok())
      return skip(place, good.error().message);
    const Json json = Json::parse(line, nullptr, false);
    if (is_list(json, "messages") || is_list(json, "trajectory") || is_list(json, "history")) {
      // Runs of a line each; what stood in single lines before is one of its own.
      if (!session_.empty()) add_task(session_.take(), begin);
      if (take_document(json)) finish_run(line, id_of(json), begin + line.size() + 1);
      return;
    }
    if (is_list(json, "steps") && has(json, "task")) return take_report(line, begin + line.size() + 1, place);
    if (!is_openhands(json) && (is_claude(json) || (claude_ && has(json, "type")))) return take_claude(line, begin);
    for (const LineFormat& format : kLineFormats) {
      if (!format.is(json)) continue;
      if (!format.take(json, session_)) break;
      know(format.format);
      for (TaskReport& ended : session_.take_ended()) add_task(std::move(ended), begin);
      return;
    }
    skip(place, "its form is not known");
  }

  void take_claude(std::string_view line, std::size_t begin) {
    if (!claude_) claude_.emplace(text_);
    know(TranscriptFormat::kClaudeCode);
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    std::string& session = session_.report().session;
    if (session.empty() && json.value("sessionId", nlohmann::ordered_json()).is_string())
      session = json["sessionId"].get<std::string>();
    if (const auto said = claude_->said(json)) take_claude_line(Json(*said), session_);
    for (TaskReport& ended : session_.take_ended()) add_task(std::move(ended), begin);
  }

  // One that was made of a transcript before.
  void take_report(std::string_view line, std::size_t end, const std::string& place) {
    auto report = parse_record<TaskReport>(line, place, {.max_bytes = kLargestLine});
    if (!report.ok()) return skip(place, report.error().message);
    know(TranscriptFormat::kTaskReports);
    std::string id = report->id.empty() ? hash_of(line) : report->id;
    if (id.starts_with(kImported)) id.erase(0, kImported.size());
    add(std::move(*report), std::move(id), end);
  }

  void know(TranscriptFormat format) {
    if (!known_) found_.format = format;
    known_ = true;
  }

  void skip(const std::string& place, const std::string& why) {
    std::string said = why.starts_with(place) ? why : place + ": " + why;
    found_.problems.push_back(place_.file + ", " + said);
  }

  void finish_run(std::string_view source, std::string id, std::size_t end) {
    if (run_.empty()) return;
    TaskReport report = run_.take();
    if (id.empty()) id = place_.source.empty() ? hash_of(source) : hash_of(place_.source + beginning_of(report));
    add(std::move(report), std::move(id), end);
  }

  // A task of a session is known by its own id, or by when it was said and in what words.
  void add_task(TaskReport report, std::size_t end) {
    std::string id = report.id;
    if (id.empty() && report.session.empty() && place_.source.empty()) {
      id = hash_of(std::string(text_) + std::to_string(found_.reports.size()));
    } else if (id.empty()) {
      const std::string where = report.session.empty() ? hash_of(place_.source) : report.session;
      id = where + "/" + hash_of(beginning_of(report));
    }
    add(std::move(report), std::move(id), end);
  }

  // The same for as long as the task goes on. Without times its number tells it from others in the same words.
  std::string beginning_of(const TaskReport& report) const {
    const auto number = place_.tasks + tasks_;
    return std::to_string(report.started.ms != 0 ? report.started.ms : number) + " " + report.task;
  }

  void add(TaskReport report, std::string id, std::size_t end) {
    report.id = std::string(kImported) + id;
    if (report.session.empty()) report.session = report.id;
    report.run = report.id;
    report.provenance = Provenance::kImported;
    tasks_ += !report.task.empty();
    found_.reports.push_back(std::move(report));
    found_.ends.push_back(std::min(end, text_.size()));
  }

  std::string_view text_;
  const TranscriptPlace& place_;
  Transcripts found_;
  std::optional<ClaudeTranscript> claude_;
  bool known_ = false;
  std::int64_t tasks_ = 0;
  ReportBuilder run_, session_{ReportBuilder::Tasks::kOneEachAnswer};
};

}  // namespace

std::string_view to_string(TranscriptFormat format) {
  switch (format) {
    case TranscriptFormat::kMessages: return "messages";
    case TranscriptFormat::kClaudeCode: return "claude_code";
    case TranscriptFormat::kCodex: return "codex";
    case TranscriptFormat::kOpenHands: return "openhands";
    case TranscriptFormat::kSweAgent: return "swe_agent";
    case TranscriptFormat::kTaskReports: return "task_reports";
  }
  return "";
}

Result<Transcripts> read_transcripts(std::string_view text, const TranscriptPlace& place) {
  return Reader(text, place).read();
}

}  // namespace weft
