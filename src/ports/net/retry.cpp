#include "ports/net/retry.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <optional>
#include <random>

namespace weft {
namespace {

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

}  // namespace weft
