// weft.toml: `preset`, `store` and `model_folder` at the top, a table for each section of settings, `[models.NAME]` and
// `[roles]`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

// toml++ 3.3 asserts where a file is wrong in some ways, such as "[[[": that must be an error and no abort, and in a
// release no undefined behaviour either, so its assertions throw. For that its code is compiled into this file, even
// where the system has it as a library.
namespace weft {
static void refuse_toml() { throw std::logic_error("a table or a key is malformed"); }
static constexpr void require_toml(bool condition) {
  if (!condition) refuse_toml();
}
}  // namespace weft
#undef NDEBUG
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(condition) ::weft::require_toml(static_cast<bool>(condition))
#include <toml++/toml.h>

#include "base/settings_table.h"

namespace weft {
namespace {

std::string place(std::string_view origin, const toml::source_region& region) {
  return fmt::format("{}:{}", origin, region.begin.line);
}

Error at_place(std::string_view origin, const toml::node& node, const Error& error) {
  return Error{error.code, fmt::format("{}: {}", place(origin, node.source()), error.message), error.hint};
}

// The value as it stands in the file, for messages.
std::string shown(const toml::node& node) {
  std::ostringstream out;
  node.visit([&](const auto& typed) { out << typed; });
  return out.str().substr(0, 80);
}

std::string_view type_of(const toml::node& node) {
  if (node.is_string()) return "text";
  if (node.is_integer()) return "integer";
  if (node.is_floating_point()) return "number";
  if (node.is_boolean()) return "switch";
  if (node.is_table()) return "table";
  if (node.is_array()) return "array";
  return "date";
}

// TOML has types of its own, so only these pass into another one: an integer into a number, and the words and digits of
// a switch into a switch ("false" in quotes is false).
Result<SettingValue> typed_value(std::string_view key, const SettingValue& like, const toml::node& node) {
  const std::string_view wanted = type_name(like);
  if (wanted == "text" && node.is_string()) return SettingValue(node.value_or(std::string()));
  if (wanted == "integer" && node.is_integer()) return SettingValue(node.value_or(std::int64_t{0}));
  if (wanted == "number" && (node.is_floating_point() || node.is_integer())) {
    const double number = node.value_or(0.0);
    if (std::isfinite(number)) return SettingValue(number);
  }
  if (wanted == "switch" && node.is_boolean()) return SettingValue(node.value_or(false));
  if (wanted == "switch" && node.is_string()) return parse_value(key, like, node.value_or(std::string()));
  if (wanted == "switch" && node.is_integer()) {
    return parse_value(key, like, std::to_string(node.value_or(std::int64_t{0})));
  }
  const std::string_view example = wanted == "text"      ? "\"text\""
                                   : wanted == "switch"  ? "true"
                                   : wanted == "integer" ? "10"
                                                         : "0.5";
  return invalid_argument(fmt::format("{} wants {}, but {} is {}", key, wanted, shown(node), type_of(node)),
                          fmt::format("write {} = {}", key.substr(key.rfind('.') + 1), example));
}

std::vector<std::string> known_here(std::string_view section) {
  std::vector<std::string> keys;
  for (const Setting& setting : setting_table()) keys.push_back(setting.key);
  if (section.empty()) keys.insert(keys.end(), {"models", "catalogue", "roles"});
  return keys;
}

Status apply_value(Config& config, const std::string& key, const toml::node& node, std::string_view origin) {
  const Setting* setting = find_setting(key);
  if (setting == nullptr) {
    const auto dot = key.find('.');
    return at_place(origin, node, unknown_key(key, known_here(dot == std::string::npos ? "" : key.substr(0, dot))));
  }
  const auto value = typed_value(key, setting->default_value, node);
  if (!value.ok()) return at_place(origin, node, value.error());
  if (const Status status = assign(config, *setting, *value); !status.ok()) {
    return at_place(origin, node, status.error());
  }
  return {};
}

// The tables of one kind: [models.NAME] or [catalogue."PATTERN"].
struct ModelTables {
  std::string_view section;
  std::map<std::string, ModelSettings> Config::* into;
  const std::vector<ModelField>& fields;
};

Status apply_model(Config& config, const ModelTables& kind, const std::string& name, const toml::table& table,
                   std::string_view origin) {
  ModelSettings& model = (config.*kind.into)[name];
  for (const auto& [field_name, node] : table) {
    const std::string key = fmt::format("{}.{}.{}", kind.section, name, field_name.str());
    const ModelField* field = nullptr;
    std::vector<std::string> known;
    for (const ModelField& candidate : kind.fields) {
      known.push_back(fmt::format("{}.{}.{}", kind.section, name, candidate.name));
      if (candidate.name == field_name.str()) field = &candidate;
    }
    if (field == nullptr) return at_place(origin, node, unknown_key(key, known));
    const auto value = typed_value(key, field->get(model), node);
    if (!value.ok()) return at_place(origin, node, value.error());
    if (const Status status = assign_model(model, key, *field, *value); !status.ok()) {
      return at_place(origin, node, status.error());
    }
  }
  return {};
}

Status apply_models(Config& config, const ModelTables& kind, const toml::table& root, std::string_view origin) {
  const toml::node* models = root.get(kind.section);
  if (models == nullptr) return {};
  const bool catalogue = kind.section == "catalogue";
  const std::string hint = catalogue ? "write a table [catalogue.\"PATTERN\"] with window, output, …"
                                     : "write a table [models.NAME] with provider, url, model, …";
  if (!models->is_table())
    return at_place(origin, *models, invalid_argument(fmt::format("{} is a table", kind.section), hint));
  for (const auto& [name, node] : *models->as_table()) {
    if (!node.is_table()) {
      return at_place(origin, node, invalid_argument(fmt::format("{}.{} is no table", kind.section, name.str()), hint));
    }
    WEFT_CHECK(apply_model(config, kind, std::string(name.str()), *node.as_table(), origin));
  }
  return {};
}

Status apply_roles(Config& config, const toml::table& roles, std::string_view origin) {
  for (const auto& [role, node] : roles) {
    const std::string key = fmt::format("roles.{}", role.str());
    if (const Status known = check_role(role.str()); !known.ok()) return at_place(origin, node, known.error());
    const auto value = typed_value(key, SettingValue(std::string()), node);
    if (!value.ok()) return at_place(origin, node, value.error());
    const std::string& model = std::get<std::string>(*value);
    if (!config.models.contains(model)) {
      std::string known;
      for (const auto& entry : config.models) known += (known.empty() ? "" : ", ") + entry.first;
      return at_place(origin, node,
                      invalid_argument(fmt::format("{} names the model \"{}\", which there is not", key, model),
                                       known.empty() ? "add a table [models.NAME]" : "models: " + known));
    }
    config.roles[std::string(role.str())] = model;
  }
  return {};
}

bool is_section(std::string_view name) {
  for (const Setting& setting : setting_table()) {
    if (setting.key.size() > name.size() && setting.key.starts_with(name) && setting.key[name.size()] == '.')
      return true;
  }
  return false;
}

Status apply_section(Config& config, std::string_view section, const toml::node& node, std::string_view origin) {
  if (!node.is_table()) {
    return at_place(origin, node,
                    invalid_argument(fmt::format("{} is a table", section),
                                     fmt::format("write [{}] and its settings below it", section)));
  }
  for (const auto& [name, value] : *node.as_table()) {
    const std::string key = fmt::format("{}.{}", section, name.str());
    WEFT_CHECK(is_section(key) ? apply_section(config, key, value, origin) : apply_value(config, key, value, origin));
  }
  return {};
}

// The library makes a table in a table for each part of a key, and takes them apart again by calls within calls.
Status check_keys(std::string_view toml, std::string_view origin) {
  constexpr std::ptrdiff_t kMostParts = 200;
  std::size_t line = 0;
  for (std::size_t at = 0; at < toml.size(); at = std::min(toml.find('\n', at), toml.size() - 1) + 1) {
    ++line;
    const std::string_view key = toml.substr(at, std::min(toml.find_first_of("\n=#", at), toml.size()) - at);
    if (std::count(key.begin(), key.end(), '.') < kMostParts) continue;
    return too_large(fmt::format("{}:{}: a key has more than {} parts", origin, line, kMostParts), "shorten it");
  }
  return {};
}

Result<toml::table> parse(std::string_view toml, std::string_view origin) {
  WEFT_CHECK(check_keys(toml, origin));
  try {
    return toml::table(toml::parse(toml, origin));
  } catch (const toml::parse_error& error) {
    return invalid_argument(fmt::format("{}: {}", place(origin, error.source()), error.description()),
                            "correct the TOML at that line");
  } catch (const std::logic_error& error) {
    return invalid_argument(fmt::format("{}: {}", origin, error.what()), "look for a wrong [ or = at a line's start");
  }
}

}  // namespace

Result<std::string> preset_of_toml(std::string_view toml, std::string_view origin) {
  WEFT_TRY(const toml::table root, parse(toml, origin));
  const toml::node* node = root.get("preset");
  if (node == nullptr) return std::string();
  const auto value = typed_value("preset", SettingValue(std::string()), *node);
  if (!value.ok()) return at_place(origin, *node, value.error());
  if (const Status status = check_value("preset", *value); !status.ok()) return at_place(origin, *node, status.error());
  return std::get<std::string>(*value);
}

Status apply_toml_settings(Config& config, std::string_view toml, std::string_view origin) {
  WEFT_TRY(const toml::table root, parse(toml, origin));
  // Models first, so that roles can be checked against them.
  WEFT_CHECK(apply_models(config, {"models", &Config::models, model_fields()}, root, origin));
  WEFT_CHECK(apply_models(config, {"catalogue", &Config::catalogue, catalogue_fields()}, root, origin));
  for (const auto& [name, node] : root) {
    const std::string_view key = name.str();
    if (key == "models" || key == "catalogue" || key == "preset") continue;
    if (key == "roles") {
      if (!node.is_table()) return at_place(origin, node, invalid_argument("roles is a table", "write [roles]"));
      WEFT_CHECK(apply_roles(config, *node.as_table(), origin));
    } else if (is_section(key)) {
      WEFT_CHECK(apply_section(config, key, node, origin));
    } else {
      WEFT_CHECK(apply_value(config, std::string(key), node, origin));
    }
  }
  return {};
}

}  // namespace weft
