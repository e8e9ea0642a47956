#include "surface/cli/console.h"

#include <cstdarg>
#include <cstdio>

namespace weft::cli {
namespace {

// Far above what a message may be (limits.max_message_bytes): it keeps a stream without an end from filling the memory.
constexpr std::size_t kMostInput = std::size_t{256} * 1024 * 1024;

Error too_long(std::string_view what) {
  return too_large(std::string(what) + " is longer than " + std::to_string(kMostInput / (1024 * 1024)) + " MiB",
                   "send it in parts");
}

std::string formatted(const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  if (length > 0) std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

}  // namespace

void Console::print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = formatted(format, arguments);
  va_end(arguments);
  write(text);
}

void Console::complain(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = formatted(format, arguments);
  va_end(arguments);
  write_error(text);
}

void Console::line(std::string_view text) {
  write(std::string(text) + "\n");
  flush();
}

Result<std::optional<std::string>> Console::read_line(const std::string& prompt) {
  for (;;) {
    const auto end = unread_.find('\n', searched_);
    if (end != std::string::npos || (ended_ && !unread_.empty())) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end == std::string::npos ? end : end + 1);
      searched_ = 0;
      return std::optional(std::move(line));
    }
    if (ended_) return std::optional<std::string>();
    searched_ = unread_.size();
    if (unread_.size() > kMostInput) return too_long("a line");
    flush();
    WEFT_TRY(const std::string text, more(prompt));
    ended_ = text.empty();
    unread_ += text;
  }
}

Result<std::string> Console::read_all() {
  flush();
  while (!ended_) {
    if (unread_.size() > kMostInput) return too_long("the input");
    WEFT_TRY(const std::string text, more({}));
    ended_ = text.empty();
    unread_ += text;
  }
  searched_ = 0;
  return std::exchange(unread_, {});
}

}  // namespace weft::cli
