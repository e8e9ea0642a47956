#include "ports/net/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <random>

#include "base/strings.h"
#include "base/threads.h"

namespace weft {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxBodyBytes = 256U * 1024 * 1024;
constexpr std::size_t kMaxHeaderBytes = 1024U * 1024;
constexpr std::size_t kIdleLanes = 16;        // kept with their open connections
constexpr milliseconds kLongestSleep{1000};  // a safety net: every event that matters wakes the loop

template <auto kFree>
struct Deleter {
  template <class T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};
using EasyHandle = std::unique_ptr<CURL, Deleter<&curl_easy_cleanup>>;
using MultiHandle = std::unique_ptr<CURLM, Deleter<&curl_multi_cleanup>>;
using UrlHandle = std::unique_ptr<CURLU, Deleter<&curl_url_cleanup>>;
using HeaderList = std::unique_ptr<curl_slist, Deleter<&curl_slist_free_all>>;

std::string part_of(const std::string& url, CURLUPart part) {
  const UrlHandle parsed(curl_url());
  char* text = nullptr;
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return {};
  if (curl_url_get(parsed.get(), part, &text, 0) != CURLUE_OK) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.") || host == "[::1]";
}

// One transfer at a time runs on a lane. Each has its own cache of connections, because libcurl cannot share one safely
// between threads.
struct Lane {
  MultiHandle multi{curl_multi_init()};
  EasyHandle easy{curl_easy_init()};
};

// What the callbacks of one transfer collect.
struct Transfer {
  HttpResponse response;
  const HttpSink* sink = nullptr;
  SteadyClock::time_point last_sign_of_life = SteadyClock::now();
  curl_off_t bytes_moved = 0;
  std::size_t header_bytes = 0;
  bool head_complete = false;
  bool refused_by_sink = false;
  bool too_large = false;
  std::exception_ptr thrown;  // by a sink: an exception must not pass through the library, which is C
};

// What a callback of the library gives; 0 ends the transfer.
template <class Work>
std::size_t kept_inside(Transfer& transfer, Work&& work) {
  try {
    return work();
  } catch (...) {
    transfer.thrown = std::current_exception();
    return 0;
  }
}

void take_header(Transfer& transfer, std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (line.starts_with("HTTP/")) {  // an interim answer (100, 103) may stand before the real one
    transfer.response.headers.clear();
    transfer.response.status = 0;
    const std::size_t space = line.find(' ');
    for (std::size_t i = space + 1;
         space != std::string_view::npos && i < line.size() && std::isdigit(static_cast<unsigned char>(line[i])) != 0;
         ++i) {
      transfer.response.status = transfer.response.status * 10 + (line[i] - '0');
      if (transfer.response.status > 999) break;
    }
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  transfer.response.headers.emplace_back(std::move(name), std::string(trimmed(line.substr(colon + 1))));
}

std::size_t take_header_line(Transfer& transfer, const char* bytes, std::size_t size) {
  transfer.last_sign_of_life = SteadyClock::now();
  if (transfer.head_complete) return size;  // trailers of a chunked body
  transfer.header_bytes += size;
  if (transfer.header_bytes > kMaxHeaderBytes) {
    transfer.too_large = true;
    return 0;
  }
  const std::string_view line(bytes, size);
  if (line != "\r\n" && line != "\n") {
    take_header(transfer, line);
    return size;
  }
  if (transfer.response.status < 200) return size;
  transfer.head_complete = true;
  if (transfer.sink != nullptr && transfer.sink->on_head && !transfer.sink->on_head(transfer.response)) {
    transfer.refused_by_sink = true;
    return 0;
  }
  return size;
}

std::size_t on_header(char* bytes, std::size_t, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  return kept_inside(transfer, [&] { return take_header_line(transfer, bytes, size); });
}

std::size_t take_body(Transfer& transfer, const char* bytes, std::size_t size) {
  transfer.last_sign_of_life = SteadyClock::now();
  if (transfer.sink != nullptr) {
    transfer.refused_by_sink = transfer.sink->on_bytes && !transfer.sink->on_bytes(std::string_view(bytes, size));
    return transfer.refused_by_sink ? 0 : size;
  }
  if (transfer.response.body.size() + size > kMaxBodyBytes) {
    transfer.too_large = true;
    return 0;
  }
  transfer.response.body.append(bytes, size);
  return size;
}

std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  return kept_inside(transfer, [&] { return take_body(transfer, bytes, size); });
}

int on_progress(void* user, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (received + sent != transfer.bytes_moved) {  // a long upload is a sign of life too
    transfer.bytes_moved = received + sent;
    transfer.last_sign_of_life = SteadyClock::now();
  }
  return 0;
}

Result<HeaderList> header_list(const HttpRequest& request) {
  HeaderList list;
  const auto add = [&](const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) return false;
    (void)list.release();
    list.reset(longer);
    return true;
  };
  bool has_type = false;
  for (const auto& [name, value] : request.headers) {
    const auto is_unsafe = [](const std::string& s) {
      return s.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
    };
    if (name.empty() || name.find(':') != std::string::npos || is_unsafe(name) || is_unsafe(value)) {
      return invalid_argument("the HTTP header '" + (is_unsafe(name) ? "?" : name) + "' cannot be sent",
                              "it must be one line of text");
    }
    has_type = has_type || curl_strequal(name.c_str(), "content-type") != 0;
    if (!add(value.empty() ? name + ";" : name + ": " + value)) return internal("out of memory");
  }
  // No waiting for "100 Continue", and no content type that nobody asked for.
  if (!add("Expect:") || (!has_type && !add("Content-Type:"))) return internal("out of memory");
  return list;
}

void set_method(CURL* easy, const HttpRequest& request) {
  if (request.method == "GET" && request.body.empty()) {
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  } else if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else {
    if (request.method == "POST" || !request.body.empty()) {
      curl_easy_setopt(easy, CURLOPT_POST, 1L);
      curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
      curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    }
    if (request.method != "POST") curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

void set_up(CURL* easy, const HttpRequest& request, curl_slist* headers, Transfer& transfer) {
  curl_easy_reset(easy);
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "weft");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // a cancelled call does not wait for a name server
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(std::max<milliseconds::rep>(1, request.connect_timeout.count())));
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &on_progress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  if (is_loopback(part_of(request.url, CURLUPART_HOST))) curl_easy_setopt(easy, CURLOPT_PROXY, "");
  set_method(easy, request);
}

Error error_of(CURLcode code, const Transfer& transfer, const HttpRequest& request) {
  const std::string server = server_of(request.url);
  if (transfer.refused_by_sink) return cancelled("the answer of " + server + " was not wanted any more");
  if (transfer.too_large) return too_large("the answer of " + server + " is too large");
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return unavailable(server + " cannot be reached: its name is not known", "check the URL and the network");
    case CURLE_COULDNT_CONNECT:
      return unavailable(server + " cannot be reached: connection refused", "is the server running?");
    case CURLE_OPERATION_TIMEDOUT:
      return unavailable(server + " cannot be reached within " + std::to_string(request.connect_timeout.count()) +
                         " ms");
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return invalid_argument("'" + server + "' is not a URL that can be called", "give http://… or https://…");
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2_STREAM:
      return unavailable(server + " closed the connection " +
                         (transfer.head_complete ? "half-way" : "without an answer"));
    default: return unavailable("calling " + server + " failed: " + curl_easy_strerror(code));
  }
}

// Until when the loop may sleep, or the error that ends the call.
Result<milliseconds> time_to_sleep(const Transfer& transfer, const HttpRequest& request, const Deadline& deadline) {
  if (deadline.cancelled()) return cancelled("the call of " + server_of(request.url) + " was cancelled");
  if (deadline.passed()) return timed_out(server_of(request.url) + " did not answer in time");
  const auto silent = std::chrono::duration_cast<milliseconds>(SteadyClock::now() - transfer.last_sign_of_life);
  if (silent >= request.idle_timeout) {
    return timed_out(server_of(request.url) + " sent nothing for " + std::to_string(request.idle_timeout.count()) +
                     " ms");
  }
  // One more millisecond, so that what is rounded down does not spin.
  return std::min(
      {deadline.left(kLongestSleep) + milliseconds(1), request.idle_timeout - silent + milliseconds(1), kLongestSleep});
}

class CurlClient final : public HttpClient {
 public:
  Result<HttpResponse> send(const HttpRequest& request, const Deadline& deadline) override {
    return call(request, deadline, nullptr);
  }

  Result<HttpResponse> stream(const HttpRequest& request, const Deadline& deadline, const HttpSink& sink) override {
    return call(request, deadline, &sink);
  }

 private:
  Result<HttpResponse> call(const HttpRequest& request, const Deadline& deadline, const HttpSink* sink) {
    WEFT_TRY(const HeaderList headers, header_list(request));
    Lane lane = take_lane();
    if (!lane.easy || !lane.multi) return internal("libcurl gave no handle");
    Transfer transfer;
    transfer.sink = sink;
    set_up(lane.easy.get(), request, headers.get(), transfer);
    curl_multi_add_handle(lane.multi.get(), lane.easy.get());
    Status done;
    {
      const std::stop_callback wake(deadline.cancel(), [&] { curl_multi_wakeup(lane.multi.get()); });
      done = run(lane, transfer, request, deadline);
    }
    curl_multi_remove_handle(lane.multi.get(), lane.easy.get());
    give_back(std::move(lane));
    if (transfer.thrown) std::rethrow_exception(transfer.thrown);
    if (!done.ok()) return done.error();
    return std::move(transfer.response);
  }

  static Status run(Lane& lane, Transfer& transfer, const HttpRequest& request, const Deadline& deadline) {
    for (;;) {
      // First, so that a call whose time has already passed sends nothing.
      WEFT_TRY(const milliseconds sleep, time_to_sleep(transfer, request, deadline));
      int running = 0;
      if (curl_multi_perform(lane.multi.get(), &running) != CURLM_OK) return internal("libcurl lost its state");
      int left = 0;
      while (const CURLMsg* message = curl_multi_info_read(lane.multi.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        if (message->data.result != CURLE_OK) return error_of(message->data.result, transfer, request);
        return {};
      }
      curl_multi_poll(lane.multi.get(), nullptr, 0, static_cast<int>(sleep.count()), nullptr);
    }
  }

  Lane take_lane() {
    auto lanes = lanes_.lock();
    if (lanes->empty()) return {};
    Lane lane = std::move(lanes->back());  // the last one used: its connections are the warmest
    lanes->pop_back();
    return lane;
  }

  void give_back(Lane lane) {
    auto lanes = lanes_.lock();
    if (lanes->size() < kIdleLanes) lanes->push_back(std::move(lane));
  }

  Sync<std::vector<Lane>> lanes_;
};

using std::chrono::milliseconds;

constexpr std::size_t kMaxErrorBody = 64 * 1024;

double random_share() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
}

// Seconds, or a date in HTTP's form.
std::optional<milliseconds> retry_after(const HttpResponse& response) {
  for (const auto& [name, value] : response.headers) {
    if (name != "retry-after" || value.empty()) continue;
    const bool is_number =
        value.size() < 10 &&
        std::all_of(value.begin(), value.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (is_number) return milliseconds(std::stoll(value) * 1000);
    const std::time_t when = curl_getdate(value.c_str(), nullptr);
    if (when != -1) return milliseconds(std::max<std::int64_t>(0, when - std::time(nullptr)) * 1000);
  }
  return std::nullopt;
}

bool may_pause(const RetryPolicy& policy, milliseconds wait, int attempt, const Deadline& deadline) {
  if (attempt > policy.retries || deadline.passed() || wait >= deadline.left(milliseconds::max())) return false;
  policy.sleep ? policy.sleep(wait, deadline) : sleep_for(wait, deadline);
  return !deadline.passed();
}

bool wait_after(const Result<HttpResponse>& outcome, const RetryPolicy& policy, int attempt, const Deadline& deadline) {
  if (!outcome.ok())
    return outcome.error().code == ErrorCode::kUnavailable && wait_for_retry(policy, attempt, deadline);
  if (!is_retryable(outcome->status)) return false;
  const std::optional<milliseconds> asked = retry_after(*outcome);
  if (asked && *asked > policy.longest_retry_after) return false;
  return may_pause(policy, std::max(asked.value_or(milliseconds(0)), backoff(policy, attempt)), attempt, deadline);
}

}  // namespace

std::string server_of(const std::string& url) {
  const std::string scheme = part_of(url, CURLUPART_SCHEME), host = part_of(url, CURLUPART_HOST);
  if (scheme.empty() || host.empty()) return "the server";
  const std::string port = part_of(url, CURLUPART_PORT);
  return scheme + "://" + host + (port.empty() ? "" : ":" + port);
}

std::unique_ptr<HttpClient> make_http_client() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return std::make_unique<CurlClient>();
}

bool is_retryable(int status) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

milliseconds backoff(const RetryPolicy& policy, int attempt) {
  double wait = static_cast<double>(policy.first_wait.count());
  for (int i = 1; i < attempt && wait < static_cast<double>(policy.longest_wait.count()); ++i) wait *= 2;
  wait = std::min(wait, static_cast<double>(policy.longest_wait.count()));
  // Many clients that failed together must not come back together.
  return milliseconds(
      static_cast<std::int64_t>(wait * (0.5 + 0.5 * (policy.random ? policy.random() : random_share()))));
}

void sleep_for(milliseconds time, const Deadline& deadline) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, deadline.cancel(), std::min(time, deadline.left(time)), [] { return false; });
}

bool wait_for_retry(const RetryPolicy& policy, int attempt, const Deadline& deadline) {
  return may_pause(policy, backoff(policy, attempt), attempt, deadline);
}

Result<HttpResponse> send_with_retry(HttpClient& client, const HttpRequest& request, const Deadline& deadline,
                                     const RetryPolicy& policy, int* attempts) {
  for (int attempt = 1;; ++attempt) {
    if (attempts != nullptr) *attempts = attempt;
    Result<HttpResponse> outcome = client.send(request, deadline);
    if (!wait_after(outcome, policy, attempt, deadline)) return outcome;
  }
}

Result<HttpResponse> stream_with_retry(HttpClient& client, const HttpRequest& request, const Deadline& deadline,
                                       const RetryPolicy& policy, const HttpSink& sink, int* attempts) {
  for (int attempt = 1;; ++attempt) {
    if (attempts != nullptr) *attempts = attempt;
    bool passed_on = false, is_error = false;
    std::string error_body;
    HttpSink guarded;
    guarded.on_head = [&](const HttpResponse& head) {
      is_error = head.status >= 400;
      if (is_error) return true;
      passed_on = true;
      return !sink.on_head || sink.on_head(head);
    };
    guarded.on_bytes = [&](std::string_view bytes) {
      if (!is_error) return !sink.on_bytes || sink.on_bytes(bytes);
      error_body.append(bytes.substr(0, kMaxErrorBody - error_body.size()));
      return true;
    };
    Result<HttpResponse> outcome = client.stream(request, deadline, guarded);
    if (outcome.ok() && is_error) outcome->body = std::move(error_body);
    if (passed_on || !wait_after(outcome, policy, attempt, deadline)) return outcome;
  }
}

bool SseReader::feed(std::string_view bytes, const std::function<void(const SseEvent&)>& on_event) {
  if (!usable_) return false;
  if (last_was_cr_ && !bytes.empty()) {
    if (bytes.front() == '\n') bytes.remove_prefix(1);
    last_was_cr_ = false;
  }
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\r\n");
    line_.append(bytes.substr(0, end));
    if (!within_limit()) return false;
    if (end == std::string_view::npos) break;
    const bool is_cr = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (is_cr && bytes.empty()) last_was_cr_ = true;
    if (is_cr && !bytes.empty() && bytes.front() == '\n') bytes.remove_prefix(1);
    std::string line;
    line.swap(line_);
    take_line(line, on_event);
  }
  return within_limit();
}

void SseReader::take_line(std::string_view line, const std::function<void(const SseEvent&)>& on_event) {
  if (at_start_ && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  at_start_ = false;
  if (line.empty()) return dispatch(on_event);
  const std::size_t colon = line.find(':');
  if (colon == 0) return;  // a comment, sent to keep the connection open
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (field == "event") {
    event_.type = value;
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    event_.id = value;
  }
}

void SseReader::dispatch(const std::function<void(const SseEvent&)>& on_event) {
  if (has_data_) {
    if (event_.type.empty()) event_.type = "message";
    on_event(event_);
  }
  event_.type.clear();
  event_.data.clear();
  has_data_ = false;
}

}  // namespace weft
