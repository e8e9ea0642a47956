#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "ports/net/http_client.h"
#include "surface/http/exchange.h"
#include "surface/proxy/chat_answer.h"
#include "surface/proxy/request.h"
#include "weft/config.h"
#include "weft/engine.h"
#include "weft/message.h"

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

/// What became of a call of the upstream.
struct RelayEnd {
  int status = 0;  ///< the upstream's; 0: none came
  std::string outcome;  ///< "answered", or how it failed, by a stable word: see `outcome_of`
  ReplyCounts counts;  ///< what the upstream said of its answer
  std::string_view text = {};  ///< of the answer, as far as it came, where nobody told its tokens; only during
                               ///< the call
  double seconds = 0;  ///< from the call to the end
  double first_token_seconds = -1;  ///< to the first piece of a streamed answer; -1: none came
};

/// How a call of the upstream ended, for metrics: by its status, 0 where there is none, and by what went wrong on the
/// line.
std::string outcome_of(int status, const Status& line);

/// What is done about an answer on its way. All may be empty.
struct RelayHooks {
  /// Gets the assistant's message of a complete answer before the client sees the answer's end; an answer that breaks
  /// off has none.
  std::function<void(Message)> on_reply = {};
  /// Gets an answer with an error; a request that it gives is sent instead, and the client sees nothing of the first.
  std::function<std::optional<HttpRequest>(int status, std::string_view body)> on_refusal = {};
  /// Called once before anything goes to the client, for headers.
  std::function<void()> before_answer = {};
  /// Gets the body of a whole answer with status 200.
  std::function<void(std::string_view body)> on_body = {};
  WireForm form = WireForm::kOpenAi;  ///< in which failures are told
  /// Called once, when all is over.
  std::function<void(const RelayEnd& end)> on_end = {};
};

/// Sends a request to the upstream and passes its answer on: status, headers and every byte as they come, a stream of
/// events line by line. Failures are answered in the client's form: 502 where the upstream cannot be reached, 504 where
/// it hangs; within a stream by an event with the error. When the client leaves, the upstream is cancelled.
void relay(HttpClient& client, HttpRequest request, http::ResponseWriter& out, const RelayHooks& hooks);

}  // namespace weft::proxy
