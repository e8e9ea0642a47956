#pragma once

#include <string>
#include <string_view>

#include "base/trace.h"

namespace weft {

/// The payload of a job with the recorded request that the calling thread works for as its member "cause", a header
/// `traceparent`, so that what is done of the job can be linked to it. As it was where there is none, or no object.
std::string with_cause(std::string payload);

/// The request that led to a job, by its payload; none: empty ids.
TraceParent cause_of(std::string_view payload);

}  // namespace weft
