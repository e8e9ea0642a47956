// The facet of researches: each function is one of the service.
#include "engine/researches.h"
#include "engine/services.h"
#include "weft/facets/research.h"

namespace weft {

using Request = RequestContext;

Result<ResearchReport> Research::start(const ResearchTask& task) const {
  return call([&](const Services& in, const Request& request) { return in.research->start(request, task); });
}
Result<ResearchReport> Research::resume(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.research->resume(request, id); });
}
Result<ResearchReport> Research::stop(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.research->stop(request, id); });
}
Result<ResearchReport> Research::show(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.research->show(request, id); });
}
Result<std::vector<ResearchReport>> Research::list(std::size_t limit, const std::string& after) const {
  return call([&](const Services& in, const Request& request) { return in.research->list(request, limit, after); });
}
Result<std::vector<BusEvent>> Research::events(const std::string& id, std::uint64_t since,
                                               std::chrono::milliseconds wait) const {
  return call(
      [&](const Services& in, const Request& request) { return in.research->events(request, id, since, wait); });
}

}  // namespace weft
