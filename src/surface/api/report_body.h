#pragma once

#include <string>
#include <utility>

#include "model/growth_records.h"
#include "surface/api/operation.h"

namespace weft {

/// A report as it comes from outside: what is kept of old ones may lack what a new one has to say.
struct ReportBody {
  TaskReport report;
};

template <>
struct BodyForm<ReportBody> {
  static Result<ReportBody> read(std::string_view body, const Config& config) {
    WEFT_TRY(auto report, BodyForm<TaskReport>::read(body, config));
    if (report.id.empty()) return wrong_field("id", "given: by which it counts once");
    if (report.task.empty()) return wrong_field("task", "given: as it was asked for");
    return ReportBody{std::move(report)};
  }

  // As it is told, and with what a new one has to say.
  static Value schema(SchemaBook& book) {
    return book.use("NewTaskReport", [](SchemaBook&) {
      SchemaBook inlined(true);
      Value known = BodyForm<TaskReport>::schema(inlined);
      for (const char* name : {"id", "task"})
        known.find("properties")->find(name)->object()->emplace_back("minLength", 1);
      known.object()->emplace_back("required", ValueList{"id", "task"});
      return known;
    });
  }
  static constexpr std::string_view kType = "application/json";
};

}  // namespace weft
