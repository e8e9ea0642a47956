#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"
#include "weft/time.h"

/// Reading the fields of a request's body. Private to the API.
namespace weft::fields {

using Json = nlohmann::json;

/// "FIELD" must be WANTED.
Error wrong(std::string_view field, std::string_view wanted);

/// The body as an object.
Result<Json> parse_object(std::string_view text);

/// Whether the object has that field, other than as null.
bool present(const Json& object, const char* field);

/// Reads a field where it is present; kInvalidArgument names it where it is of another kind.
Status read(const Json& object, const char* field, std::string& into);
Status read(const Json& object, const char* field, bool& into);
Status read(const Json& object, const char* field, double& into);
Status read(const Json& object, const char* field, std::vector<std::string>& into);
Status read(const Json& object, const char* field, std::optional<Time>& into);

}  // namespace weft::fields
