#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "surface/api/operation.h"
#include "surface/mcp/rpc.h"
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

// Operations of the REST interface, called with one object of arguments instead of a path, a query and a body. What
// they take and give is described where they are, and nowhere else.

/// The arguments of an operation as one JSON Schema: names of its path and its query, and the fields of its body. A
/// body that is no object stands as "body". `{id}` of a session may be left out.
Value arguments_schema(const Operation& operation);

/// The schema of its answer, or null where that is no JSON object.
Value answer_schema(const Operation& operation);

/// Calls it in the scope of the exchange, as far as the key of who asks goes. The answer is JSON; an error is the
/// operation's own.
Result<Value> call_operation(Engine& engine, const Exchange& exchange, const Operation& operation,
                             const Value& arguments);

/// The operation of that id; null where there is none.
const Operation* find_operation(std::string_view id);

}  // namespace weft::mcp
