#pragma once

#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft {

/// What a schema from outside is used for.
enum class SchemaUse {
  kAnswer,  ///< of a model: short; regular expressions are left unchecked, schemas may be recursive
  kState,   ///< megabytes: regular expressions, unique items and recursion are refused
};

/// A JSON schema of which nothing can end the program or round in a circle when data is held against it: as it came,
/// for answers without "pattern", "patternProperties" and "format", which would be matched by backtracking. `subject`
/// is what errors call the data. kInvalidArgument for what is no JSON object, for references that lead out of the
/// schema or back to themselves, for a "multipleOf" that is not above 0, and for what the use refuses; kTooLarge beyond
/// 256 KB, 64 levels or 10,000 parts with all references written out.
Result<std::string> bounded_schema(std::string_view schema, const std::string& subject, SchemaUse use);

}  // namespace weft
