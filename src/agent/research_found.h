#pragma once

#include <string>
#include <string_view>

#include "agent/research_records.h"
#include "weft/task.h"

namespace weft {

/// Reads what a search or a reading tool of anybody gave: JSON with results under any of the usual names (url, link,
/// title, snippet, text, date …), at the top or below "results", "items" and their like; else text in which addresses
/// stand, each with the lines around it; else, with `asked` (the address that was to be read), the text itself. Never
/// fails: what says nothing gives no source.
FoundSources read_found(std::string_view output, const std::string& tool, Provenance provenance,
                        const std::string& asked = {});

/// The arguments of a call that searches for, or reads, `value`: by the names in the tool's schema, else its only text
/// that is required. Empty where no argument can take it.
std::string arguments_for(const ToolInfo& tool, const std::string& value, bool address);

}  // namespace weft
