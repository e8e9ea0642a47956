#include "engine/learnt_messages.h"

#include <map>

#include "engine/log_readers.h"

namespace weft {

// An answer to a question belongs to the run that asked it.
Result<bool> LearntMessages::may_learn(const MessageRow& row) const {
  if (!learns_.from(row.scope, row.session)) return false;
  if (row.session.str() != kQuestionTalk) return true;
  WEFT_TRY(const auto question, desk_.about(row.scope.str(), row.message.id));
  return !question ||
         (learns_.from(row.scope, SessionId(question->run)) && learns_.from(row.scope, SessionId(question->session)));
}

Result<std::vector<MessageRow>> LearntMessages::of(const ScopeKey& scope, std::span<const LogEntry> entries) {
  constexpr std::size_t kLongestText = 20'000;
  WEFT_TRY(auto messages, kept_messages(store_, scope, entries));
  std::map<SessionId, bool> learns;  // in the session of questions each message may be of another run
  std::vector<MessageRow> learnt;
  for (MessageRow& row : messages) {
    if (row.message.content.size() > kLongestText) continue;
    const auto [known, is_new] = learns.try_emplace(row.session);
    if (is_new || row.session.str() == kQuestionTalk) {
      WEFT_TRY(known->second, may_learn(row));
    }
    if (known->second) learnt.push_back(std::move(row));
  }
  return learnt;
}

}  // namespace weft
