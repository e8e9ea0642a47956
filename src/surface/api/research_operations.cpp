// Researches: jobs, their events and their reports.
#include <algorithm>
#include <filesystem>

#include "agent/research_records.h"
#include "agent/research_settings.h"
#include "model/growth_records.h"
#include "surface/api/event_pages.h"
#include "surface/api/list_operation.h"
#include "surface/api/research_operations.h"
#include "weft/facets/research.h"

namespace weft {

template <>
inline constexpr std::string_view kListName<ResearchReport> = "reports";

namespace {

namespace fs = std::filesystem;

Research facet(const Call& call) { return Research(call.engine.agents(call.context)); }

bool lies_below(const fs::path& path, const fs::path& root) {
  const auto [at, end] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  (void)end;
  return at == root.end();
}

// Who may speak to the server may not thereby read its machine's files.
Status check_folders(const Call& call, const ResearchTask& task) {
  std::vector<fs::path> roots;
  std::error_code ignored;
  WEFT_TRY(const ResearchSettings set, read_research_settings(call.engine.config().workspace));
  for (const std::string& one : set.folders) roots.push_back(fs::weakly_canonical(fs::path(one), ignored));
  for (const std::string& folder : task.folders) {
    const fs::path path = fs::weakly_canonical(fs::path(folder), ignored);
    const bool fine =
        std::any_of(roots.begin(), roots.end(), [&](const fs::path& root) { return lies_below(path, root); });
    if (!fine)
      return permission("folders: \"" + folder.substr(0, 200) + "\" does not lie below a folder of research.json",
                        "add its folder to its \"folders\", or use `weft research --sources`");
  }
  return {};
}

Result<ResearchReport> start_research(const Call& call, ResearchTask task) {
  WEFT_CHECK(check_folders(call, task));
  return facet(call).start(task);
}

Result<Paged<List<ResearchReport>>> list_research(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(auto all, facet(call).list(wanted.limit + 1, wanted.after));
  for (ResearchReport& one : all) one.markdown.clear();  // one report at a time is long enough
  return first_page(std::move(all), wanted, [](const ResearchReport& last) { return last.id; });
}

Result<ResearchReport> show_research(const Call& call) { return facet(call).show(call.path("id")); }
Result<ResearchReport> resume_research(const Call& call) { return facet(call).resume(call.path("id")); }
Result<ResearchReport> stop_research(const Call& call) { return facet(call).stop(call.path("id")); }

Result<Paged<List<BusEvent>>> research_events(const Call& call, const PageWanted& wanted) {
  return page_of_events(call, wanted, [&](std::uint64_t since, std::chrono::milliseconds wait) {
    return facet(call).events(call.path("id"), since, wait);
  });
}

}  // namespace

std::vector<Operation> research_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      operation("start_research", "POST /v1/research", "begin to find something out", kScope, start_research),
      list_operation("researches", "GET /v1/research", "researches, the newest first", kScope, list_research),
      operation("research", "GET /v1/research/{id}", "the report of one as it stands", kScope, show_research),
      list_operation("research_events", "GET /v1/research/{id}/events",
                     "what happened in it, or in a researcher's stream", kScope, research_events, event_parameters(),
                     kWholePage),
      operation("stop_research", "POST /v1/research/{id}/stop", "stop it, so that it can be resumed", kScope,
                stop_research),
      operation("resume_research", "POST /v1/research/{id}/resume", "go on with it", kScope, resume_research),
  };
}

}  // namespace weft
