#pragma once

#include <string>

#include "surface/api/operation.h"
#include "weft/value.h"

namespace weft {

/// Completes the schemas of what clients send, in `schemas` (by name) and where `paths` uses them as bodies:
///
/// - a field that may be left out may be null, too, which is read as left out;
/// - beside the fields of a body may stand the names of user and world, and nowhere deeper. A schema that is used
///   within others as well stays closed there; as a body it has a second form, "NAMEBody".
void describe_bodies(Value& paths, ValueObject& schemas);

/// The operation, whose body has to fit `more`, too: what a description of fields one by one cannot say. Tools of
/// models are told it in words.
Operation narrowed(Operation operation, Value more);

/// The description of the REST interface as an OpenAPI 3.1 document (JSON), made from `operations`.
std::string openapi_json();

}  // namespace weft
