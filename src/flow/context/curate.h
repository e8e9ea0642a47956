#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "flow/context/build_context.h"
#include "flow/context/candidates.h"
#include "weft/choices.h"
#include "weft/ids.h"
#include "weft/lore.h"
#include "weft/message.h"
#include "weft/plan.h"

namespace weft {

/// Where its author wants an entry to stand; what is absent is as configured.
struct EntryPlacement {
  std::optional<BlockPlace> position;
  std::optional<std::int64_t> depth, priority;
  std::optional<Role> role;

  /// Whether it asks for a place of its own; its priority alone orders it among the others.
  bool any() const { return position || depth || role; }
};

/// What was chosen, with its full text.
struct CuratedEntry {
  std::string id;    ///< the candidate's
  std::string type;  ///< "item", "character", …; "lore", "narrative" or "event" where nothing better is known
  std::string name;  ///< may be empty
  std::string text;  ///< as it is stored, not escaped
  std::int64_t turn = 0;  ///< in which turn it happened; 0: not known
  Chain chain = Chain::kLore;
  double score = 0;
  EntryPlacement placement;
  std::optional<Item> item;  ///< what it was made from, where that is an item of memory
};

/// Fetches the full text of a candidate. `id`, `chain` and `score` are filled in by the caller. kNotFound where it has
/// gone meanwhile.
using FetchEntry = std::function<Result<CuratedEntry>(const CurationCandidate&)>;

/// The entries of those places of a pool, in that order. What cannot be fetched or says nothing is left out and noted.
std::vector<CuratedEntry> fetch_entries(const CandidatePool& pool, const std::vector<std::size_t>& places,
                                        const FetchEntry& fetch, std::vector<std::string>& notes);

/// What stands around the entries.
struct LayerLabels {
  std::string model;      ///< who chose; empty: no model
  std::string rationale;  ///< why, in a sentence; may be empty
};

/// Writes entries as one text, all that is stored in it escaped.
using RenderEntries = std::function<std::string(const std::vector<CuratedEntry>&, const LayerLabels&)>;

/// <context_layer type="probabilistic"> with <knowledge_base> for lore and <relevant_memories> for the rest. Empty for
/// no entries.
std::string render_entries(const std::vector<CuratedEntry>& entries, const LayerLabels& labels);

struct InjectOptions {
  BlockPlace position = BlockPlace::kHistoryTop;
  std::int64_t depth = 0;
  std::int64_t priority = 10;
  Role role = Role::kSystem;
  bool block_per_entry = false;  ///< each entry floats on its own; else those without a placement stand together
};

/// The blocks of the entries: those that ask for no place of their own are one, the first, and those that ask for the
/// same place are one, in the order of their priorities; with `block_per_entry` one each, in the order of the entries.
/// A block's `id` is its entry's, or "curation" where entries stand together. `render` empty: `render_entries`.
std::vector<FloatingBlock> make_blocks(const std::vector<CuratedEntry>& entries, const LayerLabels& labels,
                                       const InjectOptions& options, const RenderEntries& render = {});

/// What stands beside the history of a planned prompt: lore that its keys called up, and what curation chose.
struct EntriesToWeave {
  std::vector<CuratedEntry> called;  ///< lore, by the words of the last messages
  std::vector<CuratedEntry> chosen;  ///< lore, memories, quests, the best first
  LayerLabels labels;
  InjectOptions options;
  std::string query;  ///< what shortening goes by
};

/// Fits entries into a room, what is called first, then what is chosen: each that fits is whole, one that is too large
/// by itself is shortened to what has to do with the query, the rest is left out and reported. What the prompt shows
/// already (`room.shown`) is left out, too. Entries that ask for no place of their own are one block.
Curated weave_entries(EntriesToWeave entries, const CurationRoom& room, const TokenCounter& tokens);

/// Lore that always stands, as one text, higher orders later; empty for none. All stored text in it is escaped.
std::string standing_lore(const std::vector<const LoreEntry*>& constant);

/// Whose late result is meant.
struct PrefetchKey {
  ScopeKey scope;  ///< Scope::key()
  SessionId session;

  friend bool operator==(const PrefetchKey&, const PrefetchKey&) = default;
};

/// What a result was made for.
struct PrefetchOrigin {
  PlanContext plan;
  std::string input;
  std::string head;  ///< the message at the head of the living branch then; empty: not known
};

/// A late result that waits for the next turn.
struct Prefetched {
  std::vector<CuratedEntry> entries;
  LayerLabels labels;
  MadeBy by = MadeBy::kFloor;
  PrefetchOrigin origin;
};

struct PrefetchOptions {
  std::size_t entries = 256;  ///< results kept in all; the oldest goes first
  std::size_t entries_of_session = 4;
  std::chrono::milliseconds max_age = std::chrono::minutes(10);
  double min_overlap = 0.3;  ///< of the words looked for then and now
};

/// How much two searches look for the same, 0 to 1: what the smaller of both sets of words (keywords and input) shares
/// with the larger, keywords among themselves where both plans have any. 0 where both name an active quest and it is
/// not the same one; at least a half where it is the same one and nothing else says otherwise.
double focus_overlap(const PlanContext& then, std::string_view input_then, const PlanContext& now,
                     std::string_view input_now);

/// Late results of the probabilistic stream, kept in memory for the next turn of their session. Nothing is served
/// across scopes or sessions. All functions are safe from any thread.
class Prefetch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Whether a message is still part of the session's living branch.
  using Living = std::function<bool(std::string_view head)>;
  /// Clock of the ages; empty: the steady clock.
  explicit Prefetch(PrefetchOptions options = {}, std::function<Time()> now = {});

  /// Taken before work begins whose result is put in later, so that nothing comes in that was made before a `clear`.
  std::uint64_t ticket() const;

  /// Keeps a result; of the same session and an equal plan the newer replaces the older. Nothing happens where
  /// anything was cleared since the ticket was taken.
  void put(const PrefetchKey& key, Prefetched result, std::uint64_t ticket);

  /// Takes out the result that fits best what is looked for now. Results of that session that are too old, of a branch
  /// that was left, or for another focus are dropped on the way. `living` empty: every branch counts as living; it is
  /// called while no lock is held.
  std::optional<Prefetched> take_if_relevant(const PrefetchKey& key, const PlanContext& plan, std::string_view input,
                                             const Living& living = {});

  /// Forgets all of a scope, also what is still being made.
  void clear(const ScopeKey& scope);

  std::size_t size() const;

 private:
  struct Entry {
    PrefetchKey key;
    std::uint64_t plan = 0;  ///< digest
    Time made;
    Prefetched result;
  };

  std::vector<Entry> take_all(const PrefetchKey& key);

  const PrefetchOptions options_;
  const std::function<Time()> now_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< the oldest first
  std::uint64_t cleared_ = 0;
};

struct CurateOptions {
  CandidateOptions candidates;
  SelectorOptions selector;
  PrefetchOptions prefetch;
  std::chrono::milliseconds timeout{1500};  ///< that a prompt waits, counted from the start
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
  kDone,  ///< chosen in time
  kPrefetched,  ///< late; what an earlier turn had looked for still fits and stands in
  kLate,  ///< late; what came in without the model, or nothing
  kSkipped,  ///< not wanted, no room, or forgotten
};

std::string_view to_string(CurationStatus status);  ///< "done", "prefetched", "late", "skipped"

/// What came of it.
struct Curation {
  CurationStatus status = CurationStatus::kSkipped;
  std::vector<CuratedEntry> entries;  ///< the best first
  LayerLabels labels;
  MadeBy by = MadeBy::kFloor;  ///< kModel where a model has chosen
  std::string why;  ///< why not done, or not by a model
  std::vector<CurationCandidate> pool;  ///< what it was chosen from, for the report
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
