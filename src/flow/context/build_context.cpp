#include "flow/context/build_context.h"

#include <algorithm>
#include <string>

#include "base/clock.h"
#include "flow/context/assembly.h"

namespace weft {
namespace {

std::int64_t share(double part, std::int64_t whole) {
  return static_cast<std::int64_t>(part * static_cast<double>(whole));
}

}  // namespace

std::int64_t Budget::of(double part) const { return share(part, usable); }

Result<Budget> make_budget(const Config& config, std::int64_t window, std::int64_t output, std::int64_t other) {
  const ContextSettings& settings = config.context;
  Budget budget;
  budget.window = window;
  budget.output = output > 0 ? output : std::max(settings.output_min, share(settings.output_share, window));
  budget.safety = std::max(settings.safety_min, share(settings.safety_share, window));
  budget.usable = window - budget.output - budget.safety;
  if (settings.policy == BudgetPolicy::kRatio)
    budget.usable = std::min(budget.usable, share(settings.window_ratio, window) - budget.output);
  budget.other = other;
  budget.usable -= other;
  if (budget.usable <= 0) {
    return too_large("context: a window of " + std::to_string(window) + " tokens leaves nothing for a prompt after " +
                         std::to_string(budget.output) + " for the answer, " + std::to_string(budget.safety) +
                         " as margin and " + std::to_string(other) + " for tools and other parts of the call",
                     "use a window of more than " + std::to_string(budget.output + budget.safety + other) +
                         " tokens, or lower context.output_min and context.safety_min");
  }
  budget.warn = budget.of(config.compaction.warn_ratio);
  budget.compact = budget.of(config.compaction.compact_ratio);
  return budget;
}

namespace {

// What stands in every prompt of the session, whatever else has to go.
void add_what_stays(Assembly& assembly) {
  add_fixed_zone(assembly);
  add_task_anchor(assembly);
  add_compaction(assembly);
}

void describe(const Assembly& assembly, ContextReport& report) {
  report.window = assembly.budget.window;
  report.usable = assembly.budget.usable;
  report.warn_at = assembly.budget.warn;
  report.compact_at = assembly.budget.compact;
  report.policy = to_string(assembly.ports.config.context.policy);
  report.layout = to_string(assembly.input.layout);
  report.token_mode = to_string(assembly.ports.tokens.mode());
}

}  // namespace

Result<std::int64_t> tokens_wanted(const ContextPorts& ports, const ContextInput& input) {
  WEFT_TRY(const Budget budget, make_budget(ports.config, input.window, input.output_tokens, input.other_tokens));
  Assembly assembly(ports, input, budget);
  add_what_stays(assembly);
  add_preferences(assembly);
  add_tools(assembly);
  // A state that is larger than its share is shortened, whatever is compacted.
  const std::int64_t skeleton = std::min(assembly.count(input.skeleton), budget.of(ports.config.story.state_share));
  return assembly.total() + skeleton + assembly.left_out_tokens();
}

Result<BuiltContext> build_context(const ContextPorts& ports, const Deadline& deadline, const ContextInput& input) {
  Stopwatch clock;
  WEFT_TRY(const Budget budget, make_budget(ports.config, input.window, input.output_tokens, input.other_tokens));
  Assembly assembly(ports, input, budget);
  assembly.report.by = MadeBy::kFloor;
  const auto step = [&](const char* name) {
    assembly.report.timings_ms.emplace_back(name, clock.ms());
    clock.restart();
  };
  add_what_stays(assembly);
  WEFT_CHECK(keep_what_must_stay(assembly));
  add_preferences(assembly);
  reserve_for_errors(assembly);
  add_tools(assembly);
  add_skeleton(assembly);
  step("budget");
  fit_history(assembly);
  settle_skeleton(assembly);
  step("fit");
  keep_earlier_memories(assembly);
  add_memories(assembly, deadline);
  step("recall");
  add_curation(assembly);
  step("streams");
  fill_history(assembly);
  add_errors(assembly);
  BuiltContext built;
  WEFT_CHECK(check_and_trim(assembly, built.placed));
  built.woven.messages = fold(built.placed, input.several_system_messages);
  if (!assembly.memory.empty()) built.memory = std::move(assembly.woven_memory);
  for (const EarlierMemory& one : assembly.earlier)
    if (assembly.is_sent(one.turn)) built.earlier_memories.insert(one.place);
  built.skeleton = standing_skeleton(assembly);
  describe(assembly, assembly.report);
  built.woven.tools = input.allowed_tools;
  for (std::size_t i = 0; i < input.tools.size() && input.allowed_tools.empty(); ++i)
    built.woven.tools.push_back(input.tools[i].name);
  step("weave");
  built.woven.report = std::move(assembly.report);
  return built;
}

}  // namespace weft
