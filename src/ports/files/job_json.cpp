#include "ports/files/job_json.h"

#include <nlohmann/json.hpp>

#include "weft/time.h"

namespace weft {
namespace {

using Json = nlohmann::json;
constexpr int kVersion = 1;

}  // namespace

std::string to_json(const Job& job) {
  const Json payload = Json::parse(job.payload, nullptr, false);
  const Json json = {{"version", kVersion},
                     {"job_id", job.id.str()},
                     {"kind", job.kind},
                     {"payload", payload.is_discarded() ? Json(job.payload) : payload},
                     {"attempts", job.attempts},
                     {"reason", job.reason},
                     {"created_at", format_time({job.created_ms, 0})},
                     {"created_ms", job.created_ms},
                     {"not_before_ms", job.not_before_ms}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Job> parse_job(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return corrupt("the job file is not a JSON object");
  try {
    if (json.value("version", 0) > kVersion) return corrupt("the job was written by a newer version of Weft");
    Job job;
    job.id = JobId(json.at("job_id").get<std::string>());
    job.kind = json.at("kind").get<std::string>();
    job.payload = json.at("payload").dump(-1, ' ', false, Json::error_handler_t::replace);
    job.attempts = json.value("attempts", 0);
    job.reason = json.value("reason", "");
    job.created_ms = json.value("created_ms", std::int64_t{0});
    job.not_before_ms = json.value("not_before_ms", std::int64_t{0});
    if (job.id.empty()) return corrupt("the job has no id");
    return job;
  } catch (const Json::exception& error) {
    return corrupt(std::string("the job file is broken: ") + error.what());
  }
}

}  // namespace weft
