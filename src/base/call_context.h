#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft {

/// To whom calls of models are accounted.
struct Account {
  std::string scope;  ///< its key, such as "user:ann"; empty: nobody's
  std::string key;    ///< name of the server's key that the request was made with; empty: none
};

/// The request that a thread works for.
struct CallContext {
  Account account = {};
  std::string request = {};  ///< its id, named by lines of the log and by answers with an error; empty: none
  std::string cause = {};  ///< `traceparent` of the request whose trace later work is linked to; empty: not recorded

  /// Of this thread; empty if it works for no request. Valid as long as the innermost `CallScope` lives.
  static const CallContext& current();
  /// A copy for another thread, or for later: `cause` is the open span of this thread if there is one.
  static CallContext to_hand_over();
};

/// Sets the context of this thread as long as it lives. Use it as a local variable.
class CallScope {
 public:
  explicit CallScope(CallContext context);
  /// The thread's context with another account.
  explicit CallScope(Account account);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const CallContext context_;
  const CallContext* const outer_;
};

/// Whether a text from outside may name a request: 1 to 128 letters, digits and "-_.:".
bool is_request_id(std::string_view text);

/// A new one, by chance.
std::string new_request_id();

/// What a span says of itself beside its name and its time.
using SpanValue = std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>>;

/// Whether what a span tells of was asked of us, asked of another, or done by ourselves. Numbers as of OpenTelemetry.
enum class SpanKind { kInternal = 1, kServer = 2, kClient = 3 };

/// A span of another trace that led to this one.
struct SpanLink {
  std::string trace, span;  ///< hexadecimal
};

/// A step of a request that is over.
struct SpanData {
  std::string trace, id, parent;  ///< hexadecimal: 32, 16 and 16 digits; no parent: empty
  std::string name;
  SpanKind kind = SpanKind::kInternal;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< since 1970
  std::vector<std::pair<std::string, SpanValue>> attributes;
  std::vector<SpanLink> links = {};
  bool failed = false;
  std::string error;  ///< what failed; only where it did
};

/// Takes spans that are over. Must return at once and be safe from any thread.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  virtual void take(SpanData span) = 0;
  /// Whether spans may hold what is said to models.
  virtual bool takes_content() const { return false; }
};

/// Where a caller's trace comes from and goes on: the header `traceparent` of the W3C's Trace Context.
struct TraceParent {
  std::string trace, span;  ///< hexadecimal
  bool sampled = false;
};

/// Reads a header; nothing (empty ids) where it is none.
TraceParent parse_traceparent(std::string_view header);

/// A step of a request, from construction to destruction, on one thread. The first one of a request says where spans
/// go; each later one is a child of the one that is open on its thread, and where none is open it is nothing and costs
/// nothing. What is done later because of requests is the first step of a trace of its own, linked to theirs. Values
/// that may hold secrets are never set, and what people said only where the sink takes it.
class TraceSpan {
 public:
  /// A child of the open one.
  explicit TraceSpan(std::string_view name, SpanKind kind = SpanKind::kInternal);

  /// The first one of a request. It goes on from the caller's trace, whose word counts on whether it is recorded;
  /// without such a word `share` of them are. `sink` may be null: then it is nothing.
  TraceSpan(SpanSink* sink, std::string_view name, const TraceParent& caller, double share);

  /// What is done later because of requests. It is recorded where one of them was. `sink` may be null.
  TraceSpan(SpanSink* sink, std::string_view name, std::span<const TraceParent> causes);

  /// What a thread does by itself: `share` of it is recorded, and only where there was a step below, or something was
  /// left to others to do. `sink` may be null.
  TraceSpan(SpanSink* sink, std::string_view name, double share);

  ~TraceSpan();
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  /// It is recorded.
  bool on() const { return sink_ != nullptr; }

  void rename(std::string_view name);
  void set(std::string_view key, SpanValue value);
  /// What cannot be done; `what` names no content.
  void fail(std::string_view what);

  /// The header by which another server goes on from here; empty where nothing is recorded.
  std::string traceparent() const;
  bool takes_content() const { return on() && sink_->takes_content(); }

  /// The one that is open on this thread; null where none is.
  static TraceSpan* open();

 private:
  void begin(SpanSink* sink, std::string_view name, SpanKind kind, std::string trace, std::string parent);

  SpanSink* sink_ = nullptr;
  TraceSpan* outer_ = nullptr;
  SpanData data_;
  mutable bool wanted_ = true;  ///< a reason was found to record it
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
