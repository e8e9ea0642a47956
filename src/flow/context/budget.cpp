#include "flow/context/budget.h"

#include <algorithm>
#include <string>

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

}  // namespace weft
