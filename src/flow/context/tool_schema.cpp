#include "flow/context/tool_schema.h"

#include <algorithm>

#include "text/value.h"

namespace weft {
namespace {

constexpr std::size_t kMaxParameters = 256;
constexpr std::size_t kMaxValues = 64;
constexpr int kMaxDepth = 8;
constexpr JsonLimits kLimits{.max_bytes = 1024 * 1024, .max_depth = 64};

std::string text_of(const Value* value) {
  const std::string* text = value != nullptr ? value->text() : nullptr;
  return text != nullptr ? *text : std::string();
}

std::string type_of(const Value& schema) {
  const Value* type = schema.find("type");
  if (type == nullptr) return {};
  std::string said = text_of(type);
  if (const ValueList* several = type->list()) {
    for (const Value& one : *several) said += (said.empty() ? "" : " or ") + text_of(&one);
  }
  if (said != "array") return said;
  const Value* items = schema.find("items");
  const std::string inner = items != nullptr ? text_of(items->find("type")) : std::string();
  return inner.empty() ? said : "array of " + inner;
}

class Reader {
 public:
  std::vector<ToolParameter> take() { return std::move(found_); }

  void read(const Value& schema, int depth) {
    if (depth > kMaxDepth) return;
    const Value* properties = schema.find("properties");
    const ValueObject* members = properties != nullptr ? properties->object() : nullptr;
    if (members != nullptr) {
      const std::vector<std::string> required = required_of(schema);
      for (const auto& [name, value] : *members) read_member(name, value, required, depth);
    }
    // What an array holds and what may stand instead are members of the same level.
    if (const Value* items = schema.find("items")) read(*items, depth + 1);
    for (const std::string_view choice : {"anyOf", "oneOf", "allOf"}) {
      const Value* choices = schema.find(choice);
      if (choices == nullptr || choices->list() == nullptr) continue;
      for (const Value& one : *choices->list()) read(one, depth + 1);
    }
  }

 private:
  static std::vector<std::string> required_of(const Value& schema) {
    std::vector<std::string> names;
    const Value* required = schema.find("required");
    if (required == nullptr || required->list() == nullptr) return names;
    for (const Value& one : *required->list()) names.push_back(text_of(&one));
    std::sort(names.begin(), names.end());
    return names;
  }

  void read_member(const std::string& name, const Value& value, const std::vector<std::string>& required, int depth) {
    if (found_.size() >= kMaxParameters) return;
    ToolParameter one;
    one.name = name;
    one.type = type_of(value);
    one.description = text_of(value.find("description"));
    const Value* values = value.find("enum");
    if (values != nullptr && values->list() != nullptr) {
      for (const Value& choice : *values->list())
        if (choice.text() != nullptr && one.values.size() < kMaxValues) one.values.push_back(*choice.text());
    }
    one.required = std::binary_search(required.begin(), required.end(), name);
    one.depth = depth;
    found_.push_back(std::move(one));
    read(value, depth + 1);
  }

  std::vector<ToolParameter> found_;
};

}  // namespace

std::vector<ToolParameter> tool_parameters(std::string_view schema) {
  if (schema.empty()) return {};
  const auto value = parse_value(schema, kLimits, "tool parameters");
  if (!value.ok()) return {};
  Reader reader;
  reader.read(*value, 0);
  return reader.take();
}

}  // namespace weft
