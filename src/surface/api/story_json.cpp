#include <nlohmann/json.hpp>

#include "model/quest.h"
#include "surface/api/fields.h"
#include "surface/api/story.h"
#include "text/json.h"

namespace weft {
namespace {

using OrderedJson = nlohmann::ordered_json;
using namespace fields;  // NOLINT: the parts of this very thing

// JSON that is there already as text.
std::string with_text(const OrderedJson& head, const char* name, const std::string& json) {
  std::string text = write_json(head);
  text.pop_back();
  return text + (text.size() > 1 ? ",\"" : "\"") + name + "\":" + json + "}";
}

template <class One>
std::string listed(const char* name, const std::vector<One>& all) {
  std::string text = std::string("{\"") + name + "\":[";
  for (std::size_t i = 0; i < all.size(); ++i) text += (i == 0 ? "" : ",") + all[i];
  return text + "]}";
}

}  // namespace

std::string to_json(const StateView& state) {
  OrderedJson head = {{"name", state.name}, {"version", state.version}, {"time", format_time(state.time)}};
  if (state.repeated) head["repeated"] = true;
  return state.json.empty() ? write_json(head) : with_text(head, "state", state.json);
}

std::string to_json(std::span<const StateVersion> versions) {
  std::vector<std::string> all;
  for (const StateVersion& one : versions) {
    const OrderedJson head = {{"version", one.version}, {"time", format_time(one.time)}, {"author", one.author}};
    all.push_back(with_text(head, "operations", one.operations));
  }
  return listed("versions", all);
}

std::string schema_json(const std::string& name, const std::string& schema) {
  OrderedJson head;
  head["name"] = name;
  return with_text(head, "schema", schema.empty() ? "null" : schema);
}

std::string quests_json(const std::vector<Quest>& quests) {
  std::vector<std::string> all;
  for (const Quest& quest : quests) all.push_back(to_json(quest));
  return listed("quests", all);
}

std::string lore_json(const std::vector<LoreEntry>& entries) {
  std::vector<std::string> all;
  for (const LoreEntry& entry : entries) all.push_back(to_json(entry));
  return listed("lore", all);
}

std::string to_json(const LoreReport& report) {
  return write_json(
      OrderedJson{{"imported", report.imported}, {"left_out", report.left_out}, {"problems", report.problems}});
}

std::string to_json(std::span<const Compaction> compactions) {
  std::vector<std::string> all;
  for (const Compaction& one : compactions) all.push_back(to_json(one));
  return listed("compactions", all);
}

Result<StateChange> parse_state_change(std::string_view text) {
  StateChange change;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && text[begin] == '[') {
    change.operations = std::string(text);
    return change;
  }
  WEFT_TRY(const auto json, parse_object(text));
  WEFT_CHECK(check_names(json, {"operations", "author", "expected_version", "request_id"}));
  if (!present(json, "operations"))
    return wrong("operations", "an array of operations such as [\"SET\",\"hero.hp\",5]");
  change.operations = write_json(json["operations"]);
  WEFT_CHECK(read(json, "author", change.author));
  WEFT_CHECK(read(json, "request_id", change.request_id));
  if (!present(json, "expected_version")) return change;
  if (!json["expected_version"].is_number_unsigned()) return wrong("expected_version", "a whole number");
  change.expected_version = json["expected_version"].get<std::int64_t>();
  return change;
}

}  // namespace weft
