#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/threads.h"
#include "ports/chat/chat_model.h"
#include "ports/net/http_client.h"
#include "surface/http/exchange.h"
#include "surface/proxy/recorder.h"
#include "surface/proxy/response_lookups.h"
#include "surface/proxy/responses.h"
#include "surface/proxy/turn.h"
#include "surface/proxy/upstream.h"
#include "weft/engine.h"

namespace weft::proxy {

/// The OpenAI-compatible proxy: passes chat calls on to a model's server with the memory of their scope woven in, and
/// remembers what is said. Safe from any thread; everything given must outlive it.
class Proxy {
 public:
  /// `local` may be null; it answers where no upstream is configured.
  Proxy(Engine& engine, const Config& config, HttpClient& client, ChatModel* local, const Clock& clock);

  /// Adds POST /v1/chat/completions, /v1/messages and /v1/responses, GET /v1/models and, passed on as they are, the
  /// calls that Weft has no part in (/v1/completions, /v1/embeddings, /v1/moderations, what is kept of responses and
  /// conversations).
  void add_to(http::Router& router);

  void chat_completions(http::Request& request, http::ResponseWriter& out);
  /// The same for clients of Anthropic's Messages API, whatever form the model's server has.
  void messages(http::Request& request, http::ResponseWriter& out);
  void count_tokens(http::Request& request, http::ResponseWriter& out);
  /// The same for clients of OpenAI's Responses API, whatever form the model's server has.
  void responses(http::Request& request, http::ResponseWriter& out);
  /// Responses that are asked for again.
  ResponseLookups& lookups() { return lookups_; }
  void models(const http::Request& request, http::ResponseWriter& out);
  void pass_on(const http::Request& request, http::ResponseWriter& out);

 private:
  static constexpr std::size_t kMostLeftOut = 64;   // types that are told by their names
  static constexpr std::size_t kMostModels = 1000;  // whose templates are known

  /// `out` is where Weft itself answers, `passing` where the answer of a model's server of the call's form goes.
  void serve(http::Request& request, Result<ChatCall> call, http::ResponseWriter& out, http::ResponseWriter& passing);
  /// Says so where the client made the call for itself, and counts it.
  void note_helper(const http::Request& request, Result<ChatCall>& call, http::ResponseWriter& out);
  /// Counts what a translation had no place for, and tells the client.
  void note_left_out(const LeftOut& left_out, http::ResponseWriter& out);
  TemplateNeeds needs_of(const std::string& model);
  /// What a refusal teaches, for this call and those to come. False where there is nothing to change, or it was changed
  /// already.
  bool suit_to(const Refusal& refusal, Turn& turn);
  HttpRequest request_for(const http::Request& request, const ChatCall& call, std::string body) const;
  Result<Turn> find_turn(const http::Request& request, ChatCall& call, CallMemory memory, http::ResponseWriter& out);
  void wait_for_answers(const RequestContext& request, const Names& headers, ChatCall& call, http::ResponseWriter& out);
  Result<SessionFinder::Held> find_session(const RequestContext& request, const Names& headers, ChatCall& call);
  Result<std::optional<SessionId>> go_on(const RequestContext& request, ChatCall& call);
  void serve_responses(http::Request& request, ChatCall call, http::ResponseWriter& out);
  void pass_responses_by(http::Request& request, ChatCall call, http::ResponseWriter& out,
                         http::ResponseWriter& passing);
  Result<std::vector<StoredMessage>> said_before(const RequestContext& request, const ResponsesPart& part,
                                                 std::optional<SessionId>& session);
  /// Has the call answered on a thread of its own, and tells the client so.
  void answer_later(const http::Request& request, Turn turn, http::ResponseWriter& out);
  void remember(Turn& turn);
  void remember_later(Turn& turn);
  Status weave_into(Turn& turn);
  std::optional<HttpRequest> another_try(const http::Request& request, Turn& turn, int status, std::string_view body);
  void answer(const http::Request& request, Turn& turn, http::ResponseWriter& out, http::ResponseWriter& passing);
  /// The call as it came, with nothing kept of it.
  void pass_by(http::Request& request, ChatCall call, http::ResponseWriter& out, http::ResponseWriter& passing);
  void pass_metered(const http::Request& request, const ChatCall& call, http::ResponseWriter& passing);
  void answer_unremembered(http::Request& request, ChatCall call, std::string_view why, http::ResponseWriter& out,
                           http::ResponseWriter& passing);

  Engine& engine_;
  const Config& config_;
  HttpClient& client_;
  ChatModel* local_;
  const Clock& clock_;
  const Upstream upstream_, anthropic_;
  std::atomic<Speaks> speaks_{Speaks::kUnknown};  ///< which forms of OpenAI's the upstream has turned out to know
  SessionFinder finder_;
  Recorder recorder_;
  KeptResponses kept_;
  ResponsesLater later_;
  ResponseLookups lookups_;
  UpstreamModels models_;
  Sync<std::map<std::string, TemplateNeeds>> needs_;  // by model, as refusals have told them
  CounterFamily helper_calls_, left_out_;
  Sync<BoundedNames> left_out_names_{kMostLeftOut};
  const std::shared_ptr<void> told_;  // in the metrics, as long as this lives
};

}  // namespace weft::proxy
