// The configuration of a program that uses the library: its own values over the workspace's file, and all of them
// checked.
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/settings_table.h"

namespace weft {
namespace {

// A default that the environment names was chosen: `load_config` let it stand over the file, and what that gives is
// given here.
bool is_named_by_environment(const SettingInfo& info, const SettingValue& value) {
  const char* named = std::getenv(info.environment.c_str());
  if (named == nullptr || *named == '\0') return false;
  const auto parsed = parse_value(info.key, value, named);
  return parsed.ok() && *parsed == value;
}

// What the program set stands over the file. A preset's values are no wishes of their own: the file may change them.
Status lay_over(Config& config, const Config& given) {
  const Config plain;
  Config preset;
  WEFT_CHECK(apply_preset(preset, to_string(given.preset)));
  for (const SettingInfo& info : describe_settings()) {
    const Setting* setting = find_setting(info.key);
    if (setting == nullptr || info.key == "preset") continue;
    const SettingValue value = setting->get(given);
    const bool is_set = value != setting->get(plain) && value != setting->get(preset);
    if (!is_set && !is_named_by_environment(info, value)) continue;
    WEFT_CHECK(check_value(info.key, value));
    setting->set(config, value);
  }
  for (const auto& [name, model] : given.models) config.models[name] = model;
  for (const auto& [pattern, model] : given.catalogue) config.catalogue[pattern] = model;
  for (const auto& [role, model] : given.roles) config.roles[role] = model;
  return {};
}

Result<Config> over_file(const Config& given) {
  Config config;
  config.workspace = given.workspace;
  config.models = given.models;  // a role of the file may name one of them
  WEFT_TRY(const SettingsFile file, read_settings_file(given.workspace));
  WEFT_TRY(const std::string named, preset_of_toml(file.toml, file.origin));
  const char* chosen = std::getenv("WEFT_PRESET");
  const bool is_set = given.preset != Config().preset || (chosen != nullptr && to_string(given.preset) == chosen);
  WEFT_CHECK(apply_preset(config, is_set || named.empty() ? to_string(given.preset) : named));
  WEFT_CHECK(apply_toml_settings(config, file.toml, file.origin));
  WEFT_CHECK(lay_over(config, given));
  return config;
}

Status check_tables(std::string_view kind, const std::map<std::string, ModelSettings>& tables,
                    const std::vector<ModelField>& fields) {
  for (const auto& [name, model] : tables) {
    for (const ModelField& field : fields) {
      WEFT_CHECK(check_value(fmt::format("{}.{}.{}", kind, name, field.name), field.get(model)));
    }
  }
  return {};
}

// Settings that make sense each by itself and not together.
Status check_pairs(const Config& config) {
  struct Pair {
    std::string_view less, more;
  };
  static constexpr Pair pairs[] = {{"context.tools_min", "context.tools_max"},
                                   {"curation.select", "curation.pool"},
                                   {"compaction.warn_ratio", "compaction.compact_ratio"},
                                   {"compaction.target_ratio", "compaction.compact_ratio"}};
  const auto number = [&](std::string_view key) {
    const SettingValue value = find_setting(key)->get(config);
    const auto* integer = std::get_if<std::int64_t>(&value);
    return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
  };
  for (const Pair& pair : pairs) {
    if (number(pair.less) <= number(pair.more)) continue;
    return invalid_argument(
        fmt::format("{} cannot be {}: {} is {}", pair.less, number(pair.less), pair.more, number(pair.more)),
        fmt::format("it must be at most {}", pair.more));
  }
  return {};
}

Status check_models(const Config& config) {
  WEFT_CHECK(check_tables("models", config.models, model_fields()));
  WEFT_CHECK(check_tables("catalogue", config.catalogue, catalogue_fields()));
  WEFT_CHECK(roles_by_task(config.agent.models));
  for (const auto& [role, model] : config.roles) {
    WEFT_CHECK(check_role(role));
    if (!config.models.contains(model))
      return invalid_argument(fmt::format("roles.{} names the model \"{}\", which there is not", role, model),
                              "add it to `models`, or as a table [models.NAME] to weft.toml");
  }
  return {};
}

}  // namespace

Result<SettingsFile> read_settings_file(std::string_view workspace) {
  const std::filesystem::path path = std::filesystem::path(workspace) / "weft.toml";
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return SettingsFile{path.string(), {}};
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in)
    return permission(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)), "check its rights");
  return SettingsFile{path.string(), text.str()};
}

Result<Config> settle_config(const Config& given) {
  WEFT_TRY(Config config, over_file(given));
  WEFT_CHECK(check_config(config));
  return config;
}

Status check_config(const Config& config) {
  if (config.workspace.empty()) return invalid_argument("workspace is empty", "give the path of a folder");
  for (const Setting& setting : setting_table()) WEFT_CHECK(check_value(setting.key, setting.get(config)));
  WEFT_CHECK(check_pairs(config));
  return check_models(config);
}

}  // namespace weft
