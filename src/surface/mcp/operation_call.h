#pragma once

#include <string>
#include <string_view>

#include "surface/api/operation.h"
#include "surface/mcp/exchange.h"
#include "weft/engine.h"

/// Operations of the REST interface, called with one object of arguments instead of a path, a query and a body. What
/// they take and give is described where they are, and nowhere else.
namespace weft::mcp {

/// The arguments of an operation as one JSON Schema: names of its path and its query, and the fields of its body. A
/// body that is no object stands as "body". `{id}` of a session may be left out.
Value arguments_schema(const Operation& operation);

/// The schema of its answer, or null where that is no JSON object.
Value answer_schema(const Operation& operation);

/// Calls it in the scope of the exchange, as far as the key of who asks goes. The answer is JSON; an error is the
/// operation's own.
Result<Value> call_operation(Engine& engine, const Exchange& exchange, const Operation& operation,
                             const Value& arguments);

/// The operation of that id; null where there is none.
const Operation* find_operation(std::string_view id);

}  // namespace weft::mcp
