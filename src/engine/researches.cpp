// Researches: starting, stopping and reading them.
#include "engine/researches.h"

#include <algorithm>

#include "agent/research_folders.h"
#include "base/accounted_to.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/job_id.h"
#include "ports/files/file.h"
#include "ports/files/scope_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{5};  // for a research to stop
constexpr std::size_t kByChance = 6;          // digits of an id

Error no_research(const std::string& id) {
  return not_found("there is no research \"" + id.substr(0, 80) + "\"",
                   "`weft research list` and GET /v1/research list them");
}

std::string active_key(const ScopeKey& scope, const std::string& id) { return scope.str() + "\n" + id; }

}  // namespace

Researches::Researches(EngineCore& core, const Services& services, McpServers& mcp)
    : core_(core), services_(services), mcp_(mcp) {}

Researches::~Researches() {
  stop_all();
  std::map<std::string, std::shared_ptr<Active>> active;
  {
    const std::lock_guard lock(mutex_);
    active.swap(active_);
  }
  for (auto& [key, one] : active)
    if (one->thread.joinable()) one->thread.join();
}

void Researches::stop_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [key, one] : active_) one->stop.request_stop();
}

fs::path Researches::folder_of(const ScopeKey& scope, const std::string& id) const {
  return scope_folder(core_.config.workspace, "research", scope) / id;
}

// One Bus a file, as long as anybody has it.
Result<std::shared_ptr<Bus>> Researches::bus_of(const fs::path& path, bool make) {
  const std::lock_guard lock(mutex_);
  if (auto known = buses_[path.string()].lock()) return known;
  std::error_code ignored;
  if (!make && !fs::exists(path, ignored)) return no_research(path.parent_path().filename().string());
  WEFT_TRY(auto opened, Bus::open(disk(), path, *core_.clock));
  std::shared_ptr<Bus> bus = std::move(opened);
  buses_[path.string()] = bus;
  std::erase_if(buses_, [](const auto& one) { return one.second.expired(); });
  return bus;
}

bool Researches::at_work(const ScopeKey& scope, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(active_key(scope, id));
  return found != active_.end() && !found->second->done;
}

Result<ResearchReport> Researches::read(const RequestContext& request, const std::string& id) {
  const ScopeKey scope = request.scope.key();
  if (!is_job_id(id)) return no_research(id);
  const auto text = read_file(folder_of(scope, id) / "report.json");
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return no_research(id);
  if (!text.ok()) return text.error();
  WEFT_TRY(auto report, parse_record<ResearchReport>(*text, "report.json", {.max_bytes = text->size() + 1}));
  if (report.owner != scope.str()) return no_research(id);
  if (report.status == "running" && !at_work(scope, id)) report.status = "stopped";
  return report;
}

Result<ResearchTask> Researches::read_task(const RequestContext& request, const std::string& id) {
  WEFT_TRY(const auto text, read_file(folder_of(request.scope.key(), id) / "task.json"));
  return parse_record<ResearchTask>(text, "task.json");
}

Status Researches::write(const RequestContext& request, const ResearchReport& report) {
  const fs::path folder = folder_of(request.scope.key(), report.id);
  if (!report.markdown.empty()) WEFT_CHECK(write_file(disk(), folder / "report.md", report.markdown, true));
  return write_file(disk(), folder / "report.json", to_json(report) + "\n", true);
}

Result<ResearchSettings> Researches::settings() const { return read_research_settings(core_.config.workspace); }

Result<ResearchReport> Researches::begin(const RequestContext& request, const std::string& id,
                                         const ResearchTask& task) {
  if (trimmed(task.question).empty()) return invalid_argument("\"question\" is empty", "say what is to be found out");
  if (task.kind == ResearchKind::kRepository && task.folders.empty())
    return invalid_argument("a repository needs its folder", "name it with --sources, or as the first of \"folders\"");
  WEFT_TRY(const ResearchSettings set, settings());
  WEFT_TRY(const auto folders, SourceFolders::open(set.folders_of(task)));  // what is wrong is told before it begins
  (void)folders;
  ResearchReport report;
  report.id = id;
  report.owner = request.scope.key().str();
  report.question = task.question;
  report.kind = task.kind;
  report.status = "running";
  report.started = core_.clock->now();
  report.tool_calls_most = set.calls_of(task);
  const fs::path folder = folder_of(ScopeKey(report.owner), id);
  WEFT_CHECK(make_folder(folder));
  WEFT_CHECK(write_file(disk(), folder / "task.json", to_json(task) + "\n", true));
  WEFT_CHECK(write(request, report));
  return report;
}

Result<std::shared_ptr<Researches::Active>> Researches::take(const ScopeKey& scope, const std::string& id) {
  WEFT_TRY(const ResearchSettings set, settings());
  const std::lock_guard lock(mutex_);
  std::erase_if(active_, [](auto& one) {
    if (!one.second->done) return false;
    if (one.second->thread.joinable()) one.second->thread.join();
    return true;
  });
  const std::string key = active_key(scope, id);
  if (active_.contains(key)) return conflict("the research " + id + " is at work");
  if (active_.size() >= static_cast<std::size_t>(set.runs))
    return conflict(std::to_string(active_.size()) + " researches are at work, and no more may be",
                    "wait for one, or set \"runs\" in research.json");
  auto active = std::make_shared<Active>();
  active->scope = scope;
  active_[key] = active;
  return active;
}

Status Researches::launch(const RequestContext& request, const std::string& id) {
  WEFT_TRY(const ResearchSettings set, settings());
  RequestContext own = request;  // it outlives the call that started it
  own.deadline.reset();
  own.cancel = {};
  WEFT_TRY(const auto active, take(request.scope.key(), id));
  const Deadline deadline = Deadline(std::nullopt, active->stop.get_token()).within(std::chrono::seconds(set.seconds));
  const std::lock_guard lock(mutex_);
  const Status begun = start_thread(
      active->thread, "a research", [this, own, id, deadline, active = active.get(), key = AccountedTo::current().key] {
        const AtEnd over([active] { active->done = true; });
        const AccountedTo account({own.scope.key().str(), key});
        if (const Status done = guarded("the research", [&] { return work(own, id, deadline); }); !done.ok())
          log_warning("research", id + ": " + done.error().message);
      });
  if (!begun.ok()) active->done = true;
  return begun;
}

Result<ResearchReport> Researches::start(const RequestContext& request, const ResearchTask& task) {
  const std::string id = new_job_id(core_.clock->now(), kByChance);
  WEFT_TRY(auto report, begin(request, id, task));
  if (const Status launched = launch(request, id); !launched.ok()) {
    std::error_code ignored;
    fs::remove_all(folder_of(ScopeKey(report.owner), id), ignored);
    return launched.error();
  }
  return report;
}

Result<ResearchReport> Researches::resume(const RequestContext& request, const std::string& id) {
  WEFT_TRY(auto report, read(request, id));
  if (report.status == "ended") return conflict("the research " + id + " has ended", "start another one");
  report.status = "running";
  report.failure.clear();
  WEFT_CHECK(write(request, report));
  WEFT_CHECK(launch(request, id));
  return report;
}

Result<ResearchReport> Researches::stop(const RequestContext& request, const std::string& id) {
  WEFT_TRY(const auto report, read(request, id));
  std::shared_ptr<Active> active;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = active_.find(active_key(ScopeKey(report.owner), id)); found != active_.end())
      active = found->second;
  }
  if (!active || active->done) return conflict("the research " + id + " is not at work");
  active->stop.request_stop();
  const Deadline patience = Deadline::after(kPatience);
  while (!active->done && !patience.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return read(request, id);
}

Result<ResearchReport> Researches::show(const RequestContext& request, const std::string& id) {
  return read(request, id);
}

Result<std::vector<ResearchReport>> Researches::list(const RequestContext& request, std::size_t limit,
                                                     const std::string& after) {
  std::vector<std::string> ids;
  std::error_code error;
  const fs::path folder = folder_of(request.scope.key(), "x").parent_path();
  for (fs::directory_iterator one(folder, error); !error && one != fs::directory_iterator(); one.increment(error))
    if (one->is_directory()) ids.push_back(one->path().filename().string());
  std::sort(ids.rbegin(), ids.rend());
  std::vector<ResearchReport> found;
  for (const std::string& id : ids) {
    if (found.size() >= limit) break;
    if (!after.empty() && id >= after) continue;
    if (auto report = read(request, id); report.ok()) found.push_back(std::move(report).value());
  }
  return found;
}

Result<std::vector<BusEvent>> Researches::events(const RequestContext& request, const std::string& id,
                                                 std::uint64_t since, std::chrono::milliseconds wait) {
  // "ID-s2" is a researcher's stream, in the folder of its research.
  const auto dash = id.rfind("-s");
  const bool below = dash != std::string::npos && id.find_first_not_of("0123456789", dash + 2) == std::string::npos;
  const std::string whole = below ? id.substr(0, dash) : id;
  WEFT_TRY(const auto report, read(request, whole));
  const fs::path path = folder_of(ScopeKey(report.owner), whole) / ((below ? id : std::string(kStream)) + ".jsonl");
  auto bus = bus_of(path, false);
  if (!bus.ok() && bus.error().code == ErrorCode::kNotFound && !below) return std::vector<BusEvent>();
  if (!bus.ok()) return bus.error();
  if (wait.count() > 0) (*bus)->wait_for_more(since, Deadline(request.deadline, request.cancel).within(wait));
  return (*bus)->since(since);
}

}  // namespace weft
