#include "engine/learnt_messages.h"

#include <map>

#include "base/log.h"
#include "growth/skill_lesson.h"
#include "model/scope_key.h"

namespace weft {

// An answer to a question belongs to the run that asked it.
Result<bool> LearntMessages::may_learn(const MessageRow& row) const {
  if (!learns_.from(row.scope, row.session)) return false;
  if (row.session.str() != kQuestionTalk) return true;
  WEFT_TRY(const auto question, desk_.about(row.scope.str(), row.message.id));
  return !question ||
         (learns_.from(row.scope, SessionId(question->run)) && learns_.from(row.scope, SessionId(question->session)));
}

Result<std::vector<std::reference_wrapper<const MessageRow>>> LearntMessages::of(const LogPart& part) {
  constexpr std::size_t kLongestText = 20'000;
  std::map<SessionId, bool> learns;  // in the session of questions each message may be of another run
  std::vector<std::reference_wrapper<const MessageRow>> learnt;
  for (const MessageRow& row : part.messages) {
    if (row.message.content.size() > kLongestText) continue;
    const auto [known, is_new] = learns.try_emplace(row.session);
    if (is_new || row.session.str() == kQuestionTalk) {
      WEFT_TRY(known->second, may_learn(row));
    }
    if (known->second) learnt.push_back(row);
  }
  return learnt;
}

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
