#include "model/session_task.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "base/edit_distance.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargest = 4 << 20;

Error wrong(const std::string& place, std::string_view wanted) {
  return invalid_argument("\"" + place + "\" must be " + std::string(wanted));
}

// Names the member with what it stands in, and what was most likely meant.
Error no_member(std::string_view where, std::string_view name, std::initializer_list<std::string_view> known) {
  name = name.substr(0, 60);
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(3, name.size() / 3 + 1);
  std::string all;
  for (const std::string_view one : known) {
    all += (all.empty() ? "" : ", ") + std::string(one);
    if (const auto away = edit_distance(one, name); away < least) least = away, nearest = one;
  }
  const std::string meant = nearest.empty() ? "" : "did you mean \"" + std::string(nearest) + "\"? ";
  return invalid_argument("there is no field \"" + std::string(where) + "." + std::string(name) + "\"",
                          meant + "fields: " + all);
}

Result<Json> read_value(std::string_view text, std::string_view place) {
  WEFT_CHECK(check_json(text, {.max_bytes = kLargest}, place));
  return Json::parse(text, nullptr, false);
}

Status read_text(const Json& value, const std::string& place, std::string& into) {
  if (value.is_null()) return {};
  if (!value.is_string()) return wrong(place, "a string");
  into = value.get<std::string>();
  return {};
}

Status read_texts(const Json& value, const std::string& place, std::vector<std::string>& into) {
  if (value.is_null()) return {};
  if (!value.is_array()) return wrong(place, "an array of strings");
  for (const Json& one : value) {
    if (!one.is_string()) return wrong(place, "an array of strings");
    into.push_back(one.get<std::string>());
  }
  return {};
}

Status read_preference(const Json& json, Preference& preference) {
  if (!json.is_object()) return wrong("preferences", "an array of objects");
  for (const auto& [name, value] : json.items()) {
    if (name == "text") {
      WEFT_CHECK(read_text(value, name, preference.text));
    } else if (name == "task_types") {
      WEFT_CHECK(read_texts(value, name, preference.task_types));
    } else if (name == "confidence") {
      if (!value.is_number()) return wrong(name, "a number from 0 to 1");
      preference.confidence = value.get<double>();
      if (preference.confidence < 0 || preference.confidence > 1) return wrong(name, "a number from 0 to 1");
    } else {
      return no_member("preferences", name, {"text", "confidence", "task_types"});
    }
  }
  if (preference.text.empty()) return wrong("text", "what is preferred");
  return {};
}

Result<std::vector<Preference>> read_preferences(const Json& json, const std::string& place) {
  std::vector<Preference> preferences;
  if (!json.is_array()) return wrong(place, "an array of objects");
  for (const Json& one : json) WEFT_CHECK(read_preference(one, preferences.emplace_back()));
  return preferences;
}

Status read_member(const std::string& name, const Json& value, SessionTask& task) {
  TaskState& state = task.state;
  const std::pair<const char*, std::string*> texts[] = {
      {"description", &state.description}, {"type", &state.type}, {"current", &state.current}, {"since", &task.since}};
  for (const auto& [known, into] : texts)
    if (name == known) return read_text(value, name, *into);
  const std::pair<const char*, std::vector<std::string>*> lists[] = {{"done", &state.done},
                                                                     {"remaining", &state.remaining},
                                                                     {"warnings", &state.warnings},
                                                                     {"constraints", &state.constraints}};
  for (const auto& [known, into] : lists)
    if (name == known) return read_texts(value, name, *into);
  if (name == "preferences") {
    WEFT_TRY(task.preferences, read_preferences(value, name));
    return {};
  }
  return no_member("task", name,
                   {"description", "type", "done", "current", "remaining", "warnings", "constraints", "preferences"});
}

Json json_of(const std::vector<Preference>& preferences) {
  Json list = Json::array();
  for (const Preference& one : preferences) {
    list.push_back({{"text", one.text}, {"confidence", one.confidence}});
    if (!one.task_types.empty()) list.back()["task_types"] = one.task_types;
  }
  return list;
}

}  // namespace

std::string to_json(const SessionTask& task) {
  Json out = Json::object();
  const TaskState& state = task.state;
  const auto put = [&out](const char* name, const auto& value) {
    if (!value.empty()) out[name] = value;
  };
  put("description", state.description);
  put("type", state.type);
  put("done", state.done);
  put("current", state.current);
  put("remaining", state.remaining);
  put("warnings", state.warnings);
  put("constraints", state.constraints);
  if (!task.preferences.empty()) out["preferences"] = json_of(task.preferences);
  put("since", task.since);
  return write_json(out);
}

Result<SessionTask> parse_session_task(std::string_view json, std::string_view place) {
  WEFT_TRY(const Json value, read_value(json, place));
  SessionTask task;
  if (value.is_string()) {
    task.state.description = value.get<std::string>();
    return task;
  }
  if (!value.is_object()) return wrong(std::string(place), "an object, or a description");
  for (const auto& [name, member] : value.items()) WEFT_CHECK(read_member(name, member, task));
  return task;
}

std::string to_json(const std::vector<Preference>& preferences) { return write_json(json_of(preferences)); }

Result<std::vector<Preference>> parse_preferences(std::string_view json, std::string_view place) {
  WEFT_TRY(const Json value, read_value(json, place));
  return read_preferences(value, std::string(place));
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
