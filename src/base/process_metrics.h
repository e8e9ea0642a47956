#pragma once

#include "base/metrics_text.h"

namespace weft {

/// What the operating system says of this process, in Prometheus' own names (process_resident_memory_bytes …): without
/// a prefix, so the text must have none. What cannot be read is left out.
void write_process(MetricsText& into);

}  // namespace weft
