// How other agents write down what they did.
#include "growth/transcript_formats.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "text/json.h"
#include "text/json_lookup.h"
#include "text/typed_words.h"

namespace weft {
namespace {

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

/// Where a line of Claude Code comes from.
struct ClaudeLine {
  bool from_user = false;
  Time time;
  std::string id;
};

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

}  // namespace

std::string content_text(const Json& content) {
  if (!content.is_array()) return text_or_json(content);
  std::string text;
  for (const Json& part : content) {
    const std::string one = part.is_string() ? part.get<std::string>() : part.is_object() ? text_of(part, "text") : "";
    if (!one.empty()) text += (text.empty() ? "" : "\n") + one;
  }
  return text;
}

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

}  // namespace weft
