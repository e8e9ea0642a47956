#pragma once

#include <string_view>

#include "flow/memory/lore_collector.h"
#include "text/value.h"

namespace weft {

/// The readers of the formats, see `import_lore`. `text` is valid UTF-8.
void read_lore_markdown(std::string_view text, LoreCollector& into);
void read_lore_text(std::string_view text, LoreCollector& into);
Status read_lore_json(const Value& root, LoreCollector& into);

/// Adds a text as one entry, or as several where it is over the limit of a section: "Title", "Title (2)", …
void add_lore_parts(const LoreEntry& entry, std::string_view text, std::string_view name, LoreCollector& into);

}  // namespace weft
