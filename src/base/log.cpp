#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "base/call_context.h"
#include "base/clock.h"
#include "weft/time.h"

namespace weft {
namespace {

// Read on every call and written once at start; the two need not change together.
std::atomic<LogLevel> least{LogLevel::kWarning};
std::atomic<bool> as_json{false};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
    case LogLevel::kOff: return spdlog::level::off;
  }
  return spdlog::level::off;
}

// The sink writes whole lines under its own lock, so lines of several threads do not mix.
spdlog::logger& stderr_logger() {
  static spdlog::logger logger = [] {
    spdlog::logger made("weft", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("%v");
    made.set_level(spdlog::level::trace);
    return made;
  }();
  return logger;
}

/// One line as it is told.
struct Line {
  LogLevel level;
  std::string_view event, text;
  std::span<const LogField> fields;
  std::string time, request;
};

std::string json_line(const Line& told) {
  nlohmann::ordered_json line;
  line["time"] = told.time;
  line["level"] = to_string(told.level);
  line["event"] = told.event;
  line["text"] = told.text;
  if (!told.request.empty()) line["request"] = told.request;
  for (const LogField& field : told.fields)
    std::visit([&](const auto& value) { line[std::string(field.name)] = value; }, field.value);
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// Text from outside must not be able to fake a line or to steer a terminal, so control characters are shown.
void add_shown(std::string_view text, std::string& line) {
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line.push_back(c);
    }
  }
}

std::string text_line(const Line& told) {
  std::string line = fmt::format("{} {} {}: ", told.time, to_string(told.level), told.event);
  add_shown(told.text, line);
  if (!told.request.empty()) line += " request=" + told.request;
  for (const LogField& field : told.fields) {
    line += fmt::format(" {}=", field.name);
    std::visit([&](const auto& value) { add_shown(fmt::format("{}", value), line); }, field.value);
  }
  return line;
}

}  // namespace

void configure_log(LogLevel level, bool json) {
  least = level;
  as_json = json;
}

bool logs(LogLevel level) { return level >= least.load() && level != LogLevel::kOff; }

void log(LogLevel level, std::string_view event, std::string_view text, std::span<const LogField> fields) {
  if (!logs(level)) return;
  const Line told{level, event, text, fields, format_time(SystemClock().now()), CallContext::current().request};
  const std::string line = as_json ? json_line(told) : text_line(told);
  stderr_logger().log(spdlog_level(level), spdlog::string_view_t(line));
}

}  // namespace weft
