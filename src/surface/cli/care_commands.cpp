#include <nlohmann/json.hpp>

#include "base/settings_table.h"
#include "surface/api/paths.h"
#include "surface/cli/commands.h"

namespace weft::cli {
int settings(const Globals& globals) {
  const auto config = load(globals);
  if (!config.ok()) return report(globals, config.error());
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SettingInfo& info : describe_settings()) {
    const std::string value = shown_value(info.key, get_setting(*config, info.key).value_or("?"));
    if (globals.json) {
      list.push_back({{"key", info.key},
                      {"type", info.type},
                      {"value", value},
                      {"default", info.default_value},
                      {"environment", info.environment},
                      {"text", info.text}});
    } else {
      globals.console->print("%-34s %-12s %s\n", info.key.c_str(), value.c_str(), info.text.c_str());
    }
  }
  if (globals.json)
    globals.console->line(list.dump());
  else
    globals.console->print(
        "\nTables of weft.toml:\n"
        "[models.NAME]            provider, url, model, path, api_key_env, vocabulary, window, output, "
        "system_messages,\n"
        "                         timeout_ms, retries: a model that Weft itself calls; [roles] gives it its work\n"
        "[catalogue.\"PATTERN\"]    window, output (tokens), vocabulary (a GGUF file), system_messages (\"one\" or\n"
        "                         \"several\"): what holds of models that clients call by a name such as "
        "\"my-llama*\";\n"
        "                         it comes before what their server lists and what Weft knows of the families in "
        "use\n");
  return kDone;
}

int help_http(const Globals& globals) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PathInfo& path : http_paths()) {
    if (globals.json)
      list.push_back({{"path", path.path}, {"text", path.text}});
    else
      globals.console->print("%-52s %s\n", std::string(path.path).c_str(), std::string(path.text).c_str());
  }
  if (globals.json)
    globals.console->line(list.dump());
  else
    globals.console->line(
        "\nWhose memory: the headers X-Weft-User, X-Weft-Group, X-Weft-Session. README.md shows each way with curl.");
  return kDone;
}

}  // namespace weft::cli
