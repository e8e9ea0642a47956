#include <algorithm>
#include <stdexcept>

#include "eval/drift_session.h"
#include "eval/shipped_script.h"

namespace weft {
namespace {

constexpr std::size_t kFillersBehindFact = 4, kFillersAtEnd = 24;

std::string_view take_until(std::string_view& text, std::string_view separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + separator.size(), text.size()));
  return part;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view part = take_until(text, "\n\n");
    if (part.find('|') != std::string_view::npos) parts.push_back(part);
  }
  return parts;
}

std::string with_number(std::string_view text, std::size_t number) {
  std::string filled(text);
  const std::string digits = std::to_string(number);
  for (std::size_t at = 0; (at = filled.find("{n}", at)) != std::string::npos; at += digits.size())
    filled.replace(at, 3, digits);
  return filled;
}

class Writer {
 public:
  void add(std::string_view part, std::size_t number) {
    while (!part.empty()) {
      std::string_view line = take_until(part, "\n");
      const std::string_view who = take_until(line, "|");
      if (who.empty()) continue;
      Message message;
      message.id = MessageId("m" + std::to_string(messages_.size() + 1));
      if (who == "C") {
        message.role = Role::kAssistant;
        ToolCall call;
        call.id = "call_" + std::to_string(++calls_);
        call.name = std::string(take_until(line, "|"));
        call.arguments = with_number(line, number);
        message.tool_calls.push_back(std::move(call));
      } else {
        message.role = who == "U" ? Role::kUser : who == "T" ? Role::kTool : Role::kAssistant;
        if (who == "T") message.tool_call_id = "call_" + std::to_string(calls_);
        message.content = with_number(line, number);
      }
      messages_.push_back(std::move(message));
    }
  }
  std::vector<Message>& messages() { return messages_; }

 private:
  std::vector<Message> messages_;
  std::size_t calls_ = 0;
};

DriftSession session_of(const ShippedScript& script) {
  DriftSession session;
  session.id = std::string(script.id);
  session.set = "shipped";
  session.derive_probes = false;
  session.files = {{"AGENTS.md", std::string(script.agents)},
                   {"SOUL.md", std::string(script.soul)},
                   {"USER.md", std::string(script.user)}};
  Message system;
  system.role = Role::kSystem;
  system.id = MessageId("m0");
  for (const AnchorSource& file : session.files) system.content += "## " + file.file + "\n\n" + file.text + "\n";
  Writer writer;
  const auto fillers = parts_of(script.fillers);
  std::size_t used = 0;
  const auto fill = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++used) writer.add(fillers[used % fillers.size()], 2001 + used);
  };
  for (const std::string_view fact : parts_of(script.facts)) {
    writer.add(fact, 0);
    fill(kFillersBehindFact);
  }
  fill(kFillersAtEnd);
  const std::size_t cut = writer.messages().size();
  for (const std::string_view part : parts_of(script.after)) writer.add(part, 0);
  auto& all = writer.messages();
  session.before.push_back(std::move(system));
  session.before.insert(session.before.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cut));
  session.after.assign(all.begin() + static_cast<std::ptrdiff_t>(cut), all.end());
  auto probes = parse_probes(script.probes, "shipped probes of " + session.id);
  // A defect of the program, which its tests find.
  if (!probes.ok()) throw std::logic_error(probes.error().message);
  session.probes = std::move(*probes);
  return session;
}

}  // namespace

std::vector<DriftSession> shipped_sessions() { return {session_of(kShippedEnglish), session_of(kShippedChinese)}; }

}  // namespace weft
