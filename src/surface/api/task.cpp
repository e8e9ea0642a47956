// What a session works on, what a scope prefers, and what an earlier message said.
#include "surface/api/task.h"

#include "model/session_task.h"
#include "surface/api/handlers.h"
#include "surface/api/read_output.h"

namespace weft {
namespace {

using http::Request;
using http::ResponseWriter;

std::string json_of(const SessionTask& task) { return "{\"task\":" + (task.empty() ? "null" : to_json(task)) + "}"; }

Result<std::string> get_task(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  WEFT_TRY(const auto task, engine.task(context, session));
  return json_of(task);
}

Result<std::string> put_task(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  WEFT_TRY(const auto task, parse_session_task(request.body, "the body"));
  WEFT_CHECK(engine.put_task(context, session, task));
  WEFT_TRY(const auto kept, engine.task(context, session));
  return json_of(kept);
}

Result<std::string> end_task(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  WEFT_TRY(const bool ended, engine.end_task(context, session));
  return std::string(ended ? R"({"ended":true})" : R"({"ended":false})");
}

Result<std::string> get_preferences(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto preferences, engine.preferences(context));
  return "{\"preferences\":" + to_json(preferences) + "}";
}

Result<std::string> put_preferences(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto preferences, parse_preferences(request.body, "the body"));
  WEFT_CHECK(engine.put_preferences(context, preferences));
  return "{\"preferences\":" + to_json(preferences) + "}";
}

// ?from_line=, ?lines=, ?find=; ?session= where the same id stands in several sessions.
Result<std::string> get_message(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  ReadOutput what;
  what.id = request.params.at("id");
  WEFT_TRY(const auto from, number_of(request, "from_line", 1));
  WEFT_TRY(const auto lines, number_of(request, "lines", static_cast<std::int64_t>(what.lines)));
  what.from_line = static_cast<std::size_t>(from);
  what.lines = static_cast<std::size_t>(lines);
  const auto given = [&request](const char* name) {
    const auto at = request.query.find(name);
    return at == request.query.end() ? std::string() : at->second;
  };
  what.find = given("find");
  return read_output(engine, context, SessionId(given("session")), what);
}

}  // namespace

void add_task_api(http::Router& router, Engine& engine) {
  const auto add = [&](std::string_view method, std::string_view path, auto work) {
    add_handler(router, engine, method, path, work);
  };
  add("GET", "/v1/sessions/{id}/task", get_task);
  add("PUT", "/v1/sessions/{id}/task", put_task);
  add("DELETE", "/v1/sessions/{id}/task", end_task);
  add("GET", "/v1/preferences", get_preferences);
  add("PUT", "/v1/preferences", put_preferences);
  add("GET", "/v1/messages/{id}", get_message);
}

}  // namespace weft
