#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/threads.h"
#include "model/rows.h"
#include "ports/files/file_system.h"
#include "ports/store/kept_records.h"
#include "weft/config.h"
#include "weft/growth.h"

namespace weft {

/// How many messages a user sent in each hour of the day, by the user's own clock.
struct ActivityHours {
  std::array<std::int64_t, 24> messages{};
  std::int32_t offset_minutes = 0;  ///< of the newest message

  /// Counts one message.
  void count(Time time);
  /// Whether the user is hardly ever there at that moment: the hour and its neighbours have less than a quarter of what
  /// an even day would give them. Never before 40 messages: nothing is known then.
  bool is_quiet(Time now) const;
};

/// Whether it waits for its answer.
bool is_open(const Question& question);

/// The session in which questions and their answers are remembered, and the ids of the messages there.
inline constexpr const char* kQuestionTalk = "questions";
MessageId asked_message(const Question& question);
MessageId answer_message(const Question& question);

/// A question that waits for its answer, as it is kept.
struct WaitingQuestion {
  Question question;
  bool released = false;  ///< it belongs to a batch that is being asked
};
WEFT_DESCRIBED(WaitingQuestion);

/// The number of an owner's newest question, as it is kept.
struct QuestionNumber {
  std::int64_t last = 0;
};
WEFT_DESCRIBED(QuestionNumber);

/// Questions that only people can answer, as rows of the store. Each owner is shown one question at a time. Urgent
/// questions are shown at once, the others in batches and not in quiet hours; those with choices come first. Safe from
/// many threads.
class QuestionQueue {
 public:
  using Activity = std::function<ActivityHours(const std::string& owner)>;

  static constexpr const char* kKind = "question";  ///< of the documents of questions that wait
  static constexpr std::size_t kLongestText = 8000;  ///< in bytes

  /// `next` calls `activity` without a lock, and only if a question is due that is not urgent. An empty function means
  /// that nobody is ever quiet. `store` and `clock` must outlive the queue.
  QuestionQueue(Store& store, const Clock& clock, const AdaptationSettings& settings, Activity activity);

  /// Takes the questions of a log that former versions wrote, and removes it.
  Status take_former_log(FileSystem& files, const std::filesystem::path& path);

  /// Queues a question; its id, times and stage are given here. The same text that still waits for an answer of the
  /// same owner and run is not queued twice: then that one is given. kInvalidArgument without text or owner.
  Result<Question> ask(const Question& question);
  /// The same of several questions of one owner, as rows that are written with others. The write is a kConflict if
  /// another question of the owner has been queued since. Ids are final only after the write.
  Result<std::vector<Question>> add_to(WriteBatch& batch, std::vector<Question> questions) const;

  /// The question that stands before the owner now; asks the next one where none does and one is due. None: nothing is
  /// to be asked now.
  Result<std::optional<Question>> next(const std::string& owner);

  /// Takes an answer: a choice by letter, number, ordinal or words stands as the choice's text, everything else as it
  /// is. kConflict where the question has been answered or has expired; kNotFound for another owner's. `with` are rows
  /// that are written together with it.
  Result<Question> answer(const std::string& owner, const std::string& id, const std::string& text,
                          WriteBatch with = {});
  /// What `answer` would keep, without keeping it; the same errors. Of approvals and of what became of a call only the
  /// choices are answers (kInvalidArgument).
  Result<Question> check_answer(const std::string& owner, const std::string& id, const std::string& text) const;
  /// Ends a question that has its answer already, or of which the fallback was taken, together with other rows. Nothing
  /// is written if it does not wait.
  Status settle(const std::string& owner, const std::string& id, const std::string& text, bool timed_out,
                WriteBatch with = {});
  /// kNotFound for another owner's.
  Result<Question> find(const std::string& owner, const std::string& id) const;
  /// Takes a question back.
  Result<Question> withdraw(const std::string& owner, const std::string& id);

  /// The waiting questions of all owners that have expired. The caller takes each fallback and then calls `settle`.
  Result<std::vector<Question>> overdue() const;
  /// When the next one's time is over.
  Result<std::optional<Time>> next_expiry() const;

  /// Those of an owner, oldest first.
  Result<std::vector<Question>> questions(const std::string& owner) const;
  /// Those that wait, and the newest others.
  Result<std::vector<Question>> newest(const std::string& owner, std::size_t others) const;

  /// Takes out all of an owner, or what comes of erased messages. `asked`: ids of questions of which that is known;
  /// other questions are matched by their text.
  Status erase(const ErasedMessages& gone, const std::set<std::string>& asked);
  /// The questions that `erase` would remove, oldest first.
  Result<std::vector<Question>> made_of(const ErasedMessages& gone, const std::set<std::string>& asked) const;

 private:
  using Waiting = KeptRecords<WaitingQuestion>::Kept;

  Result<Question> open_question(const std::string& owner, const std::string& id) const;
  Result<Question> with_answer(Question open, const std::string& text) const;
  /// `quiet`: whether the owner is hardly ever there now, if that is known. kUnavailable: it must be known.
  Result<std::optional<Question>> next(const std::string& owner, std::optional<bool> quiet);
  void put(const Waiting& changed, WriteBatch& batch) const;
  Status end(const Question& ended, WriteBatch with = {});

  Store& store_;
  const Clock& clock_;
  const AdaptationSettings settings_;
  const Activity activity_;
  const KeptRecords<WaitingQuestion> waiting_;
  const KeptRecords<Question> past_;  ///< answered, expired and withdrawn ones
  const KeptRecords<QuestionNumber> numbers_;
  mutable KeyLocks locks_;  ///< one for each owner, held by all changes but those of `add_to`
};

}  // namespace weft
