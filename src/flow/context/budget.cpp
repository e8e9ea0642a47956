#include "flow/context/budget.h"

#include <algorithm>
#include <string>

namespace weft {
namespace {

std::int64_t share(double part, std::int64_t whole) {
  return static_cast<std::int64_t>(part * static_cast<double>(whole));
}

}  // namespace

Result<Budget> make_budget(const ContextSettings& settings, std::int64_t window) {
  Budget budget;
  budget.window = window;
  budget.output = std::max(settings.output_min, share(settings.output_share, window));
  budget.safety = std::max(settings.safety_min, share(settings.safety_share, window));
  budget.usable = window - budget.output - budget.safety;
  if (budget.usable <= 0) {
    return too_large("context: a window of " + std::to_string(window) + " tokens leaves nothing for a prompt after " +
                         std::to_string(budget.output) + " for the answer and " + std::to_string(budget.safety) +
                         " as margin",
                     "use a window of more than " + std::to_string(budget.output + budget.safety) +
                         " tokens, or lower context.output_min and context.safety_min");
  }
  budget.memory = share(settings.memory_share, budget.usable);
  return budget;
}

}  // namespace weft
