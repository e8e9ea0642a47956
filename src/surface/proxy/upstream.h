#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "ports/net/http_client.h"
#include "surface/http/exchange.h"
#include "surface/proxy/request.h"
#include "weft/config.h"
#include "weft/engine.h"

namespace weft::proxy {

/// Where calls go.
struct Upstream {
  std::string url;       ///< base URL with /v1, without a slash at the end; empty: there is none
  std::string key;       ///< empty: the client's own is passed on
  WireForm form = WireForm::kOpenAi;  ///< it decides in which header the key stands
};

/// Which forms of OpenAI's calls a server has turned out to know.
enum class Speaks { kUnknown, kResponses, kChatOnly };

/// `proxy.upstream`, else the model of the role "main" where it is a remote one. Keys are read from the environment.
Upstream upstream_of(const Config& config);

/// `proxy.anthropic_upstream`, for calls in Anthropic's form; empty: they go to the other one, in its form.
Upstream anthropic_upstream_of(const Config& config);

/// The client's request as the upstream gets it: same headers without those of the connection and of Weft, other body.
/// `path` begins behind the base URL ("/chat/completions").
HttpRequest request_to(const Upstream& upstream, const Config& config, const http::Request& request,
                       std::string_view path, std::string body);

/// The key of an Anthropic client as OpenAI's servers want it; what is Anthropic's own goes no further.
void as_openai(http::Headers& headers);

/// The request's path and query behind the base URL, as `request_to` takes them.
std::string path_behind_base(const http::Request& request);

/// Passes the upstream's headers on, without those of the connection.
void pass_headers(const HttpHeaders& headers, http::ResponseWriter& out);

/// A header of an answer, or an empty view. `name` in lower case.
std::string_view header_of(const HttpHeaders& headers, std::string_view name);

/// What a server's list of models says of each: `max_model_len`, `context_length`, `context_window`,
/// `max_context_length`, `loaded_context_length`, `meta.n_ctx` and their like, also of Gemini's own form. Models of
/// which it says nothing are left out; what is no list gives nothing.
std::map<std::string, ModelLesson> read_model_list(std::string_view body);

/// Asks the upstream for its models, at the start and when a model is called that nothing is known of, behind
/// everybody's back, and tells the engine. Safe from any thread.
class UpstreamModels {
 public:
  UpstreamModels(Engine& engine, HttpClient& client, const Upstream& upstream, const Config& config);
  ~UpstreamModels();
  UpstreamModels(const UpstreamModels&) = delete;
  UpstreamModels& operator=(const UpstreamModels&) = delete;

  /// A model is called. Where nothing is known of its window the list is asked for, with the client's own key, but not
  /// over and over.
  void called(const std::string& model, std::string_view authorization);

  /// A list that came along.
  void learn(std::string_view body);

 private:
  void run(std::stop_token stop);
  void ask(const std::string& authorization, std::stop_token stop);

  Engine& engine_;
  HttpClient& client_;
  const Upstream& upstream_;
  const Config& config_;
  std::mutex mutex_;
  std::condition_variable_any wanted_;
  bool asked_for_ = true;
  std::string authorization_;
  std::chrono::steady_clock::time_point last_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace weft::proxy
