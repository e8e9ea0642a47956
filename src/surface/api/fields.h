#pragma once

#include <initializer_list>
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

/// That an object has no other fields than these; besides them a body may say whose memory is meant (`user`,
/// `metadata`, `world`). kInvalidArgument names the field and the nearest known one; `where` stands before it
/// ("task.").
Status check_names(const Json& object, std::initializer_list<std::string_view> known, std::string_view where = {});
Status check_name(std::string_view name, std::initializer_list<std::string_view> known, std::string_view where = {});

/// The same for a body that may be empty and of which no field is read.
Status check_no_fields(std::string_view body);

/// Whether the object has that field, other than as null.
bool present(const Json& object, const char* field);

/// Reads a field where it is present; kInvalidArgument names it where it is of another kind.
Status read(const Json& object, const char* field, std::string& into);
Status read(const Json& object, const char* field, bool& into);
Status read(const Json& object, const char* field, double& into);
Status read(const Json& object, const char* field, std::vector<std::string>& into);
Status read(const Json& object, const char* field, std::optional<Time>& into);

}  // namespace weft::fields
