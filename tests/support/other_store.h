#pragma once

#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "ports/store/store.h"

namespace weft::test {

/// Documents of another store, counted as they are read.
class CountedDocuments final : public DocumentRows {
 public:
  explicit CountedDocuments(Store& rows) : rows_(rows) {}

  std::atomic<std::size_t> reads = 0, rows_read = 0;

  Result<std::optional<DocumentRow>> newest(const ScopeKey& scope, const std::string& kind,
                                            const std::string& id) override {
    return counted(rows_.documents().newest(scope, kind, id));
  }
  Result<std::vector<DocumentRow>> versions(const ScopeKey& scope, const std::string& kind, const std::string& id,
                                            std::int64_t first, std::size_t limit) override {
    return counted(rows_.documents().versions(scope, kind, id, first, limit));
  }
  Result<std::vector<DocumentRow>> all(const ScopeKey& scope, const std::string& kind) override {
    return counted(rows_.documents().all(scope, kind));
  }
  Result<std::vector<DocumentRow>> latest(const ScopeKey& scope, const std::string& kind, std::size_t limit) override {
    return counted(rows_.documents().latest(scope, kind, limit));
  }
  Result<std::vector<DocumentRow>> of_kind(const std::string& kind, std::int64_t first_ms) override {
    return counted(rows_.documents().of_kind(kind, first_ms));
  }

 private:
  Result<std::optional<DocumentRow>> counted(Result<std::optional<DocumentRow>> row) {
    ++reads;
    rows_read += row.ok() && row->has_value();
    return row;
  }
  Result<std::vector<DocumentRow>> counted(Result<std::vector<DocumentRow>> rows) {
    ++reads;
    rows_read += rows.ok() ? rows->size() : 0;
    return rows;
  }

  Store& rows_;
};

/// A store of another one's rows: as another program has it, or as one whose writes fail.
class OtherStore : public Store {
 public:
  /// `rows` must outlive it.
  explicit OtherStore(Store& rows, bool shared = true) : rows_(rows), shared_(shared) {}

  /// Writes fail after so many more; the first that fails is kept all the same if `keep`, but its answer is lost.
  void fail_after(std::size_t writes, bool keep = false) {
    left_ = writes;
    keep_ = keep;
    failed_ = false;
  }
  void mend() { left_ = std::numeric_limits<std::size_t>::max(); }
  bool failed() const { return failed_; }

  bool is_shared() const override { return shared_; }
  Result<std::vector<std::int64_t>> take_numbers(RowKind kind, std::size_t count) override {
    return rows_.take_numbers(kind, count);
  }
  MessageRows& messages() override { return rows_.messages(); }
  StreamRows& streams() override { return rows_.streams(); }
  ItemRows& items() override { return rows_.items(); }
  NextVectors& next_vectors() override { return rows_.next_vectors(); }
  CountedDocuments& documents() override { return documents_; }
  JobRows& jobs() override { return rows_.jobs(); }
  LogRows& log() override { return rows_.log(); }
  StoreFile& file() override { return rows_.file(); }
  Result<bool> has_mark(const std::string& mark) override { return rows_.has_mark(mark); }
  Result<std::string> note(const std::string& name) override { return rows_.note(name); }
  Status set_note(const std::string& name, const std::string& value) override { return rows_.set_note(name, value); }
  Result<StoreCounts> counts() override { return rows_.counts(); }

 protected:
  Status put(const WriteBatch& batch) override {
    if (left_ > 0) {
      --left_;
      return rows_.write(batch);
    }
    if (!failed_.exchange(true) && keep_) {
      if (Status kept = rows_.write(batch); !kept.ok()) return kept;
    }
    return Status(unavailable("the store is away"));
  }

 private:
  Store& rows_;
  CountedDocuments documents_{rows_};
  const bool shared_;
  std::atomic<bool> keep_ = false, failed_ = false;
  std::atomic<std::size_t> left_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace weft::test
