#include "engine/learnt_messages.h"

#include <map>

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

}  // namespace weft
