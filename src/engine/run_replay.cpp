#include "engine/run_replay.h"

#include "agent/builtin_tools.h"
#include "agent/replay.h"
#include "engine/engine_core.h"

namespace weft {
namespace {

// Asking is for those who are there: what was allowed once is answered from the record, and nothing else is done.
Result<Permissions> without_asking(const Permissions& of_run, const ToolRegistry& tools) {
  std::string list = "*=allow";
  for (const ToolInfo& tool : tools.infos())
    if (of_run.of(tool.name) == Permission::kDeny) list += "," + tool.name + "=deny";
  Permissions permissions;
  WEFT_CHECK(permissions.add(list));
  return permissions;
}

}  // namespace

Result<ReplayedRun> RunReplayer::replay(const RequestContext& request, const TaskReport& report, const ReplayArm& arm,
                                        LoopStop& stop) {
  WEFT_TRY(const SeenRun seen, streams_.look(request, report.run));
  WEFT_TRY(RecordedRun record, recorded_run(report.run, seen.bus->since(0)));
  record.outcome = report.outcome, record.by = report.outcome_by;
  WEFT_TRY(const Permissions permissions, kit_.permissions_of(record.start.tools));
  // No tool of it writes into the stream of the run.
  WEFT_TRY(const ToolRegistry real, kit_.tools_of(seen.state, nullptr, nullptr));
  ReplayWatch watch([&stop] { stop.source.request_stop(); });
  WEFT_TRY(const ToolRegistry tools, replay_tools(record, real, permissions, watch));
  WEFT_TRY(const Permissions allowed, without_asking(permissions, tools));
  ChatModel* model = arm.model(record.start.model);
  if (model == nullptr) return unavailable("there is no chat model of the role " + record.start.model);
  WEFT_TRY(auto verifier, kit_.verifier_of(seen.state));
  // Where something was done then, its world is not there any more.
  const bool may_verify =
      record.by == Witness::kVerifier && !record.has_deeds() && permissions.of(kVerify) == Permission::kAllow;
  if (!may_verify) verifier = nullptr;

  WEFT_TRY(const auto bus, Bus::open(disk(), arm.folder / (arm.name + ".jsonl"), *core_.clock));
  if (bus->last() == 0) {
    RunStarted start = record.start;
    start.learn = false;
    WEFT_CHECK(begin_run(*bus, start));
  }
  ReplayContext context;
  ReplayHooks hooks(arm.told);
  ReplayQuestions questions(watch);
  ResultStore results(disk(), arm.folder / "results");
  EndingMarks endings(disk(), arm.folder / "ending");
  const LoopParts parts{*bus,
                        context,
                        *model,
                        tools,
                        hooks,
                        questions,
                        results,
                        endings,
                        kit_.threads(),
                        allowed,
                        *core_.clock,
                        request,
                        system_text_for(record.start.task),
                        core_.window_of(model->window(), model->name()),
                        std::move(verifier)};
  AgentLoop loop(report.run + "-" + arm.name, parts, kit_.loop_settings(), stop);
  WEFT_TRY(const LoopEnd end, loop.run());
  if (watch.strayed()) return ReplayedRun{Outcome::kUnknown, watch.why()};
  if (end == LoopEnd::kStopped) return cancelled("the replay was stopped");
  const RunState& state = loop.state();
  if (end == LoopEnd::kInterrupted)
    return unavailable("the model did not answer: " + (state.interrupted ? state.interrupted->why : std::string()));
  ReplayedRun made;
  made.outcome = judge_replay(record, state, bus->since(0), made.why);
  return made;
}

}  // namespace weft
