#include "engine/run_learning.h"

#include <algorithm>
#include <fstream>

#include "agent/research_sources.h"
#include "engine/job_id.h"
#include "growth/learning_plan.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

// The first line of a stream says how it was begun. What cannot be read, or is none, was not begun without learning.
bool was_begun_without(const std::filesystem::path& stream, const std::string& owner) {
  std::ifstream in(stream, std::ios::binary);
  std::string line;
  if (!in || !std::getline(in, line)) return false;
  const auto event = parse_record<BusEvent>(line, "line 1", {.max_bytes = line.size() + 1});
  if (!event.ok() || event->type != BusEventType::kRunStarted) return false;
  const auto start = payload_of<RunStarted>(*event);
  return start.ok() && start->owner == owner && !start->learn;
}

}  // namespace

bool RunLearning::from(const ScopeKey& scope) const { return learns_from(workspace_, scope); }

bool RunLearning::from(const ScopeKey& scope, const SessionId& session) const {
  if (!from(scope)) return false;
  const auto streams = streams_of(scope, session);
  return std::none_of(streams.begin(), streams.end(),
                      [&](const auto& stream) { return was_begun_without(stream, scope.str()); });
}

bool RunLearning::is_of_run(const ScopeKey& scope, const SessionId& session) const {
  const auto streams = streams_of(scope, session);
  return std::any_of(streams.begin(), streams.end(), [](const auto& stream) {
    std::error_code none;
    return std::filesystem::exists(stream, none);
  });
}

std::vector<std::filesystem::path> RunLearning::streams_of(const ScopeKey& scope, const SessionId& session) const {
  const std::string& name = session.str();
  if (!is_job_id(name)) return {};
  std::vector<std::filesystem::path> streams{workspace_ / "agents" / (name + ".jsonl")};
  if (name.starts_with(kResearchSession))
    streams.push_back(scope_folder(workspace_, "research", scope) / name.substr(kResearchSession.size()) /
                      "events.jsonl");
  return streams;
}

Status RunLearning::check(const TaskReport& report) const {
  if (const ScopeKey owner(report.owner); !from(owner)) return learning_is_off(owner);
  if (report.learn) return {};
  return conflict("nothing is learnt from the task report " + report.id + ": its run was begun without learning",
                  "a run is learnt from where it is begun without --no-learning and \"learn\": false");
}

}  // namespace weft
