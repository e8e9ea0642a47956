#include "flow/context/skeleton.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "text/line_diff.h"
#include "text/markup.h"
#include "text/plain_words.h"
#include "text/utf8.h"
#include "text/yaml_value.h"

namespace weft {
namespace {

constexpr std::size_t kCommentBytes = 4096;
constexpr std::size_t kMostCues = 200;
constexpr std::size_t kAboutCharacters = 200;
constexpr std::size_t kReadBytes = 8192;  // of what was said

// Parted by commas of either language.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(','), text.find("，"));
    end = std::min({end, text.find("、"), text.size()});
    if (const auto part = trimmed(text.substr(0, end)); !part.empty()) parts.push_back(part);
    const std::size_t mark = end < text.size() && text[end] != ',' ? std::string_view("，").size() : 1;
    text.remove_prefix(std::min(end + mark, text.size()));
  }
  return parts;
}

std::optional<DomainWeight> weights_of(std::string_view text) {
  DomainWeight weights;
  bool any = false;
  for (const std::string_view part : parts_of(text)) {
    const std::size_t blank = part.find_first_of(" =:");
    if (blank == std::string_view::npos) continue;
    const std::string_view name = part.substr(0, blank);
    const std::size_t digit = part.find_first_of("0123456789.", blank);
    if (digit == std::string_view::npos) continue;
    double value = 0;
    const auto [end, error] = std::from_chars(part.data() + digit, part.data() + part.size(), value);
    if (error != std::errc() || value < 0 || value > 1) continue;
    double* const weight = name == "narrative" ? &weights.narrative
                           : name == "lore"    ? &weights.lore
                           : name == "event"   ? &weights.event
                                               : nullptr;
    if (weight == nullptr) continue;
    *weight = value;
    any = true;
  }
  return any ? std::optional(weights) : std::nullopt;
}

std::string_view comment_of(std::string_view source) {
  source = trimmed(source);
  if (!source.starts_with("{#")) return {};
  std::string_view comment = source.substr(2, kCommentBytes);
  comment = comment.substr(0, comment.find("#}"));
  if (comment.starts_with('-')) comment.remove_prefix(1);
  if (comment.ends_with('-')) comment.remove_suffix(1);
  return comment;
}

std::size_t cues_in(const PhraseTable& cues, std::string_view text) {
  const auto words = plain_words(cut_bytes(text, kReadBytes));
  std::size_t found = 0;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t taken = cues.longest(words, at).words;
    found += taken > 0 ? 1 : 0;
    at += std::max<std::size_t>(taken, 1);
  }
  return found;
}

}  // namespace

TemplateInfo read_template_info(std::string_view id, std::string_view source) {
  TemplateInfo info;
  info.id = id;
  for (const std::string_view whole : lines_of(comment_of(source))) {
    const std::string_view line = trimmed(whole);
    if (line.starts_with("cues:")) {
      for (const std::string_view cue : parts_of(line.substr(5)))
        if (info.cues.size() < kMostCues) info.cues.emplace_back(cue);
    } else if (line.starts_with("weights:")) {
      info.weights = weights_of(line.substr(8));
    } else if (!line.empty()) {
      info.about += (info.about.empty() ? "" : " ") + std::string(line);
    }
  }
  info.about = preview(repair_utf8(info.about), kAboutCharacters);
  return info;
}

const TemplateInfo* template_for(std::string_view input, std::string_view last_turn,
                                 const std::vector<TemplateInfo>& templates) {
  const TemplateInfo* best = nullptr;
  std::size_t most = 0;
  for (const TemplateInfo& info : templates) {
    if (info.cues.empty()) continue;
    PhraseTable cues;
    for (const std::string& cue : info.cues) cues.add(cue, 1);
    const std::size_t found = 2 * cues_in(cues, input) + std::min<std::size_t>(1, cues_in(cues, last_turn));
    if (found <= most) continue;
    most = found;
    best = &info;
  }
  // What was said before alone does not make a turn.
  return most >= 2 ? best : nullptr;
}

const TemplateInfo* find_template(const std::vector<TemplateInfo>& templates, std::string_view id) {
  const auto at =
      std::find_if(templates.begin(), templates.end(), [&](const TemplateInfo& one) { return one.id == id; });
  return at == templates.end() ? nullptr : &*at;
}

namespace {

constexpr std::string_view kLoreChain = "rag_chain";

void add_if_any(ValueObject& members, const char* name, const std::string& text) {
  if (!text.empty()) members.emplace_back(name, text);
}

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? std::string() : " " + std::string(name) + "=\"" + escape_attribute(value) + "\"";
}

// `  <name>`, the lines of data, `  </name>`.
void add_section(std::string& out, std::string_view name, const std::string& data) {
  if (data.empty()) return;
  out.append("  <").append(name).append(">\n").append(data).append("  </").append(name).append(">\n");
}

// Escaped text with every line but the first moved right.
std::string indented(std::string_view text, std::size_t indent) {
  const std::string escaped = escape_markup(text);
  std::string out;
  out.reserve(escaped.size());
  for (const char c : escaped) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out;
}

void add_entry(std::string& out, const LayerEntry& entry, std::size_t indent) {
  const std::string pad(indent, ' ');
  if (entry.source == kLoreChain) {
    out += pad + "<entry" + attribute("id", entry.id) + attribute("type", entry.type) + ">\n";
    if (!entry.name.empty()) out += pad + "  <name>" + escape_markup(entry.name) + "</name>\n";
    out += pad + "  <desc>" + indented(entry.text, indent + 2) + "</desc>\n" + pad + "</entry>\n";
    return;
  }
  out += pad + "<memory" + attribute("id", entry.id) + attribute("type", entry.type) +
         attribute("turn", entry.turn ? std::to_string(*entry.turn) : std::string()) + ">\n";
  out += pad + "  " + indented(entry.text, indent + 2) + "\n" + pad + "</memory>\n";
}

std::string entries_of(const std::vector<LayerEntry>& entries, bool lore) {
  std::string out;
  for (const LayerEntry& entry : entries) {
    if ((entry.source == kLoreChain) == lore) add_entry(out, entry, 4);
  }
  return out;
}

}  // namespace

Result<std::string> filament_data(const Value& value, std::size_t indent) {
  const bool empty = value.is_null() || (value.list() != nullptr && value.list()->empty()) ||
                     (value.object() != nullptr && value.object()->empty());
  if (empty) return std::string();
  WEFT_TRY(const std::string yaml, write_yaml(value, {.indent = indent, .harmless = true}));
  return escape_markup(yaml);
}

std::string filament_quests(const std::vector<Quest>& quests, std::size_t indent) {
  if (quests.empty()) return {};
  ValueList list;
  for (const Quest& quest : quests) {
    ValueObject members{{"id", quest.id}};
    add_if_any(members, "title", quest.title);
    members.emplace_back("status", std::string(to_string(quest.status)));
    add_if_any(members, "objective", quest.objective);
    add_if_any(members, "progress", quest.progress);
    list.emplace_back(std::move(members));
  }
  const YamlOptions options{.indent = indent, .flow_entities = false, .harmless = true};
  return escape_markup(write_yaml(Value(std::move(list)), options).value());
}

std::string filament_guidance(const PlanContext& plan, std::size_t indent) {
  if (plan.current_goal.empty()) return {};
  const Value guidance(ValueObject{{"current_goal", plan.current_goal}});
  return escape_markup(write_yaml(guidance, {.indent = indent, .harmless = true}).value());
}

std::string filament_world(const std::vector<LayerEntry>& entries) {
  std::string section;
  add_section(section, "knowledge_base", entries_of(entries, true));
  return section.empty() ? section : "<context_layer type=\"world\">\n" + section + "</context_layer>";
}

std::string filament_layer(const ProbabilisticLayer& layer) {
  if (layer.entries.empty()) return {};
  std::string sections;
  if (!layer.rationale.empty()) sections = "  <rationale>" + indented(layer.rationale, 2) + "</rationale>\n";
  for (const auto& [name, lore] :
       {std::pair<std::string_view, bool>("knowledge_base", true), {"relevant_memories", false}}) {
    const std::string entries = entries_of(layer.entries, lore);
    if (!entries.empty() && !sections.empty()) sections += "\n";
    add_section(sections, name, entries);
  }
  return "<context_layer type=\"probabilistic\"" + attribute("model", layer.model) + ">\n" + sections +
         "</context_layer>";
}

namespace {

void add_block(std::string& out, const std::string& text) {
  if (text.empty()) return;
  if (out.back() != '\n') out += "\n\n";
  out += text;
}

void add_message(std::string& out, const Message& message) {
  out += "<message" + attribute("role", to_string(message.role)) + attribute("name", message.name) +
         attribute("call", message.tool_call_id) + ">\n";
  if (!message.content.empty()) out += escape_markup(message.content) + "\n";
  for (const ToolCall& call : message.tool_calls) {
    out += "<tool_call" + attribute("id", call.id) + attribute("name", call.name) + ">" +
           escape_markup(call.arguments) + "</tool_call>\n";
  }
  out += "</message>\n";
}

}  // namespace

std::string skein_text(const SkeinParts& parts) {
  std::string out = "<root>\n<system>\n";
  add_block(out, escape_markup(parts.instruction));
  add_block(out, parts.automation_block);
  add_block(out, parts.curation_block);
  if (out.back() != '\n') out += '\n';
  out += "</system>\n\n<chat_history>\n";
  for (const Message& message : parts.history) add_message(out, message);
  out += "</chat_history>\n\n<user_input>\n";
  if (!parts.user_input.empty()) out += escape_markup(parts.user_input) + "\n";
  return out + "</user_input>\n</root>\n";
}

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
