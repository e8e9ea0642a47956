// What is done with skills: names and descriptions.
#include "model/skill_records.h"

namespace weft {

std::string_view to_string(SkillUse use) { return use == SkillUse::kFollow ? "follow" : "reference"; }

std::string_view to_string(SkillAction action) {
  switch (action) {
    case SkillAction::kApprove: return "approve";
    case SkillAction::kRetire: return "retire";
    case SkillAction::kPin: return "pin";
    case SkillAction::kUnpin: return "unpin";
    case SkillAction::kDisable: return "disable";
    case SkillAction::kEnable: return "enable";
    case SkillAction::kRollBack: return "rollback";
    case SkillAction::kRemove: return "remove";
  }
  return "retire";
}

namespace {

constexpr FieldRule kSparse{.sparse = true};
constexpr FieldRule kRequired{.required = true};

}  // namespace

template <>
const Record<SkillMatch>& record<SkillMatch>() {
  static const auto made =
      Record<SkillMatch>("SkillMatch", "A skill that fits a task.", RecordUse::kTold)
          .field("use", &SkillMatch::use, "follow: from 0.8; reference: from 0.6")
          .field("likeness", &SkillMatch::likeness, "of the task and what the skill is for, 0 to 1")
          .field("skill", &SkillMatch::skill, "the skill");
  return made;
}

template <>
const Record<SkillChange>& record<SkillChange>() {
  static const auto made =
      Record<SkillChange>("SkillChange", "What a person does to a skill.", RecordUse::kAsked)
          .field("action", &SkillChange::action, "enable brings back what was retired, too", kRequired)
          .field("by", &SkillChange::by, "who", kSparse)
          .field("why", &SkillChange::why, "the reason, kept in its history", kSparse)
          .field("version", &SkillChange::version, "for rollback; 0: the last before this", kSparse);
  return made;
}

template <>
const Record<SkillLesson>& record<SkillLesson>() {
  static const auto made =
      Record<SkillLesson>("TeachSkill", "A procedure in a person's own words.", RecordUse::kAsked)
          .field("text", &SkillLesson::text, "a numbered or bulleted list, with what stands before it", kRequired)
          .field("name", &SkillLesson::name, "empty: the heading, or the first line", kSparse)
          .field("owner", &SkillLesson::owner, "empty: who teaches; workspace: everybody", kSparse);
  return made;
}

template <>
const Record<SkillFile>& record<SkillFile>() {
  static const auto made = Record<SkillFile>("SkillFile", "A file of a skill's folder.", RecordUse::kBoth)
                               .field("path", &SkillFile::path, "in the folder: SKILL.md, scripts/run.sh", kRequired)
                               .field("content", &SkillFile::content, "its text");
  return made;
}

template <>
const Record<SkillFolder>& record<SkillFolder>() {
  static const auto made =
      Record<SkillFolder>("SkillFolder", "An Agent Skill: a folder with SKILL.md.", RecordUse::kBoth)
          .field("name", &SkillFolder::name, "of the folder, the same as in SKILL.md", kRequired)
          .field("owner", &SkillFolder::owner, "on import; empty: who imports; workspace: everybody", kSparse)
          .field("files", &SkillFolder::files, "SKILL.md and what it refers to", kRequired)
          .field("left_out", &SkillFolder::left_out, "paths of files that are no text", kSparse);
  return made;
}

}  // namespace weft
