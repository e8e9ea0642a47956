#include "flow/memory/quest_import.h"

#include <string>

#include "model/quest.h"
#include "text/yaml_value.h"

namespace weft {
namespace {

constexpr JsonLimits kJson{16 * 1024 * 1024, 16};
constexpr YamlLimits kYaml{4 * 1024 * 1024, 16, 200'000};

Result<Value> read_tree(std::string_view bytes, std::string_view file) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const auto first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Value();
  if (bytes[first] != '{' && bytes[first] != '[') return parse_yaml_value(bytes, kYaml, file);
  auto json = parse_value(bytes, kJson, file);
  if (json.ok()) return json;
  // YAML's own lists and maps in brackets begin the same way.
  auto yaml = parse_yaml_value(bytes, kYaml, file);
  return yaml.ok() ? std::move(yaml) : std::move(json);
}

}  // namespace

Result<std::vector<Quest>> import_quests(std::string_view bytes, std::string_view file) {
  WEFT_TRY(const Value tree, read_tree(bytes, file));
  auto quests = read_quests(tree);
  if (quests.ok()) return quests;
  Error error = quests.error();
  error.message = std::string(file) + ": " + error.message;
  return error;
}

}  // namespace weft
