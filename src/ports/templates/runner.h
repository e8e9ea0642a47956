#pragma once

#include <map>
#include <set>
#include <string>

#include "ports/templates/functions.h"

namespace weft::templates {

/// What is known of a template that was checked.
struct Checked {
  std::set<std::string, std::less<>> names;   ///< of variables and functions
  std::map<std::size_t, std::size_t> choices;  ///< where `a if b` begins, to where `b` does: that comes first
};

/// Reads the whole source and runs none of it. Errors name the line.
Result<Checked> check(const std::string& source);

/// Runs what was checked. Errors name the line.
Result<std::string> run(const std::string& source, const Checked& checked, Names variables,
                        const TemplateLimits& limits);

}  // namespace weft::templates
