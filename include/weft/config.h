#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/choices.h"
#include "weft/result.h"
#include "weft/settings.def"

namespace weft {

#define WEFT_FIELD(type, name, value, text) type name = value;
#define WEFT_STRUCT(section, Name, TABLE) \
  struct Name##Settings {                 \
    TABLE(WEFT_FIELD)                     \
  };
WEFT_SECTIONS(WEFT_STRUCT)
#undef WEFT_STRUCT
#undef WEFT_FIELD

/// One chat model: a table `[models.NAME]` of weft.toml.
struct ModelSettings {
  ModelProvider provider = ModelProvider::kOpenAi;
  std::string url;                  ///< base URL with /v1
  std::string model;                ///< the endpoint's name for it
  std::string path;                 ///< GGUF file of a local model
  std::string api_key_env;          ///< environment variable that holds the key
  std::string vocabulary;  ///< GGUF file whose tokenizer counts for this model; empty: guessed from the name
  std::int64_t window = 0;  ///< context window in tokens; 0: unknown
  std::int64_t output = 0;  ///< tokens kept for an answer; 0: as [context] says
  SystemMessages system_messages = SystemMessages::kUnknown;  ///< kUnknown: as known of the family
  std::int64_t timeout_ms = 60000;
  std::int64_t retries = 2;
};

/// All settings. Built from defaults, then the preset, then weft.toml, then the environment, then the command line.
struct Config {
  std::string workspace = ".weft";  ///< the folder that holds everything of one tenant
  Preset preset = Preset::kBalanced;
  std::string store;  ///< "sqlite:PATH", "memory:", "postgresql://…"; empty: weft.db in the workspace
  std::string model_folder;  ///< where models are looked up by name; empty: ${WEFT_CACHE:-~/.cache/weft}/models

#define WEFT_MEMBER(section, Name, TABLE) Name##Settings section;
  WEFT_SECTIONS(WEFT_MEMBER)
#undef WEFT_MEMBER

  std::map<std::string, ModelSettings> models;  ///< by name
  /// What is known of models that clients call by name: tables [catalogue."PATTERN"] with window, output, vocabulary
  /// and system_messages; '*' stands for any text.
  std::map<std::string, ModelSettings> catalogue;
  std::map<std::string, std::string> roles;  ///< role ("main", "fast", "historian", …) → name of a model
};

/// One line of the manual of settings.
struct SettingInfo {
  std::string key;  ///< "stream.threshold"
  std::string type;  ///< "number", "integer", "text" or "switch"
  std::string default_value;
  std::string environment;  ///< "WEFT_STREAM_THRESHOLD"
  std::string text;
};

/// Every setting there is, in the order of the table.
std::vector<SettingInfo> describe_settings();

/// Sets one value by its key; the error names the key, the type wanted and what was given. "false" is false.
Status set_setting(Config& config, std::string_view key, std::string_view value);

/// Reads one value by its key.
Result<std::string> get_setting(const Config& config, std::string_view key);

/// Applies a preset's values over the defaults.
Status apply_preset(Config& config, std::string_view preset);

/// Reads `workspace/weft.toml` if it is there, then WEFT_* from the environment. Unknown keys are errors with the
/// nearest known key as a hint, so that a misspelt setting cannot pass in silence.
Result<Config> load_config(std::string_view workspace);

/// What `Engine::open` makes of the Config that a program gives it: defaults → preset → the workspace's weft.toml →
/// what the program set, checked by `check_config`. A value counts as set where it differs from the default and from
/// its preset: a program that insists on a default changes the file, or does not name the setting there. Models and
/// roles are joined by name. The environment is not read: `load_config` does that, and what it gives may be given here.
Result<Config> settle_config(const Config& given);

/// Whether every value is one that the setting can have. kInvalidArgument, naming the key and what it may be.
Status check_config(const Config& config);

/// Applies TOML text over a configuration; `origin` is named in errors.
Status apply_toml(Config& config, std::string_view toml, std::string_view origin);

}  // namespace weft
