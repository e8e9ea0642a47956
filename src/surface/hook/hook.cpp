#include "surface/hook/hook.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/log.h"
#include "base/strings.h"
#include "flow/context/told_file.h"
#include "ports/files/file.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = 16 * 1024 * 1024;      // of a call
constexpr std::size_t kMostTranscript = 256 * 1024 * 1024;
constexpr std::chrono::milliseconds kPatience{400};       // somebody waits to see an answer

SessionId session_of(const HookCall& call) { return SessionId("claude-code:" + call.session); }

std::string text_member(std::string_view object, std::string_view name) {
  return json_text(json_member(object, name)).value_or({});
}

std::string added_context(const HookCall& call, const std::string& text) {
  if (trimmed(text).empty()) return {};
  return write_json(Json{{"hookSpecificOutput", {{"hookEventName", call.event}, {"additionalContext", text}}}});
}

void add_block(std::string& text, std::string_view block) {
  if (!block.empty()) text += (text.empty() ? "" : "\n") + std::string(block);
}

// What is known before anything was asked: whoever begins to work should not have to ask for it.
Result<std::string> what_is_known(const Engine& engine, const RequestContext& request, std::size_t most_bytes) {
  std::string text;
  std::size_t suspects = 0;
  if (const auto profile = engine.profiles(request).read(); profile.ok())
    add_block(text, tell_profile(profile->entity.str(), profile->body, most_bytes));
  if (const auto file = engine.memory(request).knowledge(); file.ok()) {
    const ToldFile told = tell_knowledge(file->text, most_bytes);
    suspects += told.suspects;
    add_block(text, told.text);
  }
  WEFT_TRY(const auto days, engine.memory(request).days());
  const auto day = days.empty() ? Result<Day>(Day{}) : engine.memory(request).day(days.back());
  if (day.ok()) {
    const ToldFile told = tell_day(day->date, day->text, most_bytes);
    suspects += told.suspects;
    add_block(text, told.text);
  }
  if (suspects > 0)
    log_warning("hook.suspect",
                fmt::format("{} lines read as if they gave orders and are announced as such", suspects));
  return text;
}

// What was woven in beside the prompt itself.
Result<std::string> what_it_needs(const Engine& engine, const RequestContext& request, const HookCall& call) {
  RequestContext hurried = request;
  hurried.deadline = std::chrono::steady_clock::now() + kPatience;
  ContextRequest what;
  what.history = {Message::user(call.prompt)};
  what.observe = false;
  WEFT_TRY(const auto woven, engine.session(hurried, session_of(call)).context(what));
  std::string text;
  for (const Message& message : woven.messages) {
    std::string_view part = message.content;
    if (message.role == Role::kUser && part.ends_with(call.prompt)) part.remove_suffix(call.prompt.size());
    if (message.role != Role::kSystem && message.role != Role::kUser) continue;
    if (!trimmed(part).empty()) text += (text.empty() ? "" : "\n") + std::string(trimmed(part));
  }
  return text;
}

Status take_transcript(const Engine& engine, const RequestContext& request, const HookCall& call) {
  if (call.transcript.empty()) return {};
  std::error_code error;
  const auto size = std::filesystem::file_size(call.transcript, error);
  if (error) return not_found("the transcript " + call.transcript + " cannot be read: " + error.message());
  if (size > kMostTranscript) return too_large("the transcript " + call.transcript + " is larger than 256 MB");
  WEFT_TRY(const std::string text, read_file(call.transcript));
  const auto messages = messages_in_transcript(text);
  if (messages.empty()) return {};
  WEFT_TRY(const auto report, engine.session(request, session_of(call)).sync(messages));
  (void)report;
  return {};
}

Status take_prompt(const Engine& engine, const RequestContext& request, const HookCall& call) {
  WEFT_TRY(const auto report, engine.session(request, session_of(call)).observe(Message::user(call.prompt)));
  (void)report;
  return {};
}

bool is_one_of(std::string_view event, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), event) != names.end();
}

// A line of a transcript as messages of ours; nothing for lines of other kinds.
std::vector<Message> messages_in_line(std::string_view line) {
  if (!check_json(line, {.max_bytes = kMostBytes}, "a line").ok() || !line.starts_with('{')) return {};
  const std::string type = text_member(line, "type");
  if (type != "user" && type != "assistant") return {};
  if (json_member(line, "isSidechain") == "true" || json_member(line, "isMeta") == "true") return {};
  const auto message = json_member(line, "message");
  if (!message.starts_with('{')) return {};
  auto read = parse_message(message);
  if (!read.ok()) return {};
  const auto time = parse_time(text_member(line, "timestamp"));
  for (Message& one : *read) {
    // Claude Code writes a line for each block of an answer, all under the answer's id.
    one.id = {};
    one.raw.clear();
    if (time.ok()) one.time = *time;
  }
  return std::move(read).value();
}

}  // namespace

Result<HookCall> read_hook_call(std::string_view json) {
  WEFT_CHECK(check_json(json, {.max_bytes = kMostBytes}, "what the hook was given"));
  json.remove_prefix(std::min(json.find_first_not_of(kBlanks), json.size()));
  if (!json.starts_with('{')) return invalid_argument("what the hook was given is no JSON object");
  HookCall call{text_member(json, "hook_event_name"), text_member(json, "session_id"),
                text_member(json, "transcript_path"), text_member(json, "prompt")};
  if (call.event.empty() || call.session.empty())
    return invalid_argument("what the hook was given has no hook_event_name or no session_id",
                            "`weft hook` is for the hooks of Claude Code, which give both");
  WEFT_CHECK(check_id("claude-code:" + call.session, "session"));
  return call;
}

std::vector<Message> messages_in_transcript(std::string_view lines) {
  std::vector<Message> all;
  for (const std::string_view line : lines_of(lines)) {
    auto some = messages_in_line(trimmed(line));
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

Result<std::string> answer_hook(const Engine& engine, const RequestContext& request, const HookCall& call,
                                const HookLimits& limits) {
  if (call.event == "SessionStart") {
    WEFT_TRY(const std::string known, what_is_known(engine, request, limits.known_bytes));
    return added_context(call, known);
  }
  if (call.event == "UserPromptSubmit") {
    if (trimmed(call.prompt).empty()) return std::string();
    WEFT_TRY(const std::string needed, what_it_needs(engine, request, call));
    WEFT_CHECK(take_prompt(engine, request, call));
    return added_context(call, needed);
  }
  if (is_one_of(call.event, {"Stop", "SubagentStop", "PreCompact", "SessionEnd"}))
    WEFT_CHECK(take_transcript(engine, request, call));
  if (is_one_of(call.event, {"PreCompact", "SessionEnd"})) {
    WEFT_TRY(const auto saved, engine.session(request, session_of(call)).save());
    (void)saved;
  }
  return std::string();
}

}  // namespace weft
