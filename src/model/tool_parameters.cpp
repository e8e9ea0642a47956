#include "weft/tool_parameters.h"

#include <utility>

namespace weft {

ToolParameters& ToolParameters::add(std::string_view name, std::string_view type, std::string_view description) {
  return argument(name, ValueObject{{"type", std::string(type)}, {"description", std::string(description)}});
}

ToolParameters& ToolParameters::text(std::string_view name, std::string_view description) {
  return add(name, "string", description);
}

ToolParameters& ToolParameters::choice(std::string_view name, std::string_view description,
                                       const std::vector<std::string>& words) {
  return argument(name, ValueObject{{"type", "string"},
                                    {"description", std::string(description)},
                                    {"enum", ValueList(words.begin(), words.end())}});
}

ToolParameters& ToolParameters::number(std::string_view name, std::string_view description) {
  return add(name, "number", description);
}

ToolParameters& ToolParameters::integer(std::string_view name, std::string_view description) {
  return add(name, "integer", description);
}

ToolParameters& ToolParameters::flag(std::string_view name, std::string_view description) {
  return add(name, "boolean", description);
}

ToolParameters& ToolParameters::texts(std::string_view name, std::string_view description) {
  return argument(name, ValueObject{{"type", "array"},
                                    {"description", std::string(description)},
                                    {"items", ValueObject{{"type", "string"}}}});
}

ToolParameters& ToolParameters::argument(std::string_view name, Value schema) {
  properties_.emplace_back(std::string(name), std::move(schema));
  required_.emplace_back(name);
  return *this;
}

ToolParameters& ToolParameters::optional() {
  if (!properties_.empty()) std::erase(required_, properties_.back().first);
  return *this;
}

Value ToolParameters::schema() const {
  ValueObject schema{{"type", "object"}, {"properties", properties_}};
  if (!required_.empty()) schema.emplace_back("required", ValueList(required_.begin(), required_.end()));
  return schema;
}

}  // namespace weft
