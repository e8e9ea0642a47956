#include "weft/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/presets.h"
#include "base/settings_table.h"

extern char** environ;

namespace weft {
namespace {

// "models.NAME.FIELD" or "catalogue.PATTERN.FIELD" taken apart; nothing for other keys. A name may itself contain dots.
struct ModelKey {
  std::map<std::string, ModelSettings> Config::* table;
  std::string name;
  const ModelField* field;
};

std::optional<ModelKey> split_model_key(std::string_view key) {
  const bool catalogue = key.starts_with("catalogue.");
  const std::string_view prefix = catalogue ? "catalogue." : "models.";
  const auto last = key.rfind('.');
  if (!key.starts_with(prefix) || last < prefix.size()) return std::nullopt;
  for (const ModelField& field : catalogue ? catalogue_fields() : model_fields()) {
    if (field.name == key.substr(last + 1)) {
      return ModelKey{catalogue ? &Config::catalogue : &Config::models,
                      std::string(key.substr(prefix.size(), last - prefix.size())), &field};
    }
  }
  return std::nullopt;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> keys;
  for (const Setting& setting : setting_table()) keys.push_back(setting.key);
  return keys;
}

// The settings of a process's environment: those names that begin like one of ours. Other WEFT_ names, such as
// WEFT_CACHE, belong to somebody else.
Status apply_environment(Config& config) {
  std::vector<std::string> names;
  for (const Setting& setting : setting_table()) names.push_back(environment_name(setting.key));
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const std::string_view name = line.substr(0, line.find('='));
    if (!name.starts_with("WEFT_") || name.size() == line.size() || name == "WEFT_PRESET") continue;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) {
      const Setting& setting = setting_table()[static_cast<std::size_t>(found - names.begin())];
      const Status status = set_setting(config, setting.key, line.substr(name.size() + 1));
      if (status.ok()) continue;
      return invalid_argument(fmt::format("environment, {}: {}", name, status.error().message), status.error().hint);
    }
    const bool ours = std::any_of(setting_table().begin(), setting_table().end(), [&](const Setting& setting) {
      const auto dot = setting.key.find('.');
      return dot != std::string::npos && name.starts_with(environment_name(setting.key.substr(0, dot + 1)));
    });
    if (ours) {
      Error error = unknown_key(name, names);
      error.message = fmt::format("environment: {}", error.message);
      return error;
    }
  }
  return {};
}

}  // namespace

std::vector<SettingInfo> describe_settings() {
  std::vector<SettingInfo> out;
  for (const Setting& setting : setting_table()) {
    out.push_back({setting.key, std::string(type_name(setting.default_value)), format_value(setting.default_value),
                   environment_name(setting.key), setting.text});
  }
  return out;
}

Status assign(Config& config, const Setting& setting, const SettingValue& value) {
  WEFT_CHECK(check_value(setting.key, value));
  if (setting.key == "preset") return apply_preset(config, std::get<std::string>(value));
  setting.set(config, value);
  return {};
}

Status assign_model(ModelSettings& model, std::string_view key, const ModelField& field, const SettingValue& value) {
  WEFT_CHECK(check_value(key, value));
  std::visit([&](auto member) { take_value(value, model.*member); }, field.member);
  return {};
}

Status set_setting(Config& config, std::string_view key, std::string_view value) {
  if (const Setting* setting = find_setting(key)) {
    WEFT_TRY(const SettingValue parsed, parse_value(key, setting->default_value, value));
    return assign(config, *setting, parsed);
  }
  if (const auto model = split_model_key(key)) {
    WEFT_TRY(const SettingValue parsed, parse_value(key, model->field->get({}), value));
    WEFT_CHECK(check_value(key, parsed));
    return assign_model((config.*model->table)[model->name], key, *model->field, parsed);
  }
  if (key.starts_with("roles.") && key.size() > 6) {
    WEFT_CHECK(check_role(key.substr(6)));
    config.roles[std::string(key.substr(6))] = value;
    return {};
  }
  return unknown_key(key, known_keys());
}

Result<std::string> get_setting(const Config& config, std::string_view key) {
  if (const Setting* setting = find_setting(key)) return format_value(setting->get(config));
  if (const auto model = split_model_key(key)) {
    const auto& table = config.*model->table;
    const auto found = table.find(model->name);
    if (found == table.end()) return not_found(fmt::format("there is no model \"{}\"", model->name));
    return format_value(model->field->get(found->second));
  }
  if (key.starts_with("roles.")) {
    const auto found = config.roles.find(std::string(key.substr(6)));
    if (found == config.roles.end()) return not_found(fmt::format("there is no role \"{}\"", key.substr(6)));
    return found->second;
  }
  return unknown_key(key, known_keys());
}

Status apply_preset(Config& config, std::string_view preset) {
  WEFT_CHECK(check_value("preset", SettingValue(std::string(preset))));
  const Preset chosen = enum_of<Preset>(preset).value_or(Preset::kBalanced);
  for (const PresetValue& row : literal_preset()) {
    const Setting* setting = find_setting(row.key);
    if (setting == nullptr) return internal(fmt::format("the preset names no setting: {}", row.key));
    WEFT_TRY(const SettingValue value, parse_value(row.key, setting->default_value, row.value));
    setting->set(config, chosen == Preset::kLiteral ? value : setting->default_value);
  }
  config.preset = chosen;
  return {};
}

Status apply_toml(Config& config, std::string_view toml, std::string_view origin) {
  WEFT_TRY(const std::string preset, preset_of_toml(toml, origin));
  if (!preset.empty()) WEFT_CHECK(apply_preset(config, preset));
  return apply_toml_settings(config, toml, origin);
}

Result<Config> load_config(std::string_view workspace) {
  Config config;
  config.workspace = workspace;
  WEFT_TRY(const SettingsFile file, read_settings_file(workspace));
  // A preset lies under all other settings, wherever it was named, so it is found first.
  WEFT_TRY(std::string preset, preset_of_toml(file.toml, file.origin));
  if (const char* named = std::getenv("WEFT_PRESET"); named != nullptr && *named != '\0') preset = named;
  if (!preset.empty()) WEFT_CHECK(apply_preset(config, preset));
  WEFT_CHECK(apply_toml_settings(config, file.toml, file.origin));
  WEFT_CHECK(apply_environment(config));
  return config;
}

}  // namespace weft
