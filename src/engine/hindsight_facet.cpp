// Looking back at tasks, as a facet: each function is one of the service that has the subject.
#include "engine/reflections.h"
#include "engine/services.h"
#include "weft/engine.h"

namespace weft {

using Request = RequestContext;

Hindsight Engine::hindsight(const Caller& caller) const { return {services(), caller}; }

Result<Reflection> Hindsight::reflect(const TaskReport& report) const {
  return call([&](const Services& in, const Request& request) { return in.hindsight->reflect(request, report); });
}
Result<ImportedRuns> Hindsight::import_runs(const std::string& text, const std::string& file, bool learn) const {
  return call([&](const Services& in, const Request& request) {
    return in.hindsight->import_runs(request, text, file, learn);
  });
}
Result<Reflection> Hindsight::review(const std::string& day) const {
  return call([&](const Services& in, const Request& request) { return in.hindsight->review(request, day); });
}
Result<Reflection> Hindsight::feedback(const std::string& report, const std::string& text) const {
  return call(
      [&](const Services& in, const Request& request) { return in.hindsight->feedback(request, report, text); });
}
Result<std::vector<Reflection>> Hindsight::reflections() const {
  return call([&](const Services& in, const Request& request) { return in.hindsight->reflections(request); });
}
Result<std::vector<TaskReport>> Hindsight::reports() const {
  return call([&](const Services& in, const Request& request) { return in.hindsight->reports(request); });
}
Result<Reflection> Hindsight::reflection(const std::string& id) const {
  WEFT_TRY(auto all, reflections());
  for (Reflection& one : all)
    if (one.id == id) return std::move(one);
  return not_found("reflections: there is no reflection \"" + id + "\"", "`weft reflect list` shows them");
}

}  // namespace weft
