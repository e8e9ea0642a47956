#include "surface/mcp/tool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "surface/api/tools.h"

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

// APIs of models refuse a whole list for one name that does not match.
TEST(Tools, PF_26_every_list_of_tools_has_names_that_apis_of_models_take) {
  std::vector<std::string> names;
  for (const Tool& tool : all_tools()) names.push_back(tool.name);
  for (const ToolDefinition& tool : memory_tools()) names.push_back(tool.name);
  const Json told = Json::parse(tools_json());
  for (const Json& tool : told["tools"]) names.push_back(tool["function"]["name"]);
  const std::regex allowed("[a-zA-Z0-9_-]{1,64}");
  for (const std::string& name : names) EXPECT_TRUE(std::regex_match(name, allowed)) << name;
  for (const char* name :
       {"memory_search", "memory_observe", "memory_save", "end", "cognitive_search_events", "cognitive_search_profiles",
        "cognitive_get_profile", "question_next", "state_get", "state_apply", "context_assemble"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(Tools, PF_26_dotted_names_are_aliases_in_calls_and_choices) {
  std::vector<const Tool*> all;
  for (const Tool& tool : all_tools()) all.push_back(&tool);
  for (const char* alias : {"memory.search", "cognitive.search_events", "cognitive.get_profile", "question.next",
                            "state.apply", "context.assemble"}) {
    const Tool* tool = find_tool(all, alias);
    ASSERT_NE(tool, nullptr) << alias;
    const auto chosen = chosen_tools(alias);
    ASSERT_TRUE(chosen.ok()) << alias;
    EXPECT_EQ(chosen->front(), tool);
  }
}

TEST(Tools, PF_10_every_field_of_what_tools_give_is_described) {
  std::vector<std::string> found;
  for (const Tool& tool : all_tools()) find_undescribed(Json::parse(to_json(tool.answer)), tool.name, found);
  for (const std::string& field : found) ADD_FAILURE() << field << " has no description";
}

}  // namespace
}  // namespace weft::mcp
