#include "surface/cli/globals.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/log.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kModelPatience{30};

}  // namespace

Result<Config> load(const Globals& globals) {
  WEFT_TRY(Config config, load_config(globals.workspace));
  if (!globals.preset.empty()) {
    WEFT_CHECK(apply_preset(config, globals.preset));
  }
  for (const std::string& setting : globals.settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) {
      return invalid_argument("--set " + setting + ": no \"=\"", "write it as --set stream.threshold=0.5");
    }
    WEFT_CHECK(set_setting(config, setting.substr(0, equals), setting.substr(equals + 1)));
  }
  if (!globals.log_level.empty()) config.log.level = globals.log_level;
  WEFT_CHECK(configure_log(config.log.level, config.log.json));
  return config;
}

Result<std::unique_ptr<Engine>> open_engine(const Globals& globals) {
  WEFT_TRY(const Config config, load(globals));
  return Engine::open(config);
}

Result<RequestContext> request_of(const Globals& globals) {
  auto scope = globals.group.empty() ? Scope::private_of(UserId(globals.user))
                                     : Scope::group_of(GroupId(globals.group), UserId(globals.user));
  if (!scope.ok()) return scope.error();
  return RequestContext{*scope, {}, {}};
}

int report(const Error& error, bool json) {
  if (json) {
    const nlohmann::json body = {
        {"error", {{"code", to_string(error.code)}, {"message", error.message}, {"hint", error.hint}}}};
    print_line(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    std::fprintf(stderr, "weft: %s\n", error.message.c_str());
    if (!error.hint.empty()) std::fprintf(stderr, "      %s\n", error.hint.c_str());
  }
  return kFailed;
}

void print_line(const std::string& json) {
  std::fwrite(json.data(), 1, json.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

void wait_for_models(Engine& engine) {
  // A model that does not come leaves the words: the answer says so ("by").
  if (auto ready = engine.wait_ready(kModelPatience); !ready.ok()) log_warning("embedder", ready.error().message);
}

}  // namespace weft::cli
