#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/diaries.h"
#include "engine/ends.h"
#include "engine/knowledge.h"
#include "engine/services.h"
#include "engine/streams.h"
#include "model/erased_messages.h"

namespace weft {

struct EngineCore;
class Traces;
struct Erasing;
struct ErasureRecord;

/// Forgets messages and all that was made from them, and checks that nothing is left. One erasure at a time; safe from
/// any thread.
class Eraser final : public ErasureService {
 public:
  Eraser(EngineCore& core, Profiles& profiles, Ends& ends, Streams& streams, Diaries& diaries, Knowledge& knowledge)
      : core_(core), profiles_(profiles), ends_(ends), streams_(streams), diaries_(diaries), knowledge_(knowledge) {}

  // As `ErasureService` says.
  Result<EraseReceipt> erase(const RequestContext& request, const EraseRequest& what) override;
  Result<EraseCheck> verify_erasure(const std::string& receipt_id) override;
  Result<std::vector<GroupTrace>> group_traces(const RequestContext& request) override;
  Result<std::vector<EraseReceipt>> erase_in_groups(const RequestContext& request) override;

  /// Something else that keeps what was made from messages: called when such are erased, and again where that failed.
  /// To be set while the engine opens; called in this order.
  using EraseAlso = std::function<Status(const ErasedMessages& gone)>;
  void also(EraseAlso erase) { also_.push_back(std::move(erase)); }

  /// Messages that were made from those that are erased, and go with them.
  using LinkedMessages =
      std::function<Result<std::vector<std::pair<SessionId, MessageId>>>(const ErasedMessages& gone)>;
  void linked(LinkedMessages linked) { linked_.push_back(std::move(linked)); }

  /// Who writes on its own into a scope: `hold` lets it stand still before an erasure there, `let_go` go on after it,
  /// whatever came of it.
  struct Writers {
    std::function<Status(const ScopeKey& scope, const EraseRequest& what)> hold;
    std::function<void(const ScopeKey& scope)> let_go;
  };
  void hold(Writers writers) { writers_ = std::move(writers); }

  /// Goes on with what a crash interrupted.
  std::optional<std::chrono::milliseconds> resume_erasures(std::stop_token stop);

 private:
  Result<EraseReceipt> carry_out(ErasureRecord& record, std::stop_token stop);
  Result<EraseReceipt> carry_out_held(ErasureRecord& record, std::stop_token stop);
  Status choose_linked(ErasureRecord& record, Erasing& erasing);
  Status erase_task(const ErasureRecord& record, const SessionId& session);
  Result<bool> plan_erasure(ErasureRecord& record, Erasing& erasing);
  Status erase_files(const ErasureRecord& record, const Erasing& erasing, EraseReceipt& receipt);
  Result<std::size_t> erase_profiles(const Scope& scope, const std::unordered_set<std::string>& events,
                                     bool everything);
  Result<std::size_t> redact_profile(const EntityKey& entity, const std::vector<std::string>& ids);
  Status redact_views(const std::map<ScopeKey, std::vector<ItemId>>& views);
  Status write_erasure(const ScopeKey& scope, const WriteBatch& batch);
  Status erase_rest(const ErasureRecord& record, const Erasing& erasing);
  Status erase_session(const ErasureRecord& record, const Erasing& erasing, const SessionId& session,
                       EraseReceipt& receipt);
  Status look_for_traces(const Traces& traces, bool clean, EraseCheck& check);
  Status remove_traces(const ErasureRecord& record, EraseReceipt& receipt);

  EngineCore& core_;
  Profiles& profiles_;
  Ends& ends_;
  Streams& streams_;
  Diaries& diaries_;
  Knowledge& knowledge_;
  std::vector<EraseAlso> also_;
  std::vector<LinkedMessages> linked_;
  Writers writers_;
  std::mutex erasing_;  ///< one erasure at a time
};

}  // namespace weft
