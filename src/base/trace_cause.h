#pragma once

#include <mutex>
#include <string>

#include "base/thread_scoped.h"
#include "base/trace.h"

namespace weft {

/// Says, as long as it lives, for which request this thread works behind that one's back: what it leaves to others to
/// do later is linked to the request in traces. For one thread, as a local variable.
class TraceCause : public ThreadScoped<TraceCause, std::string> {
 public:
  /// With the `traceparent` of the request; empty: none that is recorded.
  using ThreadScoped::ThreadScoped;

  /// Of what this thread does now: the open span's, else what was said; empty where nothing is recorded.
  static std::string current();
};

/// Where spans go of what nobody waits for: to a sink that may come and go while there are spans. Safe from any thread.
class SpanRelay final : public SpanSink {
 public:
  /// Null: nowhere. When it returns the former sink gets nothing any more. `share`: of what threads do by themselves.
  void lead_to(SpanSink* sink, double share = 1);
  double share() const;

  void take(SpanData span) override;
  bool takes_content() const override;
  /// Itself, or null while it leads nowhere.
  SpanSink* sink();

  /// The one of background threads: as with the log, there is one for the program.
  static SpanRelay& of_background();

 private:
  mutable std::mutex mutex_;
  SpanSink* sink_ = nullptr;
  double share_ = 1;
};

}  // namespace weft
