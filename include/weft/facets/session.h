#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/block.h"
#include "weft/cognitive.h"
#include "weft/compaction.h"
#include "weft/context.h"
#include "weft/facets/facet.h"
#include "weft/memory.h"
#include "weft/message.h"
#include "weft/task.h"

namespace weft {

/// One conversation: what is said in it, the prompts of its model calls, what it works on. Calls on one session are put
/// in order. An id that is none (see `check_id`) is kInvalidArgument at each call.
class Session : public Facet {
 public:
  const SessionId& id() const { return id_; }

  /// Takes messages into the session's stream; what was said is found at once. All or none of them are kept, and when
  /// this returns they are on disk. A known id is recognised and changes nothing.
  Result<ObserveReport> observe(std::span<const Message> messages) const;
  Result<ObserveReport> observe(std::initializer_list<Message> messages) const;
  Result<ObserveReport> observe(const Message& message) const;

  /// Takes a client's whole history, as chat clients send it: known messages are recognised, new ones observed, and
  /// when the client has edited or regenerated, the branch is followed and what the old one left behind is no longer
  /// recalled.
  Result<SyncReport> sync(std::span<const Message> history) const;

  /// Closes the open topic now. Gives nothing in `flushed` when there was none.
  Result<ObserveReport> save() const;

  /// Weaves the prompt of the next model call.
  Result<WovenContext> context(const ContextRequest& what = {}) const;
  /// The same for a user's new message and nothing else. It is not observed by that: observe it when it was answered.
  Result<WovenContext> context(std::string_view input) const;

  /// What stands in every prompt of the session as it is and is never trimmed: the rules of the workspace's own files
  /// and the session's task. Empty where there is nothing of the kind.
  Result<std::string> standing_text() const;

  /// Ends an agent's turn: what it did and what it learnt is queued for the historian, durably, before this returns.
  /// Nothing is queued where both texts are empty. kConflict while a tool call has no output (unless forced) and for a
  /// second `new_info` of one message.
  Result<EndReport> end(const EndRequest& what) const;

  /// The active messages, oldest first; at most `limit` of the newest, of those whose number (see
  /// `StoredMessage::sequence`) is below `before`; 0: of all.
  Result<std::vector<StoredMessage>> history(std::size_t limit = 1000, std::int64_t before = 0) const;

  /// What the session works on; empty where there is no task, or it was ended.
  Result<SessionTask> task() const;
  /// Sets it in the place of what stood there. It is in every prompt of the session until `end_task`.
  Status set_task(const SessionTask& task) const;
  /// Ends it. Gives whether there was one.
  Result<bool> end_task() const;

  /// Puts a summary in the place of older turns, for the prompts to come. The originals stay.
  Result<Compaction> compact(const CompactRequest& what = {}) const;
  /// The compactions, oldest first; one that was undone says so.
  Result<std::vector<Compaction>> compactions() const;
  /// Takes the newest one back: what it stands for is sent as it was said again. kNotFound where there is none.
  Result<Compaction> undo_compaction() const;

 private:
  friend class Engine;
  Session(const Services& services, Caller caller, SessionId id)
      : Facet(services, std::move(caller)), id_(std::move(id)) {}

  SessionId id_;
};

}  // namespace weft
