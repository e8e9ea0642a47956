#pragma once

#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "ports/store/store.h"

namespace weft::test {

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
  DocumentRows& documents() override { return rows_.documents(); }
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
  const bool shared_;
  std::atomic<bool> keep_ = false, failed_ = false;
  std::atomic<std::size_t> left_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace weft::test
