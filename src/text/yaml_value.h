#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "text/value.h"
#include "weft/result.h"

namespace weft {

/// Bounds on YAML from outside.
struct YamlLimits {
  std::size_t max_bytes = 4 * 1024 * 1024;
  std::size_t max_depth = 32;
  std::size_t max_nodes = 200'000;  ///< keys, scalars, lists and maps together
};

/// Reads one YAML document as a tree. Scalars are text as it stands ("007" keeps its zeros, "no" is a word); only an
/// empty or null one is told apart. Refused with kInvalidArgument or kTooLarge, naming the line: what is not UTF-8 or
/// not YAML, anchors and aliases (a few lines of them stand for gigabytes), keys that are not words or stand twice, a
/// second document, and whatever is over the limits. Errors begin with `what`. Safe from any thread.
Result<Value> parse_yaml_value(std::string_view yaml, const YamlLimits& limits, std::string_view what);

/// Where each value of a tree begins: its line, from 1, by its place ("rules[1].strategy"; the whole is ""). A member
/// begins where its key stands, an element behind its dash.
using YamlLines = std::map<std::string, std::size_t, std::less<>>;

struct YamlTree {
  Value value;
  YamlLines lines;
};

/// As `parse_yaml_value`, with the lines.
Result<YamlTree> parse_yaml_tree(std::string_view yaml, const YamlLimits& limits, std::string_view what);

}  // namespace weft
