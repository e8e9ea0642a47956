#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/call_context.h"
#include "ports/net/http_client.h"
#include "weft/config.h"

namespace weft {

/// Spans as the JSON that OTLP over HTTP takes (OpenTelemetry Protocol 1.x, "ExportTraceServiceRequest").
std::string otlp_json(std::span<const SpanData> spans, const std::string& service);

/// The headers that a list names: "NAME=VALUE", with commas between, values percent-encoded, as in the environment
/// variable OTEL_EXPORTER_OTLP_HEADERS. What is none of that is left out.
HttpHeaders otlp_headers(std::string_view list);

/// Sends spans to a collector, on a thread of its own, some hundred at a time. What waits is bounded: a collector that
/// is slow or away costs spans, which are counted and told in the log, and nothing else. Safe from any thread.
class OtlpExporter final : public SpanSink {
 public:
  /// `settings.endpoint` must be set. `client` must outlive it.
  OtlpExporter(const OtelSettings& settings, HttpClient& client);
  ~OtlpExporter() override;  ///< sends what is left, within the time of one call

  void take(SpanData span) override;
  bool takes_content() const override { return content_; }

  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t sent() const { return sent_; }

 private:
  void run();
  bool send(std::span<const SpanData> spans);
  void tell(bool worked, const std::string& why);

  HttpClient& client_;
  const std::string url_, service_;
  const HttpHeaders headers_;
  const std::size_t most_;
  const std::chrono::milliseconds interval_, timeout_;
  const bool content_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<SpanData> waiting_;
  bool ending_ = false;
  bool failing_ = false;  // of the thread alone
  std::atomic<std::uint64_t> dropped_{0}, sent_{0};
  std::thread thread_;
};

}  // namespace weft
