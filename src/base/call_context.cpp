#include "base/call_context.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <utility>

#include "base/strings.h"

namespace weft {
namespace {

constexpr std::size_t kLongestId = 128;

thread_local const CallContext* innermost = nullptr;

CallContext with_account(CallContext context, Account account) {
  context.account = std::move(account);
  return context;
}

}  // namespace

const CallContext& CallContext::current() {
  static const CallContext none;
  return innermost == nullptr ? none : *innermost;
}

CallContext CallContext::to_hand_over() {
  CallContext context = current();
  if (const TraceSpan* open = TraceSpan::open()) context.cause = open->traceparent();
  return context;
}

CallScope::CallScope(CallContext context) : context_(std::move(context)), outer_(std::exchange(innermost, &context_)) {}

CallScope::CallScope(Account account) : CallScope(with_account(CallContext::current(), std::move(account))) {}

CallScope::~CallScope() { innermost = outer_; }

bool is_request_id(std::string_view text) {
  const auto fits = [](char c) {
    return is_digit(c) || is_letter(c) || std::string_view("-_.:").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kLongestId && std::all_of(text.begin(), text.end(), fits);
}

std::string new_request_id() {
  constexpr std::size_t kDigits = 32;
  return random_hex(kDigits);
}

namespace {

thread_local TraceSpan* open_span = nullptr;

constexpr std::size_t kTraceDigits = 32, kSpanDigits = 16;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool is_id(std::string_view text, std::size_t digits) {
  if (text.size() != digits) return false;
  bool any = false;
  for (const char c : text) {
    if (!is_digit(c) && !(c >= 'a' && c <= 'f')) return false;
    any = any || c != '0';
  }
  return any;
}

bool drawn(double share) { return std::uniform_real_distribution<double>(0, 1)(thread_chance()) < share; }

}  // namespace

// version "-" trace "-" span "-" flags; what later versions put behind is not looked at.
TraceParent parse_traceparent(std::string_view header) {
  constexpr std::size_t kLength = 2 + 1 + kTraceDigits + 1 + kSpanDigits + 1 + 2;
  TraceParent out;
  if (header.size() < kLength || header.starts_with("ff") || header[2] != '-' || header[35] != '-' || header[52] != '-')
    return out;
  if (header.starts_with("00") && header.size() != kLength) return out;
  const std::string_view trace = header.substr(3, kTraceDigits), span = header.substr(36, kSpanDigits);
  const auto is_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
  if (!is_id(trace, kTraceDigits) || !is_id(span, kSpanDigits) || !is_hex(header[53]) || !is_hex(header[54]))
    return out;
  const char low = header[54];
  const int bits = is_digit(low) ? low - '0' : low - 'a' + 10;
  return {std::string(trace), std::string(span), (bits & 1) != 0};
}

TraceSpan::TraceSpan(std::string_view name, SpanKind kind) {
  if (open_span != nullptr && open_span->on())
    begin(open_span->sink_, name, kind, open_span->data_.trace, open_span->data_.id);
}

TraceSpan::TraceSpan(SpanSink* sink, std::string_view name, const TraceParent& caller, double share) {
  if (sink == nullptr) return;
  const bool known = !caller.trace.empty();
  if (known ? !caller.sampled : !drawn(share)) return;
  begin(sink, name, SpanKind::kServer, known ? caller.trace : random_hex(kTraceDigits), caller.span);
}

TraceSpan::TraceSpan(SpanSink* sink, std::string_view name, std::span<const TraceParent> causes) {
  if (sink == nullptr) return;
  for (const TraceParent& cause : causes)
    if (cause.sampled && !cause.trace.empty()) data_.links.push_back({cause.trace, cause.span});
  if (!data_.links.empty()) begin(sink, name, SpanKind::kInternal, random_hex(kTraceDigits), {});
}

TraceSpan::TraceSpan(SpanSink* sink, std::string_view name, double share) {
  if (sink == nullptr || !drawn(share)) return;
  begin(sink, name, SpanKind::kInternal, random_hex(kTraceDigits), {});
  wanted_ = false;
}

void TraceSpan::begin(SpanSink* sink, std::string_view name, SpanKind kind, std::string trace, std::string parent) {
  sink_ = sink;
  data_.trace = std::move(trace);
  data_.id = random_hex(kSpanDigits);
  data_.parent = std::move(parent);
  data_.name = name;
  data_.kind = kind;
  data_.begin_ns = now_ns();
  outer_ = std::exchange(open_span, this);
}

TraceSpan::~TraceSpan() {
  if (!on()) return;
  open_span = outer_;
  if (!wanted_) return;
  if (outer_ != nullptr && outer_->data_.id == data_.parent) outer_->wanted_ = true;
  data_.end_ns = now_ns();
  sink_->take(std::move(data_));
}

void TraceSpan::rename(std::string_view name) {
  if (on()) data_.name = name;
}

void TraceSpan::set(std::string_view key, SpanValue value) {
  if (on()) data_.attributes.emplace_back(key, std::move(value));
}

void TraceSpan::fail(std::string_view what) {
  if (!on()) return;
  data_.failed = true;
  data_.error = what;
}

std::string TraceSpan::traceparent() const {
  wanted_ = true;
  return on() ? "00-" + data_.trace + "-" + data_.id + "-01" : std::string();
}

TraceSpan* TraceSpan::open() { return open_span; }

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
