#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/metric_family.h"

namespace weft::http {

/// One request that is over.
struct RequestEnd {
  std::string method, route;  ///< route: the pattern of its path; empty: there is none like it
  int status = 0;
  double seconds = 0;
  std::size_t received = 0, sent = 0;  ///< bytes of the bodies
  bool refused = false;                ///< before anybody looked at it
};

/// What goes through the server, counted for metrics. Paths are told by their patterns, so that labels stay few and
/// name nobody. Safe from any thread.
class Traffic {
 public:
  Traffic();

  void begun() { ++open_; }
  /// `reason`: why it was refused, one of few words such as "key" or "rate"; empty: as its status says.
  void ended(const RequestEnd& request, std::string_view reason = {});

  void stream_begun() { ++streams_; }
  void stream_ended() { --streams_; }

  /// As text that Prometheus reads. `connections`: open ones; `listening`: those of streams that go on without a
  /// request.
  std::string text(std::size_t connections, std::size_t listening = 0) const;

  /// How a method and a pattern are told.
  static std::string method_label(std::string_view method);
  static std::string route_label(std::string_view route);

 private:
  CounterFamily requests_, refused_;
  HistogramFamily time_;
  std::atomic<std::int64_t> open_{0}, streams_{0};
  std::atomic<std::uint64_t> received_{0}, sent_{0};
};

}  // namespace weft::http
