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
#include "surface/proxy/upstream.h"
#include "weft/engine.h"

namespace weft::proxy {

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
