#include "growth/prompt_lessons.h"

#include <algorithm>

namespace weft {
namespace {

void add_new(const std::vector<std::string>& more, std::vector<std::string>& ids) {
  for (const std::string& id : more)
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
}

}  // namespace

template <>
const Record<LessonsInPrompt>& record<LessonsInPrompt>() {
  static const auto made = Record<LessonsInPrompt>("LessonsInPrompt", "", RecordUse::kBoth)
                               .field("last_seq", &LessonsInPrompt::last_seq, "newest message before the prompt")
                               .field("turn", &LessonsInPrompt::turn, "digest of the user message and its place")
                               .field("rules", &LessonsInPrompt::rules, "ids")
                               .field("skills", &LessonsInPrompt::skills, "ids");
  return made;
}

template <>
const Record<SessionLessons>& record<SessionLessons>() {
  static const auto made = Record<SessionLessons>("SessionLessons", "", RecordUse::kBoth)
                               .field("prompts", &SessionLessons::prompts, "oldest first");
  return made;
}

Status PromptLessons::note(const ScopeKey& scope, const SessionId& session, const LessonsInPrompt& lessons, Time now) {
  if (lessons.empty()) return {};
  const auto written = store_.transact([&](WriteBatch& batch) -> Status {
    WEFT_TRY(auto known, sessions_.find(scope, session.str()));
    SessionLessons all = known ? std::move(known->value) : SessionLessons{};
    if (!all.prompts.empty()) {
      LessonsInPrompt& last = all.prompts.back();
      if (last.turn == lessons.turn && last.rules == lessons.rules && last.skills == lessons.skills) return {};
    }
    all.prompts.push_back(lessons);
    if (all.prompts.size() > kMostPrompts) all.prompts.erase(all.prompts.begin());
    sessions_.put(scope, session.str(), all, known ? known->version : 0, now, batch);
    batch.repeatable = true;
    return {};
  });
  return written.ok() ? Status() : Status(written.error());
}

Status PromptLessons::move_to_reports(const ScopeKey& scope, const SessionId& session, std::span<TaskInSession> tasks,
                                      Time now, WriteBatch& batch) const {
  if (tasks.empty()) return {};
  WEFT_TRY(auto known, sessions_.find(scope, session.str()));
  if (!known) return {};
  SessionLessons left;
  for (const LessonsInPrompt& prompt : known->value.prompts) {
    const auto task = std::find_if(tasks.begin(), tasks.end(),
                                   [&](const TaskInSession& one) { return one.last_seq > prompt.last_seq; });
    if (task == tasks.end()) {
      left.prompts.push_back(prompt);
      continue;
    }
    add_new(prompt.rules, task->report.rules);
    add_new(prompt.skills, task->report.skills);
  }
  if (left.prompts.size() == known->value.prompts.size()) return {};
  if (!left.prompts.empty()) {
    sessions_.put(scope, session.str(), left, known->version, now, batch);
    return {};
  }
  sessions_.expect(scope, session.str(), known->version, batch);
  sessions_.remove(scope, session.str(), batch);
  return {};
}

}  // namespace weft
