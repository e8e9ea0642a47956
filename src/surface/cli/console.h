#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft::cli {

/// What a command reads and writes: this process's own streams, or those of a command in another process that a server
/// does the work for. A command uses nothing else, so that both ways give the same bytes. One thread uses a console.
class Console {
 public:
  virtual ~Console() = default;

  /// Writes to standard output, as printf does. What is written may wait for `flush`, a read or the command's end.
  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...);
  /// The same to standard error.
  [[gnu::format(printf, 2, 3)]] void complain(const char* format, ...);
  /// Writes a line to standard output and flushes, so that a program can read along.
  void line(std::string_view text);

  virtual void write(std::string_view text) = 0;
  virtual void write_error(std::string_view text) = 0;
  virtual void flush() = 0;

  /// The next line of standard input without its end; nothing where the input has ended. `prompt` is shown where a
  /// person types. kTooLarge for a line that no message can be, kCancelled when nobody waits for the command any more.
  Result<std::optional<std::string>> read_line(const std::string& prompt = {});
  /// All that is left of standard input.
  Result<std::string> read_all();

  /// Whether a person types and reads here.
  virtual bool interactive() const = 0;
  /// Whether standard output is a terminal that wants colours.
  virtual bool colours() const = 0;
  /// A path of the command line: relative ones begin where the command was given.
  virtual std::filesystem::path path(const std::string& given) const = 0;
  /// Opens a file in the person's editor and waits until it is closed.
  virtual Status edit(const std::string& file) = 0;
  /// Tells when nobody waits for the command any more.
  virtual std::stop_token cancelled() const { return {}; }

 protected:
  /// More of standard input, as much as comes; empty at its end.
  virtual Result<std::string> more(const std::string& prompt) = 0;

 private:
  Status take_more(std::string_view what, const std::string& prompt);

  std::string unread_;
  std::size_t read_ = 0;  // of unread_: what was given out already
  bool ended_ = false;
};

/// Standard input of this process: what comes of a file or a pipe, a line where a person types, with editing and the
/// former lines at hand. One thread uses it.
class Input {
 public:
  Input();
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// Waits for more and gives as much as there is; empty at the end. `prompt` is shown where a person types. With
  /// `other`, a descriptor, it gives up with kUnavailable as soon as something has come there.
  Result<std::string> more(const std::string& prompt, int other = -1);

 private:
  struct Editor;  // the line editor, made when a person is first asked
  std::unique_ptr<Editor> editor_;
};

/// Opens a file in the editor that VISUAL or EDITOR names, or in vi, and waits until it is closed.
Status edit_file(const std::string& file);

}  // namespace weft::cli

namespace weft {
class EngineImpl;
}

namespace weft::cli {

struct RunRequest;

/// The command `weft`. Gives the exit code: 0 done, 1 failed, 2 wrong use. Output that programs read goes to stdout,
/// the log and errors to stderr. Where a server holds the workspace it does the work, and nobody sees a difference.
int run(int argc, const char* const* argv);

/// A server's part of that: runs the command line of another process against the engine that holds the workspace.
/// Called from many threads at once.
int run_for(EngineImpl& engine, const RunRequest& request, Console& console);

}  // namespace weft::cli
