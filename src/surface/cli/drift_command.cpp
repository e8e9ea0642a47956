#include "surface/cli/drift_command.h"

#include <cstdio>

#include "ports/files/file.h"

namespace weft::cli {
namespace {

Result<DriftReport> run(const DriftCommand& command, const Reduce& reduce, const TokenCounter& tokens,
                        ChatModel* model) {
  std::vector<DriftSession> sessions;
  std::vector<Probe> probes;
  if (!command.probes.empty()) {
    WEFT_TRY(const std::string text, read_file(command.probes));
    WEFT_TRY(probes, parse_probes(text, command.probes));
  }
  std::size_t too_short = 0;
  for (const std::string& file : command.files) {
    WEFT_TRY(TraceFile traces, read_traces(file));
    too_short += traces.too_short;
    for (DriftSession& session : traces.sessions) {
      session.probes = probes;
      sessions.push_back(std::move(session));
    }
  }
  if (command.shipped)
    for (DriftSession& session : shipped_sessions()) sessions.push_back(std::move(session));
  WEFT_TRY(DriftReport report, evaluate_drift(sessions, reduce, tokens, command.options, model));
  report.skipped += static_cast<std::int64_t>(too_short);
  return report;
}

}  // namespace

int eval_drift(const Globals& globals, const DriftCommand& command, const Reduce& reduce, const TokenCounter& tokens,
               ChatModel* model) {
  const auto evaluated = run(command, reduce, tokens, model);
  if (!evaluated.ok()) return report(globals, evaluated.error());
  if (globals.json)
    globals.console->line(to_json(*evaluated));
  else
    globals.console->write(to_text(*evaluated, command.options).c_str());
  const auto thresholds = missed(*evaluated, command.options);
  for (const std::string& threshold : thresholds) globals.console->complain("missed: %s\n", threshold.c_str());
  return thresholds.empty() ? kDone : kFailed;
}

}  // namespace weft::cli
