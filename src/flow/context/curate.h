#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/deadline.h"
#include "flow/context/candidates.h"
#include "flow/context/injector.h"
#include "flow/context/prefetch.h"
#include "flow/context/selector.h"
#include "weft/made_by.h"

namespace weft {

struct CurateOptions {
  CandidateOptions candidates;
  SelectorOptions selector;
  PrefetchOptions prefetch;
  std::chrono::milliseconds timeout{1500};       ///< that a prompt waits, counted from the start
  std::chrono::milliseconds background{20'000};  ///< that the work may take in all, for the next turn
  std::size_t workers = 2;
  std::size_t queue = 16;  ///< requests that wait for a worker; beyond it a prompt goes without
  bool floor_when_late = true;  ///< a prompt that waited in vain gets what needs no model, if that is ready
  bool prefetched_at_once = false;  ///< a fitting result of the turn before is used without waiting for a new one
};

/// One prompt's wish for what may help beside what must stand in it.
struct CurateRequest {
  PrefetchKey key;
  std::string head;  ///< the message at the head of the session's living branch; empty: not known
  CandidateInput what;
  std::vector<Message> recent;  ///< the last messages, oldest first, without the input
  CandidatePorts ports;
  FetchEntry fetch;
  Prefetch::Living living;
};

enum class CurationStatus {
  kDone,        ///< chosen in time
  kPrefetched,  ///< late; what an earlier turn had looked for still fits and stands in
  kLate,        ///< late; what came in without the model, or nothing
  kSkipped,     ///< not wanted, no room, or forgotten
};

std::string_view to_string(CurationStatus status);  ///< "done", "prefetched", "late", "skipped"

/// What came of it.
struct Curation {
  CurationStatus status = CurationStatus::kSkipped;
  std::vector<CuratedEntry> entries;  ///< the best first
  LayerLabels labels;
  MadeBy by = MadeBy::kFloor;  ///< kModel where a model has chosen
  std::string why;           ///< why not done, or not by a model
  std::vector<CurationCandidate> pool;    ///< what it was chosen from, for the report
  std::vector<std::string> notes;  ///< what went wrong on the way
  double ms = 0;  ///< from the start until it was handed over
};

struct CurationJob;

/// A curation under way. Moved only; may outlive its Curator. Where nobody waits, a
/// result that comes later is prefetched.
class PendingCuration {
 public:
  explicit PendingCuration(std::shared_ptr<CurationJob> job);
  PendingCuration(PendingCuration&&) noexcept = default;
  PendingCuration& operator=(PendingCuration&&) = delete;
  ~PendingCuration();

  /// The result, at the latest when the time-out or this deadline has passed, whatever the model does. Called once.
  Curation wait(const Deadline& deadline = {});

 private:
  std::shared_ptr<CurationJob> job_;
};

/// Runs the probabilistic stream on threads of its own, so that the deterministic one goes on meanwhile:
/// candidates → choice without a model → choice by the model → full texts.
///
/// Promises  `start` returns at once and `wait` within the time-out: neither waits for a callback or a model. What is
///        late is finished in the background and kept for the next turn. No work outlives this object: its destructor
///        cancels and joins, so it takes as long as the slowest callback or model that does not heed its deadline.
/// Threads   all functions are safe from any thread. The callbacks of requests and the model are called on the workers
///        (`living` also in `start`) and must stay valid until the destructor has returned.
class Curator {
 public:
  /// `model` may be null; it must outlive this object.
  explicit Curator(CurateOptions options, ChatModel* model);
  ~Curator();
  Curator(const Curator&) = delete;
  Curator& operator=(const Curator&) = delete;

  PendingCuration start(CurateRequest request);

  /// Forgets what was prefetched for a scope, and lets nothing that is under way for it come in. Called when the memory
  /// itself is gone.
  void forget(const ScopeKey& scope);

  std::size_t prefetched() const { return prefetch_.size(); }

 private:
  void work(const std::stop_token& stop);
  void run(CurationJob& job);
  bool enqueue(const std::shared_ptr<CurationJob>& job);

  const CurateOptions options_;
  ChatModel* const model_;
  Prefetch prefetch_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::shared_ptr<CurationJob>> queue_;
  std::vector<std::weak_ptr<CurationJob>> under_way_;
  bool ending_ = false;
  std::stop_source cancel_;
  std::vector<std::jthread> workers_;  // last: ended before anything they use
};

}  // namespace weft
