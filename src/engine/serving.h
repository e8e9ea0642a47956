#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/threads.h"
#include "engine/background.h"
#include "engine/embedder_model.h"
#include "engine/sessions.h"
#include "flow/memory/likeness.h"
#include "flow/stream/topic_shift.h"
#include "ports/index/scope_index.h"
#include "ports/store/store.h"
#include "weft/config.h"

namespace weft {

/// Lets many through at once, until somebody closes it: then newcomers wait, and the closer waits until those who are
/// inside have left. Unlike a shared mutex it cannot keep the closer out for as long as others come and go. Who is
/// inside must not enter again. Safe from many threads; several closers take turns.
class ModelGate {
 public:
  /// Inside as long as it lives.
  class [[nodiscard]] Pass {
   public:
    explicit Pass(ModelGate& gate) : gate_(&gate) {}
    Pass(Pass&& other) noexcept : gate_(other.gate_) { other.gate_ = nullptr; }
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    ModelGate* gate_;
  };

  /// Closed, with nobody inside, as long as it lives.
  class [[nodiscard]] Closed {
   public:
    explicit Closed(ModelGate& gate) : gate_(&gate) {}
    Closed(Closed&& other) noexcept : gate_(other.gate_) { other.gate_ = nullptr; }
    Closed& operator=(Closed&&) = delete;
    ~Closed() {
      if (gate_ != nullptr) gate_->open();
    }

   private:
    ModelGate* gate_;
  };

  Pass enter() {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [this] { return closers_ == 0; });
    ++inside_;
    return Pass(*this);
  }

  Closed close() {
    std::unique_lock lock(mutex_);
    ++closers_;
    moved_.wait(lock, [this] { return inside_ == 0 && !held_; });
    held_ = true;
    return Closed(*this);
  }

  /// Waits until those have left who are inside now.
  void wait_for_those_inside() { const Closed closed = close(); }

 private:
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) moved_.notify_all();
  }
  void open() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    --closers_;
    moved_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable moved_;
  std::size_t inside_ = 0, closers_ = 0;
  bool held_ = false;
};

/// The indexes of the scopes that are in use: made from the store's rows when a scope is first asked for, kept up with
/// every write. If they take more memory than they may, the longest unused ones are dropped. One index holds one scope
/// and nothing else, so that no search can reach another's memory. Safe from many threads.
class ScopeMemory {
 public:
  /// `most_bytes`: of all indexes together; the index that is asked for is kept, however large. `embedder` names the
  /// model whose vectors count; vectors of others are left out. Rows are read while `gate` is open, so that an index is
  /// of one model as a whole. `means` are those of that model.
  ScopeMemory(Store& store, ModelGate& gate, std::size_t most_bytes, std::string embedder, LanguageMeans means)
      : store_(store), gate_(gate), most_bytes_(most_bytes), embedder_(std::move(embedder)), means_(std::move(means)) {}

  /// What was just written becomes findable. Scopes that are not in memory need nothing: they are read from the store
  /// later.
  void added(std::span<const ItemRow> items);
  void embedded(const ScopeKey& scope, std::span<const VectorUpdate> vectors);
  void set_active(const ScopeKey& scope, std::span<const std::pair<std::int64_t, bool>> rows);

  /// What was erased is taken out; the rest stays where it is.
  void removed(const ScopeKey& scope, std::span<const std::int64_t> rows);

  /// Takes in what other programs have changed in the items of a scope.
  Status take_news(const ScopeKey& scope, const ScopeNews& news);

  /// Drops the index of a scope; it is read from the store when it is next asked for.
  void forget(const ScopeKey& scope);

  /// The index of a scope, loaded if need be. It stays whole for its holder even when it leaves this table. Not to be
  /// called by who has passed the gate.
  Result<std::shared_ptr<const ScopeIndex>> index_of(const ScopeKey& scope);

 private:
  struct Entry {
    std::mutex loading;  ///< held while the rows are read; what is written meanwhile waits and is added after them
    std::shared_ptr<ScopeIndex> index;  ///< null until it is loaded
    std::size_t bytes = 0;  ///< of the index when it was last asked for; this and what follows guarded by `mutex_`
    bool is_gone = false;  ///< from the table
  };

  using Entries = std::unordered_map<ScopeKey, std::pair<std::shared_ptr<Entry>, std::list<ScopeKey>::iterator>>;

  std::shared_ptr<Entry> find(const ScopeKey& scope);
  std::shared_ptr<Entry> find_or_make(const ScopeKey& scope);
  Status load(const ScopeKey& scope, Entry& entry);
  std::shared_ptr<const ScopeIndex> measured(Entry& entry);
  void drop(Entries::iterator at);

  Store& store_;
  ModelGate& gate_;
  const std::size_t most_bytes_;
  std::string embedder_;
  LanguageMeans means_;
  std::mutex mutex_;
  std::list<ScopeKey> used_;  ///< the newest first
  std::size_t bytes_ = 0;  ///< of all entries
  Entries entries_;
};

/// What answers now, all of one embedding model: its vectors of queries, the detector that compares by them, and the
/// indexes that hold them. Replaced as a whole when the model changes; who has begun with one goes on with it and asks
/// at the end whether it still serves. Safe from many threads.
struct Serving {
  Serving(EmbedderModel own, const StreamSettings& stream, Store& store, ModelGate& gate, std::size_t index_bytes)
      : model(std::move(own)),
        adsorber(stream, model.similarity),
        memory(store, gate, index_bytes, model.embedder ? model.name : std::string(), means_of(*model.similarity)) {}

  Embedder* embedder() const { return model.embedder.get(); }  ///< null: words alone

  const EmbedderModel model;
  const Adsorber adsorber;
  ScopeMemory memory;
};

struct EngineCore;

/// By the embedding model that serves now; by words where there is none, or where it does not answer in time. `core`
/// must outlive it.
class ServingLikeness final : public Likeness {
 public:
  ServingLikeness(const EngineCore& core, std::chrono::milliseconds limit) : core_(core), limit_(limit) {}
  std::vector<double> to_all(std::string_view text, std::span<const std::string> others) const override;
  TextVectors vectors(std::span<const std::string> texts) const override;
  bool by_meaning() const override;

 private:
  const EngineCore& core_;
  std::chrono::milliseconds limit_;
};

/// Makes the vectors of queries that are sure to be asked in a moment, while the caller is still writing down what was
/// said: the embedder's cache then has them, or they are under way. A hint: what is not done in time is done by who
/// asks. Safe from any thread.
class QueryForesight {
 public:
  QueryForesight();
  ~QueryForesight();

  /// `text` will be searched with in the scope. Dropped where too many wait already.
  void expect(std::shared_ptr<Serving> serving, ScopeKey scope, std::string text);

 private:
  struct Expected {
    std::shared_ptr<Serving> serving;
    ScopeKey scope;
    std::string text;
  };

  void make_vectors(std::stop_token stop);

  Sync<std::deque<Expected>> waiting_;
  Waker waker_;
  Background worker_;  // last: it uses what stands above
};

/// Which embedding model serves, and the way from one to the next without a pause.
///
/// When the configured model is not the one that the stored vectors came from, the former goes on serving, for searches
/// and for new items, while `work` makes the next model's vectors beside the old ones. When all are there, they take
/// each other's place in one transaction, and the next model serves. Where the former cannot be opened, words alone are
/// searched meanwhile. All progress is in the store, so that a change can be interrupted at any point.
///
/// Takes  the store, the models, and the sessions in memory, which hold vectors of the model that serves.
/// Gives  the model that serves (`serving`), and whether it still does at the end of a call (`is_serving`).
/// Promise  a call that begins and ends with the same `serving` has met vectors of that model only, if it wrote between
///          `gate().enter()` and the check.
/// Safe from many threads; `work` belongs to one.
class ModelChange {
 public:
  /// Opens the model that stored vectors came from, by its name; one without embedder where it cannot be opened.
  using OpenFormer = std::function<EmbedderModel(const std::string& name)>;

  /// Reads from the store how far the change is. `store` and `config` must outlive it. `sessions` are
  /// forgotten with the gate closed, when the store holds the next model's vectors and before it serves.
  static Result<std::unique_ptr<ModelChange>> open(Store& store, const Config& config, EmbedderModel configured,
                                                   const OpenFormer& former, SessionTable& sessions);

  std::shared_ptr<Serving> serving() const;
  bool is_serving(const Serving& serving) const;

  /// To be passed by whoever writes what depends on the model that serves.
  ModelGate& gate() { return gate_; }

  /// Makes vectors of the next model and lets it serve when none is missing. Gives the time after which to try again,
  /// or nothing when there is nothing left to do.
  std::optional<std::chrono::milliseconds> work(const std::stop_token& stop);

  bool under_way() const { return under_way_; }

  struct Progress {
    std::string model;  ///< empty: no change is under way
    std::string state;  ///< of the next model, as of `EmbedderModel::state`
    NextCounts items;
  };
  Progress progress() const;

 private:
  ModelChange(Store& store, const Config& config, SessionTable& sessions)
      : store_(store), config_(config), sessions_(sessions) {}
  Status begin(EmbedderModel configured, const OpenFormer& former);
  std::shared_ptr<Serving> make_serving(EmbedderModel model);

  enum class Step { kMore, kAllThere, kModelAway };
  Result<Step> embed_some(const std::stop_token& stop);
  Status let_next_serve();

  Store& store_;
  const Config& config_;
  SessionTable& sessions_;
  ModelGate gate_;
  EmbedderModel next_;  ///< stays as it is until the end
  std::atomic<bool> under_way_ = false;
  std::int64_t behind_ = 0;  ///< items up to this row have been looked at in this pass
  bool missed_ = false;  ///< whether this pass found an item without a vector
  mutable std::mutex mutex_;
  std::shared_ptr<Serving> serving_;
};

}  // namespace weft
