#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "surface/access/access.h"
#include "surface/access/audit_log.h"
#include "surface/mcp/rpc.h"
#include "weft/ids.h"
#include "weft/request.h"

namespace weft::mcp {

/// Counts calls of tools for metrics. Tools are those that the server itself offers, so that labels stay few. Safe from
/// any thread.
class ToolMeter {
 public:
  ToolMeter()
      : calls_({"mcp_calls_total", "Calls of tools by MCP clients, by what became of them.", {"tool", "outcome"}}),
        time_({"mcp_call_seconds", "Time of these calls.", {"tool"}}) {}

  /// `tool` is one of ours; one that is not there is told as "unknown".
  void note(std::string_view tool, std::string_view outcome, double seconds) {
    calls_.add({std::string(tool), std::string(outcome)});
    time_.add({std::string(tool)}, seconds);
  }
  void note_unknown() { calls_.add({"unknown", "invalid_argument"}); }

  /// As text that Prometheus reads.
  std::string text() const {
    MetricsText out;
    calls_.write(out);
    time_.write(out);
    return out.take();
  }

 private:
  CounterFamily calls_;
  HistogramFamily time_;
};

// One request to the server, and the way back while it is at work.

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
