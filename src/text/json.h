#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "weft/result.h"

namespace weft {

/// Bounds on JSON from outside.
struct JsonLimits {
  std::size_t max_bytes = 16 * 1024 * 1024;
  std::size_t max_depth = 64;
};

/// Whether the text is one valid JSON value of valid UTF-8 within the limits. Uses no memory that grows with the depth
/// beyond one bit a level and none with the size, so it is the first thing done with text from outside. Errors begin
/// with `what` and name the byte.
Status check_json(std::string_view text, const JsonLimits& limits, std::string_view what);

/// Reads JSON from outside: `check_json`, then parsed. Duplicate keys: the last one counts.
Result<nlohmann::json> read_json(std::string_view text, const JsonLimits& limits, std::string_view what);

/// Writes JSON on one line. Broken UTF-8 in strings becomes U+FFFD; never throws on that account.
std::string write_json(const nlohmann::json& value);
std::string write_json(const nlohmann::ordered_json& value);

/// The JSON texts of an array's elements, as views into it. `array` must have passed `check_json` and be an array.
std::vector<std::string_view> json_elements(std::string_view array);

/// Names (unescaped) and JSON texts of an object's members. `object` must have passed `check_json` and be an object.
std::vector<std::pair<std::string, std::string_view>> json_members(std::string_view object);

/// The text of one member, the last of that name; empty where there is none.
std::string_view json_member(std::string_view object, std::string_view name);

/// The string that a JSON text is; kInvalidArgument where it is none.
Result<std::string> json_text(std::string_view json);

/// The JSON text without the white space between its tokens; names, numbers and their order stay as they are.
std::string compact_json(std::string_view json);

}  // namespace weft
