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
  if (parts_.verifier == nullptr || output.outcome != Outcome::kUnknown) return;
  if (parts_.permissions.of(kVerify) != Permission::kAllow) {
    output.verdict = "not asked: " + std::string(kVerify) + " is not allowed in this run";
    return;
  }
  const auto time = std::min(settings_.call_time, time_left());
  if (time.count() == 0) {
    output.verdict = "not asked: no time was left";
    return;
  }
  const Deadline stop(std::nullopt, stop_.source.get_token());
  std::vector<CallJob> jobs{{parts_.verifier, parts_.request, state_.run, std::string(kVerify),
                             what_was_done(state_, output),
                             // Of this answer: the same where a kill has it judged twice.
                             state_.run + ":verify:" + std::to_string(state_.used.model_calls), stop.within(time)}};
  parts_.threads.make(jobs, [&output](std::size_t, Result<ToolOutcome> said, double) {
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
