#include "surface/doctor/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/settings_table.h"
#include "surface/access/door.h"

namespace weft::doctor {
namespace {

namespace fs = std::filesystem;

std::string file_of(const Config& config) { return (fs::path(config.workspace) / "weft.toml").string(); }

bool is_set(const std::string& variable) {
  const char* const value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  return value != nullptr && *value != '\0';
}

// Each asks for something that another one takes away.
void look_for_conflicts(const Config& config, Report& report) {
  const std::string file = file_of(config);
  const EmbeddingSettings& embedding = config.embedding;
  if (embedding.provider == EmbeddingProvider::kOpenAi && embedding.url.empty() &&
      config.cognitive_embedding.api_url.empty())
    report.wrong("settings", "embedding.provider is \"openai\" and embedding.url is empty", file,
                 "set embedding.url to the base URL of the endpoint, with /v1");
  if (embedding.provider != EmbeddingProvider::kLocal && !embedding.path.empty())
    report.look("settings", "embedding.path is set, and embedding.provider is not \"local\": the file is not used",
                file, "set embedding.provider = \"local\", or take embedding.path out");
  for (const auto& [name, model] : config.models) {
    if (model.provider != ModelProvider::kOpenAi) continue;
    if (model.url.empty())
      report.wrong("settings", "models." + name + " has no url", file, "set models." + name + ".url, with /v1");
    if (!model.api_key_env.empty() && !is_set(model.api_key_env))
      report.look("settings", fmt::format("models.{}.api_key_env names {}, which is not set", name, model.api_key_env),
                  file, "set the variable where Weft is started, or take the setting out where no key is needed");
  }
  for (const auto& [setting, variable] : {std::pair{"proxy.api_key_env", &config.proxy.api_key_env},
                                          {"proxy.anthropic_key_env", &config.proxy.anthropic_key_env}})
    if (!variable->empty() && !is_set(*variable))
      report.look("settings", fmt::format("{} names {}, which is not set", setting, *variable), file,
                  "set the variable where Weft is started; without it the client's own key is passed on");
  const std::string own = fmt::format("://{}:{}/", config.server.host, config.server.port);
  if ((config.proxy.upstream + "/").find(own) != std::string::npos)
    report.wrong("settings", "proxy.upstream is this server itself: a call would never end", file,
                 "set proxy.upstream to the server of the model");
  for (const auto& [role, near] : mistyped_roles(config))
    report.look("settings", "roles." + role + ": only tasks that name this role use it", file,
                "did you mean roles." + near + "?");
  for (const std::string& role : roles_without_model(config))
    report.look("settings", "agent.models names the role \"" + role + "\", which no model has: main answers", file,
                "set roles." + role + " to the name of a model, or take it out of agent.models");
  if (!config.cognitive.enabled && !config.roles.empty() && config.roles.contains("historian"))
    report.look("settings", "a model has the role \"historian\", and cognitive.enabled is false: ends are not worded",
                file, "set cognitive.enabled = true, or take the role out");
}

// A server reads its settings once, when it starts.
void look_for_changes(const Config& config, const Config& serving, Report& report) {
  std::error_code none, code;
  const auto started = fs::last_write_time(fs::path(config.workspace) / "weft.address", none);
  const auto changed = fs::last_write_time(file_of(config), code);
  if (none || code || changed <= started) return;
  static constexpr std::array<std::string_view, 4> kGivenAtStart = {"workspace", "server.host", "server.port",
                                                                    "proxy.upstream"};
  std::string differ;
  for (const SettingInfo& info : describe_settings()) {
    if (std::find(kGivenAtStart.begin(), kGivenAtStart.end(), info.key) != kGivenAtStart.end()) continue;
    const auto file = get_setting(config, info.key), has = get_setting(serving, info.key);
    if (file.ok() && has.ok() && *file != *has)
      differ += fmt::format("{}{} (runs with {}, now {})", differ.empty() ? "" : ", ", info.key,
                            shown_value(info.key, *has), shown_value(info.key, *file));
  }
  if (!differ.empty())
    report.look("settings", "weft.toml has changed since the server started: " + differ, file_of(config),
                "restart the server, so that it takes them");
}

void look_at_file(const std::string& setting, const std::string& path, Report& report) {
  std::error_code code;
  if (path.empty() || fs::is_regular_file(path, code)) return;
  report.wrong("door", setting + " names a file that is not there", path, "put the file there, or mend the setting");
}

}  // namespace

void look_at_settings(const Config& config, const Config* serving, Report& report) {
  const std::size_t before = report.findings.size();
  if (const Status fits = check_config(config); !fits.ok()) report.wrong("settings", fits.error(), file_of(config));
  look_for_conflicts(config, report);
  if (serving != nullptr) look_for_changes(config, *serving, report);
  const bool clean = report.findings.size() == before;
  if (const std::string roles = told_roles(config); !roles.empty()) report.ok("roles", roles, file_of(config));
  if (!clean) return;
  std::error_code code;
  const bool file = fs::exists(file_of(config), code);
  report.ok("settings", file ? "weft.toml makes sense" : "all as shipped; weft.toml is not there", file_of(config));
}

void look_at_door(const Config& config, Report& report) {
  KeyRing keys(KeyRing::file_of(config.workspace));
  const auto known = keys.keys();
  const std::string file = KeyRing::file_of(config.workspace).string();
  if (!known.ok()) report.wrong("door", known.error(), file);
  look_at_file("server.tls_certificate", config.server.tls_certificate, report);
  look_at_file("server.tls_key", config.server.tls_key, report);
  if (const Status fit = check_door(config.server, keys); !fit.ok())
    return report.wrong("door", fit.error(), config.server.host);
  if (!known.ok()) return;
  const auto admins =
      std::count_if(known->begin(), known->end(), [](const ApiKey& key) { return key.right == Right::kAdmin; });
  if (!known->empty() && admins == 0 && config.server.api_key.empty())
    return report.look("door", fmt::format("{} keys, none of which may administrate", known->size()), file,
                       "`weft key add NAME --right admin`; until then /metrics and the like are closed to all");
  const bool open = known->empty() && config.server.api_key.empty();
  if (open && keys.guarded())
    return report.look("door", "no key opens the server: the last one was revoked", file,
                       "`weft key add NAME`; or remove that file and restart, to serve this machine without keys");
  report.ok("door",
            open ? "no keys: the server listens on this machine alone"
                 : fmt::format("{} keys{}", known->size() + (config.server.api_key.empty() ? 0U : 1U),
                               config.server.tls_certificate.empty() ? "" : ", HTTPS"),
            config.server.host);
}

}  // namespace weft::doctor
