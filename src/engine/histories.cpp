// What of a session a prompt is built from: the history that the caller sends along, recognised in the store, or as
// much of the session's living branch as can matter for the window.
#include "engine/histories.h"

#include <algorithm>
#include <limits>

#include "base/log.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "flow/compaction/call_outcome.h"
#include "flow/compaction/session_turns.h"
#include "flow/context/turns.h"
#include "flow/historian/members.h"
#include "flow/stream/conversation.h"
#include "model/message_reader.h"

namespace weft {
namespace {

constexpr std::int64_t kOverhead = 8;  // tokens of a message's frame and its calls, when only its texts were counted
constexpr std::size_t kMostSummaries = 64;

// Whether the history ends with this very input, or with the work that it has led to so far.
bool ends_with_input(const std::vector<HistoryMessage>& history, std::string_view input) {
  for (auto entry = history.rbegin(); entry != history.rend(); ++entry) {
    const Message& message = entry->message;
    if (message.role == Role::kUser) return trimmed(message.content) == trimmed(input);
    if (message.role == Role::kAssistant && message.tool_calls.empty()) return false;
  }
  return false;
}

/// Which messages of a branch are loaded: all from `first` on, and the one that their turn began with.
struct Wanted {
  std::int64_t first = 0;  ///< number of the first message of the end of the branch; 0: nothing
  std::int64_t request = 0;  ///< of the user's message that it goes on from, where that stands before; 0: it does not
  Omitted omitted;
};

// From the end, until all that a prompt can hold is there, and at least so many steps: these stay whatever they take.
// None of them begins with an output.
Wanted choose(const std::vector<PathNode>& path, const LiveCompaction* live, std::int64_t tokens, std::int64_t steps) {
  Wanted wanted;
  const auto covered = [&](const PathNode& node) {
    return live != nullptr && node.seq <= live->last_covered && live->covered.contains(node.seq);
  };
  std::size_t at = path.size();
  bool begins_with_user = false;
  bool in_step = false;
  for (std::int64_t left = tokens; at > 0 && (left > 0 || steps > 0 || in_step); --at) {
    const PathNode& node = path[at - 1];
    if (covered(node)) continue;
    left -= node.tokens + kOverhead;
    wanted.first = node.seq;
    begins_with_user = node.role == Role::kUser;
    in_step = node.role == Role::kTool;
    if (!in_step) --steps;
  }
  for (; at > 0; --at) {
    const PathNode& node = path[at - 1];
    if (covered(node)) continue;
    if (!begins_with_user && node.role == Role::kUser) {
      wanted.request = node.seq;
      begins_with_user = true;
      continue;
    }
    ++wanted.omitted.messages;
    wanted.omitted.tokens += node.tokens + kOverhead;
  }
  wanted.omitted.before = wanted.omitted.messages > 0 ? wanted.first : 0;
  return wanted;
}

}  // namespace

// A compaction's summary takes the place of what it covers.
Status Histories::load_history(const ScopeKey& scope, const SessionId& session, ContextInput& input) {
  WEFT_TRY(const Budget budget, make_budget(core_.config, input.window, input.output_tokens, input.other_tokens));
  const auto live = compaction_for(scope, session);
  Wanted wanted;
  {
    WEFT_TRY(auto held, core_.sessions->hold(scope, session));
    wanted = choose(held->path, live.get(), budget.usable + budget.usable / 2, core_.config.context.keep_steps + 1);
  }
  input.history.clear();
  input.omitted = wanted.omitted;
  if (wanted.first == 0) return {};
  std::vector<MessageRow> rows;
  if (wanted.request != 0) {
    WEFT_TRY(rows, core_.store->messages().range(scope, session, wanted.request, wanted.request));
  }
  WEFT_TRY(auto end,
           core_.store->messages().range(scope, session, wanted.first, std::numeric_limits<std::int64_t>::max()));
  std::move(end.begin(), end.end(), std::back_inserter(rows));
  WEFT_TRY(const Members members, Members::read(*core_.store, scope));
  for (MessageRow& row : rows) {
    if (row.message.role == Role::kSystem) continue;
    if (members.need_labels()) members.label(row.message);
    const MessageId id = row.message.id;
    input.history.push_back({std::move(row.message), row.seq, id, 0});
  }
  if (live) apply_compaction(*live, input);
  return {};
}

// The caller's own history, with the numbers of those messages that the session holds.
Status Histories::recognise_history(const ScopeKey& scope, const SessionId& session, const ContextRequest& what,
                                    ContextInput& input) {
  WEFT_TRY(auto held, core_.sessions->hold(scope, session));
  std::vector<Message> messages;
  std::vector<bool> spoken;  // false: a text of the caller's program alone, or an erased message: no session has it
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < what.history.size(); ++i) {
    Message message = what.history[i];
    const auto said = what.said.find(i);
    if (said != what.said.end()) message.content = said->second;
    spoken.push_back(message.role != Role::kSystem && (said == what.said.end() || !said->second.empty()));
    if (!spoken.back()) continue;
    messages.push_back(std::move(message));
    places.push_back(i);
  }
  WEFT_TRY(const LeftHistory left, without_erased(*core_.store, scope, messages));
  std::vector<std::uint64_t> digests;
  for (const std::size_t place : places) spoken[place] = false;
  for (const std::size_t at : left.places) {
    spoken[places[at]] = true;
    digests.push_back(digest_of(messages[at]));
  }
  const Alignment alignment = align_history(held->path, digests);
  std::size_t place = 0;
  for (std::size_t i = 0; i < what.history.size(); ++i) {
    const Message& message = what.history[i];
    // At the head it is the caller's system prompt; later on it belongs where it was said.
    if (message.role == Role::kSystem && input.history.empty()) {
      input.system.push_back(message);
      continue;
    }
    const bool known = spoken[i] && place < alignment.known;
    const PathNode none, &node = known ? held->path[alignment.offset + place] : none;
    input.history.push_back({message, node.seq, node.id, 0});
    if (spoken[i]) ++place;
  }
  return {};
}

Status Histories::check(const ContextRequest& what) const {
  if (!enum_of<SystemMessages>(what.system_messages))
    return invalid_argument("context: system_messages is \"" + what.system_messages + "\"", "one of: one, several");
  const std::int64_t window = core_.window_of(what.window, what.model);
  const std::int64_t most = std::min(core_.catalogue.of(what.model).output, window / 2);
  const auto budget =
      make_budget(core_.config, window, what.output_tokens > 0 ? what.output_tokens : most, what.other_tokens);
  return budget.ok() ? Status() : Status(budget.error());
}

Result<ContextInput> Histories::context_input(const RequestContext& request, const SessionId& session,
                                              const ContextRequest& what) {
  const ScopeKey scope = request.scope.key();
  ContextInput input;
  input.session = session;
  const ModelTraits traits = core_.catalogue.of(what.model);
  input.window = core_.window_of(what.window, what.model);
  input.output_tokens = what.output_tokens > 0 ? what.output_tokens : std::min(traits.output, input.window / 2);
  input.other_tokens = what.other_tokens;
  WEFT_CHECK(check(what));
  auto messages = enum_of<SystemMessages>(what.system_messages);
  if (messages == SystemMessages::kUnknown) messages = traits.system_messages;
  input.several_system_messages = messages == SystemMessages::kSeveral;
  std::string system = what.system;
  if (what.history.empty()) {
    WEFT_CHECK(load_history(scope, session, input));
    if (system.empty()) {
      WEFT_TRY(const auto row, core_.store->streams().session(scope, session));
      if (row) system = row->system;
    }
  }
  if (!system.empty()) input.system.push_back(make_message(Role::kSystem, std::move(system)));
  if (!what.history.empty()) {
    WEFT_CHECK(recognise_history(scope, session, what, input));
    if (const auto live = compaction_for(scope, session)) apply_compaction(*live, input);
  }
  if (!what.input.empty() && !ends_with_input(input.history, what.input))
    input.history.push_back({make_message(Role::kUser, what.input), 0, MessageId(), 0});
  const TokenCounter& counter = core_.models->tokens_for(what.model, traits.vocabulary);
  for (HistoryMessage& entry : input.history) entry.tokens = sent_tokens(entry.message, counter);
  return input;
}

// The compaction that counts for a prompt: one of a branch that was left does not.
std::shared_ptr<const LiveCompaction> Histories::compaction_for(const ScopeKey& scope, const SessionId& session) {
  const auto live = compactions_.live(scope, session);
  if (!live.ok()) {
    log_warning("compaction.read", live.error().message);
    return nullptr;
  }
  if (*live == nullptr) return nullptr;
  auto held = core_.sessions->hold(scope, session);
  if (!held.ok()) return nullptr;
  const auto& path = (*held)->path;
  const bool living =
      std::any_of(path.begin(), path.end(), [&](const PathNode& node) { return node.seq == (*live)->last_covered; });
  return living ? *live : nullptr;
}

// Takes out what the summary stands for.
void Histories::apply_compaction(const LiveCompaction& live, ContextInput& input) {
  std::erase_if(input.history, [&](const HistoryMessage& entry) { return live.covered.contains(entry.seq); });
  for (HistoryMessage& entry : input.history) {
    if (!live.shortened.contains(entry.seq)) continue;
    entry.message.content = short_output(entry.message.content, entry.stored.str());
    entry.message.raw.clear();
    entry.tokens = 0;
  }
  input.compacted = CompactedPart{live.record.id, render_summary(live.record.summary)};
}

std::vector<std::string> Histories::summaries_before(const ScopeKey& scope, const SessionId& session,
                                                     std::int64_t seq) {
  std::vector<std::string> texts;
  const auto items = core_.store->items().before(scope, session, ItemKind::kNarrative, seq, kMostSummaries);
  if (!items.ok()) return texts;
  for (const ItemRow& item : *items) texts.push_back(item.item.text);
  return texts;
}

std::vector<std::string> Histories::originals_of(const ScopeKey& scope, const SessionId& session,
                                                 std::span<const MessageId> ids) {
  std::vector<std::string> texts;
  const auto rows = core_.store->messages().get(scope, ids);
  if (!rows.ok()) return texts;
  for (const MessageRow& row : *rows)
    if (row.session == session) texts.push_back(row.message.content);
  return texts;
}

}  // namespace weft
