#include "flow/historian/write_gate.h"

#include "flow/historian/echo.h"
#include "flow/historian/repeats.h"
#include "text/small_talk.h"

namespace weft {
namespace {

// A speaker may say a thing three or four times for emphasis; a model that is stuck does not stop.
constexpr std::size_t kLoopTimes = 5;
constexpr double kLoopShare = 0.75;

}  // namespace

const char* to_string(Refusal reason) {
  switch (reason) {
    case Refusal::kEmptyTalk: return "empty_talk";
    case Refusal::kDuplicate: return "duplicate";
    case Refusal::kEcho: return "echo";
    case Refusal::kLoop: return "loop";
  }
  return "unknown";
}

std::optional<Refused> judge(std::string_view candidate, const GateContext& context) {
  if (is_empty_talk(candidate)) return Refused{Refusal::kEmptyTalk, {}, 1};
  // Before duplicates: what is said a third time is already known, and still the reason is the loop.
  if (is_loop(candidate, context.recent)) return Refused{Refusal::kLoop, {}, 1};
  const Collapsed once = collapse_repeats(candidate);
  if (once.times >= kLoopTimes && once.share >= kLoopShare) return Refused{Refusal::kLoop, {}, once.share};
  if (context.known != nullptr) {
    if (auto id = context.known->find(once.text, context.day)) return Refused{Refusal::kDuplicate, std::move(*id), 1};
  }
  if (context.recalled != nullptr && !context.recalled->empty() &&
      is_empty_talk(without_echo(once.text, *context.recalled)))
    return Refused{Refusal::kEcho, {}, echo_share(once.text, *context.recalled)};
  return std::nullopt;
}

}  // namespace weft
