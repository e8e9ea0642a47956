#include "base/trace_cause.h"

#include <utility>

namespace weft {
std::string TraceCause::current() {
  if (const TraceSpan* open = TraceSpan::open()) return open->traceparent();
  return ThreadScoped::current();
}

void SpanRelay::lead_to(SpanSink* sink, double share) {
  const std::lock_guard lock(mutex_);
  sink_ = sink;
  share_ = share;
}

double SpanRelay::share() const {
  const std::lock_guard lock(mutex_);
  return share_;
}

void SpanRelay::take(SpanData span) {
  const std::lock_guard lock(mutex_);
  if (sink_ != nullptr) sink_->take(std::move(span));
}

bool SpanRelay::takes_content() const {
  const std::lock_guard lock(mutex_);
  return sink_ != nullptr && sink_->takes_content();
}

SpanSink* SpanRelay::sink() {
  const std::lock_guard lock(mutex_);
  return sink_ == nullptr ? nullptr : this;
}

SpanRelay& SpanRelay::of_background() {
  static SpanRelay relay;
  return relay;
}

}  // namespace weft
