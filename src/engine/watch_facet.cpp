// Looking on, as a facet: each function is one of the service that has the subject.
#include "engine/services.h"
#include "engine/watcher.h"
#include "weft/engine.h"

namespace weft {

using Request = RequestContext;

Watch Engine::watch(const Caller& caller) const { return {services(), caller}; }

Result<std::vector<SessionSummary>> Watch::sessions(std::size_t limit) const {
  WEFT_TRY(auto page, sessions({}, limit));
  return std::move(page.sessions);
}
Result<SessionsPage> Watch::sessions(const SessionsPlace& from, std::size_t limit) const {
  return call([&](const Services& in, const Request& request) { return in.watch->sessions(request, from, limit); });
}
Result<WatchedTurns> Watch::turns(const SessionId& session, std::size_t limit, std::int64_t before) const {
  return call(
      [&](const Services& in, const Request& request) { return in.watch->turns(request, session, limit, before); });
}
Result<std::vector<PastContext>> Watch::contexts(const SessionId& session, std::size_t limit,
                                                 std::uint64_t before) const {
  return call(
      [&](const Services& in, const Request& request) { return in.watch->contexts(request, session, limit, before); });
}
Result<std::vector<Happening>> Watch::happenings(std::uint64_t since, std::chrono::milliseconds wait,
                                                 std::stop_token stop) const {
  return call(
      [&](const Services& in, const Request& request) { return in.watch->happenings(request, since, wait, stop); });
}
Result<std::uint64_t> Watch::follow(std::uint64_t since, std::function<void(const Happening&)> tell) const {
  return call([&](const Services& in, const Request& request) -> Result<std::uint64_t> {
    return in.watch->follow(request, since, std::move(tell));
  });
}
void Watch::unfollow(std::uint64_t number) const {
  // Who has no scope follows nothing.
  static_cast<void>(call([&](const Services& in, const Request&) {
    in.watch->unfollow(number);
    return Status();
  }));
}
Result<std::uint64_t> Watch::newest() const {
  return call([](const Services& in, const Request& request) { return in.watch->newest_happening(request); });
}

Result<std::vector<ScopeKey>> Upkeep::scopes() const { return services_->watch->scopes(); }
void Upkeep::end_watching() const {
  if (services_->watch != nullptr) services_->watch->end_watching();
}

}  // namespace weft
