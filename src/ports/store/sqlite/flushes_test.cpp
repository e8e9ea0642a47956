// How often the store waits for the disk.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <map>

#include "ports/store/store.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

std::atomic<int> flushes{0};

// The methods of a file, with a count of its flushes before the real one.
struct Counted : sqlite3_io_methods {
  const sqlite3_io_methods* real;
};

int count_and_flush(sqlite3_file* file, int flags) {
  ++flushes;
  return static_cast<const Counted*>(file->pMethods)->real->xSync(file, flags);
}

// While it lives, SQLite's default file system counts its flushes.
class CountedFlushes {
 public:
  CountedFlushes() {
    real_ = sqlite3_vfs_find(nullptr);
    counted_ = *real_;
    counted_.zName = "counted";
    counted_.xOpen = [](sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* given) {
      static std::map<const sqlite3_io_methods*, Counted> all;
      const int code = real_->xOpen(real_, name, file, flags, given);
      if (file->pMethods == nullptr) return code;
      const auto [at, is_new] = all.try_emplace(file->pMethods, Counted{*file->pMethods, file->pMethods});
      if (is_new) at->second.xSync = count_and_flush;
      file->pMethods = &at->second;
      return code;
    };
    sqlite3_vfs_register(&counted_, 1);
  }
  ~CountedFlushes() {
    sqlite3_vfs_unregister(&counted_);
    sqlite3_vfs_register(real_, 1);
  }

 private:
  static inline sqlite3_vfs* real_ = nullptr;
  sqlite3_vfs counted_;
};

WriteBatch mark(const std::string& name, bool repeatable) {
  WriteBatch batch;
  batch.repeatable = repeatable;
  batch.marks = {name};
  return batch;
}

TEST(Flushes, PF_23_a_repeatable_batch_is_written_without_a_flush) {
  const CountedFlushes counting;
  const test::TemporaryFolder folder;
  const auto store = open_store("sqlite:" + (folder / "weft.db")).value();
  ASSERT_TRUE(store->write(mark("first", false)).ok());
  const auto flushed_by = [&](const WriteBatch& batch) {
    const int before = flushes;
    EXPECT_TRUE(store->write(batch).ok());
    return flushes - before;
  };
  EXPECT_EQ(flushed_by(mark("acknowledged", false)), 1);
  EXPECT_EQ(flushed_by(mark("repeatable", true)), 0);
  EXPECT_TRUE(store->has_mark("repeatable").value());
  EXPECT_EQ(flushed_by(mark("acknowledged again", false)), 1);
}

}  // namespace
}  // namespace weft
