#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "ports/store/soundness.h"
#include "ports/store/sqlite/connection.h"
#include "ports/store/store.h"

namespace weft::sqlite {

/// The embedded store: one SQLite file in WAL mode with full synchronisation. Writers queue up and one of them commits
/// for all who wait, so that many small writes share one flush of the disk.
class SqliteStore final : public Store, public Soundness {
 public:
  /// Opens or makes the file; an empty path keeps everything in memory.
  static Result<std::unique_ptr<Store>> open(const std::string& path);

  Status write(const WriteBatch& batch) override;
  Result<std::optional<SessionRow>> session(const ScopeKey& scope, const SessionId& session) override;
  Result<std::optional<MessageRow>> message(const ScopeKey& scope, const SessionId& session,
                                            const MessageId& id) override;
  Result<std::vector<MessageRow>> messages(const ScopeKey& scope, std::span<const MessageId> ids) override;
  Result<std::vector<MessageRow>> branch(const ScopeKey& scope, const SessionId& session, bool brief) override;
  Result<std::vector<MessageRow>> with_chain(const ScopeKey& scope, std::uint64_t chain, std::size_t limit) override;
  Result<std::vector<MessageRow>> with_digest(const ScopeKey& scope, std::uint64_t digest, std::size_t limit) override;
  Result<std::vector<MessageRow>> tree(const ScopeKey& scope, const SessionId& session) override;
  Result<std::vector<MessageRow>> recent(const ScopeKey& scope, const SessionId& session, std::size_t limit) override;
  Result<std::vector<MessageRow>> block_messages(const ScopeKey& scope, const SessionId& session,
                                                 const BlockId& block) override;
  Result<std::optional<BlockRow>> block(const ScopeKey& scope, const SessionId& session, const BlockId& id) override;
  Result<std::vector<BlockRow>> topic_blocks(const ScopeKey& scope, const SessionId& session,
                                             const TopicId& topic) override;
  Result<std::vector<BlockRow>> session_blocks(const ScopeKey& scope, const SessionId& session) override;
  Result<std::optional<TopicRow>> topic(const ScopeKey& scope, const SessionId& session, const TopicId& id) override;
  Result<std::vector<TopicRow>> topics(TopicStatus status, bool done) override;
  Result<std::vector<SessionKey>> sessions_with_open_block() override;
  Status scan_items(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) override;
  Result<std::vector<ItemRow>> items(const ScopeKey& scope, std::span<const std::int64_t> rows) override;
  Result<std::vector<std::int64_t>> rows_of(const ScopeKey& scope, std::span<const ItemId> ids) override;
  Result<std::vector<MessageRow>> range(const ScopeKey& scope, const SessionId& session, std::int64_t first,
                                        std::int64_t last) override;
  Result<std::vector<ItemRow>> items_before(const ScopeKey& scope, const SessionId& session, ItemKind kind,
                                            std::int64_t position, std::size_t limit) override;
  Result<std::vector<ItemRow>> items_of_kind(const ScopeKey& scope, ItemKind kind, std::size_t limit) override;
  Result<std::vector<ItemRow>> session_items(const ScopeKey& scope, const SessionId& session) override;
  Result<std::vector<ItemRow>> unembedded(std::size_t limit) override;
  Status forget_other_vectors(const std::string& model) override;
  Result<std::vector<NextItem>> without_next_vector(const std::string& model, std::int64_t after,
                                                    std::size_t limit) override;
  Status keep_next_vectors(const std::string& model, std::span<const NextVector> vectors) override;
  Result<NextCounts> count_next_vectors(const std::string& model) override;
  Status discard_next_vectors(const std::string& except_model) override;
  Status serve_next_vectors(const std::string& model) override;
  Result<std::optional<DocumentRow>> document(const ScopeKey& scope, const std::string& kind,
                                              const std::string& id) override;
  Result<std::vector<DocumentRow>> document_versions(const ScopeKey& scope, const std::string& kind,
                                                     const std::string& id, std::int64_t first,
                                                     std::size_t limit) override;
  Result<std::vector<DocumentRow>> documents(const ScopeKey& scope, const std::string& kind) override;
  Result<std::vector<ScopeKey>> scopes() override;
  Result<std::vector<MessageRow>> scope_messages(const ScopeKey& scope) override;
  Result<std::vector<ItemRow>> scope_items(const ScopeKey& scope) override;
  Result<std::vector<SessionId>> scope_sessions(const ScopeKey& scope) override;
  Status scan_messages(const ScopeKey& scope, bool brief, const std::function<void(MessageRow&&)>& take) override;
  Status scan_sources(const ScopeKey& scope, const std::function<void(ItemRow&&)>& take) override;
  Status scan_texts(const std::function<void(bool said, std::string_view text)>& take) override;
  Status settle() override;
  Status scan_bytes(std::size_t overlap, const std::function<void(const StoreBytes& piece)>& take) override;
  Status scrub(std::span<const std::uint64_t> places) override;
  Status copy_to(const std::string& path) override;
  Result<std::vector<std::string>> faults() override;
  Status rebuild() override;
  Result<std::string> note(const std::string& name) override;
  Status set_note(const std::string& name, const std::string& value) override;
  Result<bool> job_done(const std::string& job) override;
  Result<StoreCounts> counts() override;

 private:
  struct Waiting {
    const WriteBatch* batch;
    Status status;
    bool done = false;
  };

  SqliteStore(std::unique_ptr<Pool> writer, std::unique_ptr<Pool> readers)
      : writer_(std::move(writer)),
        own_readers_(std::move(readers)),
        readers_(own_readers_ ? own_readers_.get() : writer_.get()) {}
  void commit_together(std::vector<Waiting*>& group);

  std::unique_ptr<Pool> writer_;
  std::unique_ptr<Pool> own_readers_;
  Pool* readers_;
  std::mutex queue_mutex_;
  std::condition_variable queue_moved_;
  std::vector<Waiting*> queue_;
  bool committing_ = false;
};

/// Documents of a batch, inside the open transaction.
Status put_documents(Connection& connection, const WriteBatch& batch);

/// Applies one batch inside the open transaction.
Status apply(Connection& connection, const WriteBatch& batch);

}  // namespace weft::sqlite
