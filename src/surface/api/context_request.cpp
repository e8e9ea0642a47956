// Reads what a context is asked for: {"system", "input", "messages", "window", "model", "task", "preferences",
// "errors", "tools", "planned", "plan", "state", "template", "layout", "skein", "observe", "system_messages", "full"}.
#include "surface/api/fields.h"

#include <nlohmann/json.hpp>
#include "model/session_task.h"
#include "surface/api/json.h"
#include "text/json.h"

namespace weft {
namespace {

using namespace fields;  // NOLINT: the parts of this very thing

constexpr std::size_t kMostTools = 10'000;

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

Status read_error(const Json& json, ErrorNote& note) {
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
  WEFT_CHECK(read(json, "system", out.system));
  WEFT_CHECK(read(json, "input", out.input));
  WEFT_CHECK(read(json, "model", out.model));
  if (present(json, "window")) {
    if (!json["window"].is_number_unsigned()) return wrong("window", "a whole number of tokens");
    out.window = json["window"].get<std::int64_t>();
  }
  if (present(json, "task")) {
    WEFT_TRY(auto task, parse_session_task(json_member(text, "task"), "task"));
    out.task = std::move(task.state);
    out.preferences = std::move(task.preferences);
  }
  if (present(json, "preferences")) {
    WEFT_TRY(out.preferences, parse_preferences(json_member(text, "preferences"), "preferences"));
  }
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
  WEFT_CHECK(read(json, "full", out.full));
  const char* field = present(json, "history") ? "history" : "messages";
  if (!present(json, field)) return out;
  WEFT_TRY(out.history, parse_messages(json_member(text, field), limits));
  return out;
}

}  // namespace weft
