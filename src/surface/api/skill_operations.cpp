// Procedures that were learnt, taught or imported.
#include <algorithm>

#include "model/growth_records.h"
#include "surface/access/access.h"
#include "surface/api/bodies.h"
#include "surface/api/list_operation.h"
#include "text/utf8.h"

namespace weft {
namespace {

struct SkillDiff {
  std::string id, diff;
};
struct SkillProblems {
  std::vector<std::string> problems;
  std::string next;
};

}  // namespace

WEFT_DESCRIBED(SkillDiff);
WEFT_DESCRIBED(SkillProblems);

template <>
const Record<SkillDiff>& record<SkillDiff>() {
  static const auto made = Record<SkillDiff>("SkillDiff", "Two versions compared.", RecordUse::kTold)
                               .field("id", &SkillDiff::id, "of the skill")
                               .field("diff", &SkillDiff::diff, "line by line; empty: they are the same");
  return made;
}

template <>
const Record<SkillProblems>& record<SkillProblems>() {
  static const auto made =
      Record<SkillProblems>("SkillProblems", "Files of skills that cannot be read.", RecordUse::kTold)
          .field("problems", &SkillProblems::problems, "each with its file, line and key")
          .field("next", &SkillProblems::next, kNextDoc, {.sparse = true});
  return made;
}

template <>
inline constexpr std::string_view kListName<Skill> = "skills";
template <>
inline constexpr std::string_view kListName<SkillMatch> = "matches";

namespace {

Growth growth(const Call& call) { return call.engine.growth(call.context); }

Result<std::vector<Skill>> get_skills(const Call& call) { return growth(call).skills(); }

std::string key_of(const Skill& one) { return one.skill_id; }

Result<Skill> get_skill(const Call& call) { return growth(call).skill(call.path("id")); }

Result<Skill> teach_skill(const Call& call, SkillLesson lesson) { return growth(call).teach_skill(lesson); }

Result<Skill> put_skill(const Call& call, Skill skill) {
  if (skill.skill_id != call.path("id"))
    return invalid_argument("\"skill_id\" must be the id in the path, \"" + call.path("id") + "\"");
  // A new version takes the place of the one that is there.
  if (const auto there = growth(call).skill(skill.skill_id); there.ok())
    WEFT_CHECK(check_may_change(call.request.access, there->owner));
  return growth(call).put_skill(skill);
}

Result<Skill> change_skill(const Call& call, SkillChange change) {
  WEFT_TRY(const Skill skill, growth(call).skill(call.path("id")));
  WEFT_CHECK(check_may_change(call.request.access, skill.owner));
  return growth(call).change_skill(call.path("id"), change);
}

Result<SkillDiff> diff_skill(const Call& call) {
  WEFT_TRY(const auto from, call.number("from", 0));
  WEFT_TRY(const auto to, call.number("to", 0));
  WEFT_TRY(auto diff, growth(call).skill_diff(call.path("id"), from, to));
  return SkillDiff{call.path("id"), std::move(diff)};
}

Result<std::vector<SkillMatch>> get_matches(const Call& call) { return growth(call).match_skills(call.text("task")); }

std::string key_of(const SkillMatch& one) { return one.skill.skill_id; }

Result<Skill> import_skill(const Call& call, SkillFolder folder) { return growth(call).import_skill(folder); }

// JSON holds only text.
Result<SkillFolder> export_skill(const Call& call) {
  WEFT_TRY(SkillFolder folder, growth(call).export_skill(call.path("id")));
  const auto binary = [](const SkillFile& file) { return find_invalid_utf8(file.content).has_value(); };
  for (const SkillFile& file : folder.files)
    if (binary(file)) folder.left_out.push_back(file.path);
  std::erase_if(folder.files, binary);
  return folder;
}

Result<Paged<SkillProblems>> get_problems(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(auto problems, growth(call).skill_problems());
  WEFT_TRY(auto page, page_of(std::move(problems), ListOrder::kAsGiven, wanted,
                              [](const std::string& problem) { return mark_of(problem); }));
  return Paged<SkillProblems>{{std::move(page.answer), {}}, std::move(page.place)};
}

Result<List<Skill>> count_report(const Call& call, ReportBody body) {
  const TaskReport& report = body.report;
  // For rules, and for changes of skills on trial. First, since it refuses what the other would count.
  WEFT_CHECK(growth(call).count_report(report));
  WEFT_CHECK(growth(call).count_skills(report));
  List<Skill> skills;
  for (const std::string& id : report.skills)
    if (auto skill = growth(call).skill(id); skill.ok()) skills.all.push_back(std::move(skill).value());
  return skills;
}

}  // namespace

std::vector<Operation> skill_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      list_operation<Skill>("skills", "GET /v1/skills", "skills in every stage, those that serve first", kScope,
                            ListOrder::kAsGiven, get_skills, key_of),
      operation("teach_skill", "POST /v1/skills", "teach a procedure in one's own words", kScope, teach_skill),
      operation("skill", "GET /v1/skills/{id}", "one skill with its history", kScope, get_skill),
      operation("put_skill", "PUT /v1/skills/{id}", "put a new version in its place, or a new skill", kScope,
                put_skill),
      operation("change_skill", "POST /v1/skills/{id}",
                "approve, retire, pin, unpin, disable, enable, rollback or remove it", kScope, change_skill),
      operation(
          "skill_diff", "GET /v1/skills/{id}/diff", "what changed between two versions", kScope, diff_skill,
          {number_parameter("from", "0: the one before the newest", 0), number_parameter("to", "0: the newest", 0)}),
      operation("export_skill", "GET /v1/skills/{id}/folder", "the skill as an Agent Skill", kScope, export_skill),
      operation("import_skill", "POST /v1/skill_folders", "take an Agent Skill; nothing in it is run", kScope,
                import_skill),
      list_operation<SkillMatch>("match_skills", "GET /v1/skill_matches", "which skills fit a task", kScope,
                                 ListOrder::kAsGiven, get_matches, key_of,
                                 {text_parameter("task", "what is to be done")}),
      list_operation("skill_problems", "GET /v1/skill_problems", "files of skills that cannot be read", kScope,
                     get_problems, {}, kWholePage),
      operation("count_task", "POST /v1/task_reports", "count how a task went for the rules and skills in its prompts",
                kScope, count_report),
  };
}

}  // namespace weft
