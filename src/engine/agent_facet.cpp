// The facet of agents: each function is one of the service.
#include "engine/agents.h"
#include "engine/services.h"
#include "weft/engine.h"

namespace weft {

using Request = RequestContext;

Result<AgentRun> AgentRuns::start(const AgentTask& task) const {
  return call([&](const Services& in, const Request& request) { return in.agents->start(request, task); });
}
Result<AgentRun> AgentRuns::resume(const std::string& run) const {
  return call([&](const Services& in, const Request& request) { return in.agents->resume(request, run); });
}
Result<AgentRun> AgentRuns::interrupt(const std::string& run, const std::string& why) const {
  return call([&](const Services& in, const Request& request) { return in.agents->interrupt(request, run, why); });
}
Result<AgentRun> AgentRuns::say(const std::string& run, const std::string& text) const {
  return call([&](const Services& in, const Request& request) { return in.agents->say(request, run, text); });
}
Result<AgentRun> AgentRuns::answer(const std::string& run, const AgentAnswer& answer) const {
  return call([&](const Services& in, const Request& request) { return in.agents->answer(request, run, answer); });
}
Result<AgentRun> AgentRuns::fork(const std::string& run, std::uint64_t at) const {
  return call([&](const Services& in, const Request& request) { return in.agents->fork(request, run, at); });
}
Result<AgentRun> AgentRuns::show(const std::string& run) const {
  return call([&](const Services& in, const Request& request) { return in.agents->show(request, run); });
}
Result<std::vector<AgentRun>> AgentRuns::list(std::size_t limit, const std::string& after) const {
  return call([&](const Services& in, const Request& request) { return in.agents->list(request, limit, after); });
}
Result<std::vector<BusEvent>> AgentRuns::events(const std::string& run, std::uint64_t since,
                                                std::chrono::milliseconds wait) const {
  return call([&](const Services& in, const Request& request) { return in.agents->events(request, run, since, wait); });
}

}  // namespace weft
