#include "flow/context/build_context.h"

#include "base/clock.h"
#include "flow/context/assembly.h"

namespace weft {
Result<BuiltContext> build_context(const ContextPorts& ports, const Deadline& deadline, const ContextInput& input) {
  Stopwatch clock;
  WEFT_TRY(const Budget budget, make_budget(ports.config, input.window));
  Assembly assembly(ports, input, budget);
  assembly.report.by = "floor";
  const auto step = [&](const char* name) {
    assembly.report.timings_ms.emplace_back(name, clock.ms());
    clock.restart();
  };
  add_fixed_zone(assembly);
  add_task_anchor(assembly);
  add_compaction(assembly);
  WEFT_CHECK(keep_what_must_stay(assembly));
  add_preferences(assembly);
  reserve_for_errors(assembly);
  add_tools(assembly);
  step("budget");
  keep_earlier_memories(assembly);
  add_memories(assembly, deadline);
  step("recall");
  add_streams(assembly);
  step("streams");
  fit_history(assembly);
  add_errors(assembly);
  step("fit");
  BuiltContext built;
  WEFT_CHECK(check_and_trim(assembly, built.woven.messages, built.labels));
  if (!assembly.memory.empty()) built.memory = std::move(assembly.woven_memory);
  for (const EarlierMemory& one : assembly.earlier)
    if (assembly.is_sent(one.turn)) built.earlier_memories.insert(one.place);
  assembly.report.window = budget.window;
  assembly.report.usable = budget.usable;
  assembly.report.warn_at = budget.warn;
  assembly.report.compact_at = budget.compact;
  assembly.report.policy = ports.config.context.policy;
  assembly.report.layout = input.layout.empty() ? "cache" : input.layout;
  assembly.report.token_mode = to_string(ports.tokens.mode());
  built.woven.tools = input.allowed_tools;
  for (std::size_t i = 0; i < input.tools.size() && input.allowed_tools.empty(); ++i)
    built.woven.tools.push_back(input.tools[i].name);
  step("weave");
  built.woven.report = std::move(assembly.report);
  return built;
}

}  // namespace weft
