#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "growth/growth_files.h"
#include "model/erased_messages.h"
#include "ports/files/line_log.h"
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

/// The session in which questions and their answers are remembered, and the ids of the messages there.
inline constexpr const char* kQuestionTalk = "questions";
MessageId asked_message(const Question& question);
MessageId answer_message(const Question& question);

/// Questions that only people can answer. One at a time stands before each owner; urgent ones at once, the others in
/// batches and not in quiet hours; those with choices first. All that happens is a line of a log, so that a crash loses
/// nothing that was acknowledged. Safe from many threads.
class QuestionQueue {
 public:
  using Activity = std::function<ActivityHours(const std::string& owner)>;

  /// Reads the log. `activity` is asked without a lock held; empty: nobody is ever quiet.
  static Result<std::unique_ptr<QuestionQueue>> open(FileSystem& files, const GrowthFiles& places, const Clock& clock,
                                                     const AdaptationSettings& settings, Activity activity);

  /// Queues a question; its id, times and stage are given here. The same text that still waits for an answer of the
  /// same owner and run is not queued twice: then that one is given. kInvalidArgument without text or owner.
  Result<Question> ask(Question question);

  /// The question that stands before the owner now; asks the next one where none does and one is due. None: nothing is
  /// to be asked now.
  Result<std::optional<Question>> next(const std::string& owner);

  /// Takes an answer: a choice by letter, number, ordinal or words stands as the choice's text, everything else as it
  /// is. kConflict where the question has been answered or has expired; kNotFound for another owner's.
  Result<Question> answer(const std::string& owner, const std::string& id, const std::string& text);
  /// What `answer` would keep, without keeping it; the same errors. Of approvals and of what became of a call only the
  /// choices are answers (kInvalidArgument).
  Result<Question> check_answer(const std::string& owner, const std::string& id, const std::string& text) const;
  /// A question has its answer already, or its fallback was taken: it waits no longer. Nothing where it does not wait.
  Status settle(const std::string& id, const std::string& text, bool timed_out);
  /// kNotFound for another owner's.
  Result<Question> find(const std::string& owner, const std::string& id) const;
  /// Takes a question back.
  Result<Question> withdraw(const std::string& owner, const std::string& id);

  /// Ends the questions whose time is over, and gives them: their fallback is what is done now.
  Result<std::vector<Question>> expire();
  /// When the next one's time is over.
  std::optional<Time> next_expiry() const;

  /// Those of an owner, oldest first.
  std::vector<Question> questions(const std::string& owner) const;

  /// Takes out all of an owner, or what comes of erased messages, also from the log. `asked`: ids of questions of which
  /// that is known; of others it is told by their words.
  Status erase(const ErasedMessages& gone, const std::set<std::string>& asked);
  /// Those of them that would go, oldest first.
  std::vector<Question> made_of(const ErasedMessages& gone, const std::set<std::string>& asked) const;

 private:
  QuestionQueue(FileSystem& files, std::filesystem::path path, const Clock& clock, const AdaptationSettings& settings,
                Activity activity)
      : files_(files), path_(std::move(path)), clock_(clock), settings_(settings), activity_(std::move(activity)) {}

  Status open_log();
  void replay(std::string_view line);
  Status keep(const Question& question);
  Result<Question> answered(const std::string& owner, const std::string& id, const std::string& text) const;
  Result<const Question*> open_question(const std::string& owner, const std::string& id) const;
  Question* best(const std::string& owner, bool urgent_only);
  bool batch_is_due(const std::string& owner) const;
  Status release(const std::string& owner);

  FileSystem& files_;
  const std::filesystem::path path_;
  const Clock& clock_;
  const AdaptationSettings settings_;
  const Activity activity_;
  mutable std::mutex mutex_;
  std::unique_ptr<LineLog> log_;
  std::map<std::string, Question> all_;  ///< by id, which grow
  std::set<std::string> released_;  ///< of the batches that are being asked
  std::int64_t last_id_ = 0;
};

}  // namespace weft
