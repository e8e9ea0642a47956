#include "surface/api/paths.h"

#include <array>

namespace weft {

std::span<const PathInfo> http_paths() {
  static constexpr auto table = std::to_array<PathInfo>({
      {"POST /v1/sessions/{id}/messages", "take messages in: one, an array, or {\"messages\":[…]}"},
      {"GET /v1/sessions/{id}/messages", "the newest messages of a session; ?limit="},
      {"POST /v1/sessions/{id}/save", "close the session's open topic now"},
      {"POST /v1/sessions/{id}/context", "weave the prompt of the next model call, with a report"},
      {"POST /v1/sessions/{id}/end", "end an agent's turn: what it did and what it learnt"},
      {"POST /v1/sessions/{id}/compact", "put a summary in the place of the older turns"},
      {"GET /v1/sessions/{id}/compactions", "what was compacted"},
      {"POST /v1/sessions/{id}/compact/undo", "take the newest compaction back"},
      {"GET /v1/sessions/{id}/task", "what the session works on"},
      {"PUT /v1/sessions/{id}/task", "set it; it stays until it is ended"},
      {"DELETE /v1/sessions/{id}/task", "end it"},
      {"GET /v1/messages/{id}", "a message as it was said, such as an output that was shortened"},
      {"GET /v1/preferences", "what somebody prefers"},
      {"PUT /v1/preferences", "set it"},
      {"POST /v1/search", "search the memory"},
      {"GET /v1/items", "what is remembered; ?kind= and ?limit="},
      {"POST /v1/erase", "forget messages and all that came from them"},
      {"GET /v1/tools", "the memory tools to offer to a model"},
      {"POST /v1/tools/{name}", "run one of them"},
      {"GET /v1/profiles/{type}/{id}", "the profile of a user or a group"},
      {"GET /v1/profiles/{type}/{id}/history", "its kept versions"},
      {"POST /v1/profiles/{type}/{id}/rollback/{version}", "put one of them back"},
      {"GET /v1/state/{name}", "a state; ?version="},
      {"PUT /v1/state/{name}", "put a whole tree in its place"},
      {"POST /v1/state/{name}", "apply operations, all or none"},
      {"GET /v1/state/{name}/log", "its versions"},
      {"GET /v1/state/{name}/schema", "the JSON schema that changes keep to"},
      {"PUT /v1/state/{name}/schema", "set it"},
      {"POST /v1/state/{name}/rollback", "put a former version back"},
      {"GET /v1/quests", "all quests"},
      {"POST /v1/quests", "take quests from YAML or JSON"},
      {"POST /v1/quests/{id}", "move a quest on"},
      {"PUT /v1/quests/{id}", "put one quest"},
      {"DELETE /v1/quests/{id}", "take it out"},
      {"GET /v1/lore", "all entries of lore"},
      {"POST /v1/lore", "take lore from a file's bytes; ?file= names it"},
      {"DELETE /v1/lore", "take out all that came from a file; ?file= names it"},
      {"GET /v1/lore/{id}", "one entry"},
      {"PUT /v1/lore/{id}", "put one entry"},
      {"DELETE /v1/lore/{id}", "take it out"},
      {"GET /v1/jobs", "the historian's jobs"},
      {"POST /v1/jobs/{id}/retry", "put a failed job back"},
      {"GET /healthz", "models, queue, counts"},
      {"GET /metrics", "counters as Prometheus reads them"},
      {"POST /v1/chat/completions", "the proxy: a model call with memories woven in"},
      {"GET /v1/models", "the models of the server behind the proxy"},
      {"GET /v1/models/{id}", "one of them"},
      {"POST /v1/completions", "passed on as it is"},
      {"POST /v1/embeddings", "passed on as it is"},
      {"POST /v1/responses", "passed on as it is"},
      {"POST /v1/moderations", "passed on as it is"},
  });
  return table;
}

}  // namespace weft
