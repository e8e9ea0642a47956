#pragma once

#include <cstddef>
#include <string>

#include "text/value.h"
#include "weft/result.h"

namespace weft {

/// How a tree is laid out.
struct YamlOptions {
  std::size_t indent = 0;        ///< spaces before every line
  bool flow_entities = true;  ///< an object with an "id" and nothing nested goes on one line: { id: "a", count: 1 }
  bool harmless = false;  ///< characters that deceive are left out, see `is_harmful`; else they are escaped
  bool text_blocks = false;  ///< members that are texts of several lines become blocks ("|-"), for files of people
  std::size_t max_depth = 64;  ///< of nested containers
};

/// The tree as YAML 1.2 for a prompt: block style, two spaces a level, members in their order, a line break behind each
/// line. The same value gives the same bytes, and reading them gives the same data.
///
/// - Text is quoted where reading it plain would give something else, always inside { }, and always for `_anchor`.
/// - A described value, an object of exactly `value` and `description`, becomes `85 (wounded)`. It stands there without
///   quotes; text that only looks so is quoted. Where that form would be ambiguous it stays an object.
/// - Text of several lines is one quoted line, so no stored text begins a line of its own, unless `text_blocks`.
///
/// Linear in the size; some 3 ms for 10,000 entities. Broken UTF-8 becomes U+FFFD. kInvalidArgument where containers
/// are nested deeper than `max_depth`.
Result<std::string> write_yaml(const Value& value, const YamlOptions& options = {});

}  // namespace weft
