#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/receipt_json.h"
#include "weft/engine.h"

/// The engine's answers as JSON text, one form for the HTTP API and for `--json` on the command line. Names are
/// snake_case, times RFC 3339 with their zone, empty optional fields are left out. What is not UTF-8 is replaced.
namespace weft {

std::string to_json(const Decision& decision);
std::string to_json(const Observation& observation);

/// {"observations":[…],"flushed":[{"topic","reason","job","blocks","tokens"}]}
std::string to_json(const ObserveReport& report);

/// {"known","added","abandoned","observations":[…],"flushed":[…]}
std::string to_json(const SyncReport& report);

std::string to_json(const Item& item);

/// {"queued","job","event_id","notices":[…]}
std::string to_json(const EndReport& report);

/// {"entity_type","entity_id","name","tags":[…],"updated_at","source_event_id","body"}
std::string to_json(const Profile& profile);

/// {"versions":[{"version","taken","origin"}]}
std::string to_json(std::span<const ProfileVersion> versions);

/// {"profiles":[{"entity_type","entity_id","name","updated_at","problem"}]}
std::string to_json(std::span<const ProfileSummary> profiles);

/// Everything of every hit, for programs; see compact_json for models.
/// {"hits":[{…item…,"score","signals":[{"name","value","share"}]}],"by","recipe","embed_ms","search_ms"}
std::string to_json(const SearchResult& result);

/// {"items":[…]}
std::string to_json(std::span<const Item> items);

/// {"messages":[{…message…,"session","sequence","active","tokens"}]}
std::string to_json(std::span<const StoredMessage> messages);

/// {"jobs":[{"id","kind","state","attempts","reason","created"}]}
std::string to_json(std::span<const JobInfo> jobs);

/// {"status":"ok","embedder":{"name","state","next":{"name","state","done","all"}},"chat","token_mode","queue":{…},
/// "messages","items","unembedded"}; "next" while the embedder is changing.
std::string to_json(const EraseCheck& check);
std::string to_json(const BackupReport& report);
std::string to_json(const EngineStatus& status);

/// Reads {"query","top_k","kinds":[…],"from","to","session","not_session","recipe","as_of","asked",…}. "from", "to" and
/// "as_of" are times in RFC 3339, dates, or words such as "last week", seen from "asked", else from now. Errors name
/// the wrong field.
Result<SearchRequest> parse_search_request(std::string_view json);

/// Whether a search asks for its result in the form for models, "compact": true.
Result<bool> wants_compact(std::string_view json);

/// Reads {"system","history" or "messages","input","window","model"}. Empty text is an empty request.
Result<ContextRequest> parse_context_request(std::string_view json, const MessageLimits& limits);

/// Reads {"everything":true}, {"messages":[ids]} or {"before": a time}.
Result<EraseRequest> parse_erase_request(std::string_view json);

/// Reads what observe takes: one message, an array, or {"messages":[…]}.
Result<std::vector<Message>> parse_observed(std::string_view json, const MessageLimits& limits);

/// The bounds on messages that the configuration sets.
MessageLimits message_limits(const Config& config);

}  // namespace weft
