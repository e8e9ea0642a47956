#pragma once

#include <string>
#include <string_view>

#include "ports/files/file_queue.h"

namespace weft {

/// The form of a job in its file: id, kind, payload (as JSON, not as text in text), attempts, reason, times.
std::string to_json(const Job& job);
Result<Job> parse_job(std::string_view json);

}  // namespace weft
