#pragma once

#include <stop_token>

#include "surface/http/router.h"
#include "surface/mcp/http_session.h"
#include "surface/mcp/protocol.h"
#include "surface/mcp/watcher.h"

namespace weft::mcp {

/// The Model Context Protocol over streamable HTTP, at /mcp. Requests of the stateless revision stand for themselves;
/// clients with a handshake get a session. Answers are JSON, or a stream where something is to be said before the
/// answer. Whose memory is meant say the same headers as everywhere. Who may come in at all has been decided before.
class HttpEndpoint {
 public:
  /// `tools` is offered where an address does not say "?tools=". What is administrative is noted in `audit`, calls of
  /// tools are counted in `meter`; both may be null. Engine, log and meter must outlive it, and it the server that it
  /// answers for.
  HttpEndpoint(Engine& engine, ToolChoice tools, const AuditLog* audit, ToolMeter* meter = nullptr);

  /// It must outlive the router.
  void add_to(http::Router& router);

 private:
  struct Post;
  class Way;

  void post(http::Request& request, http::ResponseWriter& out);
  void get(http::Request& request, http::ResponseWriter& out);
  void remove(http::Request& request, http::ResponseWriter& out);

  void take_stateless(Post& post);
  void take_with_session(Post& post);
  void begin_session(Post& post);
  void take_request(Post& post, HttpSession& session);
  void answer(Post& post, const Client& client, std::stop_token cancel, HttpSession* session);
  void listen(Post& post);
  Reply subscribe(const Post& post, HttpSession& session);

  Protocol protocol_;
  const ToolChoice tools_;
  const AuditLog* const audit_;
  ToolMeter* const meter_;
  Watcher watcher_;
  HttpSessions sessions_;
};

}  // namespace weft::mcp
