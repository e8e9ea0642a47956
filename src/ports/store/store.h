#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/job.h"
#include "model/rows.h"
#include "weft/result.h"

namespace weft {

/// A change of an item's vector.
struct VectorUpdate {
  std::int64_t row = 0;
  std::vector<float> vector;
  std::string model;
};

/// An item that waits for a vector of the next model.
struct NextItem {
  std::int64_t row = 0;
  std::string text;
};

/// Its vector, with the text it was made from; empty where the model cannot take the text.
struct NextVector {
  std::int64_t row = 0;
  std::string text;
  std::vector<float> vector;
};

/// How far a change of the model is, in items.
struct NextCounts {
  std::uint64_t done = 0, all = 0;
};

/// A job as one holder has it: a job that is taken up again has another number.
struct JobHold {
  JobId id;
  int attempt = 0;
};

/// How many jobs there are, and since when (Unix milliseconds) the one that waits longest could have run.
struct JobCounts {
  std::size_t pending = 0, processing = 0, failed = 0;
  std::optional<std::int64_t> waiting_since;
};

/// A move of a reader's cursor in the log of one scope. A reader without a cursor there stands at 0.
struct CursorMove {
  std::string reader;
  ScopeKey scope;
  std::int64_t from = 0, to = 0;
};

/// Names documents: one with all its versions, or more where parts are left empty.
struct DocumentKey {
  ScopeKey scope;
  std::string kind;  ///< empty: every kind
  std::string id;    ///< empty: every id
};

/// What stands or falls together: all of it is kept, or none.
struct WriteBatch {
  /// Inserted or replaced; each is kept with the next version. One whose version is not the kept one is a kConflict:
  /// somebody else has written the session since it was read.
  std::vector<SessionRow> sessions;
  /// Inserted; an existing (scope, session, id) is a kConflict. Each message also gets a log entry.
  std::vector<MessageRow> messages;
  std::vector<BlockRow> blocks;               ///< inserted or replaced
  std::vector<TopicRow> topics;               ///< inserted or replaced
  std::vector<ItemRow> items;                 ///< inserted or replaced by (scope, id); a replaced one keeps its row
  std::vector<VectorUpdate> vectors;
  std::vector<std::pair<std::int64_t, BlockId>> message_blocks;  ///< seq → block
  std::vector<std::pair<std::int64_t, bool>> message_active;     ///< seq → on the living branch
  std::vector<std::pair<std::int64_t, bool>> item_active;        ///< row → recallable
  std::vector<Job> jobs;                      ///< inserted; one whose id is there already stays as it is
  std::vector<Job> claimed_jobs;              ///< likewise; one whose id is there already is a kConflict
  std::vector<JobHold> finished_jobs;         ///< removed; one that its holder has lost is a kConflict
  std::vector<JobId> erased_jobs;             ///< removed, whoever holds them
  std::vector<std::string> marks;             ///< digests of what was done once and for all; see `has_mark`
  std::vector<std::string> claimed_marks;     ///< likewise; one that is there already is a kConflict
  std::vector<std::int64_t> erased_items;     ///< rows that are removed; their bytes are overwritten
  std::vector<std::int64_t> erased_messages;  ///< seqs that are removed, likewise
  std::vector<TopicKey> passed_traces;  ///< topics whose trace another one has now; it becomes empty
  std::vector<std::pair<std::int64_t, std::int64_t>> message_parents;  ///< seq → seq of the message before it
  std::vector<BlockKey> erased_blocks;
  std::vector<TopicKey> erased_topics;  ///< with their blocks
  std::vector<SessionKey> blanked_leads;  ///< sessions whose topics lose their leading summary
  std::vector<SessionKey> erased_sessions;  ///< (scope, session): only what is known of it
  std::vector<std::string> erased_marks;  ///< marks, whole
  std::vector<std::string> erased_mark_ends;  ///< marks that end so
  std::vector<DocumentRow> documents;  ///< inserted; a version that is there already is a kConflict
  /// Documents whose newest version must be this one (0: no version) before anything is written; else a kConflict.
  std::vector<std::pair<DocumentKey, std::int64_t>> expected_documents;
  std::vector<DocumentKey> erased_documents;
  std::vector<std::pair<DocumentKey, std::int64_t>> erased_versions;  ///< of one document, those before this one
  std::vector<LogEntry> log;  ///< appended behind the entries of the messages; the store gives their numbers
  std::vector<CursorMove> cursors;  ///< one whose cursor does not stand at `from` is a kConflict
  std::int64_t now_ms = 0;  ///< time of the log entries; 0: the system's clock
  /// The caller makes the batch again if it is lost, so the write waits for no flush of the disk. A power cut may lose
  /// the batch, a crash of the program does not. The next flushed batch flushes this one, too.
  bool repeatable = false;

  bool empty() const;
};

/// A piece of a file of the store.
struct StoreBytes {
  bool log = false;  ///< of the log; else of the file itself
  std::uint64_t place = 0;
  std::string_view bytes;
};

/// Notes of the largest numbers of a message and an item when something was last erased; see `Store::note`.
inline constexpr const char *kLastSeqNote = "last_seq", *kLastRowNote = "last_row";
/// Note of the largest number of a log that was erased whole.
inline constexpr const char* kLastLogNote = "last_log";

/// What `Store::take_numbers` counts.
enum class RowKind { kMessage, kItem };

/// What others have changed in a scope; see `Store::news`.
struct ScopeNews {
  std::int64_t since = 0, version = 0;  ///< changes after `since` up to `version`; equal: there are none
  bool has_removed = false;  ///< items were deleted: an index must be loaded again
  bool any() const { return since != version; }
};

/// Counts for status reports.
struct StoreCounts {
  std::uint64_t messages = 0, items = 0, unembedded = 0;
  std::uint64_t waiting_blocks = 0;  ///< closed, without a topic yet
  std::int64_t last_seq = 0, last_row = 0;  ///< the largest numbers that were ever written, erased ones included
};

/// A name under which a member of a group has spoken.
struct MemberName {
  UserId member;
  std::string name;  ///< may be empty
  std::int64_t last_seq = 0;  ///< of the newest message under this name
};

/// Messages as they were said, on whatever branch.
class MessageRows {
 public:
  virtual ~MessageRows() = default;

  /// One message.
  virtual Result<std::optional<MessageRow>> get(const ScopeKey& scope, const SessionId& session,
                                                const MessageId& id) = 0;
  /// The messages of one scope with these numbers (`MessageRow::seq`), in this order; missing ones are left out.
  virtual Result<std::vector<MessageRow>> numbered(const ScopeKey& scope, std::span<const std::int64_t> seqs) = 0;
  /// The messages of one scope with these ids, in the order of their sequence.
  virtual Result<std::vector<MessageRow>> get(const ScopeKey& scope, std::span<const MessageId> ids) = 0;
  /// The living branch of a session, oldest first, without texts (`message` holds only the id) if `brief`.
  virtual Result<std::vector<MessageRow>> branch(const ScopeKey& scope, const SessionId& session, bool brief) = 0;
  /// All messages of a session on any branch, brief.
  virtual Result<std::vector<MessageRow>> tree(const ScopeKey& scope, const SessionId& session) = 0;
  /// Whether any message of a session, active or not, has this parent; 0: whether the session has a first message.
  virtual Result<bool> has_child(const ScopeKey& scope, const SessionId& session, std::int64_t parent) = 0;
  /// Messages of whatever session and branch that end this very beginning (see `chained`), brief, newest first.
  virtual Result<std::vector<MessageRow>> with_chain(const ScopeKey& scope, std::uint64_t chain, std::size_t limit) = 0;
  /// Active messages of whatever session with this digest, brief, newest first.
  virtual Result<std::vector<MessageRow>> with_digest(const ScopeKey& scope, std::uint64_t digest,
                                                      std::size_t limit) = 0;
  /// The newest active messages of a session, oldest first.
  virtual Result<std::vector<MessageRow>> recent(const ScopeKey& scope, const SessionId& session,
                                                 std::size_t limit) = 0;
  /// Messages of the living branch of a session by number, `first` to `last`, in order.
  virtual Result<std::vector<MessageRow>> range(const ScopeKey& scope, const SessionId& session, std::int64_t first,
                                                std::int64_t last) = 0;
  /// The messages of a block in order.
  virtual Result<std::vector<MessageRow>> of_block(const ScopeKey& scope, const SessionId& session,
                                                   const BlockId& block) = 0;
  /// Every message of a scope on any branch, brief.
  virtual Result<std::vector<MessageRow>> of_scope(const ScopeKey& scope) = 0;
  /// The same, one at a time, of a scope of any size.
  virtual Status scan(const ScopeKey& scope, bool brief, const std::function<void(MessageRow&&)>& take) = 0;
  /// The newest active messages of a session with a number below `before`, oldest first.
  virtual Result<std::vector<MessageRow>> before(const ScopeKey& scope, const SessionId& session, std::int64_t before,
                                                 std::size_t limit) = 0;
  /// Every name under which each member of a group has spoken there, by member, the newest name last; nothing for a
  /// private scope.
  virtual Result<std::vector<MemberName>> member_names(const ScopeKey& scope) = 0;
  /// The largest number of a session's messages on any branch that is at most `most`; 0: there is none.
  virtual Result<std::int64_t> newest_number(const ScopeKey& scope, const SessionId& session, std::int64_t most) = 0;
};

/// What the living branch of a session holds, in sums.
struct SessionSums {
  std::int64_t turns = 0, topics = 0, tokens = 0;
  std::int64_t first_seq = 0;  ///< of its first message; 0: it has none
};

/// A session that something may still come to.
struct OpenSession {
  SessionKey session;
  /// When something came to its open topic last, Unix milliseconds; 0: its last block is open, and that time is not
  /// kept.
  std::int64_t touched_ms = 0;
};

/// Sessions, and the blocks and topics that their messages were cut into.
class StreamRows {
 public:
  virtual ~StreamRows() = default;

  virtual Result<std::optional<SessionRow>> session(const ScopeKey& scope, const SessionId& session) = 0;
  virtual Result<std::optional<BlockRow>> block(const ScopeKey& scope, const SessionId& session, const BlockId& id) = 0;
  /// The active blocks of a topic in order.
  virtual Result<std::vector<BlockRow>> topic_blocks(const ScopeKey& scope, const SessionId& session,
                                                     const TopicId& topic) = 0;
  /// The active blocks of a session in order.
  virtual Result<std::vector<BlockRow>> session_blocks(const ScopeKey& scope, const SessionId& session) = 0;
  virtual Result<std::optional<TopicRow>> topic(const ScopeKey& scope, const SessionId& session, const TopicId& id) = 0;
  /// The active blocks of a session that are closed and have no topic yet, in order.
  virtual Result<std::vector<BlockRow>> waiting_blocks(const ScopeKey& scope, const SessionId& session) = 0;
  /// Sessions that have such blocks, in the order of their keys, from behind `after` on; empty: from the first.
  virtual Result<std::vector<SessionKey>> sessions_with_waiting_blocks(const std::optional<SessionKey>& after,
                                                                       std::size_t limit) = 0;
  /// Sessions with an open topic or an open block, for the idle timer.
  virtual Result<std::vector<OpenSession>> open_sessions() = 0;
  /// The scopes that hold anything, for administration.
  virtual Result<std::vector<ScopeKey>> scopes() = 0;
  virtual Result<std::vector<SessionId>> scope_sessions(const ScopeKey& scope) = 0;
  /// The newest active blocks of a session that begin below a message's number, in order.
  virtual Result<std::vector<BlockRow>> blocks_before(const ScopeKey& scope, const SessionId& session,
                                                      std::int64_t first_seq, std::size_t limit) = 0;
  virtual Result<SessionSums> session_sums(const ScopeKey& scope, const SessionId& session) = 0;
};

/// What is searched: a row for each part of a message, event, narrative and so on.
class ItemRows {
 public:
  virtual ~ItemRows() = default;

  /// Hands every item of a scope to `take`, in the order of rows, with what an index needs: row, scope, kind, session,
  /// time, position, role, speaker, active, model, terms and vector.
  virtual Status scan(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) = 0;
  /// The same of those that were written behind `since`, a version of the scope (`ScopeNews`). All of them, where the
  /// store does not keep versions.
  virtual Status scan_news(const ScopeKey& scope, std::int64_t since, const std::function<void(ItemRow&&)>& take) {
    (void)since;
    return scan(scope, take);
  }
  /// Items of a scope by row, in the order asked for; missing rows are left out.
  virtual Result<std::vector<ItemRow>> get(const ScopeKey& scope, std::span<const std::int64_t> rows) = 0;
  /// The rows of the items with these ids, 0 for ids that are not there.
  virtual Result<std::vector<std::int64_t>> rows_of(const ScopeKey& scope, std::span<const ItemId> ids) = 0;
  /// Items of one kind in the order of their position, whole; active or not.
  virtual Result<std::vector<ItemRow>> of_kind(const ScopeKey& scope, ItemKind kind, std::size_t limit) = 0;
  /// The newest active items of one kind of a session that stand before a message's number, in the order of position.
  virtual Result<std::vector<ItemRow>> before(const ScopeKey& scope, const SessionId& session, ItemKind kind,
                                              std::int64_t position, std::size_t limit) = 0;
  /// Rows of the items of a session (active or not), without texts but with sources.
  virtual Result<std::vector<ItemRow>> of_session(const ScopeKey& scope, const SessionId& session) = 0;
  /// Items that wait for a vector, in the order of rows, with texts and scopes.
  virtual Result<std::vector<ItemRow>> unembedded(std::size_t limit) = 0;
  /// Items whose vector is of another model wait for one again. Those that are found by words only stay so.
  virtual Status forget_other_vectors(const std::string& model) = 0;
  /// Every item of a scope, with sources and details, without text.
  virtual Result<std::vector<ItemRow>> of_scope(const ScopeKey& scope) = 0;
  /// The same, one at a time, of a scope of any size, without terms and vectors.
  virtual Status scan_sources(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) = 0;
  /// Active items of one kind behind a row, whole, in the order of rows; with `back`, those before it, the last first.
  virtual Result<std::vector<ItemRow>> next_of_kind(const ScopeKey& scope, ItemKind kind, std::int64_t row, bool back,
                                                    std::size_t limit) = 0;
};

/// A change of the embedding model: beside the vectors that serve stand those of the next model, until all are there.
class NextVectors {
 public:
  virtual ~NextVectors() = default;

  /// Items behind `after` that have no vector of the next model yet, in the order of rows. Those that are found by
  /// words only are left out.
  virtual Result<std::vector<NextItem>> missing(const std::string& model, std::int64_t after, std::size_t limit) = 0;
  /// Keeps vectors of the next model durably. One whose item has been erased, or says something else by now, is left
  /// out.
  virtual Status keep(const std::string& model, std::span<const NextVector> vectors) = 0;
  virtual Result<NextCounts> count(const std::string& model) = 0;
  /// Forgets what was made for any other next model.
  virtual Status discard(const std::string& except_model) = 0;
  /// The next model's vectors take the place of those that serve, whole or not at all: items without one wait for it,
  /// the note "embedder" names the model, and the traces of open topics, which hold vectors too, become empty.
  virtual Status serve(const std::string& model) = 0;
};

/// Versioned documents of the engine's own.
class DocumentRows {
 public:
  virtual ~DocumentRows() = default;

  /// The newest version of a document.
  virtual Result<std::optional<DocumentRow>> newest(const ScopeKey& scope, const std::string& kind,
                                                    const std::string& id) = 0;
  /// Versions of a document from `first` on, oldest first.
  virtual Result<std::vector<DocumentRow>> versions(const ScopeKey& scope, const std::string& kind,
                                                    const std::string& id, std::int64_t first, std::size_t limit) = 0;
  /// The newest version of every document of a kind (empty: of all), in the order of their ids.
  virtual Result<std::vector<DocumentRow>> all(const ScopeKey& scope, const std::string& kind) = 0;
  /// The versions of documents of a kind with the newest times, in the order of time.
  virtual Result<std::vector<DocumentRow>> latest(const ScopeKey& scope, const std::string& kind,
                                                  std::size_t limit) = 0;
  /// All versions of documents of a kind, of every scope, whose time is not before `first_ms`, in the order of time.
  virtual Result<std::vector<DocumentRow>> of_kind(const std::string& kind, std::int64_t first_ms) = 0;
};

/// Jobs, which a `WriteBatch` inserts together with what they follow from. Each is taken by one holder for a while.
/// Whoever has not ended it within its lease has lost it: another holder may have it, and what the first one says of it
/// later counts no more.
class JobRows {
 public:
  virtual ~JobRows() = default;

  /// The oldest job that may run at `now_ms`, or whose lease is over; nothing where there is none.
  virtual Result<std::optional<Job>> take(std::int64_t now_ms, std::int64_t lease_ms) = 0;
  /// Removes a job; one that the holder has lost stays.
  virtual Status finish(const JobHold& hold) = 0;
  /// Makes a job wait again with a reason, not to be taken before `not_before_ms`. kNotFound: the holder has lost it.
  virtual Status put_back(const JobHold& hold, const std::string& reason, std::int64_t not_before_ms) = 0;
  /// Keeps a job as failed, with a reason, until somebody retries it. kNotFound: the holder has lost it.
  virtual Status fail(const JobHold& hold, const std::string& reason) = 0;
  /// Makes a failed job wait as if it were new, or all of them (empty id). Gives how many.
  virtual Result<std::size_t> retry(const JobId& id) = 0;
  /// Makes all that is held wait again: the holders are gone, as after a crash. Not to be called where other programs
  /// may hold some (`Store::is_shared`); there each job's lease ends.
  virtual Status release_all() = 0;
  virtual Result<bool> contains(const JobId& id) = 0;
  /// All jobs, in the order in which they came.
  virtual Result<std::vector<Job>> list() = 0;
  virtual Result<JobCounts> counts(std::int64_t now_ms) = 0;
  /// The earliest time at which a job may be taken: one that waits, or one whose lease ends.
  virtual Result<std::optional<std::int64_t>> next_due() = 0;
};

/// How far a reader is behind, over all scopes.
struct ReaderLag {
  std::uint64_t entries = 0;
  std::optional<std::int64_t> since_ms;  ///< time of the oldest unread entry
};

/// The log of each scope, which `WriteBatch` appends to, and how far each reader has come. A reader moves its cursor in
/// the batch that holds its effect: a crash repeats an entry, and never loses or doubles its effect.
class LogRows {
 public:
  virtual ~LogRows() = default;

  /// To be called before a reader works: a reader that the store does not know begins at the end of every log; one that
  /// it knows stays where it stands.
  virtual Status open_reader(const std::string& reader) = 0;
  /// The entries of a scope behind a number, in order.
  virtual Result<std::vector<LogEntry>> behind(const ScopeKey& scope, std::int64_t seq, std::size_t limit) = 0;
  /// Where each of these readers stands in a scope, in their order.
  virtual Result<std::vector<std::int64_t>> cursors(const ScopeKey& scope, std::span<const std::string> readers) = 0;
  /// The scopes in which one of these readers has entries to read, those with the oldest unread entry first.
  virtual Result<std::vector<ScopeKey>> scopes_behind(std::span<const std::string> readers, std::size_t limit) = 0;
  virtual Result<ReaderLag> lag(const std::string& reader) = 0;
  /// The number of the newest entry of a scope that was ever given; 0: none.
  virtual Result<std::int64_t> newest(const ScopeKey& scope) = 0;
  /// Removes entries that each of these readers has read, except the newest `keep` of each scope; at most about `limit`
  /// entries, oldest first. Gives how many were removed.
  virtual Result<std::size_t> trim(std::span<const std::string> readers, std::int64_t keep, std::size_t limit) = 0;
};

/// The store as a whole, and the bytes of its own files.
class StoreFile {
 public:
  virtual ~StoreFile() = default;

  /// Every text that is kept, of all scopes, in no order. `said`: by somebody in a message, or written as lore; the
  /// others were made from such.
  virtual Status scan_texts(const std::function<void(bool said, std::string_view text)>& take) = 0;
  /// Brings the log into the file and empties it, so that what was erased stands in neither. Writers wait for moments.
  virtual Status settle() = 0;
  /// The bytes of the store's own files as they lie on disk, in pieces in order of their place, `overlap` bytes of each
  /// repeated by the next. Nothing for a store in memory.
  virtual Status scan_bytes(std::size_t overlap, const std::function<void(const StoreBytes& piece)>& take) = 0;
  /// Overwrites the bytes of the file's pages around these places that belong to no row, where copies of moved rows can
  /// have stayed. Writers wait for moments.
  virtual Status scrub(std::span<const std::uint64_t> places) = 0;
  /// Writes all rows to a new file, as they are at one moment, while others go on.
  virtual Status copy_to(const std::string& path) = 0;
};

/// Called on the thread that wrote, after each write that appended to the log.
using OnAppend = std::function<void(const WriteBatch& written)>;

/// Rows of one workspace. All functions may be called from many threads; a write that was answered with success is on
/// disk, and every later read sees it.
class Store {
 public:
  virtual ~Store() = default;

  /// Whether other programs may write to it while this one is open.
  virtual bool is_shared() const { return false; }

  /// Tells those who share the store that this program works on it with this embedding model (empty: with none); to be
  /// called every few seconds. kConflict where another one works with another model: their vectors cannot be compared.
  virtual Status join(const std::string& embedder) {
    (void)embedder;
    return {};
  }

  /// What others have changed in a scope since `caught_up` was last called for it. Changes of this program are left out
  /// as far as possible; some may be named. Before the first `caught_up` all that is there is news.
  virtual Result<ScopeNews> news(const ScopeKey& scope) {
    (void)scope;
    return ScopeNews();
  }
  /// Notes that all that this program holds of the scope in memory reflects the changes up to `news.version`.
  virtual void caught_up(const ScopeKey& scope, const ScopeNews& news) { (void)scope, (void)news; }

  /// Numbers for new rows, in growing order. They are larger than those of all rows that were kept before the call, and
  /// are never given again, by no program and after no erasure.
  virtual Result<std::vector<std::int64_t>> take_numbers(RowKind kind, std::size_t count) = 0;

  /// Writes the batch durably. Batches of several threads may share one transaction.
  Status write(const WriteBatch& batch) {
    WEFT_CHECK(put(batch));
    if (on_append_ && (!batch.messages.empty() || !batch.log.empty())) on_append_(batch);
    return {};
  }
  /// Calls `make(batch)`, which gives a status, and writes the batch unless it is empty. If somebody else has written
  /// in between (kConflict) both are done again, `kMostTries` times at most. Gives the batch that was written.
  template <class Make>
  Result<WriteBatch> transact(const Make& make) {
    constexpr int kMostTries = 20;
    for (int tries = 1;; ++tries) {
      WriteBatch batch;
      WEFT_CHECK(make(batch));
      const Status written = batch.empty() ? Status() : write(batch);
      if (written.ok()) return batch;
      if (written.error().code != ErrorCode::kConflict || tries == kMostTries) return written.error();
    }
  }

  virtual MessageRows& messages() = 0;
  virtual StreamRows& streams() = 0;
  virtual ItemRows& items() = 0;
  virtual NextVectors& next_vectors() = 0;
  virtual DocumentRows& documents() = 0;
  virtual JobRows& jobs() = 0;
  virtual LogRows& log() = 0;
  virtual StoreFile& file() = 0;

  /// Whether such a mark was written, by `marks` or `claimed_marks`.
  virtual Result<bool> has_mark(const std::string& mark) = 0;
  /// Small facts about the workspace by name, such as which embedder its vectors come from; empty: not there.
  virtual Result<std::string> note(const std::string& name) = 0;
  virtual Status set_note(const std::string& name, const std::string& value) = 0;
  virtual Result<StoreCounts> counts() = 0;

 protected:
  virtual Status put(const WriteBatch& batch) = 0;

 private:
  friend Result<std::unique_ptr<Store>> open_store(const std::string& url, OnAppend on_append);

  OnAppend on_append_;
};

/// Opens "sqlite:PATH", "memory:" or a connection URI "postgresql://…". `on_append`: see `OnAppend`.
Result<std::unique_ptr<Store>> open_store(const std::string& url, OnAppend on_append = {});

/// What a store can say of its own files and mend in them. All functions may be called from many threads.
class Soundness {
 public:
  virtual ~Soundness() = default;

  /// What the store's own check finds wrong with its files, in its own words, the first hundred; empty: they are sound.
  /// Reads all of it while others go on.
  virtual Result<std::vector<std::string>> faults() = 0;

  /// Makes anew what the store derives from its rows to find them by. Changes no row. Writers wait.
  virtual Status rebuild() = 0;
};

/// That of a store; null for one that can say nothing of itself.
Soundness* soundness_of(Store& store);

}  // namespace weft
