// Reads what a context is asked for: {"system", "input", "messages", "window", "model", "task", "preferences",
// "errors", "tools", "planned", "plan", "state", "template", "layout", "skein", "observe", "system_messages"}.
#include "surface/api/fields.h"

#include <nlohmann/json.hpp>
#include "surface/api/json.h"
#include "text/json.h"

namespace weft {
namespace {

using namespace fields;  // NOLINT: the parts of this very thing

constexpr std::size_t kMostTools = 10'000;

// Every field that is read; what is not among them is a slip.
Status check_fields(const Json& json) {
  return check_names(
      json,
      {"system", "input",       "messages", "history",         "window",  "output_tokens", "other_tokens", "model",
       "task",   "preferences", "errors",   "tools",           "planned", "plan",          "state",        "template",
       "layout", "skein",       "observe",  "system_messages", "full",    "request_id"});
}

Status read_tokens(const Json& json, const char* field, std::int64_t& into) {
  if (!present(json, field)) return {};
  if (!json[field].is_number_unsigned()) return wrong(field, "a whole number of tokens");
  into = json[field].get<std::int64_t>();
  return {};
}

Status read_task(const Json& body, TaskState& task) {
  if (!present(body, "task")) return {};
  const Json& json = body["task"];
  if (json.is_string()) {
    task.description = json.get<std::string>();
    return {};
  }
  if (!json.is_object()) return wrong("task", "an object, or a description");
  WEFT_CHECK(check_names(json, {"description", "type", "done", "current", "remaining", "warnings"}, "task."));
  WEFT_CHECK(read(json, "description", task.description));
  WEFT_CHECK(read(json, "type", task.type));
  WEFT_CHECK(read(json, "done", task.done));
  WEFT_CHECK(read(json, "current", task.current));
  WEFT_CHECK(read(json, "remaining", task.remaining));
  return read(json, "warnings", task.warnings);
}

/// Reads each object of an array field.
template <class One>
Status read_each(const Json& body, const char* field, std::vector<One>& into, Status (*read_one)(const Json&, One&)) {
  if (!present(body, field)) return {};
  if (!body[field].is_array()) return wrong(field, "an array of objects");
  for (const Json& json : body[field]) {
    if (!json.is_object()) return wrong(field, "an array of objects");
    WEFT_CHECK(read_one(json, into.emplace_back()));
  }
  return {};
}

Status read_preference(const Json& json, Preference& preference) {
  WEFT_CHECK(check_names(json, {"text", "confidence", "task_types"}, "preferences."));
  WEFT_CHECK(read(json, "text", preference.text));
  WEFT_CHECK(read(json, "confidence", preference.confidence));
  if (preference.confidence < 0 || preference.confidence > 1) return wrong("confidence", "a number from 0 to 1");
  return read(json, "task_types", preference.task_types);
}

Status read_error(const Json& json, ErrorNote& note) {
  WEFT_CHECK(check_names(json, {"tried", "reason", "handled"}, "errors."));
  WEFT_CHECK(read(json, "tried", note.tried));
  WEFT_CHECK(read(json, "reason", note.reason));
  return read(json, "handled", note.handled);
}

// In plain form, or in that of chat APIs: {"type": "function", "function": {…}}.
Status read_tool(const Json& json, ToolInfo& tool) {
  const bool wrapped = present(json, "function") && json["function"].is_object();
  const Json& function = wrapped ? json["function"] : json;
  WEFT_CHECK(read(function, "name", tool.name));
  if (tool.name.empty()) return wrong("name", "the name of a tool");
  WEFT_CHECK(read(function, "description", tool.description));
  for (const char* field : {"parameters", "input_schema"})
    if (present(function, field)) tool.parameters = write_json(function[field]);
  return {};
}

}  // namespace

Result<ContextRequest> parse_context_request(std::string_view text, const MessageLimits& limits) {
  ContextRequest out;
  if (text.empty()) return out;
  WEFT_TRY(const auto json, parse_object(text));
  WEFT_CHECK(check_fields(json));
  WEFT_CHECK(read(json, "system", out.system));
  WEFT_CHECK(read(json, "input", out.input));
  WEFT_CHECK(read(json, "model", out.model));
  WEFT_CHECK(read_tokens(json, "window", out.window));
  WEFT_CHECK(read_tokens(json, "output_tokens", out.output_tokens));
  WEFT_CHECK(read_tokens(json, "other_tokens", out.other_tokens));
  WEFT_CHECK(read_task(json, out.task));
  WEFT_CHECK(read_each(json, "preferences", out.preferences, read_preference));
  WEFT_CHECK(read_each(json, "errors", out.errors, read_error));
  WEFT_CHECK(read_each(json, "tools", out.tools, read_tool));
  if (out.tools.size() > kMostTools) return wrong("tools", "an array of at most " + std::to_string(kMostTools));
  WEFT_CHECK(read(json, "planned", out.planned));
  if (present(json, "plan")) {
    WEFT_TRY(out.plan, parse_plan(json_member(text, "plan")));
    out.planned = true;
  }
  WEFT_CHECK(read(json, "state", out.state));
  WEFT_CHECK(read(json, "template", out.template_id));
  WEFT_CHECK(read(json, "layout", out.layout));
  WEFT_CHECK(read(json, "skein", out.skein));
  WEFT_CHECK(read(json, "observe", out.observe));
  WEFT_CHECK(read(json, "system_messages", out.system_messages));
  const char* field = present(json, "history") ? "history" : "messages";
  if (!present(json, field)) return out;
  WEFT_TRY(out.history, parse_messages(json_member(text, field), limits));
  return out;
}

}  // namespace weft
