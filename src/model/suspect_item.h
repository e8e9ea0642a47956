#pragma once

#include "weft/memory.h"

namespace weft {

/// Whether a tool said it and it reads as if it gave a model orders (`reads_like_instructions`): then whoever hands it
/// to a model announces it (`suspect_remark`). Looks through the whole text.
bool is_suspect(const Item& item);

}  // namespace weft
