#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

#include "ports/mcp/mcp_transport.h"
#include "ports/process/child_process.h"
#include "text/json.h"

namespace weft {
namespace {

constexpr std::chrono::milliseconds kPatience{2000};

class StdioTransport final : public McpTransport {
 public:
  StdioTransport(ProcessSpec spec, OnMessage on_message) : spec_(std::move(spec)), on_message_(std::move(on_message)) {}
  ~StdioTransport() override { stop(); }

  Status restart() override {
    stop();
    {
      const std::lock_guard lock(mutex_);
      answers_.clear();
      ended_ = false;
    }
    WEFT_TRY(auto process,
             ChildProcess::start(spec_, {[this](std::string_view line) { take(line); }, [this] { end(); }}));
    const std::lock_guard lock(process_mutex_);
    process_ = std::move(process);
    return {};
  }

  Result<std::string> ask(const McpMessage& message, const Deadline& deadline) override {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return gone();
      answers_[message.id];
    }
    if (const Status sent = tell(message, deadline); !sent.ok()) {
      const std::lock_guard lock(mutex_);
      answers_.erase(message.id);
      return sent.error();
    }
    std::unique_lock lock(mutex_);
    const auto there = [&] { return ended_ || answers_[message.id].has_value(); };
    const bool come = deadline.until() ? changed_.wait_until(lock, deadline.cancel(), *deadline.until(), there)
                                       : changed_.wait(lock, deadline.cancel(), there);
    std::optional<std::string> answer = std::move(answers_[message.id]);
    answers_.erase(message.id);
    if (answer) return *answer;
    if (come) return gone();
    return deadline.cancelled() ? cancelled("the caller gave up") : timed_out("the server did not answer in time");
  }

  Status tell(const McpMessage& message, const Deadline&) override {
    const auto process = running();
    return process ? process->write_line(message.json) : Status(gone());
  }

 private:
  std::shared_ptr<ChildProcess> running() const {
    const std::lock_guard lock(process_mutex_);
    return process_;
  }

  // The program's threads call this object: it must be gone before what they use.
  void stop() {
    std::shared_ptr<ChildProcess> process;
    {
      const std::lock_guard lock(process_mutex_);
      process.swap(process_);
    }
    if (process) process->stop(kPatience);
  }

  Error gone() const {
    const auto process = running();
    const std::string said = process ? process->last_errors() : std::string();
    return unavailable(spec_.arguments.front() + " has ended" + (said.empty() ? "" : "; it said: " + said));
  }

  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  void take(std::string_view line) {
    // Programs print other things, too, which are no messages.
    if (!check_json(line, {.max_bytes = line.size() + 1}, "message").ok() || !line.starts_with('{')) return;
    const std::string_view id = json_member(line, "id");
    if (json_member(line, "method").empty()) {
      const std::lock_guard lock(mutex_);
      const auto asked = answers_.find(std::string(id));
      if (asked != answers_.end()) asked->second = std::string(line);
      changed_.notify_all();
      return;
    }
    const std::string answer = on_message_(line);
    const auto process = running();
    if (!answer.empty() && process) (void)process->write_line(answer);
  }

  ProcessSpec spec_;
  OnMessage on_message_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::optional<std::string>> answers_;  ///< by the JSON of the id; empty: still to come
  bool ended_ = true;
  mutable std::mutex process_mutex_;
  std::shared_ptr<ChildProcess> process_;
};

}  // namespace

Result<std::unique_ptr<McpTransport>> open_stdio_transport(std::vector<std::string> command,
                                                           std::vector<std::pair<std::string, std::string>> environment,
                                                           McpTransport::OnMessage on_message) {
  auto transport = std::make_unique<StdioTransport>(ProcessSpec{std::move(command), std::move(environment), {}},
                                                    std::move(on_message));
  WEFT_CHECK(transport->restart());
  return std::unique_ptr<McpTransport>(std::move(transport));
}

}  // namespace weft
