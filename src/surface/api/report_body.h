#pragma once

#include <string>
#include <utility>

#include "model/growth_records.h"
#include "surface/api/operation.h"

namespace weft {

/// A report as it comes from outside: what is kept of old ones may lack what a new one has to say.
struct ReportBody {
  TaskReport report;
  std::string owner;  ///< its own, for `check_owner`
};

template <>
struct BodyForm<ReportBody> {
  static Result<ReportBody> read(std::string_view body, const Config& config) {
    WEFT_TRY(auto report, BodyForm<TaskReport>::read(body, config));
    if (report.task.empty()) return wrong_field("task", "given: as it was asked for");
    std::string owner = report.owner;
    return ReportBody{std::move(report), std::move(owner)};
  }

  static Value schema(SchemaBook& book) {
    Value known = BodyForm<TaskReport>::schema(book);
    const Value needed = ValueList{"task"};
    if (book.inlined()) {
      known.object()->emplace_back("required", needed);
      return known;
    }
    return ValueObject{{"allOf", ValueList{known, ValueObject{{"required", needed}}}}};
  }
  static constexpr std::string_view kType = "application/json";
};

}  // namespace weft
