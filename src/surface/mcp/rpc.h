#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/metrics.h"
#include "surface/access/access.h"
#include "text/json.h"
#include "weft/ids.h"
#include "weft/request.h"
#include "weft/value.h"

namespace weft::mcp {

// JSON-RPC 2.0, as the Model Context Protocol uses it: one message at a time, ids that are texts or whole numbers.
// With it the revisions of the protocol that are spoken, and what the server has asked its client.

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

/// The revisions of the protocol that are spoken, oldest first. Those with a handshake agree on one for a conversation;
/// in the stateless one each request says for itself who asks, and what that one can do.
enum class Revision { k2025_06_18, k2025_11_25, k2026_07_28 };

inline constexpr std::array kRevisions{Revision::k2025_06_18, Revision::k2025_11_25, Revision::k2026_07_28};
inline constexpr Revision kNewestWithHandshake = Revision::k2025_11_25;

std::string_view to_string(Revision revision);  ///< "2025-11-25"
std::optional<Revision> parse_revision(std::string_view text);
inline bool is_stateless(Revision revision) { return revision >= Revision::k2026_07_28; }

/// How important what is told to a client is, least first, as the protocol names it.
enum class Severity { kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency };
std::string_view to_string(Severity severity);
std::optional<Severity> parse_severity(std::string_view text);

/// Members of `_meta` that the stateless revision reserves.
inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaServer = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

/// What is known of who asks.
struct Client {
  Revision revision = kNewestWithHandshake;
  bool asks_people = false;  ///< it can put a form before its user ("elicitation")
  std::optional<Severity> log;  ///< what it wants to hear of; nothing: nothing
};

/// Whether a client's capabilities say that it puts forms before its user.
bool can_ask_people(const Value* capabilities);

/// The `_meta` of a request; null where there is none.
const Value* meta_of(const Value& params);

/// What the server has asked its client and waits for. Safe from many threads.
class Pending {
 public:
  /// A new id, as JSON: its answer is waited for from now on.
  std::string begin();
  /// Waits for the answer. kTimeout; kCancelled where `cancel` is stopped or `give_up` was called; kInvalidArgument
  /// where the client refused.
  Result<Value> wait(const std::string& id, std::chrono::milliseconds patience, std::stop_token cancel);
  /// Takes an answer; what nobody waits for is passed over.
  void take(RpcMessage response);
  /// No answer can come any more.
  void give_up();

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::optional<RpcMessage>> waiting_;
  std::uint64_t next_ = 1;
  bool given_up_ = false;
};

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
