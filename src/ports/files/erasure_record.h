#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "text/traces.h"
#include "weft/erasure.h"
#include "weft/result.h"
#include "weft/scope.h"

namespace weft {

/// An erasure from the moment it is decided on: what was asked for and what is known of it, without any text, so that
/// it can go on after a crash and be checked for ever.
struct ErasureRecord {
  EraseReceipt receipt;
  Scope scope;
  EraseRequest request;
  Traces traces;
  std::int64_t last_seq = 0;  ///< of the newest message when it began; what came later is not meant

  ScopeKey key() const { return scope.key(); }
};

/// What stands for an id of a scope in a receipt.
std::string erasure_digest(const ScopeKey& scope, const std::string& kind, const std::string& id);
/// The same of a message, whose id is its session's.
std::string message_digest(const ScopeKey& scope, const SessionId& session, const MessageId& id);

/// The records of a workspace, in erasures/: ID.json is the receipt as it is shown, ID.traces.json (for nobody else's
/// eyes) holds the rest; as long as an erasure is not done there is ID.pending.json instead.
class ErasureRecords {
 public:
  explicit ErasureRecords(const std::filesystem::path& workspace) : folder_(workspace / "erasures") {}

  /// A new one, which gets an id.
  static ErasureRecord begin(const Scope& scope, const EraseRequest& request, Time now);

  /// The one that was not finished and asked for the same, if there is one.
  Result<std::vector<ErasureRecord>> pending() const;
  /// The receipt of the newest one that asked for the same; kNotFound where there is none.
  Result<EraseReceipt> receipt_of(const Scope& scope, const EraseRequest& request) const;
  Result<std::string> receipt_text(const std::string& id) const;
  /// The fingerprints; none for receipts that were written without them.
  Result<Traces> traces(const std::string& id) const;

  Status keep_pending(const ErasureRecord& record) const;
  Status keep_done(const ErasureRecord& record) const;

  /// Whether two ask for the same.
  static bool same(const EraseRequest& a, const EraseRequest& b);

 private:
  std::filesystem::path file(const std::string& id, const char* end) const;
  std::filesystem::path folder_;
};

}  // namespace weft
