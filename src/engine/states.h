#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/state_shelf.h"
#include "engine/story_shelf.h"
#include "flow/context/build_context.h"
#include "flow/stream/observe.h"
#include "model/job.h"
#include "weft/request.h"
#include "weft/result.h"
#include "weft/state.h"
#include "weft/value.h"

namespace weft {

struct EngineCore;

/// The kind of jobs that apply an assistant's operations.
inline constexpr const char* kStateKind = "state";

/// The scope of a story and of the world that it plays in. kInvalidArgument for a world's name that is none.
Result<StoryScope> story_scope(const Config& config, const RequestContext& request);

/// States: trees that games and agents keep, each version of them, and what models write into their answers to change
/// them. A scope that plays in a world reads the world's until it has changed anything. Safe from any thread.
class States {
 public:
  explicit States(EngineCore& core);

  // `State` in weft/facets/state.h says what these do.
  Result<StateView> state(const RequestContext& request, const std::string& name, std::int64_t version);
  Result<Value> state_value(const RequestContext& request, const std::string& name, std::string_view path);
  Result<StateView> put_state(const RequestContext& request, const std::string& name, const std::string& json,
                              const std::string& author);
  Result<StateView> apply_state(const RequestContext& request, const std::string& name, const StateChange& change);
  Result<std::vector<StateVersion>> state_log(const RequestContext& request, const std::string& name, std::size_t limit,
                                              std::int64_t before);
  Result<StateView> roll_back_state(const RequestContext& request, const std::string& name, std::int64_t version,
                                    const std::string& author);
  Result<std::string> state_schema(const RequestContext& request, const std::string& name);
  Status put_state_schema(const RequestContext& request, const std::string& name, const std::string& schema,
                          const std::string& author);

  /// Whose state of that name a scope reads: its own once it has changed anything, until then the world's.
  Result<ScopeKey> state_home(const StoryScope& scope, const std::string& name);
  Result<StateView> change_state(const StoryScope& scope, const std::string& name, StateChange change);

  /// What planner and skeleton need of the newest version; null where there is none.
  Result<std::shared_ptr<const StateFacts>> facts_of(const ScopeKey& scope, const std::string& name);

  /// Adds a job for each assistant's message of a change that holds operations, so that they are applied whatever
  /// happens after the message is kept.
  void add_jobs(const RequestContext& request, const SessionId& session, StreamChange& change);
  /// Applies what assistants wrote into messages whose job has not been worked off, and tells `observed` what became of
  /// it.
  void apply_answers(const RequestContext& request, const SessionId& session, std::span<const Message> messages,
                     std::span<Observation> observed);
  /// Applies what one message holds, from its job.
  Status work_off_answer(const Job& job);
  /// Why the operations in the last answer of a history were refused; empty where they were not.
  Result<std::string> refused_answer(const ScopeKey& scope, const SessionId& session, const ContextInput& input);

  StateShelf& shelf() { return shelf_; }

 private:
  Result<std::int64_t> adopt_state(const StoryScope& scope, const std::string& name);
  std::string apply_blocks(const StoryScope& scope, const SessionId& session, const Message& message,
                           const MessageId& id);
  Result<std::string> apply_answer(const StoryScope& scope, const SessionId& session, const Message& message,
                                   const MessageId& id, const JobId& job);

  EngineCore& core_;
  StateShelf shelf_;
};

}  // namespace weft
