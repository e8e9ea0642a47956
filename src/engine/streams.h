#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/call_context.h"
#include "base/clock.h"
#include "base/threads.h"
#include "engine/historian.h"
#include "engine/serving.h"
#include "engine/sessions.h"
#include "engine/states.h"
#include "flow/stream/conversation.h"
#include "flow/stream/observe.h"
#include "weft/block.h"
#include "weft/config.h"
#include "weft/message.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

class ChatModel;

/// Running summaries by a model, made while their topic is still open, so that the cut waits for nobody: a topic that
/// is nearly full is summarised in the background, and what is ready when it is cut leads the next one. What is not
/// ready in time, or tells less than it should, is made without a model, as ever. Safe from many threads.
class LeadMaker {
 public:
  LeadMaker(const Config& config, ChatModel* model) : config_(config), model_(model) {}

  /// Asks for the summary of a topic that is nearly full. True: `work` has something to do.
  bool prepare(const TopicId& topic, const std::vector<LogicalBlock>& blocks, const std::string& lead);
  /// The summary of the topic where one is ready, with the blocks that came since in the floor's words behind it.
  std::optional<std::string> take(const TopicId& topic, const std::vector<LogicalBlock>& blocks,
                                  std::int64_t max_tokens);
  /// Forgets all: something that was said has been erased.
  void forget() { *state_.lock() = State(); }
  /// Makes what was asked for. For one thread; may take as long as the model.
  void work(std::stop_token stop);

 private:
  struct Wish {
    TopicId topic;
    std::vector<LogicalBlock> blocks;
    std::string lead;
    CallContext context;  ///< of who asked for it
  };
  struct Ready {
    std::size_t blocks = 0;  ///< of the topic that the summary tells of
    std::string text;        ///< empty: it is being made
  };
  struct State {
    std::deque<Wish> wishes;
    std::map<TopicId, Ready> ready;
  };

  const Config& config_;
  ChatModel* model_;
  Sync<State> state_;
};

struct EngineCore;

/// The streams of sessions: messages come in, turns become blocks, blocks topics, and what is closed is queued for the
/// historian. A call waits until its messages are kept; a thread of its own decides the topics. Calls on one session
/// are put in order; safe from any thread.
class Streams {
 public:
  /// `leads` is null where running summaries are made without a model.
  Streams(EngineCore& core, SaidMemory& said, States& states, LeadMaker* leads)
      : core_(core), said_(said), states_(states), leads_(leads) {}

  // `Session` in weft/facets/session.h says what these do.
  Result<ObserveReport> observe(const RequestContext& request, const SessionId& session,
                                std::span<const Message> messages);
  Result<SyncReport> sync(const RequestContext& request, const SessionId& session, std::span<const Message> history);
  Result<SessionId> conversation_of(const RequestContext& request, std::span<const Message> history,
                                    std::span<const SessionId> busy);
  Result<ObserveReport> save(const RequestContext& request, const SessionId& session);

  using MakeChange = std::function<Status(const StreamPorts& ports, SessionState& state, StreamChange& change)>;

  /// Makes a change of a session's stream and keeps it: written together with its jobs, then made findable.
  Status change_stream(SessionTable::Held& held, StreamChange& change, const MakeChange& make);

  /// Decides the topics of blocks that were closed, a few of each session in turn, until none waits. Gives when to look
  /// again after a failure.
  std::optional<std::chrono::milliseconds> place_blocks(std::stop_token stop);

  /// To be called once, before messages come: from the store, which sessions have something open. Blocks that wait for
  /// an answer have their whole time from now.
  Status load_open_sessions();

  /// Closes what nothing has come to for a while: topics, and blocks that wait for an answer that does not come. Gives
  /// when the next one is due.
  std::optional<std::chrono::milliseconds> close_idle(std::stop_token stop);

 private:
  StreamPorts stream_ports(const Serving& serving);
  Result<ObserveReport> take_messages(const RequestContext& request, const SessionId& session,
                                      std::span<const Message> messages);
  Status take_in(const RequestContext& request, const StreamPorts& ports, SessionState& state,
                 std::span<const Incoming> incoming, StreamChange& change);
  Result<bool> place(const ScopeKey& scope, const SessionId& session, const Deadline& deadline);
  bool encode_for_topics(Embedder* embedder, const std::vector<std::string>& texts, const Deadline& deadline);
  Status name_speakers(const SessionState& state, std::span<Message> said);
  Result<bool> keep(const Serving& serving, SessionTable::Held& held, StreamChange& change);
  Result<bool> replaces_opening(const SessionState& state, std::span<const Message> spoken);
  Result<bool> others_spoke(const SessionState& state, const Scope& scope, std::size_t from);
  Result<Alignment> align(const SessionState& state, const Scope& scope, std::span<const Message> spoken);
  void foresee_query(const ScopeKey& scope, const SessionId& session, std::span<const Message> spoken);
  Status reactivate_items(const SessionState& state, std::span<const Incoming> incoming, StreamChange& change);
  void note_touched(const SessionState& state);
  bool close_if_idle(const ScopeKey& scope, const SessionId& session, std::int64_t idle_ms);

  EngineCore& core_;
  SaidMemory& said_;
  States& states_;
  LeadMaker* leads_;
  QueryForesight foresight_;
  /// Sessions with an open topic or a block that waits for an answer, and when something came to it last by the
  /// engine's clock.
  Sync<std::map<SessionKey, std::int64_t>> touched_;
  std::int64_t none_idle_before_ms_ = 0;  ///< of the thread that closes what is idle
  /// Since the encoder did not answer in time: until when it is not asked, and how long it is let alone the next time.
  struct Away {
    std::chrono::steady_clock::time_point until = {};
    std::chrono::milliseconds pause{5000};
  };
  Sync<Away> encoder_away_;
  std::chrono::milliseconds place_pause_{500};  ///< of the thread that places blocks, the last one after a failure
};

}  // namespace weft
