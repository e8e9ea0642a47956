#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/engine.h"
#include "weft/value.h"

/// What of a scope's memory is read as a whole: its profile, MEMORY.md, its days, its reports of tasks.
namespace weft::mcp {

/// One that is there, as a client is told of it.
struct Resource {
  std::string uri, name, title, description;
  std::string_view type;  ///< its MIME type
};

/// What there is for the caller, the same order each time: profile, MEMORY.md, days and reports, the newest first.
Result<std::vector<Resource>> resources(Engine& engine, const RequestContext& context);

/// Its text and its type. kNotFound for an address behind which nothing is.
struct ResourceText {
  std::string text;
  std::string_view type;
};
Result<ResourceText> read_resource(Engine& engine, const RequestContext& context, std::string_view uri);

/// Addresses with a place to fill in, as clients are told of them.
Value resource_templates();

/// What may be filled into a template's place and begins with `begin`.
Result<std::vector<std::string>> complete_resource(Engine& engine, const RequestContext& context, std::string_view uri,
                                                   std::string_view argument, std::string_view begin);

Value resource_description(const Resource& resource);

}  // namespace weft::mcp
