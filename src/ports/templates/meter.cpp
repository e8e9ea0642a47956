#include "ports/templates/meter.h"

#include <algorithm>

namespace weft::templates {
namespace {

// Nodes within nodes: the engine recurses, some 2 KiB of stack a node.
constexpr std::size_t kMaxDepth = 300;
// Steps between two looks at the clock.
constexpr std::size_t kLookEvery = 64;

thread_local Meter* running = nullptr;

}  // namespace

Meter::Meter(const TemplateLimits& limits, std::size_t scope_cost)
    : limits_(limits),
      scope_cost_(scope_cost),
      end_(std::chrono::steady_clock::now() + limits.max_time),
      outer_(std::exchange(running, this)) {}

Meter::~Meter() { running = outer_; }

Meter& Meter::current() { return *running; }

void Meter::work(std::size_t steps) {
  if (steps > limits_.max_steps - std::min(steps_, limits_.max_steps)) {
    throw Fault{ErrorCode::kTooLarge, "it does not end within " + std::to_string(limits_.max_steps) +
                                          " steps (an endless or very large loop?)"};
  }
  steps_ += steps;
  if (steps_ < next_look_) return;
  next_look_ = steps_ + kLookEvery;
  if (std::chrono::steady_clock::now() > end_) {
    throw Fault{ErrorCode::kTooLarge, "it does not end within " + std::to_string(limits_.max_time.count()) + " ms"};
  }
}

void Meter::write(std::size_t bytes) {
  if (bytes > limits_.max_output - std::min(written_, limits_.max_output)) {
    throw Fault{ErrorCode::kTooLarge, "its output is over " + std::to_string(limits_.max_output) + " bytes"};
  }
  written_ += bytes;
  handle(bytes);
}

void Meter::enter_scopes(std::size_t count) {
  // No product can overflow: a count beyond the limit is refused before.
  work(std::min(count, limits_.max_steps + 1));
  work(count * scope_cost_);
}

Meter::Inside::Inside(Meter& meter) : meter_(meter) {
  if (meter_.depth_ >= kMaxDepth) throw Fault{ErrorCode::kTooLarge, "it is nested or calls itself too deeply"};
  ++meter_.depth_;
}

}  // namespace weft::templates
