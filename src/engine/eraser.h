#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/agents.h"
#include "engine/erasure_gate.h"
#include "engine/historian.h"
#include "engine/lessons.h"
#include "engine/memory_files.h"
#include "engine/planned_prompts.h"
#include "engine/questions.h"
#include "engine/reflections.h"
#include "engine/replays.h"
#include "engine/researches.h"
#include "engine/run_kit.h"
#include "engine/run_streams.h"
#include "engine/searcher.h"
#include "engine/session_history.h"
#include "engine/streams.h"
#include "engine/talk_learning.h"
#include "model/rows.h"
#include "weft/erasure.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

/// Forgetting in runs: their streams, outputs that were kept whole, and files that they wrote. Safe from any thread.
class RunEraser {
 public:
  /// `agents` lets runs that stood still go on.
  RunEraser(RunStreams& streams, ActiveRuns& active, const RunKit& kit, Agents& agents)
      : streams_(streams), active_(active), kit_(kit), agents_(agents) {}

  /// Runs that an erasure may concern stand still until `let_go`, and none of the scope begins. kTimeout where one does
  /// not stop; `let_go` all the same.
  Status hold(const ScopeKey& scope, const EraseRequest& what);
  void let_go(const ScopeKey& scope);
  /// Takes the words of erased messages out of streams, kept outputs and files that runs wrote; whole runs where
  /// nothing of them is left. Between `hold` and `let_go`.
  Status erase(const ErasedMessages& gone);
  /// Ids of the questions that runs asked of erased messages; the same before and after they were taken out.
  std::set<std::string> questions_of(const ErasedMessages& gone);

 private:
  using Origins = std::map<std::string, std::vector<std::string>>;  ///< of forks: runs whose words they begin with
  Origins origins();
  Result<std::vector<BusEvent>> events_of(const std::string& run, const std::string& owner);
  Status erase_in_run(const std::string& run, const std::vector<BusEvent>& events,
                      const std::vector<std::string>& origins, const ErasedMessages& gone);
  Status remove_run(const std::string& run, const std::vector<BusEvent>& events, const ErasedMessages& gone);
  Status remove_files(const std::vector<std::pair<std::string, std::string>>& written, const ErasedMessages& gone);

  RunStreams& streams_;
  ActiveRuns& active_;
  const RunKit& kit_;
  Agents& agents_;
};

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
