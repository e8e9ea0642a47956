#include "model/suspect_item.h"

#include "text/instruction_like.h"

namespace weft {

bool is_suspect(const Item& item) { return item.who == "tool" && reads_like_instructions(item.text); }

}  // namespace weft
