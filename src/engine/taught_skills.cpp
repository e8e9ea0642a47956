#include "engine/taught_skills.h"

#include "base/log.h"
#include "growth/skill_lesson.h"
#include "model/scope_key.h"

namespace weft {

// A lesson that makes no skill is only reported: a second reading would make none either.
Result<WriteBatch> TaughtSkills::read(const LogPart& part) {
  if (!parts_of_scope(part.scope).group.empty()) return WriteBatch();
  WEFT_TRY(const auto messages, learnt_.of(part));
  for (const MessageRow& row : messages) {
    if (row.message.role != Role::kUser) continue;
    const auto lesson = taught_procedure(row.message.content);
    if (!lesson) continue;
    const std::string source = row.session.str() + "/" + row.message.id.str();
    const Status taken = skills_.take_taught(part.scope.str(), *lesson, source);
    if (!taken.ok() && taken.error().code == ErrorCode::kUnavailable) return taken.error();
    if (!taken.ok()) log_warning("skills.taught", source + ": " + taken.error().message);
  }
  return WriteBatch();
}

}  // namespace weft
