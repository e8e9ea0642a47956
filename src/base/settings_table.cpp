#include "base/settings_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/edit_distance.h"
#include "base/lowered.h"

namespace weft {
namespace {

// Gives a setting its way in and out; `member` is a pointer to the value inside its section.
template <class Section, class T>
Setting make_setting(std::string_view section_name, Section Config::* section, std::string_view name,
                     T Section::* member, const T& default_value, std::string_view text) {
  return Setting{fmt::format("{}.{}", section_name, name),
                 setting_value(default_value),
                 std::string(text),
                 choice_words<T>(),
                 [=](Config& config, const SettingValue& value) { take_value(value, config.*section.*member); },
                 [=](const Config& config) { return setting_value(config.*section.*member); }};
}

template <class T>
Setting make_top(std::string_view name, T Config::* member, std::string_view text) {
  return Setting{std::string(name),
                 setting_value(Config().*member),
                 std::string(text),
                 choice_words<T>(),
                 [=](Config& config, const SettingValue& value) { take_value(value, config.*member); },
                 [=](const Config& config) { return setting_value(config.*member); }};
}

// A table inside a table: "cognitive_query" is [cognitive.query]. Two underscores stand for one that belongs to the
// name.
std::string dotted(std::string_view member) {
  std::string name;
  for (std::size_t i = 0; i < member.size(); ++i) {
    const bool doubled = member.substr(i).starts_with("__");
    name += doubled ? '_' : member[i] == '_' ? '.' : member[i];
    i += doubled ? 1 : 0;
  }
  return name;
}

std::vector<Setting> make_table() {
  std::vector<Setting> table;
  table.push_back(make_top("preset", &Config::preset,
                           "'balanced' (what measures best) or 'literal' (numbers and rules as specified); other "
                           "settings are applied over it"));
  table.push_back(make_top(
      "store", &Config::store,
      "where memory is kept: 'sqlite:PATH', 'memory:' or 'postgresql://USER@HOST/DATABASE' (shared by many servers); "
      "empty: weft.db in the workspace"));
  table.push_back(make_top("model_folder", &Config::model_folder,
                           "where models are looked up by name; empty: ${WEFT_CACHE:-~/.cache/weft}/models"));

#define WEFT_ROW(type, name, value, text) \
  table.push_back(make_setting<Section, type>(section_name, section, #name, &Section::name, type(value), text));
#define WEFT_ROWS(section_member, Name, TABLE)                \
  {                                                           \
    using Section = Name##Settings;                           \
    const std::string section_name = dotted(#section_member); \
    constexpr auto section = &Config::section_member;         \
    TABLE(WEFT_ROW)                                           \
  }
  WEFT_SECTIONS(WEFT_ROWS)
#undef WEFT_ROWS
#undef WEFT_ROW
  return table;
}

Error wrong_type(std::string_view key, std::string_view wanted, std::string_view given) {
  std::string_view hint = "write it as text";
  if (wanted == "number") hint = "write a number such as 0.5";
  if (wanted == "integer") hint = "write a whole number such as 10";
  if (wanted == "switch") hint = "write true or false";
  return invalid_argument(
      fmt::format("{} wants {} {}, but is \"{}\"", key, wanted == "integer" ? "an" : "a", wanted, given.substr(0, 80)),
      std::string(hint));
}

template <class T>
std::optional<T> read_number(std::string_view text) {
  T number{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> read_switch(std::string_view text) {
  const std::string lower = lowered(text);
  for (const char* yes : {"true", "1", "on", "yes"}) {
    if (lower == yes) return true;
  }
  for (const char* no : {"false", "0", "off", "no"}) {
    if (lower == no) return false;
  }
  return std::nullopt;
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('.') + 1); }

}  // namespace

const std::vector<Setting>& setting_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

const Setting* find_setting(std::string_view key) {
  for (const Setting& setting : setting_table()) {
    if (setting.key == key) return &setting;
  }
  return nullptr;
}

std::string_view type_name(const SettingValue& value) {
  switch (value.index()) {
    case 0: return "number";
    case 1: return "integer";
    case 2: return "text";
    default: return "switch";
  }
}

std::string format_value(const SettingValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::get<bool>(value) ? "true" : "false";
}

Result<SettingValue> parse_value(std::string_view key, const SettingValue& like, std::string_view text) {
  switch (like.index()) {
    case 0:
      if (const auto number = read_number<double>(text); number && std::isfinite(*number)) return SettingValue(*number);
      break;
    case 1:
      if (const auto integer = read_number<std::int64_t>(text)) return SettingValue(*integer);
      break;
    case 2: return SettingValue(std::string(text));
    default:
      if (const auto on = read_switch(text)) return SettingValue(*on);
  }
  return wrong_type(key, type_name(like), text);
}

Error unknown_key(std::string_view key, const std::vector<std::string>& known) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(3, key.size() / 3 + 1);
  for (const std::string& candidate : known) {
    // A right name in the wrong section is a common slip and can be far away letter by letter.
    const std::size_t distance = last_part(candidate) == last_part(key) ? 1 : edit_distance(candidate, key);
    if (distance < least) least = distance, nearest = candidate;
  }
  return invalid_argument(
      fmt::format("there is no setting \"{}\"", key.substr(0, 80)),
      nearest.empty() ? "`weft settings` lists all settings" : fmt::format("did you mean \"{}\"?", nearest));
}

std::string environment_name(std::string_view key) {
  std::string name = "WEFT_";
  for (const char c : key) {
    name.push_back(c == '.' ? '_' : to_upper(c));
  }
  return name;
}

SettingValue ModelField::get(const ModelSettings& model) const {
  return std::visit([&](auto place) { return setting_value(model.*place); }, member);
}

std::vector<std::string_view> ModelField::words() const {
  return std::visit(
      [](auto place) { return choice_words<std::remove_cvref_t<decltype(std::declval<ModelSettings>().*place)>>(); },
      member);
}

const std::vector<ModelField>& model_fields() {
  static const std::vector<ModelField> fields = {
      {"provider", &ModelSettings::provider},
      {"url", &ModelSettings::url},
      {"model", &ModelSettings::model},
      {"path", &ModelSettings::path},
      {"api_key_env", &ModelSettings::api_key_env},
      {"vocabulary", &ModelSettings::vocabulary},
      {"window", &ModelSettings::window},
      {"output", &ModelSettings::output},
      {"system_messages", &ModelSettings::system_messages},
      {"timeout_ms", &ModelSettings::timeout_ms},
      {"retries", &ModelSettings::retries},
  };
  return fields;
}

const std::vector<ModelField>& catalogue_fields() {
  static const std::vector<ModelField> fields = [] {
    std::vector<ModelField> some;
    for (const ModelField& field : model_fields())
      for (const char* name : {"window", "output", "vocabulary", "system_messages"})
        if (field.name == name) some.push_back(field);
    return some;
  }();
  return fields;
}

}  // namespace weft
