#include "model/session_task.h"

#include "base/strings.h"

namespace weft {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 4 << 20};

}  // namespace

std::string to_json(const SessionTask& task) { return to_json<SessionTask>(task); }

Result<SessionTask> parse_session_task(std::string_view json, std::string_view place) {
  WEFT_CHECK(check_json(json, kLimits, place));
  json = trimmed(json);
  SessionTask task;
  if (json.starts_with('"')) {
    WEFT_TRY(task.state.description, json_text(json));
    return task;
  }
  if (!json.starts_with('{')) return wrong_field(place, "an object, or a description");
  WEFT_CHECK(record<SessionTask>().read(json, "task", task));
  return task;
}

std::string to_json(const std::vector<Preference>& preferences) {
  JsonWriter out;
  JsonForm<std::vector<Preference>>::write(preferences, out);
  return out.take();
}

Result<std::vector<Preference>> parse_preferences(std::string_view json, std::string_view place) {
  WEFT_CHECK(check_json(json, kLimits, place));
  json = trimmed(json);
  std::vector<Preference> preferences;
  if (!json.starts_with('[')) return wrong_field(place, "an array of objects");
  WEFT_CHECK(JsonForm<std::vector<Preference>>::read(json, "preferences", {}, preferences));
  return preferences;
}

TaskState merged(const TaskState& known, const TaskState& given) {
  if (!given.description.empty() && given.description != known.description) return given;
  TaskState task = known;
  const auto take = [](auto& into, const auto& from) {
    if (!from.empty()) into = from;
  };
  take(task.type, given.type);
  take(task.done, given.done);
  take(task.current, given.current);
  take(task.remaining, given.remaining);
  take(task.warnings, given.warnings);
  take(task.constraints, given.constraints);
  return task;
}

}  // namespace weft
