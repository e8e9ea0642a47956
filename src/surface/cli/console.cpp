#include "surface/cli/console.h"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

namespace {

constexpr std::size_t kChunk = 64 * 1024;
constexpr int kLinesKept = 500;

// The line editor reads characters, not bytes: without a locale that knows UTF-8 it would take a Chinese one apart.
void take_a_locale_for_typing() {
  if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
}

}  // namespace

/// Former lines are kept in memory alone: in a file they would outlive what is erased.
struct Input::Editor {
  Editor() {
    take_a_locale_for_typing();
    history = history_init();
    HistEvent event;
    ::history(history, &event, H_SETSIZE, kLinesKept);
    ::history(history, &event, H_SETUNIQUE, 1);
    editor = el_init("weft", stdin, stdout, stderr);
    el_set(editor, EL_CLIENTDATA, this);
    el_set(editor, EL_PROMPT, &Editor::show_prompt);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_SIGNAL, 1);  // an interruption leaves the terminal as it was
    el_set(editor, EL_HIST, ::history, history);
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(editor, nullptr);  // the person's own ~/.editrc
  }
  ~Editor() {
    el_end(editor);
    history_end(history);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  std::string line(const std::string& shown) {
    prompt = shown;
    int length = 0;
    const char* text = el_gets(editor, &length);
    if (text == nullptr || length <= 0) {
      std::fputc('\n', stdout);
      return {};
    }
    std::string line(text, static_cast<std::size_t>(length));
    if (line.find_first_not_of(" \t\r\n") != std::string::npos) {
      HistEvent event;
      ::history(history, &event, H_ENTER, line.c_str());
    }
    return line;
  }

  static char* show_prompt(EditLine* of) {
    Editor* self = nullptr;
    el_get(of, EL_CLIENTDATA, &self);
    return self->prompt.data();
  }

  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string prompt;
};

Input::Input() = default;
Input::~Input() = default;

Result<std::string> Input::more(const std::string& prompt, int other) {
  const bool typed = ::isatty(STDIN_FILENO) != 0;
  if (typed && ::isatty(STDOUT_FILENO) != 0) {
    if (!editor_) editor_ = std::make_unique<Editor>();
    return editor_->line(prompt);
  }
  if (typed) std::fputs(prompt.c_str(), stdout);
  std::fflush(stdout);
  pollfd both[] = {{STDIN_FILENO, POLLIN, 0}, {other, POLLIN, 0}};
  while (::poll(both, other < 0 ? 1 : 2, -1) < 0 && errno == EINTR) {
  }
  if (other >= 0 && both[1].revents != 0) return unavailable("something came while input was waited for");
  std::string text(kChunk, '\0');
  ssize_t count = 0;
  do count = ::read(STDIN_FILENO, text.data(), text.size());
  while (count < 0 && errno == EINTR);
  if (count < 0) return invalid_argument(std::string("cannot read standard input: ") + std::strerror(errno));
  text.resize(static_cast<std::size_t>(count));
  return text;
}

Status edit_file(const std::string& file) {
  const char* visual = std::getenv("VISUAL");
  const char* editor = visual != nullptr ? visual : std::getenv("EDITOR");
  std::string quoted;
  for (const char c : file) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  if (std::system(((editor != nullptr ? editor : "vi") + std::string(" '") + quoted + "'").c_str()) != 0)
    return unavailable("the editor ended with an error", "set EDITOR");
  return {};
}

}  // namespace weft::cli
