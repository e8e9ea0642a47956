#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/answers.h"
#include "engine/learnt_messages.h"
#include "engine/log_readers.h"
#include "engine/question_desk.h"
#include "engine/run_gaps.h"
#include "growth/belief_book.h"
#include "model/erased_messages.h"
#include "model/rows.h"

namespace weft {

/// What answers of private talks leave open, as `RunGapFinder` finds it for runs: what is unsure and memory does not
/// know either, what cannot be decided, what clashes with a belief. The last answer of a talk alone counts: who goes on
/// talking has seen it, so a question about it is taken back. A reader of the log; safe from any thread.
class TalkGaps final : public LogReader {
 public:
  TalkGaps(EngineCore& core, RunGapFinder& gaps, BeliefBook& beliefs, QuestionDesk& desk, Answers& questions,
           LearntMessages& learnt)
      : core_(core), gaps_(gaps), beliefs_(beliefs), desk_(desk), questions_(questions), learnt_(learnt) {}

  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const LogPart& part) override;
  bool waits_for_models() const override { return true; }
  void written(const WriteBatch& batch) override;
  /// Nothing is asked of erased messages; questions that were are taken back.
  void erase(const ErasedMessages& gone);

 private:
  struct Talk {
    ScopeKey scope;
    SessionId session;
    std::string asked, answer;  ///< the newest
    bool is_new = false;  ///< the answer was not looked at yet
    std::vector<std::string> questions;  ///< ids of those about it that are open
  };

  void note(const MessageRow& row);
  Status ask_of(const ScopeKey& scope, WriteBatch& batch);
  void take_back(Talk& talk);

  const std::string name_ = "talk_gaps";
  EngineCore& core_;
  RunGapFinder& gaps_;
  BeliefBook& beliefs_;
  QuestionDesk& desk_;
  Answers& questions_;  ///< takes back what nobody need answer any more
  LearntMessages& learnt_;
  std::mutex mutex_;
  std::map<std::string, Talk> talks_;  ///< by scope and session
  /// Talks and ids of the questions that are being written. Only the thread that reads the log uses it.
  std::vector<std::pair<std::string, std::string>> asked_;
};

}  // namespace weft
