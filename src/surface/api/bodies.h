#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/growth_records.h"
#include "surface/api/operation.h"

/// Bodies of requests that are more than one object of fields.
namespace weft {

/// The bounds on messages that the configuration sets.
MessageLimits message_limits(const Config& config);

/// Sets who said each message of a group, where the message says so by "sender_id". Only calls of our own API say it,
/// whose names are checked.
Status read_senders(std::vector<Message>& messages);

/// What observe takes: one message, an array, or {"messages":[…]}.
struct Observed {
  std::vector<Message> all;
};

template <>
struct BodyForm<Observed> {
  static Result<Observed> read(std::string_view body, const Config& config);
  static Value schema(SchemaBook& book);
  static constexpr std::string_view kType = "application/json";
};

WEFT_DESCRIBED(ContextRequest);

/// Its messages are read where they stand, since each is kept as it came.
template <>
struct BodyForm<ContextRequest> {
  static Result<ContextRequest> read(std::string_view body, const Config& config);
  static Value schema(SchemaBook& book);
  static constexpr std::string_view kType = "application/json";
};

/// An object of the task's fields, or a text that is its description.
template <>
struct BodyForm<SessionTask> {
  static Result<SessionTask> read(std::string_view body, const Config& config);
  static Value schema(SchemaBook& book);
  static constexpr std::string_view kType = "application/json";
};

/// An array.
template <>
struct BodyForm<std::vector<Preference>> {
  static Result<std::vector<Preference>> read(std::string_view body, const Config& config);
  static Value schema(SchemaBook& book);
  static constexpr std::string_view kType = "application/json";
};

/// An object with "operations", or an array of operations alone.
template <>
struct BodyForm<StateChange> {
  static Result<StateChange> read(std::string_view body, const Config& config);
  static Value schema(SchemaBook& book);
  static constexpr std::string_view kType = "application/json";
};

/// The body is a file as it stands.
struct FileBody {
  std::string bytes;
};

template <>
struct BodyForm<FileBody> {
  static Result<FileBody> read(std::string_view body, const Config&) { return FileBody{std::string(body)}; }
  static Value schema(SchemaBook&) { return ValueObject{{"type", "string"}}; }
  static constexpr std::string_view kType = "text/plain";
};

/// JSON that is looked at by whoever it is for.
struct AnyJson {
  std::string json;
};

template <>
struct BodyForm<AnyJson> {
  static Result<AnyJson> read(std::string_view body, const Config&) { return AnyJson{std::string(body)}; }
  static Value schema(SchemaBook&) { return ValueObject{{"type", "object"}}; }
  static constexpr std::string_view kType = "application/json";
};

template <>
struct ReplyForm<AnyJson> {
  static std::string write(const AnyJson& answer) { return answer.json; }
  static Value schema(SchemaBook&) { return ValueObject{{"type", "object"}}; }
};

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
