#include "surface/mcp/tool.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weft::mcp {
namespace {

using Json = nlohmann::json;

// Fields of a schema, below `place`, of which nothing is said.
void find_undescribed(const Json& schema, const std::string& place, std::vector<std::string>& found) {
  if (schema.is_array())
    for (const Json& one : schema) find_undescribed(one, place, found);
  if (!schema.is_object()) return;
  for (const auto& [name, part] : schema.items()) {
    if (name != "properties") {
      find_undescribed(part, place, found);
      continue;
    }
    for (const auto& [field, one] : part.items()) {
      if (one.value("description", "").empty()) found.push_back(place + "." + field);
      find_undescribed(one, place + "." + field, found);
    }
  }
}

TEST(Tools, PF_10_every_field_of_what_tools_give_is_described) {
  std::vector<std::string> found;
  for (const Tool& tool : all_tools()) find_undescribed(Json::parse(to_json(tool.answer)), tool.name, found);
  for (const std::string& field : found) ADD_FAILURE() << field << " has no description";
}

}  // namespace
}  // namespace weft::mcp
