#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "surface/api/lists.h"
#include "surface/api/paths.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"

namespace weft::cli {
namespace {

struct Finding {
  bool good;
  std::string what, advice;
};

std::vector<Finding> examine(const Globals& globals, Engine& engine) {
  std::vector<Finding> findings;
  Stopwatch clock;
  const Status ready = models_ready(globals, engine);
  const EngineStatus status = engine.status();
  const bool embeds = ready.ok() && status.embedder_state == "ready";
  char took[32];
  std::snprintf(took, sizeof took, "%.0f ms", clock.ms());
  findings.push_back({embeds,
                      "embedder " + status.embedder + ": " + status.embedder_state +
                          (embeds ? ", loaded in " + std::string(took) : ""),
                      embeds ? "" : "run `make setup`, or set embedding.path; until then words alone are searched"});
  if (!status.next_embedder.empty()) {
    const std::uint64_t all = std::max<std::uint64_t>(1, status.next_all);
    const bool works = !status.next_embedder_state.starts_with("failed");
    findings.push_back({works,
                        "embedder is changing: " + status.embedder + " serving, " + status.next_embedder + " " +
                            std::to_string(status.next_done * 100 / all) + " % done (" +
                            std::to_string(status.next_done) + " of " + std::to_string(status.next_all) + " items), " +
                            status.next_embedder_state,
                        works ? "" : "mend the new model, or go back: embedding.model = \"" + status.embedder + "\""});
  }
  findings.push_back(
      {true, "chat model: " + status.chat + (status.chat == "none" ? " (every task has a way without one)" : ""), ""});
  findings.push_back({true, "token counts: " + status.token_mode, ""});
  findings.push_back({true,
                      "queue: " + std::to_string(status.queue.pending) + " pending, " +
                          std::to_string(status.queue.failed) + " failed",
                      ""});
  for (const Problem& problem : status.problems)
    if (!problem.code.ends_with("embedder")) findings.push_back({false, problem.what, problem.advice});
  findings.push_back({true,
                      "kept: " + std::to_string(status.messages) + " messages, " + std::to_string(status.items) +
                          " items, " + std::to_string(status.unembedded) + " waiting for a vector",
                      ""});
  return findings;
}

}  // namespace

int doctor(const Globals& globals) {
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    const auto findings = examine(globals, engine);
    if (globals.json) {
      globals.console->line(to_json(engine.status()));
      return {};
    }
    const Style style = style_of(*globals.console);
    for (const Finding& finding : findings) {
      globals.console->print("%s%s%s %s\n", finding.good ? style.green : style.yellow, finding.good ? "ok  " : "look",
                             style.plain, finding.what.c_str());
      if (!finding.advice.empty()) globals.console->print("     %s\n", finding.advice.c_str());
    }
    return {};
  });
}

int settings(const Globals& globals) {
  const auto config = load(globals);
  if (!config.ok()) return report(globals, config.error());
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SettingInfo& info : describe_settings()) {
    const std::string value = get_setting(*config, info.key).value_or("?");
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
