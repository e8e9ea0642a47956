#include "surface/mcp/revision.h"

namespace weft::mcp {
namespace {

constexpr std::array<std::string_view, 8> kSeverities{"debug", "info",     "notice", "warning",
                                                      "error", "critical", "alert",  "emergency"};

}  // namespace

std::string_view to_string(Revision revision) {
  switch (revision) {
    case Revision::k2025_06_18: return "2025-06-18";
    case Revision::k2025_11_25: return "2025-11-25";
    case Revision::k2026_07_28: return "2026-07-28";
  }
  return "";
}

std::optional<Revision> parse_revision(std::string_view text) {
  for (const Revision one : kRevisions)
    if (to_string(one) == text) return one;
  return std::nullopt;
}

std::string_view to_string(Severity severity) { return kSeverities[static_cast<std::size_t>(severity)]; }

std::optional<Severity> parse_severity(std::string_view text) {
  for (std::size_t i = 0; i < kSeverities.size(); ++i)
    if (kSeverities[i] == text) return static_cast<Severity>(i);
  return std::nullopt;
}

bool can_ask_people(const Value* capabilities) {
  const Value* asking = capabilities == nullptr ? nullptr : capabilities->find("elicitation");
  if (asking == nullptr || asking->object() == nullptr) return false;
  // Where it names ways at all, only those are there.
  return asking->object()->empty() || asking->find("form") != nullptr;
}

const Value* meta_of(const Value& params) {
  const Value* meta = params.find("_meta");
  return meta != nullptr && meta->object() != nullptr ? meta : nullptr;
}

}  // namespace weft::mcp
