// How a run went, as a program says.
#include "agent/builtin_tools.h"
#include "agent/loop.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kVerdictBytes = 1000;

std::string what_was_done(const RunState& state, const AgentOutput& output) {
  JsonWriter out;
  out.begin('{');
  out.name("task");
  out.text(state.start.task);
  out.name("answer");
  out.text(output.text);
  out.end('}');
  return out.take();
}

}  // namespace

// Only who looked may speak: a verifier that is not allowed, too slow or not there leaves the outcome unknown.
void AgentLoop::verify(AgentOutput& output) {
  if (run_.parts.verifier == nullptr || output.outcome != Outcome::kUnknown) return;
  if (run_.parts.permissions.of(kVerify) != Permission::kAllow) {
    output.verdict = "not asked: " + std::string(kVerify) + " is not allowed in this run";
    return;
  }
  const auto time = std::min(run_.settings.call_time, run_.time_left());
  if (time.count() == 0) {
    output.verdict = "not asked: no time was left";
    return;
  }
  const Deadline stop = run_.until_stopped();
  std::vector<CallJob> jobs{
      {run_.parts.verifier, run_.parts.request, run_.state.run, std::string(kVerify), what_was_done(run_.state, output),
                             // Of this answer: the same where a kill has it judged twice.
       run_.state.run + ":verify:" + std::to_string(run_.state.used.model_calls), stop.within(time)}};
  run_.parts.threads.make(jobs, [&output](std::size_t, Result<ToolOutcome> said, double) {
    if (!said.ok()) {
      output.verdict = "no verdict: " + said.error().message;
      return;
    }
    output.outcome = said->failed ? Outcome::kFailure : Outcome::kSuccess;
    output.by = Witness::kVerifier;
    output.verdict = std::string(cut_bytes(repair_utf8(said->output), kVerdictBytes));
  });
}

}  // namespace weft
