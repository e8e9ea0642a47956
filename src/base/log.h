#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "weft/choices.h"

namespace weft {

/// Sends the log to stderr from now on; `json` writes one object a line. Called once at start; safe from any thread.
void configure_log(LogLevel level, bool json);

/// Something that a line tells beside its text, for programs.
struct LogField {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double> value;
};

/// Writes one line. `event` is a stable code such as "queue.retry", `text` is for people. The request that the thread
/// works for is named in it, see `CallContext`.
void log(LogLevel level, std::string_view event, std::string_view text, std::span<const LogField> fields = {});

/// Whether lines of this level are written.
bool logs(LogLevel level);

inline void log_debug(std::string_view event, std::string_view text) { log(LogLevel::kDebug, event, text); }
inline void log_info(std::string_view event, std::string_view text) { log(LogLevel::kInfo, event, text); }
inline void log_warning(std::string_view event, std::string_view text) { log(LogLevel::kWarning, event, text); }
inline void log_error(std::string_view event, std::string_view text) { log(LogLevel::kError, event, text); }

}  // namespace weft
