// Skills, as a facet.
#include "engine/services.h"
#include "weft/facets/growth.h"

namespace weft {

using Request = RequestContext;

Result<std::vector<Skill>> Growth::skills() const {
  return call([](const Services& in, const Request& request) { return in.skills->skills(request); });
}
Result<Skill> Growth::skill(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.skills->skill(request, id); });
}
Result<Skill> Growth::put_skill(const Skill& skill, const std::string& note) const {
  return call([&](const Services& in, const Request& request) { return in.skills->put_skill(request, skill, note); });
}
Result<Skill> Growth::teach_skill(const SkillLesson& lesson) const {
  return call([&](const Services& in, const Request& request) { return in.skills->teach_skill(request, lesson); });
}
Result<Skill> Growth::change_skill(const std::string& id, const SkillChange& change) const {
  return call([&](const Services& in, const Request& request) { return in.skills->change_skill(request, id, change); });
}
Result<std::string> Growth::skill_diff(const std::string& id, std::int64_t from, std::int64_t to) const {
  return call([&](const Services& in, const Request& request) { return in.skills->skill_diff(request, id, from, to); });
}
Result<std::vector<SkillMatch>> Growth::match_skills(const std::string& task) const {
  return call([&](const Services& in, const Request& request) { return in.skills->match_skills(request, task); });
}
Result<Skill> Growth::import_skill(const SkillFolder& folder) const {
  return call([&](const Services& in, const Request& request) { return in.skills->import_skill(request, folder); });
}
Result<SkillFolder> Growth::export_skill(const std::string& id) const {
  return call([&](const Services& in, const Request& request) { return in.skills->export_skill(request, id); });
}
Status Growth::count_skills(const TaskReport& report) const {
  return call([&](const Services& in, const Request& request) { return in.skills->count_skills(request, report); });
}
Result<std::vector<std::string>> Growth::skill_problems() const {
  return call([](const Services& in, const Request& request) { return in.skills->skill_problems(request); });
}

}  // namespace weft
