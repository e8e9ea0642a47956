#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/adaptation.h"
#include "engine/compactions.h"
#include "engine/curation_stream.h"
#include "engine/diaries.h"
#include "engine/ends.h"
#include "engine/erasure_gate.h"
#include "engine/knowledge.h"
#include "engine/lead_maker.h"
#include "engine/question_desk.h"
#include "engine/reflections.h"
#include "engine/replays.h"
#include "engine/researches.h"
#include "engine/rules.h"
#include "engine/run_eraser.h"
#include "engine/searcher.h"
#include "engine/session_compactions.h"
#include "engine/skills.h"
#include "engine/streams.h"
#include "engine/talk_gaps.h"
#include "engine/turn_planner.h"
#include "model/erased_messages.h"
#include "model/rows.h"
#include "weft/erasure.h"
#include "weft/group_traces.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

struct EngineCore;
class Traces;
struct Erasing;
struct ErasureRecord;

/// Forgetting in what was learnt of tasks: reports, reflections, rules, skills and their changes. Safe from any thread.
class LessonEraser {
 public:
  LessonEraser(Reflections& reflections, Rules& rules, Skills& skills)
      : reflections_(reflections), rules_(rules), skills_(skills) {}

  /// Done again after a crash it goes on.
  Status erase(const ErasedMessages& gone);

 private:
  Reflections& reflections_;
  Rules& rules_;
  Skills& skills_;
};

/// The services that keep something made from messages, or hold something of a scope in memory.
struct ErasureServices {
  Profiles& profiles;
  Ends& ends;
  Streams& streams;
  States& states;
  Diaries& diaries;
  Knowledge& knowledge;
  QuestionDesk& desk;
  TalkGaps& talk_gaps;
  Adaptation& adaptation;
  LessonEraser lessons;
  Replays& replays;
  RunEraser runs;
  Researches& researches;
  Searcher& searcher;
  Compactions& compactions;
  SessionCompactions& session_compactions;
  TurnPlanner& planner;
  CurationStream& curations;
  LeadMaker* leads;  ///< may be null
};

/// Forgets messages and all that was made from them, and checks that nothing is left. One erasure at a time; safe from
/// any thread.
class Eraser {
 public:
  Eraser(EngineCore& core, const ErasureServices& with) : core_(core), with_(with) {}

  // `Memory` in weft/facets/memory.h says what these do.
  Result<EraseReceipt> erase(const RequestContext& request, const EraseRequest& what);
  Result<EraseCheck> verify_erasure(const std::string& receipt_id);
  Result<std::vector<GroupTrace>> group_traces(const RequestContext& request);
  Result<std::vector<EraseReceipt>> erase_in_groups(const RequestContext& request);

  /// Goes on with what a crash interrupted.
  std::optional<std::chrono::milliseconds> resume_erasures(std::stop_token stop);

 private:
  Result<EraseReceipt> carry_out(ErasureRecord& record, std::stop_token stop);
  /// Stops the services that write into a scope by themselves, before an erasure there.
  Status hold(const ScopeKey& scope, const EraseRequest& what);
  /// Lets them go on after the erasure, also after one that failed.
  void let_go(const ScopeKey& scope);
  Result<EraseReceipt> carry_out_held(ErasureRecord& record, std::stop_token stop);
  Status choose_linked(ErasureRecord& record, Erasing& erasing);
  Status erase_task(const ErasureRecord& record, const SessionId& session);
  Result<bool> plan_erasure(ErasureRecord& record, Erasing& erasing);
  Status erase_files(const ErasureRecord& record, const Erasing& erasing, EraseReceipt& receipt);
  /// Removes from the services what was made from erased messages. It is called again if it failed.
  Status erase_made(const ErasedMessages& gone);
  /// Drops everything of a scope that is held in memory.
  void forget(const ScopeKey& scope);
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
  ErasureServices with_;
  std::mutex erasing_;  ///< one erasure at a time
};

}  // namespace weft
