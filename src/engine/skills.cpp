#include "engine/skills.h"

#include "engine/engine_core.h"
#include "growth/skill_match.h"

namespace weft {
namespace {

constexpr std::chrono::milliseconds kLikenessLimit{500};  // then words decide

std::string speaker_of(const RequestContext& request) {
  return request.scope.user().empty() ? request.scope.key() : request.scope.user().str();
}

// What a caller hands in is its own, or everybody's: of another owner nobody can speak for it.
Result<std::string> owner_for(const RequestContext& request, const std::string& owner) {
  if (owner.empty()) return request.scope.key();
  if (owner == request.scope.key() || owner == "workspace") return owner;
  return permission("skills: the owner is \"" + owner + "\", the caller \"" + request.scope.key() + "\"",
                    "call it for that scope");
}

}  // namespace

Skills::Skills(EngineCore& core)
    : likeness_(core, kLikenessLimit), library_({disk(), {core.config.workspace}, *core.clock, likeness_}) {}

Result<std::vector<Skill>> Skills::skills(const RequestContext& request) { return library_.list(request.scope.key()); }

Result<Skill> Skills::skill(const RequestContext& request, const std::string& id) {
  return library_.find(request.scope.key(), id);
}

Result<Skill> Skills::put_skill(const RequestContext& request, const Skill& skill, const std::string& note) {
  Skill own = skill;
  WEFT_TRY(own.owner, owner_for(request, skill.owner));
  return library_.put(std::move(own), note.empty() ? "put by " + speaker_of(request) : note);
}

Result<Skill> Skills::teach_skill(const RequestContext& request, const SkillLesson& lesson) {
  SkillLesson own = lesson;
  WEFT_TRY(own.owner, owner_for(request, lesson.owner));
  return library_.teach(own, speaker_of(request));
}

Result<Skill> Skills::change_skill(const RequestContext& request, const std::string& id, const SkillChange& change) {
  return library_.change(request.scope.key(), id, change);
}

Result<std::string> Skills::skill_diff(const RequestContext& request, const std::string& id, std::int64_t from,
                                       std::int64_t to) {
  return library_.diff(request.scope.key(), id, from, to);
}

Result<std::vector<SkillMatch>> Skills::match_skills(const RequestContext& request, const std::string& task) {
  return library_.match(request.scope.key(), task);
}

Result<Skill> Skills::import_skill(const RequestContext& request, const SkillFolder& folder) {
  SkillFolder own = folder;
  WEFT_TRY(own.owner, owner_for(request, folder.owner));
  return library_.import_folder(own, speaker_of(request));
}

Result<SkillFolder> Skills::export_skill(const RequestContext& request, const std::string& id) {
  return library_.export_folder(request.scope.key(), id);
}

Status Skills::count_skills(const RequestContext& request, const TaskReport& report) {
  TaskReport own = report;
  WEFT_TRY(own.owner, owner_for(request, report.owner));
  return library_.count(own);
}

Result<std::vector<std::string>> Skills::skill_problems(const RequestContext&) { return library_.problems(); }

std::vector<std::string> Skills::for_prompt(const std::string& scope, const std::string& task) {
  std::vector<std::string> texts;
  for (const SkillMatch& match : library_.match(scope, task)) texts.push_back(text_of(match));
  return texts;
}

std::string Skills::text_of(const SkillMatch& match) const {
  std::vector<std::string> paths;
  for (const std::string& path : library_.resources(match.skill)) paths.push_back(match.skill.folder + "/" + path);
  return skill_text(match, paths);
}

}  // namespace weft
