#pragma once

#include <string>

namespace weft {

/// The description of the REST interface as an OpenAPI 3.1 document (JSON), made from `operations`.
std::string openapi_json();

}  // namespace weft
