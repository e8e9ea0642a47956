#pragma once

#include <jinja/runtime.h>

#include <set>
#include <string>

namespace weft::templates {

/// Replaces every node of a parsed template by one of ours that counts its work, knows what is not defined, and escapes
/// what it writes. Returns the names that the template mentions.
std::set<std::string> guard_nodes(jinja::program& program);

}  // namespace weft::templates
