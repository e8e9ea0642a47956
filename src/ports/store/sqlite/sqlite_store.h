#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ports/store/sqlite/tables.h"
#include "ports/store/store.h"

namespace weft::sqlite {

struct RowTexts;

/// The embedded store: one SQLite file in WAL mode with full synchronisation. Writers queue up and one of them commits
/// for all who wait, so that many small writes share one flush of the disk.
class SqliteStore final : public Store, public Soundness {
 public:
  /// Opens or makes the file; an empty path keeps everything in memory.
  static Result<std::unique_ptr<Store>> open(const std::string& path);

  Result<std::vector<std::int64_t>> take_numbers(RowKind kind, std::size_t count) override;
  MessageRows& messages() override { return messages_; }
  StreamRows& streams() override { return streams_; }
  ItemRows& items() override { return items_; }
  NextVectors& next_vectors() override { return next_vectors_; }
  DocumentRows& documents() override { return documents_; }
  JobRows& jobs() override { return jobs_; }
  LogRows& log() override { return log_; }
  StoreFile& file() override { return file_; }
  Result<std::vector<std::string>> faults() override;
  Status rebuild() override;
  Result<std::string> note(const std::string& name) override;
  Status set_note(const std::string& name, const std::string& value) override;
  Result<bool> has_mark(const std::string& mark) override;
  Result<StoreCounts> counts() override;

 private:
  Status put(const WriteBatch& batch) override;

  /// A batch that is to be committed. It has failed until its transaction is on disk, whatever is thrown before.
  struct Waiting {
    const WriteBatch* batch;
    const RowTexts* texts;
    Status status = unavailable("store: the write was broken off", "try again");
    bool done = false;
  };
  class Turn;

  SqliteStore(std::unique_ptr<Pool> writer, std::unique_ptr<Pool> readers)
      : pools_(std::move(writer), std::move(readers)) {}
  void commit_together(std::span<Waiting* const> group);

  Pools pools_;
  std::atomic<std::int64_t> last_message_ = 0, last_item_ = 0;  ///< numbers that were given
  SqliteMessages messages_{pools_};
  SqliteStreams streams_{pools_};
  SqliteItems items_{pools_};
  SqliteNextVectors next_vectors_{pools_};
  SqliteDocuments documents_{pools_};
  SqliteJobs jobs_{pools_};
  SqliteLog log_{pools_};
  SqliteFile file_{pools_};
  std::mutex queue_mutex_;
  std::condition_variable queue_moved_;
  std::vector<Waiting*> queue_;
  bool committing_ = false;
};

}  // namespace weft::sqlite
