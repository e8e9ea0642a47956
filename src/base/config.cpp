#include <fmt/format.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/settings_table.h"
#include "base/strings.h"
#include "weft/config.h"

extern char** environ;

// toml++ 3.3 asserts where a file is wrong in some ways, such as "[[[": that must be an error and no abort, and in a
// release no undefined behaviour either, so its assertions throw. For that its code is compiled into this file, even
// where the system has it as a library.
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

// Some rows repeat the default of today: the preset must stay what it is when a default changes.
constexpr PresetValue kLiteral[] = {
    {"stream.policy", "threshold", "one similarity against one number cannot tell a short follow-up from a new topic"},
    {"stream.threshold", "0.6", "the same"},
    {"stream.calibrated", "false",
     "raw cosines of an embedder crowd together: with multilingual-e5 no pair of texts is below 0.70, so 0.6 never "
     "cuts"},
    {"stream.short_text", "force", "nearly all messages of users are short; adsorbing every one of them never cuts"},
    {"stream.short_tokens", "50", "the same"},
    {"stream.anchor", "query", "the same"},
    {"stream.kernel", "ema", "the same"},
    {"stream.kernel_rate", "0.3", "the same"},
    {"stream.relay_first", "true", "checked first, a new topic that begins at the limit inherits a foreign summary"},
    {"recall.recipe", "literal", "a sum of a cosine and a reciprocal rank mixes scales; fused ranks measure better"},
    {"recall.vector_weight", "0.7", "the same"},
    {"recall.words_weight", "0.3", "the same"},
    {"recall.arm_top", "20", "the same"},
    {"recall.min_threshold", "0", "above 0.3 it would drop everything that only words found"},
    {"recall.known_threshold", "0", "every search says that something is known"},
    {"recall.auto_top", "3",
     "stretches of talk within a token budget hold more of the evidence than three single lines"},
    {"context.memory_tokens", "0", "the same"},
    {"context.memory_around", "0", "the same"},
    {"queue.mirror", "true", "the jobs stand in the store, which costs no file a job; `weft queue` shows them"},
    {"cognitive.gate", "literal", "by character the lists refuse words that merely contain a listed one"},
    {"cognitive.user_profile_in_groups", "true", "what is known in private stays there unless it is granted"},
    {"cognitive.speaker_profiles", "true", "what is said in a group stays there unless it is granted"},
    {"context.layout", "spec", "memories and state in the system prompt break the provider's cache at every turn"},
    {"memory.daily_in_prompt", "all",
     "the sessions of today stand in the history or are recalled by what is asked; whole days crowd out both"},
    {"curation.selector", "vectors", "the best of the vector search know nothing of names, time and repetition"},
    {"context.token_mode", "chars4", "four characters a token is wrong for Chinese by a factor of 2.4 to 6"},
    {"evolution.decide", "rates", "ten uses are a coin: of changes that are ten points worse it keeps a fifth"},
    {"evolution.ab_uses", "10", "the same"},
    {"adaptation.update", "average", "a signal that agrees may lower the average: 0.72 of 8 and 0.6 make 0.707"},
};

// The name in "[name]", with or without a comment behind it; nothing for another line.
std::string_view table_name(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('[') || line.starts_with("[[")) return {};
  return trimmed(line.substr(1, line.find(']') - 1));
}

// Where the value of `key = value` begins; npos for another line.
std::size_t value_place(std::string_view line, std::string_view key) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos || trimmed(line.substr(0, equals)) != key) return std::string_view::npos;
  const auto value = line.find_first_not_of(kBlanks, equals + 1);
  return value == std::string_view::npos ? line.size() : value;
}

// What stands behind a text value: white space and a comment.
std::string_view behind_value(std::string_view rest) {
  if (rest.empty() || (rest[0] != '"' && rest[0] != '\'')) return {};
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '\\' && rest[0] == '"')
      ++at;
    else if (rest[at] == rest[0])
      return rest.substr(at + 1);
  }
  return {};
}

std::string quoted(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

std::string edited(std::vector<std::string> lines, std::string_view table, std::string_view key,
                   const std::string& value) {
  const std::string dotted = std::string(table) + "." + std::string(key);
  const std::string assignment = std::string(key) + " = " + value;
  std::string_view here;
  std::size_t head = lines.size();
  bool placed = false;
  for (std::size_t i = 0; i < lines.size() && !placed; ++i) {
    if (const auto name = table_name(lines[i]); !name.empty()) here = name;
    if (here == table && head == lines.size()) head = i;
    const std::string_view wanted = here.empty() ? std::string_view(dotted) : key;
    if (!here.empty() && here != table) continue;
    const auto place = value_place(lines[i], wanted);
    if (place == std::string_view::npos) continue;
    const std::string rest(behind_value(std::string_view(lines[i]).substr(place)));
    lines[i] = lines[i].substr(0, place) + value + rest;
    placed = true;
  }
  if (!placed && head < lines.size()) {
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(head) + 1, assignment);
  } else if (!placed) {
    if (!lines.empty() && !trimmed(lines.back()).empty()) lines.emplace_back();
    lines.push_back("[" + std::string(table) + "]");
    lines.push_back(assignment);
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
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

std::span<const PresetValue> literal_preset() { return kLiteral; }

Result<std::string> set_toml_text(std::string_view toml, std::string_view table, std::string_view key,
                                  std::string_view value) {
  const auto lines = lines_of(toml);
  std::string text = edited({lines.begin(), lines.end()}, table, key, quoted(value));
  const std::string name = std::string(table) + "." + std::string(key);
  const std::string hint = "set " + name + " = " + quoted(value) + " by hand";
  Config config;
  if (const Status read = apply_toml(config, text, "weft.toml"); !read.ok())
    return invalid_argument(read.error().message, hint);
  WEFT_TRY(const std::string found, get_setting(config, name));
  if (found != value)
    return invalid_argument("weft.toml: " + name + " stands in a form that is not changed here", hint);
  return text;
}

}  // namespace weft
