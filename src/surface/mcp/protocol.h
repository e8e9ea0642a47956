#pragma once

#include <optional>
#include <variant>

#include "surface/mcp/exchange.h"
#include "weft/engine.h"

namespace weft::mcp {

/// What a request is answered with.
using Reply = std::variant<Value, RpcError>;

/// The Model Context Protocol as far as it does not matter how messages come and go: requests in, answers out. The
/// conversation itself (handshake, subscriptions, levels of logging) is the connection's business. Safe from many
/// threads.
class Protocol {
 public:
  explicit Protocol(Engine& engine) : engine_(engine) {}

  Engine& engine() const { return engine_; }

  /// Answers tools/…, resources/…, prompts/…, completion/complete and server/discover; kMethodNotFound for any other.
  Reply answer(const Exchange& exchange) const;

  /// The answer to `initialize`; `agreed` is the revision that is spoken from then on.
  Reply welcome(const Value& params, Revision& agreed) const;

 private:
  Reply discover() const;
  Reply list_tools(const Exchange& exchange) const;
  Reply call_tool(const Exchange& exchange) const;
  Reply list_resources(const Exchange& exchange) const;
  Reply read(const Exchange& exchange) const;
  Reply list_templates(const Exchange& exchange) const;
  Reply list_prompts(const Exchange& exchange) const;
  Reply prompt(const Exchange& exchange) const;
  Reply complete(const Exchange& exchange) const;

  Engine& engine_;
};

/// Who asks, as a request of the stateless revision says it. An error where `_meta` lacks what it must have, or names a
/// revision that is not spoken statelessly.
std::variant<Client, RpcError> client_of(const Value& params);

/// Whether a message speaks for itself, as requests of the stateless revision do.
bool speaks_for_itself(const RpcMessage& message);

/// Adds to a result of the stateless revision what each must carry.
Value finished(const Client& client, Value result);

RpcError unknown_method(std::string_view method);
RpcError unsupported_revision(std::string_view asked);

/// An error of the engine as the protocol tells it.
RpcError rpc_error(const Error& error);

}  // namespace weft::mcp
