#include "eval/drift_session.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "text/json.h"

namespace weft {
namespace {

constexpr std::size_t kStepsAfter = 3;

// Where the third-last step of the assistant begins; 0: there are too few.
std::size_t cut_of(const std::vector<Message>& messages) {
  std::size_t steps = 0;
  for (std::size_t at = messages.size(); at-- > 0;) {
    if (messages[at].role != Role::kAssistant) continue;
    if (++steps == kStepsAfter) return at;
  }
  return 0;
}

bool has_user(const std::vector<Message>& messages, std::size_t end) {
  for (std::size_t i = 0; i < end; ++i)
    if (messages[i].role == Role::kUser) return true;
  return false;
}

}  // namespace

Result<TraceFile> read_traces(const std::string& path) {
  std::ifstream file(path);
  if (!file) return not_found("cannot read " + path);
  TraceFile traces;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = path + ":" + std::to_string(number);
    WEFT_CHECK(check_json(line, {}, where));
    auto messages = parse_messages(line);
    if (!messages.ok()) return invalid_argument(where + ": " + messages.error().message, messages.error().hint);
    const std::size_t cut = cut_of(*messages);
    if (cut == 0 || !has_user(*messages, cut)) {
      ++traces.too_short;
      continue;
    }
    DriftSession session;
    const auto id = nlohmann::json::parse(json_member(line, "id"), nullptr, false);
    session.id = id.is_string() ? id.get<std::string>() : "line-" + std::to_string(number);
    session.set = std::filesystem::path(path).stem().string();
    const auto middle = messages->begin() + static_cast<std::ptrdiff_t>(cut);
    session.before.assign(messages->begin(), middle);
    session.after.assign(middle, messages->end());
    traces.sessions.push_back(std::move(session));
  }
  return traces;
}

}  // namespace weft
