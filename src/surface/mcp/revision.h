#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "weft/value.h"

namespace weft::mcp {

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

}  // namespace weft::mcp
