#include "base/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace weft {
namespace {

// The fields of /proc/self/stat behind the program's name, which may hold blanks: the first is field 3 of proc(5).
std::vector<std::string> stat_fields() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  std::vector<std::string> fields;
  if (name_end == std::string::npos) return fields;
  std::istringstream rest(line.substr(name_end + 1));
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

std::optional<double> field(const std::vector<std::string>& fields, std::size_t number) {
  constexpr std::size_t kFirst = 3;
  if (fields.size() <= number - kFirst) return std::nullopt;
  char* end = nullptr;
  const std::string& text = fields[number - kFirst];
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(value);
}

// Seconds since 1970 at which the machine was started.
std::optional<double> boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("btime ")) return std::strtod(line.c_str() + std::string_view("btime ").size(), nullptr);
  return std::nullopt;
}

std::optional<double> open_files() {
  std::error_code failed;
  double count = 0;
  for (auto one = std::filesystem::directory_iterator("/proc/self/fd", failed);
       !failed && one != std::filesystem::directory_iterator(); one.increment(failed))
    ++count;
  // The folder that is looked through is open itself.
  return failed || count < 1 ? std::nullopt : std::optional(count - 1);
}

void add_memory(const std::vector<std::string>& stat, MetricsText& into) {
  constexpr std::size_t kVirtual = 23, kResident = 24;
  if (const auto bytes = field(stat, kVirtual))
    into.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", *bytes);
  if (const auto pages = field(stat, kResident))
    into.gauge("process_resident_memory_bytes", "Resident memory size in bytes.",
               *pages * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

void add_time(const std::vector<std::string>& stat, MetricsText& into) {
  constexpr std::size_t kUser = 14, kSystem = 15, kThreads = 20, kStart = 22;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto user = field(stat, kUser), system = field(stat, kSystem), start = field(stat, kStart);
  if (user && system)
    into.counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
                 (*user + *system) / ticks);
  if (const auto boot = boot_time(); boot && start)
    into.gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
               *boot + *start / ticks);
  if (const auto threads = field(stat, kThreads)) into.gauge("process_threads", "Number of threads.", *threads);
}

}  // namespace

void write_process(MetricsText& into) {
  const auto stat = stat_fields();
  add_time(stat, into);
  add_memory(stat, into);
  if (const auto open = open_files()) into.gauge("process_open_fds", "Number of open file descriptors.", *open);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    into.gauge("process_max_fds", "Maximum number of open file descriptors.", static_cast<double>(limit.rlim_cur));
}

}  // namespace weft
