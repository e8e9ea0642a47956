#include "ports/net/otlp_exporter.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "text/json.h"
#include "text/plain_words.h"
#include "weft/version.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBatch = 512;
constexpr int kTries = 3;  // of a batch whose collector is away

std::string url_of(std::string endpoint) {
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return endpoint.ends_with("/v1/traces") ? endpoint : endpoint + "/v1/traces";
}

std::string_view from_environment(const std::string& name) {
  const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// Numbers of 64 bits are strings, as in all JSON of Protocol Buffers.
Json value_of(const SpanValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return {{"stringValue", *text}};
  if (const auto* number = std::get_if<std::int64_t>(&value)) return {{"intValue", std::to_string(*number)}};
  if (const auto* number = std::get_if<double>(&value)) return {{"doubleValue", *number}};
  if (const auto* yes = std::get_if<bool>(&value)) return {{"boolValue", *yes}};
  Json values = Json::array();
  for (const std::string& text : std::get<std::vector<std::string>>(value)) values.push_back({{"stringValue", text}});
  return {{"arrayValue", {{"values", std::move(values)}}}};
}

Json json_of(const SpanData& span) {
  Json attributes = Json::array();
  for (const auto& [key, value] : span.attributes) attributes.push_back({{"key", key}, {"value", value_of(value)}});
  Json out = {{"traceId", span.trace}, {"spanId", span.id}};
  if (!span.parent.empty()) out["parentSpanId"] = span.parent;
  out["name"] = span.name;
  out["kind"] = static_cast<int>(span.kind);
  out["startTimeUnixNano"] = std::to_string(span.begin_ns);
  out["endTimeUnixNano"] = std::to_string(span.end_ns);
  out["attributes"] = std::move(attributes);
  if (!span.links.empty()) {
    Json links = Json::array();
    for (const SpanLink& link : span.links) links.push_back({{"traceId", link.trace}, {"spanId", link.span}});
    out["links"] = std::move(links);
  }
  constexpr int kError = 2;
  if (span.failed) out["status"] = {{"code", kError}, {"message", span.error}};
  return out;
}

}  // namespace

std::string otlp_json(std::span<const SpanData> spans, const std::string& service) {
  Json list = Json::array();
  for (const SpanData& span : spans) list.push_back(json_of(span));
  Json attributes = Json::array();
  attributes.push_back({{"key", "service.name"}, {"value", value_of(service)}});
  attributes.push_back({{"key", "service.version"}, {"value", value_of(std::string(kVersion))}});
  Json scope_spans = Json::array(), resource_spans = Json::array();
  scope_spans.push_back({{"scope", {{"name", "weft"}, {"version", kVersion}}}, {"spans", std::move(list)}});
  resource_spans.push_back(
      {{"resource", {{"attributes", std::move(attributes)}}}, {"scopeSpans", std::move(scope_spans)}});
  return write_json(Json{{"resourceSpans", std::move(resource_spans)}});
}

HttpHeaders otlp_headers(std::string_view list) {
  HttpHeaders headers;
  for (const std::string_view one : split_list(list, ',')) {
    const auto mark = one.find('=');
    if (mark == std::string_view::npos) continue;
    std::string name(trimmed(one.substr(0, mark)));
    if (!name.empty()) headers.emplace_back(std::move(name), percent_decode(trimmed(one.substr(mark + 1))));
  }
  return headers;
}

OtlpExporter::OtlpExporter(const OtelSettings& settings, HttpClient& client)
    : client_(client),
      url_(url_of(settings.endpoint)),
      service_(settings.service),
      headers_(otlp_headers(from_environment(settings.headers_env))),
      most_(static_cast<std::size_t>(settings.queue)),
      interval_(settings.interval_ms),
      timeout_(settings.timeout_ms),
      content_(settings.content) {
  if (const Status begun = start_thread(thread_, "the exporter of traces", [this] { run(); }); !begun.ok()) {
    ending_ = true;
    log_error("otel.export", begun.error().message + "; no traces are sent until the next start");
  }
}

OtlpExporter::~OtlpExporter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (dropped_ > 0) log_warning("otel.dropped", std::to_string(dropped_) + " spans did not reach the collector");
}

void OtlpExporter::take(SpanData span) {
  const std::lock_guard lock(mutex_);
  if (ending_ || waiting_.size() >= most_) {
    ++dropped_;
    return;
  }
  waiting_.push_back(std::move(span));
  if (waiting_.size() >= kBatch) changed_.notify_all();
}

void OtlpExporter::run() {
  std::unique_lock lock(mutex_);
  int tries = 0;
  while (!ending_ || !waiting_.empty()) {
    // After a failure the whole interval is waited, however many there are.
    changed_.wait_for(lock, interval_, [&] { return ending_ || (tries == 0 && waiting_.size() >= kBatch); });
    if (waiting_.empty()) continue;
    const std::size_t count = std::min(waiting_.size(), kBatch);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<SpanData> batch(waiting_.begin(), end);
    lock.unlock();
    bool done = false;
    guarded_or_logged("otel.export", [&] { done = send(batch); });
    lock.lock();
    if (!done && ++tries < kTries && !ending_) continue;
    tries = 0;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    (done ? sent_ : dropped_) += count;
    if (!done && ending_) {
      dropped_ += waiting_.size();
      return waiting_.clear();
    }
  }
}

// True where the collector has taken them.
bool OtlpExporter::send(std::span<const SpanData> spans) {
  HttpRequest request;
  request.url = url_;
  request.headers = headers_;
  request.headers.emplace_back("content-type", "application/json");
  request.body = otlp_json(spans, service_);
  request.connect_timeout = timeout_;
  const auto answer = client_.send(request, Deadline::after(timeout_));
  const bool worked = answer.ok() && answer->status < 300;
  tell(worked, answer.ok() ? "it answered with " + std::to_string(answer->status) : answer.error().message);
  return worked;
}

// Once when it begins to fail and once when it works again.
void OtlpExporter::tell(bool worked, const std::string& why) {
  if (worked == !failing_) return;
  failing_ = !worked;
  if (failing_)
    log_warning("otel.export", "the collector takes no traces: " + why);
  else
    log_info("otel.export", "the collector takes traces again");
}

}  // namespace weft
