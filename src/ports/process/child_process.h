#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "weft/result.h"

namespace weft {

struct ProcessSpec {
  std::vector<std::string> arguments;  ///< the program first; looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< beside what this process has
  std::string folder;  ///< to work in; empty: this process's own
};

/// A program that is talked to by lines: what is written goes to its standard input, what it prints comes line by line
/// on a thread of its own. It runs in a process group of its own, and all of that ends with this object. Safe from many
/// threads.
class ChildProcess {
 public:
  struct Listener {
    std::function<void(std::string_view line)> on_line;  ///< of standard output, without the line break
    std::function<void()> on_end;  ///< standard output was closed, or a line was longer than `kLongestLine`
  };

  static constexpr std::size_t kLongestLine = 64 * 1024 * 1024;

  /// kNotFound where there is no such program, kUnavailable where it cannot be started.
  static Result<std::unique_ptr<ChildProcess>> start(const ProcessSpec& spec, Listener listener);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Writes a line; kUnavailable where the program takes nothing any more.
  Status write_line(std::string_view line);

  /// The last of what it said on standard error, for messages.
  std::string last_errors() const;

  /// Closes its input, waits for `patience`, then ends the group: first politely, after the same time for good.
  void stop(std::chrono::milliseconds patience);

 private:
  ChildProcess(int process, int input, Listener listener);
  void read_output(int output);
  void read_errors(int errors);

  int process_;
  Listener listener_;
  std::mutex input_mutex_;
  int input_;
  mutable std::mutex errors_mutex_;
  std::string errors_;
  std::mutex stop_mutex_;
  bool stopped_ = false;
  std::thread output_reader_, error_reader_;
};

}  // namespace weft
