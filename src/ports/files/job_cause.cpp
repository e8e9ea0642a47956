#include "ports/files/job_cause.h"

#include <nlohmann/json.hpp>

#include "base/trace_cause.h"
#include "text/json.h"
#include "text/json_lookup.h"

namespace weft {
namespace {

constexpr const char* kName = "cause";

}  // namespace

std::string with_cause(std::string payload) {
  const std::string cause = TraceCause::current();
  if (cause.empty()) return payload;
  auto json = nlohmann::ordered_json::parse(payload, nullptr, false);
  if (!json.is_object() || json.contains(kName)) return payload;
  json[kName] = cause;
  return write_json(json);
}

TraceParent cause_of(std::string_view payload) {
  return parse_traceparent(text_of(member(nlohmann::json::parse(payload, nullptr, false), kName)));
}

}  // namespace weft
