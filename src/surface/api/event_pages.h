#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "surface/api/list_operation.h"
#include "weft/agent.h"

namespace weft {

/// Parameters of what lists the events of a stream, beside those of every list.
inline std::vector<Parameter> event_parameters() {
  return {number_parameter("since", "events behind this number", 0),
          number_parameter("wait_ms", "wait for the next one, 25000 at most", 0)};
}

/// A page of events: those that `events_behind(number, wait)` gives. A page goes on behind its last event; whoever
/// waits for what comes then says ?since=, and keeps nobody from being answered meanwhile.
template <class EventsBehind>
Result<Paged<List<BusEvent>>> page_of_events(const Call& call, const PageWanted& wanted, EventsBehind events_behind) {
  constexpr std::int64_t kLongestWait = 25'000;  // ms
  WEFT_TRY(const auto since, call.number("since", 0));
  WEFT_TRY(const auto wait, call.number("wait_ms", 0));
  WEFT_TRY(const auto after, wanted.number());
  Result<std::vector<BusEvent>> events = std::vector<BusEvent>();
  call.out.while_waiting([&] {
    events = events_behind(static_cast<std::uint64_t>(std::max(since, after)),
                           std::chrono::milliseconds(std::min(wait, kLongestWait)));
  });
  if (!events.ok()) return events.error();
  return first_page(std::move(events).value(), wanted, [](const BusEvent& last) { return std::to_string(last.id); });
}

}  // namespace weft
