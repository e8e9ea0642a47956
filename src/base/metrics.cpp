#include "base/metrics.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace weft {
namespace {

void add_label(std::string_view name, std::string_view value, std::string& into) {
  if (!into.empty()) into += ',';
  into += name;
  into += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') into += '\\';
    if (c == '\n')
      into += "\\n";
    else
      into += c;
  }
  into += '"';
}

// Whole numbers in full: counts of tokens have more digits than a short form shows.
std::string number_text(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: from here on a double holds no whole number for certain
  const bool small = value > -kExact && value < kExact;
  if (small && value == static_cast<double>(static_cast<std::int64_t>(value)))
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

// What the labels are is told with the meaning: a metric without values shows none.
std::string help_of(const MetricNames& names) {
  std::string help = names.help + " Labels:";
  for (const std::string& label : names.labels) help += (label == names.labels.front() ? " " : ", ") + label;
  return help + ".";
}

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

std::string label_text(std::initializer_list<std::pair<std::string_view, std::string_view>> labels) {
  std::string out;
  for (const auto& [name, value] : labels) add_label(name, value, out);
  return out;
}

std::string label_text(std::span<const std::string> names, std::span<const std::string> values) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) add_label(names[i], values[i], out);
  return out;
}

void MetricsText::labelled(std::string_view name, std::string_view help, std::string_view type, std::string_view labels,
                           double value) {
  declare(name, help, type);
  this->value(name, "", labels, value);
}

void MetricsText::histogram(std::string_view name, std::string_view help, std::string_view labels,
                            const Histogram& values) {
  declare(name, help, "histogram");
  const std::string more = labels.empty() ? "" : std::string(labels) + ",";
  std::uint64_t count = 0;
  for (std::size_t i = 0; i <= Histogram::kBounds.size(); ++i) {
    count += values.count(i);
    const std::string bound = i < Histogram::kBounds.size() ? fmt::format("{}", Histogram::kBounds[i]) : "+Inf";
    value(name, "_bucket", more + label_text({{"le", bound}}), static_cast<double>(count));
  }
  value(name, "_sum", labels, values.seconds());
  value(name, "_count", labels, static_cast<double>(count));
}

void MetricsText::declare(std::string_view name, std::string_view help, std::string_view type) {
  if (name == last_) return;
  last_ = name;
  text_ += fmt::format("# HELP {0}{1} {2}\n# TYPE {0}{1} {3}\n", prefix_, name, help, type);
}

void MetricsText::value(std::string_view name, std::string_view part, std::string_view labels, double value) {
  text_ += fmt::format("{}{}{}{} {}\n", prefix_, name, part, labels.empty() ? "" : fmt::format("{{{}}}", labels),
                       number_text(value));
}

void CounterFamily::add(const LabelValues& values, double by) { (*counts_.lock())[values] += by; }

void CounterFamily::drop(const std::string& value) {
  auto counts = counts_.lock();
  std::erase_if(*counts, [&](const auto& one) {
    return std::find(one.first.begin(), one.first.end(), value) != one.first.end();
  });
}

void CounterFamily::write(MetricsText& into) const {
  const auto counts = *counts_.lock();
  const std::string help = help_of(names_);
  into.declare(names_.name, help, "counter");
  for (const auto& [values, count] : counts)
    into.labelled(names_.name, help, "counter", label_text(names_.labels, values), count);
}

void HistogramFamily::add(const LabelValues& values, double seconds) {
  auto times = times_.lock();
  auto& own = (*times)[values];
  if (!own) own = std::make_unique<Histogram>();
  own->add(seconds);
}

void HistogramFamily::write(MetricsText& into) const {
  const std::string help = help_of(names_);
  into.declare(names_.name, help, "histogram");
  auto times = times_.lock();
  for (const auto& [values, time] : *times) into.histogram(names_.name, help, label_text(names_.labels, values), *time);
}

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
