#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/json.h"
#include "weft/value.h"

/// JSON-RPC 2.0, as the Model Context Protocol uses it: one message at a time, ids that are texts or whole numbers.
namespace weft::mcp {

/// Codes of errors: those of JSON-RPC, and those that the protocol adds.
enum class RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kResourceNotFound = -32002,   ///< until 2025-11-25; later kInvalidParams
  kHeaderMismatch = -32020,     ///< a header of HTTP does not say what the message says
  kMissingCapability = -32021,  ///< the client has not said that it can do what the request needs
  kUnsupportedVersion = -32022,
};

struct RpcError {
  RpcCode code = RpcCode::kInternalError;
  std::string message;
  Value data;  ///< null: none
};

enum class RpcKind { kRequest, kNotification, kResponse };

/// One message from the other side.
struct RpcMessage {
  RpcKind kind = RpcKind::kNotification;
  std::string id;      ///< JSON of the id as it came; empty for a notification
  std::string method;  ///< empty for a response
  Value params;        ///< an object; null where there are none
  Value result;        ///< of a response that is no error
  bool failed = false; ///< a response that is an error
};

/// Why a text is no message, with its id as far as it could be read.
struct RpcRefusal {
  RpcError error;
  std::string id;
  bool silent = false;  ///< of a notification, which nobody answers
};

/// Reads a message; a byte order mark before it is passed over. The id of one that is broken is looked for, so that its
/// sender does not wait for ever. A list of messages is refused: no revision that is spoken here has them.
std::variant<RpcMessage, RpcRefusal> read_message(std::string_view json, const JsonLimits& limits);

/// The messages of a list, which earlier revisions had; empty where the text is none.
std::vector<std::string_view> listed_messages(std::string_view json, const JsonLimits& limits);

/// Messages to the other side, each on one line. `id` is JSON; an empty one of an error stands as null.
std::string result_message(std::string_view id, const Value& result);
std::string error_message(std::string_view id, const RpcError& error);
std::string notification_message(std::string_view method, const Value& params);
std::string request_message(std::string_view id, std::string_view method, const Value& params);

/// A member of an object that is a text; empty where there is none.
std::string text_of(const Value& object, std::string_view name);

}  // namespace weft::mcp
