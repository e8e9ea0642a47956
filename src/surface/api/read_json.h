#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"

namespace weft {

/// Where the parts of a JSON text stand in it, so that one part can be exchanged and every other byte stays as it is.
struct JsonSpan {
  std::size_t begin = 0, end = 0;
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// Whether the text is one JSON value in UTF-8, nested no deeper than `max_depth`.
Status check_json(std::string_view text, std::size_t max_depth);

/// The value of a top-level member of a JSON object; the last one where a name stands twice. kNotFound where there is
/// none. The text must have passed `check_json`.
Result<JsonSpan> find_member(std::string_view object, std::string_view name);

/// The elements of a JSON array. kInvalidArgument where it is none. The text must have passed `check_json`.
Result<std::vector<JsonSpan>> find_elements(std::string_view text, JsonSpan array);

}  // namespace weft
