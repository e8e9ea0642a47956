#include "flow/historian/done_marks.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace weft {

std::string done_mark(const JobId& job) {
  const std::string& id = job.str();
  const XXH128_hash_t digest = XXH3_128bits(id.data(), id.size());
  const auto scope = id.rfind('-');
  return fmt::format("done-{:016x}{:016x}{}", digest.high64, digest.low64,
                     scope == std::string::npos ? std::string() : id.substr(scope));
}

std::string queued_mark(const JobId& job) { return "queued:" + done_mark(job); }

std::string erased_mark(const ScopeKey& scope, const std::string& event_id) {
  const std::string id = std::to_string(scope.str().size()) + ":" + scope.str() + event_id;
  const XXH128_hash_t digest = XXH3_128bits(id.data(), id.size());
  return fmt::format("erased-{:016x}{:016x}", digest.high64, digest.low64);
}

Result<bool> end_is_done(Store& store, const JobId& job) {
  WEFT_TRY(const bool done, store.has_mark(done_mark(job)));
  if (done) return true;
  return store.has_mark(job.str());
}

}  // namespace weft
