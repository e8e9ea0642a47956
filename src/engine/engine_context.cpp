// Weaving the prompt of the next model call: what is known is gathered here, the order of steps is build_context's.
#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "engine/engine_impl.h"
#include "flow/context/build_context.h"
#include "flow/stream/branch.h"
#include "model/make_message.h"

namespace weft {
namespace {

constexpr std::size_t kMostSummaries = 64;

// A message as it counts for the prefix of a prompt.
std::string flat(const Message& message) {
  std::string text = std::string(to_string(message.role)) + "\n" + message.content + "\n";
  for (const ToolCall& call : message.tool_calls) text += call.name + call.arguments + "\n";
  return text;
}

// A user message by what it says and what it answers: "go on" is said more than once.
std::uint64_t digest_at(const std::vector<HistoryMessage>& history, std::size_t place) {
  const std::uint64_t own = digest_of(history[place].message);
  return place == 0 ? own : own * 31 + digest_of(history[place - 1].message);
}

std::optional<std::size_t> last_user(const std::vector<HistoryMessage>& history) {
  for (std::size_t i = history.size(); i-- > 0;)
    if (history[i].message.role == Role::kUser) return i;
  return std::nullopt;
}

Result<std::string> layout_of(const Config& config, const ContextRequest& what) {
  const std::string& layout = what.layout.empty() ? config.context.layout : what.layout;
  if (layout == "cache" || layout == "spec") return layout;
  return invalid_argument("context: unknown layout \"" + layout + "\"", "one of: cache, spec");
}

}  // namespace

// As their authors wrote them; people may change them at any time.
std::vector<AnchorSource> EngineImpl::workspace_files() {
  std::vector<AnchorSource> files;
  for (const char* name : {"AGENTS.md", "SOUL.md", "USER.md"}) {
    auto text = read_file(std::filesystem::path(config_.workspace) / name);
    if (text.ok())
      files.push_back({name, std::move(text).value()});
    else if (text.error().code != ErrorCode::kNotFound)
      log_warning("context.rules", text.error().message);
  }
  return files;
}

std::string EngineImpl::workspace_rules() {
  std::string rules;
  for (const AnchorSource& file : workspace_files()) rules += (rules.empty() ? "" : "\n\n") + file.text;
  return rules;
}

std::vector<Anchor> EngineImpl::workspace_anchors() { return find_anchors(workspace_files()); }

// How much of the last prompt this one goes on from, and which section broke it.
void EngineImpl::note_prefix(const std::string& key, const ContextInput& input, BuiltContext& built) {
  std::vector<TurnMemory> memories;
  for (const std::size_t place : built.earlier_memories)
    memories.push_back({digest_at(input.history, place), input.earlier_memories.at(place)});
  if (const auto last = last_user(input.history))
    memories.push_back({digest_at(input.history, *last), std::move(built.memory)});
  std::vector<PromptPiece> pieces;
  for (std::size_t i = 0; i < built.woven.messages.size(); ++i)
    pieces.push_back({built.labels[i], flat(built.woven.messages[i])});
  ContextReport& report = built.woven.report;
  for (const PromptPiece& piece : pieces) report.prompt_bytes += static_cast<std::int64_t>(piece.text.size());
  const PrefixKept kept = prompts_.note(key, std::move(memories), std::move(pieces));
  report.prefix_equal_bytes = kept.equal_bytes;
  report.last_prompt_bytes = kept.last_bytes;
  report.prefix_break = kept.broken_by;
}

Result<ContextInput> EngineImpl::context_input(const RequestContext& request, const SessionId& session,
                                               const ContextRequest& what) {
  ContextInput input;
  input.session = session;
  input.window = window_of(what.window);
  const auto add_system = [&input](std::string text) {
    input.system.push_back(make_message(Role::kSystem, std::move(text)));
  };
  if (!what.system.empty()) add_system(what.system);
  if (what.history.empty()) {
    const std::string scope = request.scope.key();
    WEFT_TRY(auto recent, store_->recent(scope, session, static_cast<std::size_t>(config_.context.recent_turns) * 8));
    for (MessageRow& row : recent) {
      if (row.message.role != Role::kSystem) input.history.push_back({std::move(row.message), row.seq});
    }
    if (what.system.empty()) {
      WEFT_TRY(const auto known, store_->session(scope, session));
      if (known && !known->system.empty()) add_system(known->system);
    }
  } else {
    WEFT_TRY(auto held, sessions_->hold(request.scope.key(), session));
    std::vector<std::uint64_t> digests;
    for (const Message& message : what.history) {
      if (message.role != Role::kSystem) digests.push_back(digest_of(message));
    }
    const Alignment alignment = align_history(held->path, digests);
    std::size_t place = 0;
    for (const Message& message : what.history) {
      if (message.role == Role::kSystem) {
        input.system.push_back(message);
        continue;
      }
      const std::int64_t seq = place < alignment.known ? held->path[alignment.offset + place].seq : 0;
      input.history.push_back({message, seq});
      ++place;
    }
  }
  // Trimming must not begin in the middle of a turn, where a tool's output would stand without its call.
  const auto first_user = std::find_if(input.history.begin(), input.history.end(),
                                       [](const HistoryMessage& entry) { return entry.message.role == Role::kUser; });
  if (what.history.empty()) input.history.erase(input.history.begin(), first_user);
  if (!what.input.empty()) {
    input.history.push_back({make_message(Role::kUser, what.input), 0});
  }
  return input;
}

std::vector<std::string> EngineImpl::summaries_before(const std::string& scope, const SessionId& session,
                                                      std::int64_t seq) {
  std::vector<std::string> texts;
  const auto items = store_->items_of_kind(scope, ItemKind::kNarrative, 100'000);
  if (!items.ok()) return texts;
  for (const ItemRow& item : *items) {
    if (item.active && item.item.session == session && item.item.position < seq) texts.push_back(item.item.text);
  }
  if (texts.size() > kMostSummaries) texts.erase(texts.begin(), texts.end() - kMostSummaries);
  return texts;
}

std::string EngineImpl::prompt_key(const std::string& scope, const SessionId& session) {
  return std::to_string(scope.size()) + ":" + scope + session.str();
}

// The mode without cognitive memory: ends of turns as they were said, of this scope alone.
Result<std::vector<std::string>> EngineImpl::old_summaries(const RequestContext& request) {
  WEFT_TRY(const auto summaries, end_summaries_->recent(request.scope.user().str(), request.scope.group().str(),
                                                        static_cast<std::size_t>(config_.cognitive.old_summaries)));
  std::vector<std::string> texts;
  for (const EndSummary& one : summaries) texts.push_back("[" + format_time(one.time) + "] " + one.summary);
  return texts;
}

// What is known beside the history: profiles, and what the caller says of the task.
Status EngineImpl::add_what_is_known(const RequestContext& request, const ContextRequest& what, ContextInput& input) {
  input.task = what.task;
  input.preferences = what.preferences;
  input.errors = what.errors;
  if (config_.cognitive.enabled) {
    input.profiles = profiles_for(request);
  } else {
    WEFT_TRY(input.old_summaries, old_summaries(request));
  }
  return {};
}

// Blocks of the last prompt stand where they stood: before the user message that they were woven for. While that
// message is worked on with tools, this holds for the newest one, too.
void EngineImpl::add_woven_memories(const std::string& key, ContextInput& input) {
  const auto last = last_user(input.history);
  if (!last) return;
  std::vector<TurnMemory> woven = prompts_.memories(key);
  for (std::size_t place = *last + 1; place-- > 0 && !woven.empty();) {
    if (input.history[place].message.role != Role::kUser) continue;
    const std::uint64_t digest = digest_at(input.history, place);
    const auto at = std::find_if(woven.rbegin(), woven.rend(),
                                 [digest](const TurnMemory& one) { return one.user_message == digest; });
    if (at == woven.rend()) continue;
    if (place < *last)
      input.earlier_memories[place] = std::move(at->memory);
    else if (*last + 1 < input.history.size())
      input.kept_memory = std::move(at->memory);
    woven.erase(at.base() - 1, woven.end());
  }
}

Result<WovenContext> EngineImpl::context(const RequestContext& request, const SessionId& session,
                                         const ContextRequest& what) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  const std::string scope = request.scope.key();
  const std::string key = prompt_key(scope, session);
  const Deadline caller(request.deadline, request.cancel);
  const Deadline deadline = caller.within(std::chrono::milliseconds(config_.context.deadline_ms));
  WEFT_TRY(const std::string layout, layout_of(config_, what));
  WEFT_TRY(auto input, context_input(request, session, what));
  input.layout = layout;
  // First of all: a change of numbers needs nothing of what follows.
  std::optional<PlannerDecision> decision;
  PlanScene scene;
  if (what.planned || what.plan) {
    WEFT_TRY(scene, plan_scene(request, session, what, input));
    WEFT_TRY(decision, decide(scope, scene, what, true, deadline));
    if (decision->numeric) {
      auto answered = answer_at_once(request, scene, *decision);
      // What the state's schema forbids, or somebody else was faster with, is a matter for the story.
      const bool refused = !answered.ok() && (answered.error().code == ErrorCode::kInvalidArgument ||
                                              answered.error().code == ErrorCode::kConflict);
      if (!refused) return answered;
      WEFT_TRY(scene, plan_scene(request, session, what, input));
      WEFT_TRY(decision, decide(scope, scene, what, false, deadline));
    }
  }
  input.rules = workspace_rules();
  WEFT_CHECK(add_what_is_known(request, what, input));
  WEFT_CHECK(compact_if_needed(request, session, input));
  add_woven_memories(key, input);
  choose_tools(key, what, input, deadline);
  ContextPorts ports{config_,
                     models_->tokens(),
                     [&](const SearchRequest& search, const Deadline& limit) -> Result<SearchResult> {
                       if (!config_.cognitive.enabled) return SearchResult{};
                       return search_scope(scope, search, limit);
                     },
                     [&](std::int64_t seq) { return summaries_before(scope, session, seq); },
                     {}};
  if (decision) WEFT_CHECK(open_streams(request, session, scene, what, *decision, caller, ports, input));
  WEFT_TRY(auto built, build_context(ports, deadline, input));
  if (decision) {
    built.woven.plan = decision->plan;
    built.woven.notice = decision->notice;
    if (scene.facts) built.woven.state_version = scene.facts->version;
  }
  if (what.skein) built.woven.skein = skein_of(built);
  note_prefix(key, input, built);
  return std::move(built.woven);
}

}  // namespace weft
