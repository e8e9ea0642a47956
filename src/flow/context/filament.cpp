#include "flow/context/filament.h"

#include <string_view>

#include "text/markup.h"
#include "text/yaml_value.h"

namespace weft {
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

}  // namespace weft
