// Tools of an agent that read and write its scope's memory.
#include "engine/agent_tools.h"

#include "agent/function_tool.h"
#include "agent/run_events.h"
#include "model/suspect_item.h"
#include "text/instruction_like.h"
#include "text/record.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

constexpr std::size_t kMostHits = 20;

struct MemoryArguments {
  std::string query, name = "default", path, operations, action_summary, new_info, outcome;
  std::int64_t top_k = 5;
};

}  // namespace

WEFT_DESCRIBED(MemoryArguments);

template <>
const Record<MemoryArguments>& record<MemoryArguments>() {
  static const auto made = Record<MemoryArguments>("MemoryArguments", "", RecordUse::kAsked)
                               .field("query", &MemoryArguments::query, "")
                               .field("top_k", &MemoryArguments::top_k, "", {.least = 1})
                               .field("name", &MemoryArguments::name, "")
                               .field("path", &MemoryArguments::path, "")
                               .json("operations", &MemoryArguments::operations, "")
                               .field("action_summary", &MemoryArguments::action_summary, "")
                               .field("new_info", &MemoryArguments::new_info, "")
                               .field("outcome", &MemoryArguments::outcome, "");
  return made;
}

namespace {

Result<MemoryArguments> arguments_of(const ToolRequest& request) {
  return parse_record<MemoryArguments>(request.arguments, "the arguments");
}

RequestContext within(const ToolRequest& request) {
  RequestContext context = request.request;
  context.deadline = request.deadline.until();
  context.cancel = request.deadline.cancel();
  return context;
}

ToolOutcome own(std::string text) { return {std::move(text), false, Provenance::kOwnRun}; }
ToolOutcome failed(const Error& error) {
  return {error.message + (error.hint.empty() ? "" : ". " + error.hint), true, Provenance::kOwnRun};
}

Result<ToolOutcome> search(const Services& services, const ToolRequest& request) {
  WEFT_TRY(const MemoryArguments what, arguments_of(request));
  SearchRequest search;
  search.query = what.query;
  search.top_k = std::min<std::size_t>(static_cast<std::size_t>(what.top_k), kMostHits);
  search.not_session = SessionId(request.run);  // what was said here is in the prompt
  const auto found = services.search->search(within(request), search);
  if (!found.ok()) return failed(found.error());
  if (!found->known) return own("nothing is remembered of it");
  std::string text;
  for (const Hit& hit : found->hits) {
    const std::string when = hit.item.time.ms == 0 ? std::string() : format_time(hit.item.time) + ", ";
    text += "- [" + when + std::string(to_string(hit.item.kind)) + "] ";
    if (is_suspect(hit.item)) text += std::string(suspect_remark(language_of(hit.item.text))) + " ";
    text += hit.item.text + "\n";
  }
  return own(text);
}

Result<ToolOutcome> profile(const Services& services, const ToolRequest& request) {
  const Scope& scope = request.request.scope;
  const EntityKey own_key = scope.is_group() ? EntityKey{EntityType::kGroup, scope.group().str()}
                                             : EntityKey{EntityType::kUser, scope.user().str()};
  const auto known = services.profiles->profile(within(request), own_key);
  if (!known.ok() && known.error().code == ErrorCode::kNotFound) return own("there is no profile yet");
  return known.ok() ? own(known->body) : failed(known.error());
}

Result<ToolOutcome> get_state(const Services& services, const ToolRequest& request) {
  WEFT_TRY(const MemoryArguments what, arguments_of(request));
  const auto value = services.states->state_value(within(request), what.name, what.path);
  return value.ok() ? own(to_json(*value)) : failed(value.error());
}

Result<ToolOutcome> apply_state(const Services& services, const ToolRequest& request) {
  WEFT_TRY(const MemoryArguments what, arguments_of(request));
  StateChange change;
  change.operations = what.operations;
  change.author = "agent";
  change.request_id = request.key;  // a second call of the key changes nothing
  const auto view = services.states->apply_state(within(request), what.name, change);
  return view.ok() ? own("version " + std::to_string(view->version)) : failed(view.error());
}

// The call itself has no output yet, so the turn is ended all the same.
Result<ToolOutcome> end_turn(const Services& services, const ToolRequest& request) {
  WEFT_TRY(const MemoryArguments what, arguments_of(request));
  EndRequest end;
  end.action_summary = what.action_summary;
  end.new_info = what.new_info;
  end.force = true;
  const auto report = services.ends->end(request.request, SessionId(request.run), end);
  return report.ok() ? own(report->queued ? "kept" : "there was nothing to keep") : failed(report.error());
}

FunctionTool::Run with(const Services& services, Result<ToolOutcome> (*run)(const Services&, const ToolRequest&)) {
  return [&services, run](const ToolRequest& request) { return run(services, request); };
}

}  // namespace

std::vector<std::shared_ptr<Tool>> memory_tools_of(const Services& services) {
  return {
      make_tool(
          {"memory_search", "Searches what is remembered of earlier conversations and runs.",
           ToolParameters().text("query", "what you want to know").integer("top_k", "how many at most").optional()},
          ToolEffects::kNone, with(services, search)),
      make_tool({"memory_profile", "Reads what is known of the user over the long run.", ToolParameters()},
                ToolEffects::kNone, with(services, profile)),
      make_tool({"state_get", "Reads exact values that are kept.",
                 ToolParameters()
                     .text("path", "such as hero.hp; empty: all of it")
                     .text("name", "of the state; \"default\" if left out")
                     .optional()},
                ToolEffects::kNone, with(services, get_state)),
      make_tool({"state_apply", "Changes exact values that are kept, all of the operations or none.",
                 ToolParameters()
                     .argument("operations", ValueObject{{"type", "array"},
                                                         {"description",
                                                          "such as [\"SET\",\"hero.hp\",5] or "
                                                          "[\"ADD\",\"potion.count\",-1]"},
                                                         {"items", ValueObject{{"type", "array"}}}})
                     .text("name", "of the state; \"default\" if left out")
                     .optional()},
                ToolEffects::kKeyed, with(services, apply_state)),
      // The same text twice is refused where memories are written, so a second call adds nothing.
      make_tool(
          {std::string(kEnd), "Remembers what you did and what you learnt; call it before your last answer.",
           ToolParameters()
               .text("action_summary", "what you did, in one sentence; empty where you only talked")
               .text("new_info", "the one new thing that the user said and that will matter; else empty")
               .optional()
               .choice("outcome", "done: all that was asked for is done; not_done: it is not", {"done", "not_done"})
               .optional()},
          ToolEffects::kKeyed, with(services, end_turn)),
  };
}

}  // namespace weft
