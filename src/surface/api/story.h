#pragma once

#include <span>
#include <string>

#include "surface/http/router.h"
#include "weft/engine.h"

namespace weft {

/// /v1/state, /v1/quests, /v1/lore, each with ?world=NAME for a world's own, and /v1/sessions/{id}/compact.
void add_story_api(http::Router& router, Engine& engine);

/// {"name","version","time","state":{…}}; "state" is left out where the answer has no tree.
std::string to_json(const StateView& state);
/// {"versions":[{"version","time","author","operations":[…]}]}
std::string to_json(std::span<const StateVersion> versions);
/// {"name","schema":{…}}; null where there is none.
std::string schema_json(const std::string& name, const std::string& schema);
/// {"quests":[…]}
std::string quests_json(const std::vector<Quest>& quests);
/// {"lore":[…]}
std::string lore_json(const std::vector<LoreEntry>& entries);
/// {"imported","left_out","problems":[…]}
std::string to_json(const LoreReport& report);
/// {"compactions":[…]}
std::string to_json(std::span<const Compaction> compactions);

/// Reads {"operations":[…],"author","expected_version","request_id"}, or an array of operations alone.
Result<StateChange> parse_state_change(std::string_view json);

}  // namespace weft
