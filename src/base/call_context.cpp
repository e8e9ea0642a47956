#include "base/call_context.h"

#include <algorithm>
#include <utility>

#include "base/random_id.h"
#include "base/strings.h"
#include "base/trace.h"

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

}  // namespace weft
