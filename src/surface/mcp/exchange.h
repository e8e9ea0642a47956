#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "surface/access/access.h"
#include "surface/access/audit_log.h"
#include "surface/mcp/revision.h"
#include "surface/mcp/rpc.h"
#include "surface/mcp/tool_meter.h"
#include "weft/ids.h"
#include "weft/request.h"

/// One request to the server, and the way back while it is at work.
namespace weft::mcp {

/// What of the connection serves a request. Used from the thread that answers it.
class Peer {
 public:
  virtual ~Peer() = default;

  /// Sends a notification that belongs to the request. What cannot be sent is left out.
  virtual void notify(std::string_view method, const Value& params) = 0;

  /// Asks the client something and waits for its answer, in revisions with a handshake. kUnavailable where there is no
  /// way to it, kTimeout and kCancelled, kInvalidArgument where the client refused.
  virtual Result<Value> ask(std::string_view method, const Value& params, std::chrono::milliseconds patience) = 0;

  /// Runs `wait`, which needs no processor.
  virtual void while_waiting(const std::function<void()>& wait) { wait(); }
};

/// Which tools a client is offered: "few", "all", or names with commas between.
using ToolChoice = std::string;

/// Who asks, as far as the door knows: what their key allows, and where what they do is noted.
struct Asker {
  Access access;
  std::string address;  ///< of the client; empty: this machine
  const AuditLog* audit = nullptr;  ///< null: nothing is noted
  ToolMeter* meter = nullptr;  ///< null: calls of tools are not counted
};

/// A request with all that it is answered by.
struct Exchange {
  const RpcMessage& message;
  Client client;
  RequestContext context;
  SessionId session;  ///< where tools work that name none
  ToolChoice tools;
  Peer& peer;
  Asker asker = {};

  const Value& params() const { return message.params; }
};

}  // namespace weft::mcp
