#include <stdexcept>

#include "demo/data_files.h"
#include "eval/drift_session.h"

namespace weft {
namespace {

constexpr std::size_t kFillersBehindFact = 4, kFillersAtEnd = 24;
constexpr std::size_t kFirstNumber = 2001;  // of the fillers: what they are about differs from use to use

/// Puts parts one behind the other and names their messages and calls.
class Writer {
 public:
  void add(std::string_view part, const std::string& file, std::size_t number = 0) {
    for (Message& message : data_messages(part, file, number)) {
      message.id = MessageId("m" + std::to_string(messages_.size() + 1));
      for (ToolCall& call : message.tool_calls) call.id = "call_" + std::to_string(++calls_);
      if (message.role == Role::kTool) message.tool_call_id = "call_" + std::to_string(calls_);
      messages_.push_back(std::move(message));
    }
  }
  std::vector<Message>& messages() { return messages_; }

 private:
  std::vector<Message> messages_;
  std::size_t calls_ = 0;
};

DriftSession read_session(const std::string& name) {
  const std::string folder = "sessions/" + name + "/";
  DriftSession session;
  session.id = "shipped-" + name;
  session.set = "shipped";
  session.derive_probes = false;
  Message system;
  system.role = Role::kSystem;
  system.id = MessageId("m0");
  for (const std::string file : {"AGENTS", "SOUL", "USER"}) {
    session.files.push_back({file + ".md", std::string(data_file(folder + file))});
    system.content += "## " + session.files.back().file + "\n\n" + session.files.back().text + "\n";
  }
  Writer writer;
  const auto fillers = data_parts(folder + "fillers");
  std::size_t used = 0;
  const auto fill = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++used)
      writer.add(fillers[used % fillers.size()], folder + "fillers", kFirstNumber + used);
  };
  for (const std::string_view fact : data_parts(folder + "facts")) {
    writer.add(fact, folder + "facts");
    fill(kFillersBehindFact);
  }
  fill(kFillersAtEnd);
  const std::size_t cut = writer.messages().size();
  writer.add(data_file(folder + "after"), folder + "after");
  auto& all = writer.messages();
  session.before.push_back(std::move(system));
  session.before.insert(session.before.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cut));
  session.after.assign(all.begin() + static_cast<std::ptrdiff_t>(cut), all.end());
  auto probes = parse_probes(data_file(folder + "probes"), "data/" + folder + "probes");
  if (!probes.ok()) throw std::logic_error(probes.error().message);
  session.probes = std::move(*probes);
  return session;
}

}  // namespace

std::vector<DriftSession> shipped_sessions() {
  std::vector<DriftSession> sessions;
  for (const std::string& name : data_sessions()) sessions.push_back(read_session(name));
  return sessions;
}

}  // namespace weft
