#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// A setting's value; the alternative tells its type.
using SettingValue = std::variant<double, std::int64_t, std::string, bool>;

/// What stands in a struct as a setting's value: an enum by its word.
template <class T>
SettingValue setting_value(const T& held) {
  if constexpr (std::is_enum_v<T>)
    return SettingValue(std::string(to_string(held)));
  else
    return SettingValue(held);
}

/// The other way. The value has the right type and, for an enum, is one of its words: `check_value` says so before.
template <class T>
void take_value(const SettingValue& value, T& into) {
  if constexpr (std::is_enum_v<T>)
    into = enum_of<T>(std::get<std::string>(value)).value_or(into);
  else
    into = std::get<T>(value);
}

/// The words of a closed choice; none for other types.
template <class T>
std::vector<std::string_view> choice_words() {
  std::vector<std::string_view> words;
  if constexpr (std::is_enum_v<T>)
    for (const T one : kEnumValues<T>) words.push_back(to_string(one));
  return words;
}

/// One row of the table of settings, with the way into a Config.
struct Setting {
  std::string key;             ///< "stream.threshold"; top-level ones have no dot
  SettingValue default_value;  ///< also says which type the setting has
  std::string text;
  std::vector<std::string_view> words;  ///< that it may be; empty: what the type and the range allow
  std::function<void(Config&, const SettingValue&)> set;  ///< the value must have the default's type
  std::function<SettingValue(const Config&)> get;
};

/// All settings in the order of the table, the top-level ones first. Made once, never changed.
const std::vector<Setting>& setting_table();

/// The row of a key, or nullptr.
const Setting* find_setting(std::string_view key);

/// "number", "integer", "text" or "switch".
std::string_view type_name(const SettingValue& value);

/// The value as text, so that reading it again gives the same value.
std::string format_value(const SettingValue& value);

/// Reads a value of the same type as `like`. Switches: true, 1, on, yes and false, 0, off, no.
Result<SettingValue> parse_value(std::string_view key, const SettingValue& like, std::string_view text);

/// A URL without user, password and parameters, to be shown.
std::string without_password(std::string_view url);

/// The value of a setting, to be shown: without the password that `store` may have.
std::string shown_value(std::string_view key, const std::string& value);

/// Whether a value makes sense for the key: one of the allowed words, inside the range.
Status check_value(std::string_view key, const SettingValue& value);

/// Whether a role may be called so. Roles are an open map: [roles] of weft.toml may have more of them than Weft itself
/// uses, for tasks that name them.
Status check_role(std::string_view role);

/// Whether Weft itself calls a model in this role.
bool is_own_role(std::string_view role);

/// Roles that [roles] has, that neither Weft nor agent.models calls, and whose names are near to one that does and has
/// no model: with that one.
std::map<std::string, std::string> mistyped_roles(const Config& config);

/// The setting agent.models: the role by the type of the task. kInvalidArgument for an entry that is not TYPE=ROLE.
Result<std::map<std::string, std::string>> roles_by_task(std::string_view agent_models);

/// Which model answers in each role, and which roles have none of their own: "main: large, historian: small; as main:
/// fast, planner". Empty where there is no role.
std::string told_roles(const Config& config);

/// Roles that agent.models names and no model has.
std::vector<std::string> roles_without_model(const Config& config);

/// Sets a value of the right type after checking it. Setting "preset" applies the preset.
Status assign(Config& config, const Setting& setting, const SettingValue& value);

/// The error for a key that does not exist, with the nearest of `known` as a hint.
Error unknown_key(std::string_view key, const std::vector<std::string>& known);

/// A field of `[models.NAME]`, by its name.
struct ModelField {
  std::string_view name;
  std::variant<std::string ModelSettings::*, std::int64_t ModelSettings::*, ModelProvider ModelSettings::*,
               SystemMessages ModelSettings::*>
      member;

  SettingValue get(const ModelSettings& model) const;
  std::vector<std::string_view> words() const;  ///< as those of `Setting`
};
const std::vector<ModelField>& model_fields();
/// Those of them that a table `[catalogue."PATTERN"]` has.
const std::vector<ModelField>& catalogue_fields();

/// Sets `models.NAME.FIELD` from a value of the right type.
Status assign_model(ModelSettings& model, std::string_view key, const ModelField& field, const SettingValue& value);

/// "WEFT_STREAM_THRESHOLD" for "stream.threshold".
std::string environment_name(std::string_view key);

/// Applies TOML text without its `preset`, which must have been applied before.
Status apply_toml_settings(Config& config, std::string_view toml, std::string_view origin);

/// The text of a workspace's weft.toml, empty where there is none, and its name for errors.
struct SettingsFile {
  std::string origin, toml;
};
Result<SettingsFile> read_settings_file(std::string_view workspace);

/// The preset that TOML text asks for; empty where it names none.
Result<std::string> preset_of_toml(std::string_view toml, std::string_view origin);

/// One setting in which a preset differs from the defaults, and what the difference is about.
struct PresetValue {
  std::string_view key;
  std::string_view value;
  std::string_view why;  ///< why the default (`balanced`) has another value
};

/// The settings of `literal`: every number and rule as specified. `balanced` is the defaults and has no table.
std::span<const PresetValue> literal_preset();

/// TOML text with one text setting of a table, such as `model` of `[embedding]`, set to `value`. Everything else stays
/// as it is, comments too; the table is added at the end if it is missing. The result has been read again:
/// kInvalidArgument where the setting stands in a form that this does not change, such as an inline table, or where the
/// text is no TOML.
Result<std::string> set_toml_text(std::string_view toml, std::string_view table, std::string_view key,
                                  std::string_view value);

}  // namespace weft
