#include "surface/doctor/finding.h"

#include <algorithm>

namespace weft {
namespace doctor {

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::kOk: return "ok";
    case Grade::kLook: return "look";
    case Grade::kWrong: return "wrong";
  }
  return {};
}

bool Report::well() const {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& one) { return one.grade == Grade::kOk; });
}

void Report::wrong(std::string check, const Error& error, std::string where) {
  wrong(std::move(check), error.message, std::move(where),
        error.hint.empty() ? "the message says what failed; `--log debug` says more" : error.hint);
}

}  // namespace doctor

template <>
const Record<doctor::Finding>& record<doctor::Finding>() {
  using F = doctor::Finding;
  static const auto made = Record<F>("Finding", "One thing that was looked at.", RecordUse::kTold)
                               .field("check", &F::check, "what kind of thing")
                               .field("grade", &F::grade, "how grave it is")
                               .field("what", &F::what, "how it is")
                               .field("where", &F::where, "the file, setting or address", {.sparse = true})
                               .field("advice", &F::advice, "what to do", {.sparse = true});
  return made;
}

template <>
const Record<doctor::Report>& record<doctor::Report>() {
  using R = doctor::Report;
  static const auto made =
      Record<R>("DoctorReport", "All that was looked at.", RecordUse::kTold)
          .custom(
              "well", "nothing needs a person", [](SchemaBook&) { return Value(ValueObject{{"type", "boolean"}}); },
              nullptr, [](const R& report, JsonWriter& out) { out.flag(report.well()); })
          .field("findings", &R::findings, "in the order in which they were looked at")
          .field("status", &R::status, "of the engine, where it could be opened", {.sparse = true});
  return made;
}

}  // namespace weft
