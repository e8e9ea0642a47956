#include "flow/stream/kept_decision.h"

#include <algorithm>

#include "model/records.h"

namespace weft {

std::string decision_kind(const SessionId& session) { return "decision/" + session.str(); }

void keep_decision(const ScopeKey& scope, const SessionId& session, const Decision& decision, Time time,
                   WriteBatch& batch) {
  DocumentRow row;
  row.scope = scope;
  row.kind = decision_kind(session);
  row.id = decision.block.str();
  row.time = time;
  row.author = std::string(to_string(decision.by));
  row.body = to_json(decision);
  // A block may be placed a second time, in one batch when a history is taken in again, or long after.
  std::erase_if(batch.documents,
                [&](const DocumentRow& other) { return other.kind == row.kind && other.id == row.id; });
  batch.erased_documents.push_back({scope, row.kind, row.id});
  batch.documents.push_back(std::move(row));
}

}  // namespace weft
