#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "weft/result.h"
#include "weft/scope.h"

namespace weft {

/// Everything a request carries on its way: whose memory, until when, and whether the caller still waits.
struct RequestContext {
  Scope scope;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::stop_token cancel;
  std::string world = {};  ///< the world that the scope plays in; empty: the one of the setting story.world, if any
  /// State, quests and lore of that world itself are meant, to fill it or to read it: what many scopes share. It holds
  /// nothing that was not put there so.
  bool of_world = false;
  /// Calls that observe messages answer once their topics are decided, and tell the decisions. Without it they answer
  /// as soon as the messages are kept.
  bool await_decisions = false;
  /// When the messages of a call were said, if the call brings them later. Weft keeps none of them if everything, or
  /// everything before a later moment, was erased since then.
  std::optional<std::chrono::steady_clock::time_point> said_at = {};
};

/// Who calls, and under which conditions. Made from a scope, or from what a function that makes scopes gave: where that
/// was an error, each call made with it returns that error, so that an id has to be looked at in one place only. A
/// value; the functions give a changed copy.
///
///     engine->session(weft::Caller(ann).within(200ms), "today").context("What did we plan?");
class Caller {
 public:
  Caller(Scope scope) : Caller(RequestContext{std::move(scope), {}, {}}) {}  // NOLINT: implicit on purpose
  Caller(const Result<Scope>& scope)  // NOLINT: implicit on purpose
      : request_(scope.ok() ? Result<RequestContext>(RequestContext{*scope, {}, {}}) : scope.error()) {}
  Caller(RequestContext request) : request_(std::move(request)) {}  // NOLINT: implicit on purpose

  /// Calls end by then, counted from now: what is not ready is left out, or the call fails with kTimeout.
  Caller within(std::chrono::milliseconds limit) const;
  /// Searches and models are not waited for once `token` is asked to stop; what is observed is kept all the same.
  Caller cancelled_by(std::stop_token token) const;
  /// Calls that observe messages wait for the decisions about their topics; see `RequestContext::await_decisions`.
  Caller awaiting_decisions() const;
  /// The scope plays in this world: it reads that one's state, quests and lore until it has changed them for itself.
  Caller in_world(std::string name) const;
  /// State, quests and lore of the world itself are meant, to fill it for all who play in it.
  Caller of_world(std::string name) const;

  /// The request, or why there is none.
  const Result<RequestContext>& request() const { return request_; }

 private:
  Result<RequestContext> request_;
};

}  // namespace weft
