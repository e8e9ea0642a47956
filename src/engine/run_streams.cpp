#include "engine/run_streams.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string_view>

#include "engine/engine_core.h"
#include "ports/files/file_system.h"

namespace weft {

std::string new_job_id(Time now, std::size_t chance) {
  constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
  constexpr std::size_t kOfTime = 10;
  std::string id(kOfTime + chance, '0');
  auto time = static_cast<std::uint64_t>(now.ms);
  for (std::size_t i = kOfTime; i-- > 0; time /= kDigits.size()) id[i] = kDigits[time % kDigits.size()];
  static thread_local std::random_device random;
  for (std::size_t i = kOfTime; i < id.size(); ++i) id[i] = kDigits[random() % kDigits.size()];
  return id;
}

bool is_job_id(const std::string& id) {
  constexpr std::size_t kLongest = 120;
  const auto fine = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-'; };
  return !id.empty() && id.size() <= kLongest && id.front() != '-' && std::all_of(id.begin(), id.end(), fine);
}

namespace {

Error no_run(const std::string& run) {
  return not_found("there is no run \"" + run.substr(0, 80) + "\"", "`weft agent list` and GET /v1/tasks list them");
}

// Whose run it is stands in its first event.
std::string owner_of(const Bus& bus) {
  const auto events = bus.since(0);
  if (events.empty() || events.front().type != BusEventType::kRunStarted) return {};
  const auto start = payload_of<RunStarted>(events.front());
  return start.ok() ? start->owner : std::string();
}

}  // namespace

Status begin_run(Bus& bus, const RunStarted& start) {
  WEFT_TRY(const BusEvent first, bus.emit(BusEventType::kRunStarted, to_json(start)));
  WEFT_TRY(const BusEvent second, bus.emit(BusEventType::kUserMessage, to_json(Said{Message::user(start.task)})));
  (void)first, (void)second;
  return {};
}

RunStreams::RunStreams(EngineCore& core)
    : core_(core),
      folder_(std::filesystem::path(core.config.workspace) / "agents"),
      results_(disk(), folder_ / "results"),
      endings_(disk(), folder_ / "ending") {}

std::filesystem::path RunStreams::path_of(const std::string& run) const { return folder_ / (run + ".jsonl"); }

Result<std::shared_ptr<Bus>> RunStreams::open(const std::string& run) { return bus_of(run, false); }
Result<std::shared_ptr<Bus>> RunStreams::open_or_make(const std::string& run) { return bus_of(run, true); }

Result<std::shared_ptr<Bus>> RunStreams::bus_of(const std::string& run, bool make) {
  if (!is_job_id(run)) return no_run(run);
  const std::lock_guard lock(mutex_);
  if (auto known = buses_[run].lock()) return known;
  std::error_code ignored;
  if (!make && !std::filesystem::exists(path_of(run), ignored)) return no_run(run);
  WEFT_TRY(auto opened, Bus::open(disk(), path_of(run), *core_.clock));
  opened->tell([this, run, from = opened.get(), owner = std::string()](const BusEvent& event) mutable {
    if (owner.empty()) owner = owner_of(*from);
    if (!owner.empty())
      core_.feed->send(ScopeKey(owner), event.time, HappeningKind::kRun, run, [&] { return to_json(event); });
  });
  std::shared_ptr<Bus> bus = std::move(opened);
  buses_[run] = bus;
  std::erase_if(buses_, [](const auto& one) { return one.second.expired(); });
  return bus;
}

Result<SeenRun> RunStreams::look(const RequestContext& request, const std::string& run) {
  WEFT_TRY(auto bus, open(run));
  WEFT_TRY(RunState state, fold(run, bus->since(0)));
  if (state.last == 0 || state.start.owner != request.scope.key().str()) return no_run(run);
  return SeenRun{std::move(bus), std::move(state)};
}

Result<std::string> RunStreams::root_of(const std::string& run) {
  WEFT_TRY(const auto bus, open(run));
  WEFT_TRY(const RunState state, fold(run, bus->since(0)));
  return state.start.parent.empty() ? Result<std::string>(run) : root_of(state.start.parent);
}

std::vector<std::string> RunStreams::all() const {
  std::vector<std::string> ids;
  const auto files = disk().list(folder_);
  if (files.ok())
    for (const auto& path : *files)
      if (path.extension() == ".jsonl") ids.push_back(path.stem().string());
  return ids;
}

// What a sub-agent asks is asked by the run that started it.
bool RunStreams::open_questions(const RunState& state, std::vector<Question>& into) {
  bool waits = false;
  if (state.ended()) return waits;
  for (const QuestionState* one : state.open_questions()) {
    into.push_back(one->asked.question);
    waits = waits || !one->asked.call.empty();
  }
  for (const auto& [call, sub] : state.sub_agents) {
    if (!sub.outcome.empty()) continue;
    const auto bus = open(sub.run);
    if (!bus.ok()) continue;
    if (const auto below = fold(sub.run, (*bus)->since(0)); below.ok()) waits = open_questions(*below, into) || waits;
  }
  return waits;
}

Status RunStreams::rewrite(const std::string& run, std::span<const BusEvent> events) {
  std::string text;
  for (const BusEvent& event : events) text += to_json(event) + "\n";
  {
    const std::lock_guard lock(mutex_);
    buses_.erase(run);
  }
  return write_file(disk(), path_of(run), text, true);
}

Status RunStreams::remove(const std::string& run) {
  WEFT_CHECK(results_.remove_all(run));
  WEFT_CHECK(endings_.clear(run));
  {
    const std::lock_guard lock(mutex_);
    buses_.erase(run);
  }
  WEFT_CHECK(disk().remove(path_of(run)));
  return disk().sync_folder(folder_);
}

}  // namespace weft
