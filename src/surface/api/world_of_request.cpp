#include "surface/api/world_of_request.h"

#include <nlohmann/json.hpp>

#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

Result<std::string> text_at(std::string_view object, std::string_view name) {
  const std::string_view member = json_member(object, name);
  if (member.empty() || member == "null") return std::string();
  const Json value = Json::parse(member, nullptr, false);
  if (!value.is_string()) return invalid_argument("\"" + std::string(name) + "\" must be the name of a world");
  return value.get<std::string>();
}

bool is_object(std::string_view body) {
  const auto start = body.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && body[start] == '{' &&
         check_json(body, {.max_bytes = body.size()}, "the body").ok();
}

}  // namespace

Result<std::string> world_in_header(const http::Request& request) {
  std::string world = http::percent_decode(request.header("x-weft-world"));
  if (!world.empty()) WEFT_CHECK(check_id(world, "world"));
  return world;
}

Result<std::string> world_of_request(const http::Request& request) {
  WEFT_TRY(auto world, world_in_header(request));
  if (world.empty() && is_object(request.body)) {
    WEFT_TRY(world, text_at(request.body, "world"));
    const std::string_view metadata = json_member(request.body, "metadata");
    if (world.empty() && metadata.starts_with('{')) {
      WEFT_TRY(world, text_at(metadata, "weft_world"));
    }
  }
  if (!world.empty()) WEFT_CHECK(check_id(world, "world"));
  return world;
}

}  // namespace weft
