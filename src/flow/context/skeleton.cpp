#include "flow/context/skeleton.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "flow/context/filament.h"
#include "flow/context/template_catalog.h"
#include "text/line_diff.h"
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

namespace {

using Lines = std::vector<std::string_view>;
using Places = std::set<std::size_t>;

// A list item of so many lines is told whole: which one it is may stand in any of them.
constexpr std::size_t kShortItem = 8;

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string_view body_of(std::string_view line) { return line.substr(indent_of(line)); }

bool opens_tag(std::string_view line) {
  const std::string_view body = body_of(line);
  return body.size() > 1 && body[0] == '<' && body[1] != '/' && body.find("</") == std::string_view::npos;
}

// The lines that `place` lies within: above it, each less indented than the one before.
std::vector<std::size_t> around(const Lines& lines, std::size_t place) {
  std::vector<std::size_t> found;
  std::size_t indent = indent_of(lines[place]);
  for (std::size_t i = place; i-- > 0 && indent > 0;) {
    if (lines[i].empty() || indent_of(lines[i]) >= indent || body_of(lines[i]).starts_with("</")) continue;
    indent = indent_of(lines[i]);
    found.push_back(i);
  }
  return found;
}

std::size_t end_of_block(const Lines& lines, std::size_t head) {
  std::size_t end = head + 1;
  while (end < lines.size() && (lines[end].empty() || indent_of(lines[end]) > indent_of(lines[head]))) ++end;
  return end;
}

// A line with what makes it readable on its own.
void keep(const Lines& lines, std::size_t place, Places& kept) {
  std::vector<std::size_t> heads = around(lines, place);
  heads.push_back(place);
  for (const std::size_t head : heads) {
    kept.insert(head);
    const std::size_t end = end_of_block(lines, head);
    if (opens_tag(lines[head]) && end < lines.size() && body_of(lines[end]).starts_with("</")) kept.insert(end);
    const bool item = body_of(lines[head]).starts_with("- ") && end - head <= kShortItem;
    for (std::size_t i = head; item && i < end; ++i) kept.insert(i);
  }
}

std::string text_of(const Lines& lines, const Places& kept) {
  std::string text;
  for (const std::size_t place : kept) text += std::string(lines[place]) + "\n";
  return text;
}

// What a line says something about: where only that is the same, the line reads differently and is not gone.
std::string_view subject_of(std::string_view line) {
  const auto end = line.find_first_of(body_of(line).starts_with("<") ? " >" : ":", indent_of(line) + 1);
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

struct Change {
  Lines before, now;
  Places gone, told;
};

// One stretch of lines that differ.
void tell_stretch(Change& change, const std::vector<std::size_t>& removed, const std::vector<std::size_t>& added) {
  for (const std::size_t place : added) keep(change.now, place, change.told);
  for (const std::size_t place : removed) {
    const std::string_view subject = subject_of(change.before[place]);
    const bool differently = !subject.empty() && std::any_of(added.begin(), added.end(), [&](std::size_t other) {
      return subject_of(change.now[other]) == subject;
    });
    if (!differently && !body_of(change.before[place]).starts_with("</")) keep(change.before, place, change.gone);
  }
}

Change compare(std::string_view before, std::string_view now) {
  using Kind = DiffLine::Kind;
  const std::vector<DiffLine> diff = line_diff(before, now);
  Change change;
  for (const DiffLine& line : diff) {
    if (line.kind != Kind::kAdded) change.before.push_back(line.text);
    if (line.kind != Kind::kRemoved) change.now.push_back(line.text);
  }
  std::size_t of_before = 0, of_now = 0;
  std::vector<std::size_t> removed, added;
  for (const DiffLine& line : diff) {
    if (line.kind == Kind::kSame) tell_stretch(change, std::exchange(removed, {}), std::exchange(added, {}));
    if (line.kind == Kind::kRemoved) removed.push_back(of_before);
    if (line.kind == Kind::kAdded) added.push_back(of_now);
    of_before += line.kind != Kind::kAdded;
    of_now += line.kind != Kind::kRemoved;
  }
  tell_stretch(change, removed, added);
  return change;
}

}  // namespace

std::optional<std::string> skeleton_change(std::string_view before, std::string_view now) {
  if (before == now) return std::string();
  const Change change = compare(before, now);
  std::string text = "<changes since=\"the state above\">\n" + text_of(change.now, change.told);
  if (!change.gone.empty()) text += "<gone>\n" + text_of(change.before, change.gone) + "</gone>\n";
  text += "</changes>";
  if (text.size() * 3 > now.size() * 2) return std::nullopt;
  return text;
}

}  // namespace weft
