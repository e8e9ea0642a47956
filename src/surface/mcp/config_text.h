#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"
#include "weft/value.h"

/// Configuration files that people write: one entry is set, and everything else stays as it stands, with its comments,
/// its order and its white space. A file that cannot be read is an error and is not touched.
namespace weft::mcp {

/// A member of an object to be set.
struct Setting {
  std::string name;
  Value value;
};

/// Sets members of the object at `path` of JSON, which may have comments and trailing commas as editors write it. What
/// of the path is not there is made; other members of the object stay. An empty text is an empty object.
Result<std::string> set_in_json(std::string_view text, const std::vector<std::string>& path,
                                const std::vector<Setting>& settings);

/// The same for a table of TOML, [path.path]. Values are texts and lists of texts.
Result<std::string> set_in_toml(std::string_view text, const std::vector<std::string>& path,
                                const std::vector<Setting>& settings);

}  // namespace weft::mcp
