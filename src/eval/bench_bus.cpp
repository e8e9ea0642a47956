#include "eval/bench_bus.h"

#include <fstream>

#include <fmt/format.h>

#include "agent/bus.h"
#include "model/growth_records.h"

namespace weft {
namespace {

constexpr std::size_t kAppends = 1000;
constexpr std::uint64_t kReplayed = 100'000;

// As a tool's result of some two hundred bytes stands on it.
std::string payload(std::uint64_t number) {
  return fmt::format(R"({{"call":"call_{0}","tool":"file_read","output":"{1}","ms":{2},"failed":false}})", number,
                     std::string(120, static_cast<char>('a' + number % 26)), number % 900);
}

Status write_stream(const std::filesystem::path& path, const Clock& clock) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  for (std::uint64_t id = 1; id <= kReplayed; ++id)
    out << to_json(BusEvent{id, clock.now(), BusEventType::kToolResult, payload(id)}) << '\n';
  return out ? Status() : Status(unavailable("bench: cannot write " + path.string()));
}

}  // namespace

Status bench_bus(const std::filesystem::path& folder, BenchReport& report) {
  const SystemClock clock;
  WEFT_TRY(const auto bus, Bus::open(disk(), folder / "agents" / "append.jsonl", clock));
  std::vector<double> times;
  for (std::size_t i = 0; i < kAppends; ++i) {
    const Stopwatch watch;
    WEFT_TRY(const BusEvent event, bus->emit(BusEventType::kToolResult, payload(i)));
    (void)event;
    times.push_back(watch.ms());
  }
  report.lines.push_back(summarize("an event of a run, on disk", times));
  const auto path = folder / "agents" / "replay.jsonl";
  WEFT_CHECK(write_stream(path, clock));
  const Stopwatch watch;
  WEFT_TRY(const auto again, Bus::open(disk(), path, clock));
  const double took = watch.ms();
  if (again->last() != kReplayed) return internal("bench: not all events were read");
  report.lines.push_back({"read 100,000 events of a run again", 1, took, took, took, 0, {}});
  return {};
}

}  // namespace weft
