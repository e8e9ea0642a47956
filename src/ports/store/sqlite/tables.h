#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ports/store/sqlite/connection.h"
#include "ports/store/store.h"

namespace weft::sqlite {

/// The connections of a store: one that writes, and some that read; a store in memory has one for both.
struct Pools {
  Pools(std::unique_ptr<Pool> writing, std::unique_ptr<Pool> reading)
      : writer(std::move(writing)), own_readers(std::move(reading)) {}

  Pool& readers() { return own_readers ? *own_readers : *writer; }
  bool has_file() const { return own_readers != nullptr; }

  std::unique_ptr<Pool> writer, own_readers;
};

class SqliteMessages final : public MessageRows {
 public:
  explicit SqliteMessages(Pools& pools) : pools_(pools) {}
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
  Pools& pools_;
};

class SqliteStreams final : public StreamRows {
 public:
  explicit SqliteStreams(Pools& pools) : pools_(pools) {}
  Result<std::optional<SessionRow>> session(const ScopeKey& scope, const SessionId& session) override;
  Result<std::optional<BlockRow>> block(const ScopeKey& scope, const SessionId& session, const BlockId& id) override;
  Result<std::vector<BlockRow>> topic_blocks(const ScopeKey& scope, const SessionId& session,
                                             const TopicId& topic) override;
  Result<std::vector<BlockRow>> session_blocks(const ScopeKey& scope, const SessionId& session) override;
  Result<std::vector<BlockRow>> blocks_before(const ScopeKey& scope, const SessionId& session, std::int64_t first_seq,
                                              std::size_t limit) override;
  Result<SessionSums> session_sums(const ScopeKey& scope, const SessionId& session) override;
  Result<std::optional<TopicRow>> topic(const ScopeKey& scope, const SessionId& session, const TopicId& id) override;
  Result<std::vector<BlockRow>> waiting_blocks(const ScopeKey& scope, const SessionId& session) override;
  Result<std::vector<SessionKey>> sessions_with_waiting_blocks(const std::optional<SessionKey>& after,
                                                               std::size_t limit) override;
  Result<std::vector<OpenSession>> open_sessions() override;
  Result<std::vector<ScopeKey>> scopes() override;
  Result<std::vector<SessionId>> scope_sessions(const ScopeKey& scope) override;

 private:
  Pools& pools_;
};

class SqliteItems final : public ItemRows {
 public:
  explicit SqliteItems(Pools& pools) : pools_(pools) {}
  Status scan(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) override;
  Result<std::vector<ItemRow>> get(const ScopeKey& scope, std::span<const std::int64_t> rows) override;
  Result<std::vector<std::int64_t>> rows_of(const ScopeKey& scope, std::span<const ItemId> ids) override;
  Result<std::vector<ItemRow>> of_kind(const ScopeKey& scope, ItemKind kind, std::size_t limit) override;
  Result<std::vector<ItemRow>> next_of_kind(const ScopeKey& scope, ItemKind kind, std::int64_t row, bool back,
                                            std::size_t limit) override;
  Result<std::vector<ItemRow>> before(const ScopeKey& scope, const SessionId& session, ItemKind kind,
                                      std::int64_t position, std::size_t limit) override;
  Result<std::vector<ItemRow>> of_session(const ScopeKey& scope, const SessionId& session) override;
  Result<std::vector<ItemRow>> unembedded(std::size_t limit) override;
  Status forget_other_vectors(const std::string& model) override;
  Result<std::vector<ItemRow>> of_scope(const ScopeKey& scope) override;
  Status scan_sources(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) override;

 private:
  Pools& pools_;
};

class SqliteNextVectors final : public NextVectors {
 public:
  explicit SqliteNextVectors(Pools& pools) : pools_(pools) {}
  Result<std::vector<NextItem>> missing(const std::string& model, std::int64_t after, std::size_t limit) override;
  Status keep(const std::string& model, std::span<const NextVector> vectors) override;
  Result<NextCounts> count(const std::string& model) override;
  Status discard(const std::string& except_model) override;
  Status serve(const std::string& model) override;

 private:
  Pools& pools_;
};

class SqliteDocuments final : public DocumentRows {
 public:
  explicit SqliteDocuments(Pools& pools) : pools_(pools) {}
  Result<std::optional<DocumentRow>> newest(const ScopeKey& scope, const std::string& kind,
                                            const std::string& id) override;
  Result<std::vector<DocumentRow>> versions(const ScopeKey& scope, const std::string& kind, const std::string& id,
                                            std::int64_t first, std::size_t limit) override;
  Result<std::vector<DocumentRow>> all(const ScopeKey& scope, const std::string& kind) override;
  Result<std::vector<DocumentRow>> latest(const ScopeKey& scope, const std::string& kind, std::size_t limit) override;
  Result<std::vector<DocumentRow>> of_kind(const std::string& kind, std::int64_t first_ms) override;

 private:
  Pools& pools_;
};

class SqliteJobs final : public JobRows {
 public:
  explicit SqliteJobs(Pools& pools) : pools_(pools) {}
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
  Pools& pools_;
};

class SqliteLog final : public LogRows {
 public:
  explicit SqliteLog(Pools& pools) : pools_(pools) {}
  Status open_reader(const std::string& reader) override;
  Result<std::vector<LogEntry>> behind(const ScopeKey& scope, std::int64_t seq, std::size_t limit) override;
  Result<std::vector<std::int64_t>> cursors(const ScopeKey& scope, std::span<const std::string> readers) override;
  Result<std::vector<ScopeKey>> scopes_behind(std::span<const std::string> readers, std::size_t limit) override;
  Result<ReaderLag> lag(const std::string& reader) override;
  Result<std::int64_t> newest(const ScopeKey& scope) override;
  Result<std::size_t> trim(std::span<const std::string> readers, std::int64_t keep, std::size_t limit) override;

 private:
  Pools& pools_;
};

class SqliteFile final : public StoreFile {
 public:
  explicit SqliteFile(Pools& pools) : pools_(pools) {}
  Status scan_texts(const std::function<void(bool said, std::string_view text)>& take) override;
  Status settle() override;
  Status scan_bytes(std::size_t overlap, const std::function<void(const StoreBytes& piece)>& take) override;
  Status scrub(std::span<const std::uint64_t> places) override;
  Status copy_to(const std::string& path) override;

 private:
  Pools& pools_;
};

/// Texts of a batch's rows as columns hold them, made before its transaction begins: what they are made of comes from
/// outside, and while a writer works on it others need not wait.
struct RowTexts {
  explicit RowTexts(const WriteBatch& batch);
  std::vector<std::string> extras;            ///< of messages, in their order
  std::vector<std::string> sources, details;  ///< of items, in their order
};

/// Documents of a batch, inside the open transaction.
Status check_documents(Connection& connection, const WriteBatch& batch);
Status put_documents(Connection& connection, const WriteBatch& batch);

/// Log entries of a batch, with those of its messages, and its cursors, likewise.
Status put_log(Connection& connection, const WriteBatch& batch);

/// Jobs of a batch, likewise.
Status put_jobs(Connection& connection, const WriteBatch& batch);

/// Applies one batch inside the open transaction.
Status apply(Connection& connection, const WriteBatch& batch, const RowTexts& texts);

}  // namespace weft::sqlite
