#pragma once

#include <string>

#include "flow/historian/end_job.h"
#include "ports/store/store.h"

namespace weft {

/// What is noted of the job of an end that was worked off: a digest, since its id holds what the client called the
/// request, and the mark may outlive everything that was made of it. Ends as the job's id does, with the scope's.
std::string done_mark(const JobId& job);

/// The mark of a job that was queued, for stores that other programs share: no two of them queue a job by that id.
std::string queued_mark(const JobId& job);

/// What is noted of an event that was erased, so that its id is not given again: a digest, too.
std::string erased_mark(const ScopeKey& scope, const std::string& event_id);

/// Whether such a job was worked off, also by a former version, which noted the id itself.
Result<bool> end_is_done(Store& store, const JobId& job);

}  // namespace weft
