#include "model/job.h"

#include <nlohmann/json.hpp>

#include "base/call_context.h"
#include "text/json.h"
#include "text/record.h"

namespace weft {
namespace {

constexpr int kVersion = 1;
constexpr const char *kCause = "cause", *kScope = "scope";

/// A job as it stands in its file.
struct JobFile {
  int version = kVersion;
  Job job;
  Time created_at;
};

// A payload that is no object, or that has a cause already, stays what it is.
std::string with_cause(std::string payload) {
  const std::string cause = CallContext::to_hand_over().cause;
  if (cause.empty()) return payload;
  auto json = nlohmann::ordered_json::parse(payload, nullptr, false);
  if (!json.is_object() || json.contains(kCause)) return payload;
  json[kCause] = cause;
  return write_json(json);
}

}  // namespace

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::kPending: return "pending";
    case JobState::kProcessing: return "processing";
    case JobState::kFailed: return "failed";
  }
  return "?";
}

Job new_job(JobId id, ScopeKey scope, std::string kind, std::string payload, std::int64_t now_ms) {
  Job job;
  job.id = std::move(id);
  job.scope = std::move(scope);
  job.kind = std::move(kind);
  job.payload = with_cause(std::move(payload));
  job.created_ms = now_ms;
  return job;
}

TraceParent cause_of(std::string_view payload) {
  return parse_traceparent(text_of(member(nlohmann::json::parse(payload, nullptr, false), kCause)));
}

WEFT_DESCRIBED(JobFile);

template <>
const Record<JobFile>& record<JobFile>() {
  using F = JobFile;
  static const auto made =
      Record<F>("Job", "A job in its file.", RecordUse::kTold)
          .field("version", &F::version, "of this form")
          .field("job_id", &F::job, &Job::id, "", {.required = true})
          .field("kind", &F::job, &Job::kind, "what has to be done", {.required = true})
          .custom(
              "payload", "all that is needed for it", nullptr,
              [](std::string_view json, const std::string&, F& into) {
                into.job.payload = compact_json(json);
                return Status();
              },
              [](const F& from, JsonWriter& out) { out.json_or_text(from.job.payload); }, {.required = true})
          .field("attempts", &F::job, &Job::attempts, "how often it was tried")
          .field("reason", &F::job, &Job::reason, "why it failed")
          .field("created_at", &F::created_at, "for people")
          .field("created_ms", &F::job, &Job::created_ms, "since 1970")
          .field("not_before_ms", &F::job, &Job::not_before_ms, "when it may be tried again");
  return made;
}

std::string to_json(const Job& job) { return to_json(JobFile{kVersion, job, {job.created_ms, 0}}) + "\n"; }

Result<Job> parse_job(std::string_view text) {
  auto file = parse_record<JobFile>(text, "the job file", {.max_bytes = text.size() + 1});
  if (!file.ok()) return corrupt("the job file is broken: " + file.error().message);
  if (file->version > kVersion) return corrupt("the job was written by a newer version of Weft");
  Job& job = file->job;
  job.scope = ScopeKey(text_of(member(nlohmann::json::parse(job.payload, nullptr, false), kScope)));
  return std::move(job);
}

}  // namespace weft
