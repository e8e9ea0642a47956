#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "model/records.h"
#include "text/json.h"
#include "weft/plan.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

using Json = nlohmann::json;

// A plan is small. These bounds keep one from outside from filling a prompt.
constexpr JsonLimits kLimits{64 * 1024, 8};
constexpr std::size_t kMostKeywords = 64;
constexpr std::size_t kLongestKeyword = 256;
constexpr std::size_t kLongestGoal = 4096;
constexpr std::size_t kLongestName = 256;

Error wrong(const std::string& field, const std::string& why, std::string hint = {}) {
  return invalid_argument("plan: " + field + ": " + why, std::move(hint));
}

/// One object of a plan while it is read; `path` is what errors begin with ("search_intent.").
class Fields {
 public:
  Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {}

  /// Every member is one of `known`.
  Status only(std::initializer_list<std::string_view> known) const {
    for (const auto& member : object_.items()) {
      if (std::find(known.begin(), known.end(), member.key()) != known.end()) continue;
      std::string names;
      for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
      return wrong(path_ + member.key(), "no such field", "the fields here are " + names);
    }
    return {};
  }

  const Json* find(const char* name) const {
    const auto at = object_.find(name);
    return at == object_.end() ? nullptr : &*at;
  }

  Status read_text(const char* name, std::size_t longest, std::string& into) const {
    const Json* member = find(name);
    if (member == nullptr) return {};
    if (!member->is_string()) return wrong(path_ + name, "must be a string");
    if (member->get_ref<const std::string&>().size() > longest)
      return wrong(path_ + name, "longer than " + std::to_string(longest) + " bytes");
    into = member->get<std::string>();
    return {};
  }

  Status read_weight(const char* name, double& into) const {
    const Json* member = find(name);
    if (member == nullptr) return {};
    if (!member->is_number()) return wrong(path_ + name, "must be a number from 0 to 1");
    const double weight = member->get<double>();
    if (!(weight >= 0 && weight <= 1)) return wrong(path_ + name, "must be from 0 to 1");
    into = weight;
    return {};
  }

  Status read_flag(const char* name, bool& into) const {
    const Json* member = find(name);
    if (member == nullptr) return {};
    if (!member->is_boolean()) return wrong(path_ + name, "must be true or false");
    into = member->get<bool>();
    return {};
  }

  Status check_object(const char* name) const {
    const Json* member = find(name);
    if (member == nullptr || member->is_object()) return {};
    return wrong(path_ + name, "must be an object");
  }

 private:
  const Json& object_;
  std::string path_;
};

// A name that is given twice says two things at once; the reader of JSON would take the last one silently.
Status check_names(std::string_view object, const std::string& path) {
  std::unordered_set<std::string> seen;
  for (const auto& [name, text] : json_members(object)) {
    if (!seen.insert(name).second) return wrong(path + name, "given twice");
    if (text.starts_with('{')) WEFT_CHECK(check_names(text, path + name + "."));
  }
  return {};
}

Status read_keywords(const Fields& fields, std::vector<std::string>& into) {
  const std::string name = "search_intent.focus_keywords";
  const Json* list = fields.find("focus_keywords");
  if (list == nullptr) return {};
  if (!list->is_array()) return wrong(name, "must be a list of strings");
  if (list->size() > kMostKeywords) return wrong(name, "more than " + std::to_string(kMostKeywords) + " keywords");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& keyword = (*list)[i];
    const std::string place = name + "[" + std::to_string(i) + "]";
    if (!keyword.is_string()) return wrong(place, "must be a string");
    const auto& text = keyword.get_ref<const std::string&>();
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) return wrong(place, "is empty");
    if (text.size() > kLongestKeyword) return wrong(place, "longer than " + std::to_string(kLongestKeyword) + " bytes");
    into.push_back(text);
  }
  return {};
}

Status read_search_intent(const Json& json, SearchIntent& intent) {
  const Fields fields(json, "search_intent.");
  WEFT_CHECK(fields.only({"enabled", "focus_keywords", "temporal_context", "domain_weight"}));
  WEFT_CHECK(fields.read_flag("enabled", intent.enabled));
  WEFT_CHECK(read_keywords(fields, intent.focus_keywords));
  WEFT_CHECK(fields.read_text("temporal_context", kLongestName, intent.temporal_context));
  const std::string& when = intent.temporal_context;
  if (when != "now" && when != "past" && when != "future")
    return wrong("search_intent.temporal_context", "must be \"now\", \"past\" or \"future\"");
  WEFT_CHECK(fields.check_object("domain_weight"));
  if (const Json* weights = fields.find("domain_weight")) {
    const Fields each(*weights, "search_intent.domain_weight.");
    WEFT_CHECK(each.only({"narrative", "lore", "event"}));
    WEFT_CHECK(each.read_weight("narrative", intent.domain_weight.narrative));
    WEFT_CHECK(each.read_weight("lore", intent.domain_weight.lore));
    WEFT_CHECK(each.read_weight("event", intent.domain_weight.event));
  }
  const DomainWeight& weight = intent.domain_weight;
  if (intent.enabled && weight.narrative == 0 && weight.lore == 0 && weight.event == 0)
    return wrong("search_intent.domain_weight", "all weights are 0, but search_intent.enabled is true",
                 "set search_intent.enabled to false to search nothing");
  return {};
}

Status read_quest_id(const Fields& fields, std::optional<std::string>& into) {
  const Json* id = fields.find("activeQuestId");
  if (id == nullptr || id->is_null()) return {};
  if (!id->is_string()) return wrong("activeQuestId", "must be a string or null");
  if (id->get_ref<const std::string&>().empty())
    return wrong("activeQuestId", "is empty", "null says that there is none");
  return fields.read_text("activeQuestId", kLongestName, into.emplace());
}

}  // namespace

std::string to_json(const PlanContext& plan) { return to_json<PlanContext>(plan); }

// `enabled` decides over the keywords: a plan with the stream switched off may keep those it had, they are not used.
Result<PlanContext> parse_plan(std::string_view text) {
  WEFT_TRY(const Json json, read_json(text, kLimits, "plan"));
  if (!json.is_object()) return invalid_argument("plan: must be an object");
  const auto begin = text.find('{');
  WEFT_CHECK(check_names(text.substr(begin), ""));
  const Fields fields(json, "");
  WEFT_CHECK(fields.only({"activeQuestId", "current_goal", "templateId", "search_intent"}));
  PlanContext plan;
  WEFT_CHECK(read_quest_id(fields, plan.active_quest_id));
  WEFT_CHECK(fields.read_text("current_goal", kLongestGoal, plan.current_goal));
  WEFT_CHECK(fields.read_text("templateId", kLongestName, plan.template_id));
  if (plan.template_id.empty()) return wrong("templateId", "is empty");
  WEFT_CHECK(fields.check_object("search_intent"));
  if (const Json* intent = fields.find("search_intent")) WEFT_CHECK(read_search_intent(*intent, plan.search_intent));
  return plan;
}

std::optional<BlockPlace> parse_block_place(std::string_view text) {
  if (text == "relative_to_history") return BlockPlace::kHistoryTop;
  if (text == "in_chat" || text == "at_depth") return BlockPlace::kHistoryBottom;
  return enum_of<BlockPlace>(text);
}

ToolParameters& ToolParameters::add(std::string_view name, std::string_view type, std::string_view description) {
  return argument(name, ValueObject{{"type", std::string(type)}, {"description", std::string(description)}});
}

ToolParameters& ToolParameters::text(std::string_view name, std::string_view description) {
  return add(name, "string", description);
}

ToolParameters& ToolParameters::choice(std::string_view name, std::string_view description,
                                       const std::vector<std::string>& words) {
  return argument(name, ValueObject{{"type", "string"},
                                    {"description", std::string(description)},
                                    {"enum", ValueList(words.begin(), words.end())}});
}

ToolParameters& ToolParameters::number(std::string_view name, std::string_view description) {
  return add(name, "number", description);
}

ToolParameters& ToolParameters::integer(std::string_view name, std::string_view description) {
  return add(name, "integer", description);
}

ToolParameters& ToolParameters::flag(std::string_view name, std::string_view description) {
  return add(name, "boolean", description);
}

ToolParameters& ToolParameters::texts(std::string_view name, std::string_view description) {
  return argument(name, ValueObject{{"type", "array"},
                                    {"description", std::string(description)},
                                    {"items", ValueObject{{"type", "string"}}}});
}

ToolParameters& ToolParameters::argument(std::string_view name, Value schema) {
  properties_.emplace_back(std::string(name), std::move(schema));
  required_.emplace_back(name);
  return *this;
}

ToolParameters& ToolParameters::optional() {
  if (!properties_.empty()) std::erase(required_, properties_.back().first);
  return *this;
}

Value ToolParameters::schema() const {
  ValueObject schema{{"type", "object"}, {"properties", properties_}};
  if (!required_.empty()) schema.emplace_back("required", ValueList(required_.begin(), required_.end()));
  return schema;
}

}  // namespace weft
