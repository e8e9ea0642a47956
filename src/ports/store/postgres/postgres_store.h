#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/threads.h"
#include "ports/store/postgres/connection.h"
#include "ports/store/store.h"

namespace weft::postgres {

/// The connections and the identity that the parts of the store share.
struct Access {
  Pool& pool;
  const std::string& program;  ///< this one among those that share the database
  const std::atomic<bool>& joined;  ///< whether the others know this one
};

class PostgresMessages final : public MessageRows {
 public:
  explicit PostgresMessages(Access with) : with_(with) {}
  Result<std::optional<MessageRow>> get(const ScopeKey& scope, const SessionId& session, const MessageId& id) override;
  Result<std::vector<MessageRow>> get(const ScopeKey& scope, std::span<const MessageId> ids) override;
  Result<std::vector<MessageRow>> numbered(const ScopeKey& scope, std::span<const std::int64_t> seqs) override;
  Result<std::vector<MessageRow>> branch(const ScopeKey& scope, const SessionId& session, bool brief) override;
  Result<std::vector<MessageRow>> tree(const ScopeKey& scope, const SessionId& session) override;
  Result<bool> has_child(const ScopeKey& scope, const SessionId& session, std::int64_t parent) override;
  Result<std::vector<MessageRow>> with_chain(const ScopeKey& scope, std::uint64_t chain, std::size_t limit) override;
  Result<std::vector<MessageRow>> with_digest(const ScopeKey& scope, std::uint64_t digest, std::size_t limit) override;
  Result<std::vector<MessageRow>> recent(const ScopeKey& scope, const SessionId& session, std::size_t limit) override;
  Result<std::vector<MessageRow>> before(const ScopeKey& scope, const SessionId& session, std::int64_t before,
                                         std::size_t limit) override;
  Result<std::vector<MemberName>> member_names(const ScopeKey& scope) override;
  Result<std::int64_t> newest_number(const ScopeKey& scope, const SessionId& session, std::int64_t most) override;
  Result<std::vector<MessageRow>> range(const ScopeKey& scope, const SessionId& session, std::int64_t first,
                                        std::int64_t last) override;
  Result<std::vector<MessageRow>> of_block(const ScopeKey& scope, const SessionId& session,
                                           const BlockId& block) override;
  Result<std::vector<MessageRow>> of_scope(const ScopeKey& scope) override;
  Status scan(const ScopeKey& scope, bool brief, const std::function<void(MessageRow&&)>& take) override;

 private:
  const Access with_;
};

class PostgresStreams final : public StreamRows {
 public:
  explicit PostgresStreams(Access with) : with_(with) {}
  Result<std::optional<SessionRow>> session(const ScopeKey& scope, const SessionId& session) override;
  Result<std::optional<BlockRow>> block(const ScopeKey& scope, const SessionId& session, const BlockId& id) override;
  Result<std::vector<BlockRow>> topic_blocks(const ScopeKey& scope, const SessionId& session,
                                             const TopicId& topic) override;
  Result<std::vector<BlockRow>> session_blocks(const ScopeKey& scope, const SessionId& session) override;
  Result<std::optional<TopicRow>> topic(const ScopeKey& scope, const SessionId& session, const TopicId& id) override;
  Result<std::vector<BlockRow>> waiting_blocks(const ScopeKey& scope, const SessionId& session) override;
  Result<std::vector<SessionKey>> sessions_with_waiting_blocks(const std::optional<SessionKey>& after,
                                                               std::size_t limit) override;
  Result<std::vector<OpenSession>> open_sessions() override;
  Result<std::vector<ScopeKey>> scopes() override;
  Result<std::vector<SessionId>> scope_sessions(const ScopeKey& scope) override;
  Result<std::vector<BlockRow>> blocks_before(const ScopeKey& scope, const SessionId& session, std::int64_t first_seq,
                                              std::size_t limit) override;
  Result<SessionSums> session_sums(const ScopeKey& scope, const SessionId& session) override;

 private:
  const Access with_;
};

class PostgresItems final : public ItemRows {
 public:
  explicit PostgresItems(Access with) : with_(with) {}
  Status scan(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) override;
  Status scan_news(const ScopeKey& scope, std::int64_t since, const std::function<void(ItemRow&&)>& take) override;
  Result<std::vector<ItemRow>> get(const ScopeKey& scope, std::span<const std::int64_t> rows) override;
  Result<std::vector<std::int64_t>> rows_of(const ScopeKey& scope, std::span<const ItemId> ids) override;
  Result<std::vector<ItemRow>> of_kind(const ScopeKey& scope, ItemKind kind, std::size_t limit) override;
  Result<std::vector<ItemRow>> before(const ScopeKey& scope, const SessionId& session, ItemKind kind,
                                      std::int64_t position, std::size_t limit) override;
  Result<std::vector<ItemRow>> of_session(const ScopeKey& scope, const SessionId& session) override;
  Result<std::vector<ItemRow>> unembedded(std::size_t limit) override;
  Status forget_other_vectors(const std::string& model) override;
  Result<std::vector<ItemRow>> of_scope(const ScopeKey& scope) override;
  Status scan_sources(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) override;
  Result<std::vector<ItemRow>> next_of_kind(const ScopeKey& scope, ItemKind kind, std::int64_t row, bool back,
                                            std::size_t limit) override;

 private:
  const Access with_;
};

class PostgresNextVectors final : public NextVectors {
 public:
  explicit PostgresNextVectors(Access with) : with_(with) {}
  Result<std::vector<NextItem>> missing(const std::string& model, std::int64_t after, std::size_t limit) override;
  Status keep(const std::string& model, std::span<const NextVector> vectors) override;
  Result<NextCounts> count(const std::string& model) override;
  Status discard(const std::string& except_model) override;
  Status serve(const std::string& model) override;

 private:
  const Access with_;
};

class PostgresDocuments final : public DocumentRows {
 public:
  explicit PostgresDocuments(Access with) : with_(with) {}
  Result<std::optional<DocumentRow>> newest(const ScopeKey& scope, const std::string& kind,
                                            const std::string& id) override;
  Result<std::vector<DocumentRow>> versions(const ScopeKey& scope, const std::string& kind, const std::string& id,
                                            std::int64_t first, std::size_t limit) override;
  Result<std::vector<DocumentRow>> all(const ScopeKey& scope, const std::string& kind) override;
  Result<std::vector<DocumentRow>> latest(const ScopeKey& scope, const std::string& kind, std::size_t limit) override;
  Result<std::vector<DocumentRow>> of_kind(const std::string& kind, std::int64_t first_ms) override;

 private:
  const Access with_;
};

class PostgresJobs final : public JobRows {
 public:
  explicit PostgresJobs(Access with) : with_(with) {}
  Result<std::optional<Job>> take(std::int64_t now_ms, std::int64_t lease_ms) override;
  Status finish(const JobHold& hold) override;
  Status put_back(const JobHold& hold, const std::string& reason, std::int64_t not_before_ms) override;
  Status fail(const JobHold& hold, const std::string& reason) override;
  Result<std::size_t> retry(const JobId& id) override;
  Status release_all() override;
  Result<bool> contains(const JobId& id) override;
  Result<std::vector<Job>> list() override;
  Result<JobCounts> counts(std::int64_t now_ms) override;
  Result<std::optional<std::int64_t>> next_due() override;

 private:
  const Access with_;
};

class PostgresLog final : public LogRows {
 public:
  explicit PostgresLog(Access with) : with_(with) {}
  Status open_reader(const std::string& reader) override;
  Result<std::vector<LogEntry>> behind(const ScopeKey& scope, std::int64_t seq, std::size_t limit) override;
  Result<std::vector<std::int64_t>> cursors(const ScopeKey& scope, std::span<const std::string> readers) override;
  Result<std::vector<ScopeKey>> scopes_behind(std::span<const std::string> readers, std::size_t limit) override;
  Result<ReaderLag> lag(const std::string& reader) override;
  Result<std::int64_t> newest(const ScopeKey& scope) override;
  Result<std::size_t> trim(std::span<const std::string> readers, std::int64_t keep, std::size_t limit) override;

 private:
  const Access with_;
};

/// The server's files are its own: nothing is read or overwritten there. Backups are made with its tools.
class PostgresFile final : public StoreFile {
 public:
  explicit PostgresFile(Access with) : with_(with) {}
  Status scan_texts(const std::function<void(bool said, std::string_view text)>& take) override;
  Status settle() override { return {}; }
  Status scan_bytes(std::size_t, const std::function<void(const StoreBytes&)>&) override { return {}; }
  Status scrub(std::span<const std::uint64_t>) override { return {}; }
  Status copy_to(const std::string& path) override;

 private:
  const Access with_;
};

/// Rows in a database of PostgreSQL, in its schema "weft", which many programs may share. A write locks the heads of
/// its scopes first, in the order of their keys; all of its statements are sent at once, and it waits once. Writes of
/// several threads share flushes of the disk as the server arranges it.
class PostgresStore final : public Store {
 public:
  /// `url`: a connection URI as libpq reads it.
  static Result<std::unique_ptr<Store>> open(const std::string& url);

  ~PostgresStore() override;

  bool is_shared() const override { return true; }
  Status join(const std::string& embedder) override;
  Result<ScopeNews> news(const ScopeKey& scope) override;
  void caught_up(const ScopeKey& scope, const ScopeNews& news) override;
  Result<std::vector<std::int64_t>> take_numbers(RowKind kind, std::size_t count) override;
  MessageRows& messages() override { return messages_; }
  StreamRows& streams() override { return streams_; }
  ItemRows& items() override { return items_; }
  NextVectors& next_vectors() override { return next_vectors_; }
  DocumentRows& documents() override { return documents_; }
  JobRows& jobs() override { return jobs_; }
  LogRows& log() override { return log_; }
  StoreFile& file() override { return file_; }
  Result<bool> has_mark(const std::string& mark) override;
  Result<std::string> note(const std::string& name) override;
  Status set_note(const std::string& name, const std::string& value) override;
  Result<StoreCounts> counts() override;

 private:
  Status put(const WriteBatch& batch) override;
  explicit PostgresStore(const std::string& url);
  void note_own_write(const ScopeKey& scope, std::int64_t version, std::int64_t before);

  Pool pool_;
  const std::string program_;
  std::atomic<bool> joined_ = false;
  const Access with_{pool_, program_, joined_};
  PostgresMessages messages_{with_};
  PostgresStreams streams_{with_};
  PostgresItems items_{with_};
  PostgresNextVectors next_vectors_{with_};
  PostgresDocuments documents_{with_};
  PostgresJobs jobs_{with_};
  PostgresLog log_{with_};
  PostgresFile file_{with_};
  /// The version of each scope up to which this program holds it in memory, or has written it itself.
  Sync<std::unordered_map<ScopeKey, std::int64_t>> seen_;
};

/// The statements of a batch in their order. The first one locks the heads of `scopes` and gives a row for each, with
/// scope, version and the version before; there is none where `scopes` is empty.
std::vector<Query> statements_of(const WriteBatch& batch, const std::set<ScopeKey>& scopes);

/// The scopes whose rows a batch names by their scope.
std::set<ScopeKey> named_scopes(const WriteBatch& batch);

/// The numbers of messages and items whose scopes the batch does not name.
std::vector<std::int64_t> unnamed_messages(const WriteBatch& batch);
std::vector<std::int64_t> unnamed_items(const WriteBatch& batch);

}  // namespace weft::postgres
