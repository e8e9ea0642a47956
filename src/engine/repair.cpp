// Events made anew from their sources, while calls go on.
#include "engine/engine_core.h"
#include "engine/operations.h"

namespace weft {
namespace {

constexpr std::size_t kAllEvents = 100'000'000;
constexpr std::size_t kExamples = 10;
constexpr std::size_t kWrittenAtOnce = 64;

// Whether the event says something else now.
bool note(RepairReport& report, const ItemRow& before, const std::optional<ItemRow>& after) {
  ++report.events;
  if (!after) {
    ++report.kept;
    return false;
  }
  if (after->item.text == before.item.text && after->item.writing == before.item.writing) {
    ++report.same;
    return false;
  }
  ++report.changed;
  if (report.examples.size() < kExamples)
    report.examples.push_back({before.scope, before.item.id, before.item.text, after->item.text});
  return true;
}

}  // namespace

// A session is held while its event is read and written, so that no branch is left and nothing is erased in between.
Result<RepairReport> Operations::repair_events(bool dry_run) {
  RepairReport report;
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& scope : scopes) {
    WEFT_TRY(const auto events, core_.store->items().of_kind(scope, ItemKind::kEvent, kAllEvents));
    for (std::size_t first = 0; first < events.size();) {
      const SessionId& session = events[first].item.session;
      const auto pass = core_.erasure_gate.work(scope);
      WEFT_TRY(const auto held, core_.sessions->hold(scope, session));
      WriteBatch batch;
      for (std::size_t taken = 0;
           first < events.size() && taken < kWrittenAtOnce && events[first].item.session == session; ++first, ++taken) {
        // What has been erased or replaced since it was listed is read again.
        WEFT_TRY(const auto rows, core_.store->items().get(scope, std::span(&events[first].row, 1)));
        if (rows.empty()) continue;
        WEFT_TRY(auto again, event_again(core_.historian_ports(), rows.front()));
        if (!note(report, rows.front(), again) || dry_run) continue;
        again->vector.clear();
        again->model.clear();
        batch.items.push_back(std::move(*again));
      }
      if (!batch.items.empty()) WEFT_CHECK(core_.keep_written(batch));
    }
  }
  return report;
}

}  // namespace weft
