#include "ports/files/job_cause.h"

#include "base/trace_cause.h"
#include "text/json.h"

namespace weft {
namespace {

constexpr std::string_view kName = "cause";

}  // namespace

std::string with_cause(std::string payload) {
  const std::string cause = TraceCause::current();
  if (cause.empty() || !payload.ends_with('}') || !json_member(payload, kName).empty()) return payload;
  const bool empty = json_members(payload).empty();
  payload.pop_back();
  return payload + (empty ? "" : ",") + "\"" + std::string(kName) + "\":\"" + cause + "\"}";
}

TraceParent cause_of(std::string_view payload) {
  const auto cause = json_text(json_member(payload, kName));
  return cause.ok() ? parse_traceparent(*cause) : TraceParent();
}

}  // namespace weft
