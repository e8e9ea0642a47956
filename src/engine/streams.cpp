#include "engine/streams.h"

#include <algorithm>
#include <set>
#include <thread>
#include <unordered_set>

#include "base/call_context.h"
#include "base/fault_point.h"
#include "base/log.h"
#include "base/prompts.h"
#include "base/strings.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/sessions.h"
#include "flow/context/memory_section.h"
#include "flow/historian/rewrite.h"
#include "flow/recall/item_words.h"
#include "flow/stream/conversation.h"
#include "flow/stream/observe.h"
#include "model/message_reader.h"
#include "model/records.h"
#include "ports/chat/chat_model.h"
#include "text/markup.h"
#include "text/speaker_prefix.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostReady = 256;
constexpr std::size_t kMostBytes = 1200;  // shown of each message
constexpr std::size_t kShortest = 20;     // bytes; less is no summary

std::string shown(const std::vector<LogicalBlock>& blocks, const std::string& lead) {
  std::string text = lead.empty() ? "" : lead + "\n";
  const auto line = [&text](std::string_view who, const std::string& said) {
    text += std::string(who) + ": " + std::string(cut_bytes(said, kMostBytes)) + "\n";
  };
  for (const LogicalBlock& block : blocks) {
    if (block.user_block) line("user", block.user_block->content);
    for (const Triplet& step : block.execution_chain)
      if (step.call) line("call", step.call->name + " " + step.call->arguments);
    if (block.response_block) line("assistant", block.response_block->content);
  }
  return text;
}

}  // namespace

bool LeadMaker::prepare(const TopicId& topic, const std::vector<LogicalBlock>& blocks, const std::string& lead) {
  auto state = state_.lock();
  if (state->ready.contains(topic)) return false;
  if (state->ready.size() >= kMostReady) state->ready.clear();
  state->ready[topic] = {};
  state->wishes.push_back({topic, blocks, lead, CallContext::to_hand_over()});
  return true;
}

std::optional<std::string> LeadMaker::take(const TopicId& topic, const std::vector<LogicalBlock>& blocks,
                                           std::int64_t max_tokens) {
  Ready ready;
  {
    auto state = state_.lock();
    const auto at = state->ready.find(topic);
    if (at == state->ready.end()) return std::nullopt;
    ready = std::move(at->second);
    state->ready.erase(at);
  }
  if (ready.text.empty() || ready.blocks > blocks.size()) return std::nullopt;
  if (ready.blocks == blocks.size()) return ready.text;
  const std::vector<LogicalBlock> since(blocks.begin() + static_cast<std::ptrdiff_t>(ready.blocks), blocks.end());
  const std::string more = running_summary(since, "", max_tokens / 2);
  return more.empty() ? ready.text : ready.text + "\n" + more;
}

void LeadMaker::work(std::stop_token stop) {
  while (!stop.stop_requested()) {
    Wish wish;
    {
      auto state = state_.lock();
      if (state->wishes.empty()) return;
      wish = std::move(state->wishes.front());
      state->wishes.pop_front();
    }
    const CallScope call(wish.context);
    const std::string talk = shown(wish.blocks, wish.lead);
    ChatRequest request;
    request.max_tokens = config_.historian.summary_tokens * 2;
    request.messages = {
        make_message(
            Role::kSystem,
            std::string(shipped_prompt("summary", language_of(talk) == Language::kChinese ? "zh" : "en").text)),
        make_message(Role::kUser, talk)};
    const auto limit = std::chrono::milliseconds(config_.cognitive.model_timeout_ms);
    const auto reply = model_->complete(request, Deadline({}, stop).within(limit));
    auto state = state_.lock();
    const auto at = state->ready.find(wish.topic);
    if (at == state->ready.end()) continue;  // cut meanwhile
    // What was added is worse than what is left out: a number or a name that nobody said.
    const bool taken = reply.ok() && reply->message.content.size() >= kShortest &&
                       missing_facts(facts_to_keep(reply->message.content, {}), talk).empty();
    if (!taken) {
      log_warning("stream.summary", "a running summary is made without the model: " +
                                        (reply.ok() ? std::string("its answer tells what nobody said, or nothing")
                                                    : reply.error().message));
      continue;  // asked once a topic
    }
    at->second = {wish.blocks.size(), reply->message.content};
  }
}

namespace {

constexpr std::size_t kSpeakersFrom = 40;  // newest messages whose prefixes are compared
constexpr std::size_t kPlacedAtOnce = 16;    // blocks of a session that are placed in one transaction
constexpr std::size_t kSessionsAtOnce = 64;  // sessions that are looked for at once
constexpr unsigned kMostLost = 50;                // times that another program was faster
constexpr std::chrono::milliseconds kUntilLoaded{250};
constexpr std::chrono::milliseconds kFirstPause{1000}, kLongestPause{60'000};  // after a failure; it doubles

// A request without `said_at` brings new messages, which no erasure covers.
ErasureGate::Late enter(ErasureGate& gate, const RequestContext& request) {
  return request.said_at ? gate.late(request.scope.key(), *request.said_at) : ErasureGate::Late();
}

// Whether a message says what an erasure since its call covers. Thoughts are left out: they can go alone.
bool is_covered(const ErasureGate::Late& late, const Message& message) {
  if (late.is_erased) return true;
  if (message.role == Role::kUser) return false;
  return late.quotes(split_thoughts(message.content).said) ||
         std::any_of(message.tool_calls.begin(), message.tool_calls.end(),
                     [&](const ToolCall& call) { return late.quotes(call.arguments); });
}

// Takes out thoughts that quote an erased message.
Message without_covered_thoughts(const ErasureGate::Late& late, Message message) {
  if (message.role != Role::kAssistant) return message;
  if (late.quotes(message.content)) part_thoughts(message);
  if (!late.quotes(message.reasoning)) return message;
  message.reasoning.clear();
  message.raw.clear();
  return message;
}

// Marks covered messages that were never stored as erased, so that a history that is sent again does not bring them in.
Status note_covered(Store& store, const ScopeKey& scope, const ErasureGate::Late& late,
                    std::span<const Message> messages) {
  WriteBatch batch;
  for (const Message& message : messages) {
    if (!is_covered(late, message)) continue;
    WEFT_TRY(const auto kept, store.messages().with_digest(scope, digest_of(message), 1));
    if (kept.empty()) note_never_kept(scope, message, batch);
  }
  return batch.empty() ? Status() : store.write(batch);
}

// An export has each conversation from its first message on, so that nothing else can stand before it.
Alignment align_from_start(const std::vector<PathNode>& path, std::span<const std::uint64_t> history) {
  Alignment alignment;
  while (alignment.known < std::min(path.size(), history.size()) &&
         path[alignment.known].digest == history[alignment.known])
    ++alignment.known;
  alignment.keep = alignment.known;
  return alignment;
}

// Sets the sender of each message that names none. In private only the scope's user speaks. In a group the caller does,
// and whoever is called otherwise than the caller's own message in the same call is another member, whose id the call
// does not say.
void set_senders(const Scope& scope, std::span<Message> messages) {
  const auto is_own = [](const Message& one) { return one.role == Role::kUser && one.sender_id.empty(); };
  const auto own = std::find_if(messages.rbegin(), messages.rend(), is_own);
  const std::string name = own == messages.rend() ? std::string() : own->name;
  for (Message& message : messages) {
    if (message.role != Role::kUser)
      message.sender_id = UserId();
    else if (!scope.is_group() || (message.sender_id.empty() && message.name == name))
      message.sender_id = scope.user();
  }
}

// The same of a history that is sent again. In a group any member may have said what stands before the newest turn.
void set_senders_of_history(const Scope& scope, std::span<Message> history) {
  auto first = history.end();
  for (auto at = history.end(); scope.is_group() && at != history.begin();) {
    const bool user = (--at)->role == Role::kUser;
    if (user) first = at;
    if (!user && first != history.end()) break;
  }
  set_senders(scope, std::span(scope.is_group() ? first : history.begin(), history.end()));
}

std::vector<Message> chosen(std::span<const Message> messages, std::span<const std::size_t> places) {
  std::vector<Message> some;
  for (const std::size_t place : places) some.push_back(messages[place]);
  return some;
}

constexpr std::int64_t kTryAgainMs = 5000;  // after a flush that failed

// An agent may be at work for longer than the idle time; a question without an answer is not worked on.
bool waits_in_vain(const SessionState& state) {
  const LogicalBlock* open = state.parser.open();
  return open != nullptr && open->execution_chain.empty() && !open->response_block;
}

// By what is kept of it, for a session that may have gone on at another server.
std::int64_t last_touched(const SessionState& state) {
  const LogicalBlock* open = state.parser.open();
  return std::max(state.topic ? state.topic->row.touched_ms : 0, open != nullptr ? open->timestamp.ms : 0);
}

}  // namespace

Result<ObserveReport> Streams::observe(const RequestContext& request, const SessionId& session,
                                       std::span<const Message> messages) {
  const Timed timed(core_.metrics.observe_time);
  const TraceSpan span("weft.observe");
  WEFT_CHECK(check_id(session.str(), "session id"));
  const auto late = enter(core_.erasure_gate, request);
  if (!late.any()) return take_messages(request, session, messages);
  WEFT_CHECK(note_covered(*core_.store, request.scope.key(), late, messages));
  std::vector<Message> left;
  for (const Message& message : messages) {
    const bool answers = message.role != Role::kUser && late.answers(session);
    if (!answers && !is_covered(late, message)) left.push_back(without_covered_thoughts(late, message));
  }
  return left.empty() ? ObserveReport() : take_messages(request, session, left);
}

Result<ObserveReport> Streams::take_messages(const RequestContext& request, const SessionId& session,
                                             std::span<const Message> messages) {
  WEFT_TRY(auto held, core_.sessions->hold(request.scope.key(), session));
  std::vector<Message> said(messages.begin(), messages.end());
  WEFT_CHECK(name_speakers(*held, said));
  set_senders(request.scope, said);
  std::vector<Incoming> incoming;
  for (Message& message : said) incoming.push_back({std::move(message), 0});
  StreamChange change;
  WEFT_CHECK(change_stream(held, change, [&](const StreamPorts& ports, SessionState& state, StreamChange& made) {
    return take_in(request, ports, state, incoming, made);
  }));
  states_.apply_answers(request, session, messages, change.report.observations);
  return std::move(change.report);
}

// Parses messages and adds the jobs that follow. Topics are decided later, unless the caller waits for them.
Status Streams::take_in(const RequestContext& request, const StreamPorts& ports, SessionState& state,
                        std::span<const Incoming> incoming, StreamChange& change) {
  const Deadline deadline(request.deadline, request.cancel);
  WEFT_CHECK(weft::observe(ports, deadline, state, incoming, change));
  if (request.await_decisions) place_waiting(ports, deadline, state, state.waiting.size(), change);
  said_.add_job(request, state.row.session, change);
  states_.add_jobs(request, state.row.session, change);
  return {};
}

// Names the speaker of each message that has no name but a prefix which recurs in the session, or which names a known
// speaker of the scope. Whoever is named by an id wrote the message, whatever name it begins with. Only the display
// name is read from the text, never an id. All is derived from kept messages, so a restart changes nothing.
Status Streams::name_speakers(const SessionState& state, std::span<Message> said) {
  const auto is_open = [](const Message& one) {
    return one.name.empty() && one.sender_id.empty() && (one.role == Role::kUser || one.role == Role::kAssistant) &&
           one.tool_calls.empty() && speaker_prefix(one.content).has_value();
  };
  if (std::none_of(said.begin(), said.end(), is_open)) return {};
  std::vector<MessageRow> before;
  if (!state.path.empty()) {
    const std::size_t first = state.path.size() - std::min(state.path.size(), kSpeakersFrom);
    WEFT_TRY(before, core_.store->messages().range(state.row.scope, state.row.session, state.path[first].seq,
                                                   state.path.back().seq));
  }
  std::vector<PrefixedText> texts;
  const auto add = [&texts](const Message& one) {
    if ((one.role == Role::kUser || one.role == Role::kAssistant) && !one.content.empty())
      texts.push_back({one.content, one.role == Role::kAssistant});
  };
  for (const MessageRow& row : before)
    if (row.active) add(row.message);
  for (const Message& one : said) add(one);
  std::vector<std::string> names = recurring_speakers(texts);
  WEFT_TRY(const auto index, core_.change->serving()->memory.index_of(state.row.scope));
  for (std::string& known : index->speakers()) names.push_back(std::move(known));
  for (Message& one : said) {
    if (!is_open(one)) continue;
    const std::string_view name = speaker_prefix(one.content)->name;
    if (std::find(names.begin(), names.end(), name) != names.end()) one.name = std::string(name);
  }
  return {};
}

// Makes a change of the stream and keeps it. It is made once more where another embedder began to serve before it was
// kept, since a topic's trace must not hold vectors of two models, and where another program has written the session
// since it was read.
Status Streams::change_stream(SessionTable::Held& held, StreamChange& change, const MakeChange& make) {
  // A change in memory that was not kept is undone.
  bool is_kept = false;
  const AtEnd undo([&] {
    if (!is_kept) held.forget();
  });
  for (unsigned lost = 0;;) {
    const auto serving = core_.change->serving();
    change = {};
    WEFT_CHECK(held.refresh());
    const StreamPorts ports = stream_ports(*serving);
    WEFT_CHECK(make(ports, *held, change));
    const auto kept = keep(*serving, held, change);
    if (!kept.ok() && (kept.error().code != ErrorCode::kConflict || ++lost == kMostLost)) return kept.error();
    is_kept = kept.ok() && *kept;
    if (is_kept) return {};
    held.forget();
    // Not all who have lost try again at the same moment.
    if (lost > 1) std::this_thread::sleep_for(std::chrono::microseconds(thread_chance()() % (2000U * lost)));
  }
}

// Written together with the jobs that follow from it, then made findable: what is told is on disk. False, and nothing
// is written, where `serving` serves no longer.
Result<bool> Streams::keep(const Serving& serving, SessionTable::Held& held, StreamChange& change) {
  for (const MessageRow& message : change.batch.messages)
    add_message_items(core_.config.limits, message, change.batch.items);
  WEFT_CHECK(core_.number(change.batch.items));
  const std::int64_t now_ms = change.batch.now_ms = core_.clock->now().ms;
  for (const DocumentRow& row : change.batch.documents)
    if (row.kind == decision_kind(held->row.session))
      change.batch.log.push_back({row.scope, 0, LogKind::kTurn, held->row.session, row.id, 0});
  std::vector<Job> jobs;
  for (const TopicRow& topic : change.flushed) {
    jobs.push_back(topic_job(topic, now_ms));
    // A topic that lost blocks to another branch was closed before.
    if (topic.reason != FlushReason::kBranch)
      change.batch.log.push_back({topic.scope, 0, LogKind::kTopicClosed, topic.session, topic.id.str(), 0});
  }
  change.batch.jobs.insert(change.batch.jobs.begin(), jobs.begin(), jobs.end());
  {
    const auto pass = core_.change->gate().enter();
    if (!core_.change->is_serving(serving)) return false;
    WEFT_CHECK(core_.store->write(change.batch));
    kill_point(FaultPoint::kStreamKept);
    if (!change.batch.sessions.empty()) held->row.version = change.batch.sessions.front().next_version();
    ScopeMemory& memory = core_.change->serving()->memory;
    memory.added(change.batch.items);
    memory.set_active(held->row.scope, change.batch.item_active);
  }
  if (!change.batch.item_active.empty()) core_.prompts.forget_memories(prompt_key(held->row.scope, {}));
  const auto& active = change.batch.message_active;
  if (std::any_of(active.begin(), active.end(), [](const auto& one) { return !one.second; }))
    core_.facts->forget(held->row.scope);
  if (!change.batch.jobs.empty()) core_.jobs_came();
  if (!change.batch.items.empty()) core_.indexer.wake();
  note_touched(*held);
  if (!held->waiting.empty()) core_.segmenter.wake();
  constexpr double kNearlyFull = 0.6;
  if (leads_ && held->topic &&
      static_cast<double>(held->topic->row.tokens) >
          kNearlyFull * static_cast<double>(core_.config.stream.max_processing_tokens) &&
      leads_->prepare(held->topic->row.id, held->topic->blocks, held->topic->row.lead))
    core_.lead_maker.wake();
  if (!change.batch.topics.empty() || !change.batch.blocks.empty()) core_.idle.wake();
  return true;
}

Result<ObserveReport> Streams::save(const RequestContext& request, const SessionId& session) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  const Deadline deadline(request.deadline, request.cancel);
  // Most of what waits is placed while others may go on with the session.
  for (bool more = true; more && !deadline.passed();) {
    WEFT_TRY(more, place(request.scope.key(), session, deadline));
  }
  WEFT_TRY(auto held, core_.sessions->hold(request.scope.key(), session));
  StreamChange change;
  WEFT_CHECK(change_stream(held, change, [&](const StreamPorts& ports, SessionState& state, StreamChange& made) {
    flush_session(ports, deadline, state, FlushReason::kSave, made);
    return Status();
  }));
  return std::move(change.report);
}

// A first message that stands alone and is not known: edited, with all that followed it, or something new? Something
// new it is where its text is another one: a chat that is begun anew under the same name takes nothing back. So it is
// after the first turn where the client was never seen to send its history again: it sends only what is new.
Result<bool> Streams::replaces_opening(const SessionState& state, std::span<const Message> spoken) {
  if (state.path.empty() || spoken.size() != 1 || spoken[0].role != Role::kUser) return false;
  if (state.path.front().role != Role::kUser) return false;
  const auto users = std::count_if(state.path.begin(), state.path.end(),
                                   [](const PathNode& node) { return node.role == Role::kUser; });
  if (users != 1 && !state.row.resent) return false;
  const std::int64_t seq = state.path.front().seq;
  WEFT_TRY(const auto first, core_.store->messages().range(state.row.scope, state.row.session, seq, seq));
  return !first.empty() && is_edit_of(spoken[0].content, first.front().message.content);
}

// A member of a group cannot retract messages of others by sending a history without them.
Result<bool> Streams::others_spoke(const SessionState& state, const Scope& scope, std::size_t from) {
  if (!scope.is_group()) return false;
  WEFT_TRY(const auto left, core_.store->messages().range(state.row.scope, state.row.session, state.path[from].seq,
                                                          state.path.back().seq));
  return std::any_of(left.begin(), left.end(), [&](const MessageRow& row) {
    return row.active && row.message.role == Role::kUser && row.message.sender_id != scope.user();
  });
}

Result<Alignment> Streams::align(const SessionState& state, const Scope& scope, std::span<const Message> spoken) {
  std::vector<std::uint64_t> digests;
  for (const Message& message : spoken) digests.push_back(digest_of(message));
  const bool whole = is_imported(state.row.session);
  Alignment alignment = whole ? align_from_start(state.path, digests) : align_history(state.path, digests);
  if (alignment.known == 0 && alignment.keep > 0) {
    WEFT_TRY(const bool edited, replaces_opening(state, spoken));
    if (edited) alignment.keep = 0;
  }
  if (alignment.keep < state.path.size() && !whole) {
    WEFT_TRY(const bool of_others, others_spoke(state, scope, alignment.keep));
    if (of_others) alignment.keep = state.path.size();
  }
  return alignment;
}

Result<SessionId> Streams::conversation_of(const RequestContext& request, std::span<const Message> history,
                                           std::span<const SessionId> busy) {
  std::vector<Message> spoken;
  for (const Message& message : history)
    if (message.role != Role::kSystem) spoken.push_back(message);
  WEFT_TRY(const LeftHistory left, without_erased(*core_.store, request.scope.key(), spoken));
  return Conversations(*core_.store, *core_.sessions, *core_.clock)
      .find(request.scope.key(), chosen(spoken, left.places), left.chains, busy);
}

// Whoever sends a history that ends with the user's words asks for a context next: the encoder need not wait for the
// disk.
void Streams::foresee_query(const ScopeKey& scope, const SessionId& session, std::span<const Message> spoken) {
  if (spoken.empty() || spoken.back().role != Role::kUser) return;
  const auto task = core_.tasks->task(scope, session);
  foresight_.expect(core_.change->serving(), scope,
                    memory_query(spoken.back().content, task.ok() ? task->state : TaskState()));
}

Result<SyncReport> Streams::sync(const RequestContext& request, const SessionId& session,
                                 std::span<const Message> history) {
  const Timed timed(core_.metrics.sync_time);
  const TraceSpan span("weft.observe");
  WEFT_CHECK(check_id(session.str(), "session id"));
  const auto late = enter(core_.erasure_gate, request);
  WEFT_CHECK(note_covered(*core_.store, request.scope.key(), late, history));
  if (late.is_erased) return SyncReport();
  foresee_query(request.scope.key(), session, history);
  WEFT_TRY(auto held, core_.sessions->hold(request.scope.key(), session));
  SyncReport report;
  std::vector<Message> spoken;
  std::vector<Message> system;
  for (const Message& message : history) (message.role == Role::kSystem ? system : spoken).push_back(message);
  WEFT_CHECK(name_speakers(*held, spoken));
  set_senders_of_history(request.scope, spoken);
  // An import may bring back what was erased: that is what it is called for.
  LeftHistory left;
  if (!is_imported(session)) {
    WEFT_TRY(left, without_erased(*core_.store, request.scope.key(), spoken));
    spoken = chosen(spoken, left.places);
  }
  // Compares the history with the session.
  Alignment alignment;
  std::vector<Message> rest;
  std::vector<std::uint64_t> chains;
  bool says_again = false, has_new_system = false;
  const auto compare = [&](const SessionState& state) -> Status {
    WEFT_TRY(alignment, align(state, request.scope, spoken));
    rest = spoken;
    chains = left.chains;
    says_again = left.says_again;
    // `without_erased` always keeps the newest message. It goes if it is new and the erasure covers it.
    if (alignment.known < spoken.size() && is_covered(late, spoken.back())) {
      rest.pop_back();
      if (!chains.empty()) chains.pop_back();
      says_again = false;
    }
    report.known = alignment.known;
    report.abandoned = state.path.size() - alignment.keep;
    rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(report.known));
    // A client's own ids in a resent history need not be unique over branches; recognising is by content. Whoever
    // imports gives ids that are.
    if (!is_imported(session))
      for (Message& message : rest) message.id = {};
    report.added = rest.size();
    has_new_system = !system.empty() && system.back().content != state.row.system;
    return {};
  };
  WEFT_CHECK(compare(*held));
  const std::int64_t compared = held->row.version;
  if (rest.empty() && !has_new_system && report.abandoned == 0) return report;
  // Leaving a branch and going on with another is one change: where the new one is refused the old one stays.
  StreamChange change;
  std::vector<Incoming> incoming;
  const auto take_rest = [&](const StreamPorts& ports, SessionState& state, StreamChange& made) -> Status {
    if (state.row.version != compared) WEFT_CHECK(compare(state));  // another program has written the session
    WEFT_CHECK(rewind(ports, state, alignment.keep, made));
    WEFT_TRY(incoming, follow_branch(*core_.store, state, rest));
    for (std::size_t i = 0; left.has_gaps && i < incoming.size(); ++i) incoming[i].chain = chains[report.known + i];
    if (says_again) note_said_again(request.scope.key(), chains.back(), made.batch);
    if (has_new_system) incoming.insert(incoming.begin(), Incoming{system.back()});
    if (report.known > 0) state.row.resent = true;
    WEFT_CHECK(take_in(request, ports, state, incoming, made));
    return reactivate_items(state, incoming, made);
  };
  WEFT_CHECK(change_stream(held, change, take_rest));
  report.observed = std::move(change.report);
  std::vector<Message> said;
  for (const Incoming& one : incoming) said.push_back(one.message);
  states_.apply_answers(request, session, said, report.observed.observations);
  return report;
}

// Messages that came back from a branch that had been left bring their items back.
Status Streams::reactivate_items(const SessionState& state, std::span<const Incoming> incoming, StreamChange& change) {
  std::unordered_set<MessageId> back;
  for (const Incoming& message : incoming) {
    if (message.seq != 0) back.insert(message.message.id);
  }
  if (back.empty()) return {};
  WEFT_TRY(const auto items, core_.store->items().of_session(state.row.scope, state.row.session));
  for (const ItemRow& item : items) {
    const bool own = item.item.kind == ItemKind::kMessage && item.item.sources.size() == 1 &&
                     back.contains(item.item.sources.front());
    if (own && !item.active) change.batch.item_active.emplace_back(item.row, true);
  }
  return {};
}

// The encoder reads the texts while nobody holds the session, and remembers their vectors for when it is held. Gives
// whether more blocks of the session wait.
Result<bool> Streams::place(const ScopeKey& scope, const SessionId& session, const Deadline& deadline) {
  StreamRows& streams = core_.store->streams();
  WEFT_TRY(auto waiting, streams.waiting_blocks(scope, session));
  if (waiting.empty()) return false;
  const auto serving = core_.change->serving();
  std::vector<std::string> texts;
  {
    WEFT_TRY(auto held, core_.sessions->hold(scope, session));
    texts = texts_to_place(serving->adsorber, *held, kPlacedAtOnce);
  }
  const bool answers = encode_for_topics(serving->embedder(), texts, deadline);
  // Where the program ends they wait for its next start, since words alone would decide now.
  if (deadline.cancelled()) return false;
  WEFT_TRY(auto held, core_.sessions->hold(scope, session));
  WEFT_TRY(waiting, streams.waiting_blocks(scope, session));
  if (waiting.empty()) return false;
  if (held->waiting.empty()) held.forget();  // it is read again, since the rows say that something waits
  StreamChange change;
  const auto place_some = [&](StreamPorts ports, SessionState& state, StreamChange& made) -> Status {
    made.batch.repeatable = true;
    if (!answers) ports.embedder = nullptr;
    place_waiting(ports, deadline, state, kPlacedAtOnce, made);
    if (!made.batch.blocks.empty()) return {};
    // Blocks without a message that is active would wait for ever. Those that were placed meanwhile do not wait.
    WEFT_TRY(const auto rows, streams.waiting_blocks(scope, session));
    if (rows.empty()) made = {};
    for (BlockRow row : rows) {
      row.active = false;
      made.set(std::move(row));
    }
    return {};
  };
  WEFT_CHECK(change_stream(held, change, place_some));
  return !held->waiting.empty();
}

// False where the encoder does not answer in time. It is asked again after a pause; until then words decide at once, so
// that an encoder that hangs holds up no conversation for long.
bool Streams::encode_for_topics(Embedder* embedder, const std::vector<std::string>& texts, const Deadline& deadline) {
  if (embedder == nullptr) return true;
  const Away away = *encoder_away_.lock();
  if (away.until > std::chrono::steady_clock::now()) return false;
  for (const std::string& text : texts) {
    const Deadline patience = deadline.within(kEmbedPatience);
    if (text.empty() || embedder->embed(text, EmbedUse::kCompare, patience).ok()) continue;
    if (deadline.passed()) return true;
    if (!patience.passed()) break;
    log_warning("segment.embed", "the embedding model does not answer in time: topics are decided by words");
    *encoder_away_.lock() = {std::chrono::steady_clock::now() + away.pause, std::min(2 * away.pause, kLongestPause)};
    core_.topics_by_words = true;
    return false;
  }
  *encoder_away_.lock() = Away();
  core_.topics_by_words = false;
  return true;
}

// Round after round over the sessions in the order of their keys. A session that fails holds up no other one.
std::optional<std::chrono::milliseconds> Streams::place_blocks(std::stop_token stop) {
  std::optional<SessionKey> last;
  bool failed = false;
  while (!stop.stop_requested()) {
    const auto sessions = core_.store->streams().sessions_with_waiting_blocks(last, kSessionsAtOnce);
    if (!sessions.ok()) log_error("segment.read", sessions.error().message);
    failed = failed || !sessions.ok();
    if (!sessions.ok() || sessions->empty()) {
      if (failed) return place_pause_ = std::min(2 * place_pause_, kLongestPause);
      place_pause_ = kFirstPause / 2;
      if (!last) break;
      last.reset();
      continue;
    }
    if (core_.change->serving()->model.state() == "loading") return kUntilLoaded;
    for (const auto& [scope, session] : *sessions) {
      if (stop.stop_requested()) return std::nullopt;
      const auto placed = guarded("placing blocks", [&] { return place(scope, session, Deadline({}, stop)); });
      if (placed.ok()) continue;
      log_error("segment.place", scope.str() + "/" + session.str() + ": " + placed.error().message);
      failed = true;
    }
    last = sessions->back();
  }
  return std::nullopt;
}

StreamPorts Streams::stream_ports(const Serving& serving) {
  return {core_.config,
          *core_.store,
          serving.embedder(),
          serving.adsorber,
          core_.models->tokens(),
          *core_.clock,
          [this](const OpenTopic& topic) -> std::optional<std::string> {
            if (!leads_) return std::nullopt;
            return leads_->take(topic.row.id, topic.blocks, core_.config.historian.summary_tokens);
          }};
}

// Closing what nothing has come to for a while: topics, and blocks that wait for an answer that does not come.

void Streams::note_touched(const SessionState& state) {
  const std::int64_t topic = state.topic ? state.topic->row.touched_ms : 0;
  const std::int64_t last = waits_in_vain(state) ? std::max(topic, core_.clock->now().ms) : topic;
  auto touched = touched_.lock();
  if (last == 0)
    touched->erase({state.row.scope, state.row.session});
  else
    (*touched)[{state.row.scope, state.row.session}] = last;
}

Status Streams::load_open_sessions() {
  WEFT_TRY(const auto open, core_.store->streams().open_sessions());
  auto touched = touched_.lock();
  for (const OpenSession& one : open)
    touched->try_emplace(one.session, one.touched_ms > 0 ? one.touched_ms : core_.clock->now().ms);
  return {};
}

// False where it could not be kept: it is tried again.
bool Streams::close_if_idle(const ScopeKey& scope, const SessionId& session, std::int64_t idle_ms) {
  auto held = core_.sessions->hold(scope, session);
  if (!held.ok()) {
    log_error("idle.flush", held.error().message);
    return false;
  }
  {
    // Something may have come to it, or it was erased.
    auto touched = touched_.lock();
    const auto at = touched->find({scope, session});
    if (at == touched->end() || at->second + idle_ms > core_.clock->now().ms) return true;
    if (!(*held)->topic && !waits_in_vain(**held)) {
      touched->erase(at);
      return true;
    }
  }
  StreamChange change;
  if (core_.store->is_shared()) held->forget();  // it may have gone on at another server
  const auto kept =
      change_stream(*held, change, [&](const StreamPorts& ports, SessionState& state, StreamChange& made) {
        const bool is_over =
            !state.topic && !state.parser.open() && state.waiting.empty();  // closed or erased elsewhere
        if (is_over || (core_.store->is_shared() && last_touched(state) + idle_ms > core_.clock->now().ms))
          return Status();
        flush_session(ports, Deadline(), state, FlushReason::kIdle, made);
        return Status();
      });
  if (!kept.ok()) log_error("idle.flush", kept.error().message);
  return kept.ok();
}

// Sleeps until the next one is due, however long nothing arrives. Whoever wakes it earlier costs nothing: what is
// touched from now on is not due before the idle time has passed.
std::optional<std::chrono::milliseconds> Streams::close_idle(std::stop_token) {
  const std::int64_t idle_ms = core_.config.stream.idle_minutes * 60'000;
  const std::int64_t begun = core_.clock->now().ms;
  const bool is_set_back = none_idle_before_ms_ > begun + idle_ms;  // the clock
  if (begun >= none_idle_before_ms_ || is_set_back) {
    std::int64_t next = begun + idle_ms;
    const std::map<SessionKey, std::int64_t> waiting = *touched_.lock();
    for (const auto& [key, touched] : waiting) {
      std::int64_t due = touched + idle_ms;
      if (due <= begun && close_if_idle(key.first, key.second, idle_ms)) continue;
      if (due <= begun) due = core_.clock->now().ms + kTryAgainMs;
      next = std::min(next, due);
    }
    none_idle_before_ms_ = next;
  }
  return std::chrono::milliseconds(std::max<std::int64_t>(1, none_idle_before_ms_ - core_.clock->now().ms));
}

}  // namespace weft
