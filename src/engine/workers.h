#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "engine/flush_append.h"
#include "engine/said_memory.h"
#include "engine/states.h"
#include "flow/historian/reword_blocks.h"
#include "model/job.h"
#include "ports/files/job_mirror.h"

namespace weft {

struct EngineCore;
class ScopeFollower;

/// What the threads in the background do: give items their vectors, and work off the queue. Each function goes on until
/// there is nothing to do or it is told to stop, and gives when to look again. Safe from any thread.
class Workers {
 public:
  Workers(EngineCore& core, ScopeFollower& follower, Ends& ends, SaidMemory& said, States& states,
          Knowledge& knowledge);

  /// Gives vectors to items that have none, oldest first. One that the model cannot take is left to its words.
  std::optional<std::chrono::milliseconds> embed_items(std::stop_token stop);

  /// Goes on with a change of the embedding model.
  std::optional<std::chrono::milliseconds> change_model(std::stop_token stop);

  /// Works off what is due in the queue.
  std::optional<std::chrono::milliseconds> work_off_queue(std::stop_token stop);

  /// Shows the jobs as files. One thread at a time.
  std::optional<std::chrono::milliseconds> show_jobs();

 private:
  Status work_off(const Job& job, std::stop_token stop);
  Result<Wording> word_topic(const TopicKey& key, std::stop_token stop);
  Status work_off_topic(const Job& job, std::stop_token stop);

  EngineCore& core_;
  ScopeFollower& follower_;
  Ends& ends_;
  SaidMemory& said_;
  States& states_;
  FlushAppend append_;
  JobMirror mirror_;
};

}  // namespace weft
