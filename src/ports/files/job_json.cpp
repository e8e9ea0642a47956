#include "ports/files/job_json.h"

#include "text/record.h"

namespace weft {
namespace {

constexpr int kVersion = 1;

/// A job as it stands in its file.
struct JobFile {
  int version = kVersion;
  Job job;
  Time created_at;
};

}  // namespace

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
  return std::move(file->job);
}

}  // namespace weft
