#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "ports/net/http_client.h"
#include "surface/http/exchange.h"
#include "surface/proxy/recorder.h"
#include "surface/proxy/responses.h"
#include "surface/proxy/turn.h"
#include "surface/proxy/upstream.h"
#include "weft/engine.h"

namespace weft::proxy {

/// A key that is for some people only cannot reach conversations that are everybody's.
Error not_for_bound_keys();

/// Responses that are asked for again.
///
/// Takes: an id, from GET, DELETE and cancel. Gives: what a server of the Responses API keeps of it.
/// Promises: a response that was made here is answered from the workspace, also after a restart, and is gone with its
/// DELETE and with an erasure; one that the model's server has goes to that one, and is remembered when it is there. A
/// caller who may see some people only, or names somebody, reaches theirs alone. Safe from any thread.
class ResponseLookups {
 public:
  /// All must outlive it.
  struct Ports {
    Engine& engine;
    const Config& config;
    HttpClient& client;
    const Clock& clock;
    const Upstream& upstream;
    const std::atomic<Speaks>& speaks;
    Recorder& recorder;
    KeptResponses& kept;
    ResponsesLater& later;
  };
  explicit ResponseLookups(const Ports& with) : with_(with) {}

  /// One that its server made in the background is remembered when it is there.
  void give(const http::Request& request, http::ResponseWriter& out);
  void cancel(const http::Request& request, http::ResponseWriter& out);
  void remove(const http::Request& request, http::ResponseWriter& out);
  /// What else the model's server keeps of responses and conversations; a key that is for some people only reaches what
  /// is known to be theirs.
  void pass_on(const http::Request& request, http::ResponseWriter& out);

  /// Keeps in mind a response that the model's server makes in the background, by its first answer.
  void note_unfinished(const Turn& turn, std::string_view answer);
  /// Keeps a response that was made here while its client waited.
  void keep_made(const ResponsePlace& place, const ResponseTerms& terms, const std::string& object,
                 const std::string& status);

 private:
  bool is_unfinished(const Scope& scope, std::string_view id) const;
  Result<KeptResponse> kept_of(const http::Request& request) const;
  Status check_kept(const http::Request& request);

  Ports with_;
};

/// Hands an answer on, but not one which says that the server has no such path: then another form of the call may be
/// tried, and the client sees nothing of the first. `out` must outlive it. For one thread.
class PathProbe final : public http::PassingWriter {
 public:
  using PassingWriter::PassingWriter;

  bool missing() const { return missing_; }  ///< the server does not know the path
  bool answered() const { return answered_; }  ///< it does: it has answered what was asked

  void header(std::string_view name, std::string_view value) override;
  void send(int status, std::string_view content_type, std::string_view body) override;
  bool begin(int status, std::string_view content_type) override;

 private:
  void hand_on_headers();

  http::Headers headers_;
  bool missing_ = false, answered_ = false;
};

/// Whether an answer says that the server has no such path, and not that it lacks what was asked for there.
bool says_no_such_path(int status, std::string_view body);

}  // namespace weft::proxy
