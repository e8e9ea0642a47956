#include "surface/cli/console.h"

#include <cstdarg>
#include <cstdio>
#include <utility>

namespace weft::cli {
namespace {

// Far above what a message may be (limits.max_message_bytes): it keeps a stream without an end from filling the memory.
constexpr std::size_t kMostInput = std::size_t{256} * 1024 * 1024;

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
  std::size_t searched = read_;  // no line ends before it
  for (;;) {
    const auto end = unread_.find('\n', searched);
    if (end != std::string::npos || (ended_ && read_ < unread_.size())) {
      std::string line = unread_.substr(read_, end == std::string::npos ? end : end - read_);
      read_ = end == std::string::npos ? unread_.size() : end + 1;
      return std::optional(std::move(line));
    }
    if (ended_) return std::optional<std::string>();
    unread_.erase(0, std::exchange(read_, 0));
    searched = unread_.size();
    WEFT_CHECK(take_more("a line", prompt));
  }
}

Result<std::string> Console::read_all() {
  while (!ended_) WEFT_CHECK(take_more("the input", {}));
  std::string text = unread_.substr(std::exchange(read_, 0));
  unread_.clear();
  return text;
}

Status Console::take_more(std::string_view what, const std::string& prompt) {
  if (unread_.size() > kMostInput)
    return too_large(std::string(what) + " is longer than " + std::to_string(kMostInput / (1024 * 1024)) + " MiB",
                     "send it in parts");
  flush();
  WEFT_TRY(const std::string text, more(prompt));
  ended_ = text.empty();
  unread_ += text;
  return {};
}

}  // namespace weft::cli
