#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

#include "ports/mcp/mcp_transport.h"
#include "ports/net/sse.h"
#include "ports/process/child_process.h"
#include "text/json.h"

namespace weft {
namespace {

std::string header_of(const HttpResponse& response, std::string_view name) {
  for (const auto& [one, value] : response.headers)
    if (one == name) return value;
  return {};
}

class HttpTransport final : public McpTransport {
 public:
  HttpTransport(HttpClient& http, std::string url, HttpHeaders headers, OnMessage on_message)
      : http_(http), url_(std::move(url)), headers_(std::move(headers)), on_message_(std::move(on_message)) {}

  ~HttpTransport() override {
    HttpRequest request = request_of({});
    if (session().empty()) return;
    request.method = "DELETE";
    (void)http_.send(request, Deadline::after(std::chrono::milliseconds(500)));
  }

  Status restart() override {
    const std::lock_guard lock(mutex_);
    session_.clear();
    return {};
  }

  Result<std::string> ask(const McpMessage& message, const Deadline& deadline) override {
    Answer answer{message.id, {}, {}, {}};
    SseReader events;
    HttpSink sink;
    std::vector<std::string> replies;
    sink.on_head = [&](const HttpResponse& head) {
      answer.streamed = header_of(head, "content-type").starts_with("text/event-stream");
      return true;
    };
    sink.on_bytes = [&](std::string_view bytes) {
      if (!answer.streamed) {
        answer.body += bytes;
        return true;
      }
      const bool usable = events.feed(bytes, [&](const SseEvent& event) { take(event.data, answer, replies); });
      for (const std::string& reply : std::exchange(replies, {})) (void)tell({reply, {}, message.headers}, deadline);
      // The answer is all that was waited for, whether or not the server closes the stream.
      return usable && !answer.found;
    };
    const auto response = http_.stream(request_of(message), deadline, sink);
    if (answer.found) return *answer.found;
    if (!response.ok()) return response.error();
    if (const std::string given = header_of(*response, "mcp-session-id"); !given.empty()) remember(given);
    return from_body(*response, answer);
  }

  Status tell(const McpMessage& message, const Deadline& deadline) override {
    const auto response = http_.send(request_of(message), deadline);
    if (!response.ok()) return response.error();
    if (response->status >= 400) return refused(response->status, response->body);
    return {};
  }

 private:
  struct Answer {
    std::string id, body;
    std::optional<std::string> found;
    bool streamed = false;
  };

  std::string session() const {
    const std::lock_guard lock(mutex_);
    return session_;
  }
  void remember(const std::string& session) {
    const std::lock_guard lock(mutex_);
    session_ = session;
  }

  HttpRequest request_of(const McpMessage& message) const {
    HttpRequest request;
    request.url = url_;
    request.headers = headers_;
    request.headers.emplace_back("Content-Type", "application/json");
    request.headers.emplace_back("Accept", "application/json, text/event-stream");
    for (const auto& header : message.headers) request.headers.push_back(header);
    if (const std::string known = session(); !known.empty()) request.headers.emplace_back("Mcp-Session-Id", known);
    request.body = message.json;
    return request;
  }

  Error refused(int status, const std::string& body) const {
    const std::string what =
        server_of(url_) + " answered " + std::to_string(status) + (body.empty() ? "" : ": " + body.substr(0, 300));
    if (status == 404 && !session().empty()) return not_found(what, "the conversation begins anew");
    if (status == 401 || status == 403) return permission(what, "give the server's key among the headers");
    return status >= 500 ? unavailable(what) : invalid_argument(what);
  }

  Result<std::string> from_body(const HttpResponse& response, Answer& answer) const {
    const bool json = check_json(answer.body, {.max_bytes = answer.body.size() + 1}, "answer").ok();
    // Also what is refused may be told as a JSON-RPC error.
    if (json && answer.body.starts_with('{') && !json_member(answer.body, "jsonrpc").empty() &&
        !(response.status == 404 && !session().empty()))
      return answer.body;
    if (response.status >= 400) return refused(response.status, answer.body);
    return unavailable(server_of(url_) + " gave no answer to the request");
  }

  void take(const std::string& data, Answer& answer, std::vector<std::string>& replies) const {
    if (!check_json(data, {.max_bytes = data.size() + 1}, "event").ok() || !data.starts_with('{')) return;
    if (json_member(data, "method").empty()) {
      if (json_member(data, "id") == answer.id) answer.found = data;
      return;
    }
    std::string reply = on_message_(data);
    if (!reply.empty()) replies.push_back(std::move(reply));
  }

  HttpClient& http_;
  std::string url_;
  HttpHeaders headers_;
  OnMessage on_message_;
  mutable std::mutex mutex_;
  std::string session_;
};

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

std::unique_ptr<McpTransport> open_http_transport(HttpClient& http, std::string url, HttpHeaders headers,
                                                  McpTransport::OnMessage on_message) {
  return std::make_unique<HttpTransport>(http, std::move(url), std::move(headers), std::move(on_message));
}

Result<std::unique_ptr<McpTransport>> open_stdio_transport(std::vector<std::string> command,
                                                           std::vector<std::pair<std::string, std::string>> environment,
                                                           McpTransport::OnMessage on_message) {
  auto transport = std::make_unique<StdioTransport>(ProcessSpec{std::move(command), std::move(environment), {}},
                                                    std::move(on_message));
  WEFT_CHECK(transport->restart());
  return std::unique_ptr<McpTransport>(std::move(transport));
}

}  // namespace weft
