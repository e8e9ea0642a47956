// The files of models, and the servers of others.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/clock.h"
#include "engine/embedder_file.h"
#include "engine/embedder_model.h"
#include "ports/files/digest.h"
#include "ports/llama/model_file.h"
#include "ports/net/openai_wire.h"
#include "surface/doctor/settings.h"

namespace weft::doctor {
namespace {

std::string key_in(const std::string& variable) {
  const char* const value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  return value == nullptr ? std::string() : value;
}

void look_at_file(const std::string& what, const std::string& path, const std::string& advice,
                  const std::string& otherwise, Report& report) {
  const auto file = llama::look_at_model_file(path);
  if (!file.ok()) {
    report.look("model", what + ": " + file.error().message, path, advice + "; until then " + otherwise);
    return;
  }
  report.ok(
      "model",
      fmt::format("{}: {}, {} bytes, xxh128 {}", what, file->kind, file->bytes, digest_of_file(path).value_or("?")),
      path);
}

struct Other {
  std::string what, url, key;
};

std::vector<Other> others_of(const Config& config) {
  std::vector<Other> all;
  const auto& proxy = config.proxy;
  if (!proxy.upstream.empty()) all.push_back({"the upstream", proxy.upstream, key_in(proxy.api_key_env)});
  if (!proxy.anthropic_upstream.empty())
    all.push_back({"the upstream of Anthropic's form", proxy.anthropic_upstream, key_in(proxy.anthropic_key_env)});
  for (const auto& [name, model] : config.models)
    if (model.provider == ModelProvider::kOpenAi && !model.url.empty())
      all.push_back({"models." + name, model.url, key_in(model.api_key_env)});
  if (config.embedding.provider == EmbeddingProvider::kOpenAi && !config.embedding.url.empty())
    all.push_back({"embedding.url", config.embedding.url, key_in(config.embedding.api_key_env)});
  return all;
}

void ask(const Other& other, HttpClient& client, std::chrono::milliseconds patience, Report& report) {
  HttpRequest request = openai::post(other.url, "models", other.key, {});
  request.method = "GET";
  request.connect_timeout = patience;
  const Stopwatch time;
  const auto answer = client.send(request, Deadline::after(patience));
  const std::string where = server_of(other.url);
  const std::string not_there =
      "start that server, or mend the setting; until then what needs it fails or goes "
      "the way without a model";
  if (!answer.ok()) return report.wrong("online", other.what + ": " + answer.error().message, where, not_there);
  if (answer->status == 401 || answer->status == 403)
    return report.look("online",
                       fmt::format("{} is there and refuses {} ({})", other.what,
                                   other.key.empty() ? "whoever has no key" : "the key", answer->status),
                       where,
                       "set the variable that holds the key; where clients bring their own this is as it should be");
  if (answer->status >= 500)
    return report.wrong("online",
                        fmt::format("{} answers {}: {}", other.what, answer->status, openai::error_text(answer->body)),
                        where, not_there);
  // A server without a list of models is there all the same.
  report.ok("online", fmt::format("{} answers after {:.0f} ms ({})", other.what, time.ms(), answer->status), where);
}

}  // namespace

void look_at_model_files(const Config& config, Report& report) {
  const bool endpoint = !config.cognitive_embedding.api_url.empty();
  if (config.embedding.provider == EmbeddingProvider::kLocal && !endpoint)
    look_at_file("embedder " + embedder_name(config), embedder_file(config), embedder_advice(),
                 "words alone are searched", report);
  std::set<std::string> used;
  for (const auto& [role, name] : config.roles) used.insert(name);
  for (const auto& [name, model] : config.models) {
    if (model.provider != ModelProvider::kLocal) continue;
    const std::string path = model.path.empty() ? model_folder(config) + "/" + model.model + ".gguf" : model.path;
    look_at_file("models." + name, path, "put its file there, or name another one with models." + name + ".path",
                 used.contains(name) ? "its roles go the way without a model" : "nothing, since it has no role",
                 report);
  }
}

void look_at_others(const Config& config, HttpClient& client, std::chrono::milliseconds patience, Report& report) {
  for (const Other& other : others_of(config)) ask(other, client, patience, report);
}

void look_at_server(const std::string& address, HttpClient& client, std::chrono::milliseconds patience,
                    Report& report) {
  // Its certificate names what clients call it, which this machine need not know.
  if (address.starts_with("https://")) return report.ok("server", "it listens with TLS; not asked from here", address);
  HttpRequest request;
  request.method = "GET";
  request.url = address + "/healthz";
  request.connect_timeout = patience;
  const Stopwatch time;
  const auto answer = client.send(request, Deadline::after(patience));
  if (!answer.ok())
    return report.wrong("server", "it does not answer: " + answer.error().message, address,
                        "see its log; where all its threads are busy raise server.threads, else restart it");
  if (answer->status != 200)
    return report.wrong("server", fmt::format("it answers {}", answer->status), address,
                        "the findings about the engine say why");
  report.ok("server", fmt::format("it answers after {:.0f} ms", time.ms()), address);
}

}  // namespace weft::doctor
