#include "agent/research_settings.h"

#include <algorithm>

#include "ports/files/file_system.h"

namespace weft {

namespace {

std::int64_t most_calls(const ResearchSettings& set, ResearchKind kind) {
  switch (kind) {
    case ResearchKind::kFact: return set.fact_calls;
    case ResearchKind::kTopic: return set.topic_calls;
    case ResearchKind::kRepository: return set.repository_calls;
    case ResearchKind::kDeep: return set.deep_calls;
  }
  return set.fact_calls;
}

}  // namespace

std::int64_t ResearchSettings::calls_of(const ResearchTask& task) const {
  const std::int64_t most = most_calls(*this, task.kind);
  return task.tool_calls > 0 ? std::min(task.tool_calls, most) : most;
}

std::vector<std::string> ResearchSettings::folders_of(const ResearchTask& task) const {
  std::vector<std::string> all = task.folders;
  for (const std::string& one : folders)
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  return all;
}

template <>
const Record<ResearchSettings>& record<ResearchSettings>() {
  constexpr FieldRule kCalls{.least = 1, .most = 1000}, kSeconds{.least = 1, .most = 86'400},
      kSome{.least = 1, .most = 64};
  static const auto made =
      Record<ResearchSettings>("ResearchSettings", "research.json.", RecordUse::kBoth)
          .field("fact_calls", &ResearchSettings::fact_calls, "calls of tools that the check of a fact may make",
                 kCalls)
          .field("topic_calls", &ResearchSettings::topic_calls, "of a topic", kCalls)
          .field("repository_calls", &ResearchSettings::repository_calls, "of a repository", kCalls)
          .field("deep_calls", &ResearchSettings::deep_calls, "of a deep research, all researchers together", kCalls)
          .field("search_tools", &ResearchSettings::search_tools, "tools of mcp.json that search")
          .field("read_tools", &ResearchSettings::read_tools, "tools of mcp.json that read an address")
          .field("folders", &ResearchSettings::folders, "folders of sources")
          .field("researchers", &ResearchSettings::researchers, "at the same time", kSome)
          .field("runs", &ResearchSettings::runs, "researches at the same time", kSome)
          .field("seconds", &ResearchSettings::seconds, "of a research", kSeconds)
          .field("call_seconds", &ResearchSettings::call_seconds, "of one call of a tool", kSeconds)
          .field("model_seconds", &ResearchSettings::model_seconds, "of one model call", kSeconds)
          .field("learn", &ResearchSettings::learn, "keep what is confirmed")
          .field("ask", &ResearchSettings::ask, "ask about what nothing was found of");
  return made;
}

Result<ResearchSettings> read_research_settings(const std::filesystem::path& workspace) {
  const auto text = disk().read(workspace / "research.json");
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return ResearchSettings();
  if (!text.ok()) return text.error();
  return parse_record<ResearchSettings>(*text, "research.json");
}

}  // namespace weft
