#include "flow/context/skeleton.h"

#include <algorithm>
#include <span>

#include "base/ascii.h"
#include "flow/context/filament.h"
#include "flow/context/shipped_templates.h"
#include "text/utf8.h"

namespace weft {
namespace {

// Where the shipped templates put their data: within <context_layer> and <status>.
constexpr std::size_t kIndent = 4;

// Of user templates that nobody asks for any more.
constexpr std::size_t kMaxCompiled = 64;

std::span<const ShippedTemplate> shipped() { return {shipped_template_list, shipped_template_count}; }

// What explains something to the model is no template to plan with.
bool is_explanation(std::string_view id) { return id.starts_with("explain_"); }

std::string known_ids() {
  std::string text;
  for (const ShippedTemplate& each : shipped())
    if (!is_explanation(each.id)) text += (text.empty() ? "" : ", ") + std::string(each.id);
  return text;
}

Value texts(const std::vector<std::string>& list) {
  ValueList values;
  for (const std::string& text : list) values.emplace_back(text);
  return values;
}

Value quest_values(const std::vector<Quest>& quests) {
  ValueList list;
  for (const Quest& quest : quests) {
    list.emplace_back(ValueObject{{"id", quest.id},
                                  {"title", quest.title},
                                  {"objective", quest.objective},
                                  {"status", std::string(to_string(quest.status))},
                                  {"progress", quest.progress},
                                  {"prerequisites", texts(quest.prerequisites)},
                                  {"successors", texts(quest.successors)},
                                  {"tags", texts(quest.tags)},
                                  {"outcome", quest.outcome}});
  }
  return list;
}

Value plan_value(const PlanContext& plan) {
  const SearchIntent& intent = plan.search_intent;
  const DomainWeight& weight = intent.domain_weight;
  Value weights(ValueObject{{"narrative", weight.narrative}, {"lore", weight.lore}, {"event", weight.event}});
  Value search(ValueObject{{"enabled", intent.enabled},
                           {"focus_keywords", texts(intent.focus_keywords)},
                           {"temporal_context", intent.temporal_context},
                           {"domain_weight", std::move(weights)}});
  return ValueObject{{"activeQuestId", plan.active_quest_id ? Value(*plan.active_quest_id) : Value()},
                     {"current_goal", plan.current_goal},
                     {"templateId", plan.template_id},
                     {"search_intent", std::move(search)}};
}

// Only what the template names: a large state costs ten times its YAML to hand over.
Value raw_variables(const SkeletonInput& input, const std::vector<Quest>& quests, const PlanContext& plan,
                    const Template& by) {
  ValueObject variables;
  if (by.mentions("state"))
    variables.emplace_back("state", input.state != nullptr ? *input.state : Value(ValueObject()));
  if (by.mentions("quests")) variables.emplace_back("quests", quest_values(quests));
  if (by.mentions("plan")) variables.emplace_back("plan", plan_value(plan));
  if (by.mentions("facts"))
    variables.emplace_back("facts", input.facts != nullptr ? *input.facts : Value(ValueObject()));
  variables.emplace_back("state_version", input.state_version);
  return variables;
}

}  // namespace

Result<std::string> skeleton_state(const Value& state) { return filament_data(state, kIndent); }

Skeleton::Skeleton(Lookup user_templates, TemplateLimits limits, List user_ids)
    : user_templates_(std::move(user_templates)), user_ids_(std::move(user_ids)), limits_(limits) {}

std::vector<TemplateInfo> Skeleton::catalog() const {
  std::map<std::string, TemplateInfo> all;
  for (const ShippedTemplate& each : shipped()) all.emplace(each.id, read_template_info(each.id, each.source));
  const std::vector<std::string> own = user_ids_ ? user_ids_() : std::vector<std::string>();
  for (const std::string& id : own) {
    const auto source = is_template_id(id) && user_templates_ ? user_templates_(id) : std::nullopt;
    if (source) all[id] = read_template_info(id, *source);
  }
  std::vector<TemplateInfo> catalog;
  for (auto& [id, info] : all)
    if (!is_explanation(id)) catalog.push_back(std::move(info));
  return catalog;
}

Result<std::string> Skeleton::render(const SkeletonInput& input, std::string_view template_id) {
  WEFT_TRY(const auto by, find(template_id));
  static const std::vector<Quest> kNoQuests;
  static const PlanContext kNoPlan;
  const std::vector<Quest>& quests = input.active_quests != nullptr ? *input.active_quests : kNoQuests;
  const PlanContext& plan = input.plan != nullptr ? *input.plan : kNoPlan;

  std::string written;
  std::string_view status = input.state_yaml;
  if (status.empty() && input.state != nullptr && by->mentions("status")) {
    WEFT_TRY(written, skeleton_state(*input.state));
    status = written;
  }
  const std::string active = filament_quests(quests, kIndent), guidance = filament_guidance(plan, kIndent);
  return by->render(raw_variables(input, quests, plan, *by),
                    {{"status", status}, {"active_quests", active}, {"guidance", guidance}}, limits_);
}

Result<std::string> Skeleton::render_text(std::string_view template_id, const std::string& state_name) {
  WEFT_TRY(const auto by, find(template_id));
  return by->render(ValueObject{{"state_name", state_name}}, {}, limits_);
}

Status Skeleton::check(std::string_view template_id) {
  const auto found = find(template_id);
  return found.ok() ? Status() : Status(found.error());
}

Result<std::shared_ptr<const Template>> Skeleton::find(std::string_view id) {
  if (!is_template_id(id)) {
    return invalid_argument("'" + preview(repair_utf8(id), 80) + "' is no template id: letters, digits, '_' and '-'");
  }
  std::optional<std::string> source = user_templates_ ? user_templates_(id) : std::nullopt;
  if (!source) {
    const auto at = std::find_if(shipped().begin(), shipped().end(), [&](const auto& each) { return each.id == id; });
    if (at == shipped().end()) {
      return not_found("there is no template '" + std::string(id) + "'; shipped are " + known_ids(),
                       "templates of your own stand in the folder templates/ of the workspace, as ID.jinja");
    }
    source = std::string(at->source);
  }
  const std::lock_guard lock(mutex_);
  if (const auto kept = compiled_.find(id); kept != compiled_.end() && kept->second.source == *source) {
    return kept->second.compiled;
  }
  WEFT_TRY(Template fresh, Template::compile(std::string(id), *source));
  if (compiled_.size() >= kMaxCompiled) compiled_.clear();
  Compiled entry{std::move(*source), std::make_shared<const Template>(std::move(fresh))};
  return compiled_.insert_or_assign(std::string(id), std::move(entry)).first->second.compiled;
}

bool is_template_id(std::string_view id) {
  if (id.empty() || id.size() > 64) return false;
  return std::all_of(id.begin(), id.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; });
}

}  // namespace weft
