#include "tests/support/scripted_upstream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace weft {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kTick{10};  // how soon the end of the server or of a client is noticed

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool readable(int socket, milliseconds limit) {
  pollfd entry{socket, POLLIN, 0};
  return ::poll(&entry, 1, static_cast<int>(limit.count())) > 0;
}

std::string head_of(const ScriptedAnswer& answer) {
  std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " Scripted\r\n";
  for (const auto& [name, value] : answer.headers) head += name + ": " + value + "\r\n";
  std::size_t length = answer.cut || answer.hang ? 1000 : 0;
  for (const std::string& part : answer.parts) length += part.size();
  head += answer.chunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: " + std::to_string(length) + "\r\n";
  return head + "\r\n";
}

std::string chunk(const std::string& part) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string size;
  for (std::size_t rest = part.size(); rest != 0; rest /= 16) size.insert(size.begin(), kDigits[rest % 16]);
  return size + "\r\n" + part + "\r\n";
}

}  // namespace

std::string SeenRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

ScriptedAnswer ScriptedAnswer::json(std::string body, int status) {
  ScriptedAnswer answer;
  answer.status = status;
  answer.headers = {{"Content-Type", "application/json"}};
  answer.parts = {std::move(body)};
  return answer;
}

ScriptedAnswer ScriptedAnswer::sse(const std::vector<std::string>& data, bool done, milliseconds pause) {
  ScriptedAnswer answer;
  answer.headers = {{"Content-Type", "text/event-stream"}};
  for (const std::string& line : data) answer.parts.push_back("data: " + line + "\n\n");
  if (done) answer.parts.emplace_back("data: [DONE]\n\n");
  answer.chunked = true;
  answer.pause = pause;
  return answer;
}

ScriptedAnswer ScriptedAnswer::hanging() {
  ScriptedAnswer answer;
  answer.hang = answer.silent = true;
  return answer;
}

ScriptedAnswer ScriptedAnswer::closing() {
  ScriptedAnswer answer;
  answer.refuse = true;
  return answer;
}

ScriptedAnswer ScriptedAnswer::half(std::string body) {
  ScriptedAnswer answer = json(std::move(body));
  answer.cut = true;
  return answer;
}

ScriptedAnswer ScriptedAnswer::with(std::string name, std::string value) && {
  headers.emplace_back(std::move(name), std::move(value));
  return std::move(*this);
}

ScriptedUpstream::ScriptedUpstream() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 128) != 0 || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("the scripted server has no port");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

ScriptedUpstream::~ScriptedUpstream() {
  ending_ = true;
  acceptor_.join();
  for (std::thread& worker : workers_) worker.join();
  ::close(listener_);
}

ScriptedUpstream& ScriptedUpstream::then(ScriptedAnswer answer) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(answer));
  return *this;
}

ScriptedUpstream& ScriptedUpstream::always(ScriptedAnswer answer) {
  return always([answer = std::move(answer)](const SeenRequest&) { return answer; });
}

ScriptedUpstream& ScriptedUpstream::always(std::function<ScriptedAnswer(const SeenRequest&)> handler) {
  const std::lock_guard lock(mutex_);
  handler_ = std::move(handler);
  return *this;
}

std::vector<SeenRequest> ScriptedUpstream::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool ScriptedUpstream::wait_for_requests(std::size_t count, milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return requests_.size() >= count; });
}

bool ScriptedUpstream::wait_for_disconnects(int count, milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return disconnects_ >= count; });
}

void ScriptedUpstream::accept_loop() {
  while (!ending_) {
    if (!readable(listener_, kTick)) continue;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ++connections_;
    workers_.emplace_back([this, socket] { serve(socket); });  // joined by the destructor, after this loop
  }
}

void ScriptedUpstream::serve(int socket) {
  std::string buffer;
  for (SeenRequest request; !ending_ && read_request(socket, buffer, request); request = {}) {
    const ScriptedAnswer answer = next_answer(request);
    if (!write_answer(socket, answer)) break;
  }
  ::close(socket);
}

bool ScriptedUpstream::read_request(int socket, std::string& buffer, SeenRequest& request) const {
  const auto fill = [&] {
    while (!readable(socket, kTick)) {
      if (ending_) return false;
    }
    char bytes[65536];
    const ssize_t count = ::recv(socket, bytes, sizeof(bytes), 0);
    if (count > 0) buffer.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  };
  std::size_t end = 0;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return false;
  }
  const std::string head = buffer.substr(0, end + 2);
  buffer.erase(0, end + 4);
  std::size_t at = head.find("\r\n");
  const std::string first = head.substr(0, at);
  request.method = first.substr(0, first.find(' '));
  request.path = first.substr(first.find(' ') + 1, first.rfind(' ') - first.find(' ') - 1);
  for (at += 2; at < head.size();) {
    const std::size_t line_end = head.find("\r\n", at), colon = head.find(':', at);
    const std::size_t value = head.find_first_not_of(" \t", colon + 1);
    request.headers.emplace_back(lower(head.substr(at, colon - at)), head.substr(value, line_end - value));
    at = line_end + 2;
  }
  const std::string length = request.header("content-length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  while (buffer.size() < size) {
    if (!fill()) return false;
  }
  request.body = buffer.substr(0, size);
  buffer.erase(0, size);
  return true;
}

ScriptedAnswer ScriptedUpstream::next_answer(const SeenRequest& request) {
  std::function<ScriptedAnswer(const SeenRequest&)> handler;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    changed_.notify_all();
    if (!queue_.empty()) {
      ScriptedAnswer answer = std::move(queue_.front());
      queue_.pop_front();
      return answer;
    }
    handler = handler_;
  }
  return handler ? handler(request)
                 : ScriptedAnswer::json(R"({"error":{"message":"the script has no answer left"}})", 500);
}

bool ScriptedUpstream::write_answer(int socket, const ScriptedAnswer& answer) {
  if (answer.refuse) return false;
  if (!answer.silent && !write_all(socket, head_of(answer))) return false;
  for (std::size_t i = 0; i < answer.parts.size(); ++i) {
    if (i != 0 && !idle(socket, answer.pause)) return false;
    if (!write_all(socket, answer.chunked ? chunk(answer.parts[i]) : answer.parts[i])) return false;
  }
  if (answer.hang) return idle(socket, std::chrono::hours(1));
  if (answer.cut) return false;
  return !answer.chunked || write_all(socket, "0\r\n\r\n");
}

bool ScriptedUpstream::write_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) {
      const std::lock_guard lock(mutex_);
      ++disconnects_;
      changed_.notify_all();
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// Passes the time; false when the client goes away or the server ends.
bool ScriptedUpstream::idle(int socket, milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= until) return true;
    if (ending_) return false;
    const auto rest = std::chrono::duration_cast<milliseconds>(until - now) + milliseconds(1);
    if (!readable(socket, std::min(kTick, rest))) continue;
    char byte = 0;
    if (::recv(socket, &byte, 1, MSG_PEEK) <= 0) {
      const std::lock_guard lock(mutex_);
      ++disconnects_;
      changed_.notify_all();
      return false;
    }
    std::this_thread::sleep_for(std::min(kTick, rest));  // the next request is waiting already
  }
}

}  // namespace weft
