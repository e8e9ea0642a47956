#include "surface/embedded/embedded.h"

#include "surface/api/api.h"
#include "surface/http/exchange.h"
#include "text/json.h"

namespace weft {
namespace {

// A setting's value as weft.toml would have it: texts without their quotes.
Result<std::string> setting_text(const std::string& key, std::string_view json) {
  if (json.starts_with('"')) return json_text(json);
  if (json.starts_with('{') || json.starts_with('['))
    return invalid_argument("settings." + key + " must be a text, a number, true or false");
  return std::string(json);
}

Result<Config> config_of(std::string_view workspace, std::string_view settings) {
  Config config;
  if (workspace.empty()) return invalid_argument("the workspace is missing", "name a folder");
  config.workspace = workspace;
  if (settings.empty()) return config;
  WEFT_CHECK(check_json(settings, {}, "the settings"));
  if (!settings.substr(settings.find_first_not_of(" \t\r\n")).starts_with('{'))
    return invalid_argument("the settings must be a JSON object", "such as {\"recall.auto_top\": 5}");
  for (const auto& [key, json] : json_members(settings)) {
    WEFT_TRY(const std::string value, setting_text(key, json));
    WEFT_CHECK(set_setting(config, key, value));
  }
  return config;
}

}  // namespace

EmbeddedApi::EmbeddedApi(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) { add_api(router_, *engine_); }

Result<std::unique_ptr<EmbeddedApi>> EmbeddedApi::open(std::string_view workspace, std::string_view settings) {
  WEFT_TRY(const Config config, config_of(workspace, settings));
  WEFT_TRY(auto engine, Engine::open(config));
  return std::unique_ptr<EmbeddedApi>(new EmbeddedApi(std::move(engine)));
}

EmbeddedAnswer EmbeddedApi::call(std::string_view method, std::string_view target, std::string_view user,
                                 std::string_view group, std::string_view body) const {
  http::Request request;
  request.method = method;
  const auto mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string_view::npos) request.query_text = target.substr(mark + 1);
  request.query = http::parse_query(request.query_text);
  if (!user.empty()) request.headers.emplace_back("x-weft-user", http::percent_encode(user));
  if (!group.empty()) request.headers.emplace_back("x-weft-group", http::percent_encode(group));
  request.body = body;
  http::KeptAnswer out;
  try {
    router_.dispatch(request, out);
  } catch (const std::exception& failure) {
    return {500, http::error_json(internal(failure.what()))};
  }
  return {out.status, std::move(out.body)};
}

}  // namespace weft
