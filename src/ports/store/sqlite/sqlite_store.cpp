#include "ports/store/sqlite/sqlite_store.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/fault_point.h"
#include "base/guarded.h"
#include "ports/store/sqlite/row_readers.h"
#include "ports/store/sqlite/schema.h"
#include "ports/store/sqlite/write_batch.h"

namespace weft {

namespace sqlite {
namespace {

constexpr std::size_t kReaders = 4;

}  // namespace

Result<std::unique_ptr<Store>> SqliteStore::open(const std::string& path) {
  const bool in_memory = path.empty();
  WEFT_TRY(auto connection, Connection::open(in_memory ? ":memory:" : path, true));
  WEFT_CHECK(prepare_schema(*connection));
  auto writer = Pool::share(std::move(connection));
  std::unique_ptr<Pool> readers;
  if (!in_memory) {
    WEFT_TRY(readers, Pool::open(path, kReaders));
  }
  std::unique_ptr<SqliteStore> store(new SqliteStore(std::move(writer), std::move(readers)));
  WEFT_TRY(const StoreCounts counts, store->counts());
  store->last_message_ = counts.last_seq;
  store->last_item_ = counts.last_row;
  return std::unique_ptr<Store>(std::move(store));
}

Result<std::vector<std::int64_t>> SqliteStore::take_numbers(RowKind kind, std::size_t count) {
  auto& last = kind == RowKind::kMessage ? last_message_ : last_item_;
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), last.fetch_add(static_cast<std::int64_t>(count)) + 1);
  return numbers;
}

// The turn of a writer who commits for all that wait. At its end they are told, and the next writer may begin, also
// where the commit threw.
class SqliteStore::Turn {
 public:
  // With the lock held.
  explicit Turn(SqliteStore& store) : store_(store), group_(std::exchange(store.queue_, {})) {
    store_.committing_ = true;
  }
  ~Turn() {
    const std::lock_guard lock(store_.queue_mutex_);
    store_.committing_ = false;
    for (Waiting* waiting : group_) waiting->done = true;
    store_.queue_moved_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  std::span<Waiting* const> group() const { return group_; }

 private:
  SqliteStore& store_;
  const std::vector<Waiting*> group_;
};

Status SqliteStore::put(const WriteBatch& batch) {
  if (batch.empty()) return {};
  const RowTexts texts(batch);
  Waiting mine{.batch = &batch, .texts = &texts};
  std::unique_lock lock(queue_mutex_);
  queue_.push_back(&mine);
  queue_moved_.wait(lock, [&] { return mine.done || !committing_; });
  if (!mine.done) {
    const Turn turn(*this);
    lock.unlock();
    guarded_or_logged("store.commit", [&] { commit_together(turn.group()); });
  }
  return std::move(mine.status);
}

// A savepoint for each, so that one caller's conflict or defect does not undo what the others wrote.
void SqliteStore::commit_together(std::span<Waiting* const> group) {
  auto connection = pools_.writer->take();
  std::optional<Unflushed> unflushed;
  if (std::all_of(group.begin(), group.end(), [](const Waiting* one) { return one->batch->repeatable; }))
    unflushed.emplace(*connection);
  Transaction transaction(*connection);
  std::vector<Status> outcomes;
  outcomes.reserve(group.size());
  Status committed = transaction.begin();
  for (const Waiting* waiting : group) {
    if (!committed.ok()) break;
    Status written = connection->run("SAVEPOINT batch");
    if (written.ok())
      written = guarded("store: the write", [&] { return apply(*connection, *waiting->batch, *waiting->texts); });
    if (!written.ok()) (void)connection->run("ROLLBACK TO batch");
    (void)connection->run("RELEASE batch");
    outcomes.push_back(std::move(written));
  }
  if (committed.ok()) committed = fault_point(FaultPoint::kStoreApplied);
  if (committed.ok()) committed = transaction.commit();
  kill_point(FaultPoint::kStoreCommitted);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const bool own_failure = i < outcomes.size() && !outcomes[i].ok();
    group[i]->status = own_failure ? std::move(outcomes[i]) : committed;
  }
}

Result<bool> SqliteStore::has_mark(const std::string& mark) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT 1 FROM marks WHERE mark=?");
  statement.bind(mark);
  const bool done = statement.step();
  WEFT_CHECK(statement.status());
  return done;
}

Result<std::string> SqliteStore::note(const std::string& name) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT value FROM meta WHERE name=?");
  statement.bind(name);
  std::string value = statement.step() ? statement.text(0) : std::string();
  WEFT_CHECK(statement.status());
  return value;
}

Status SqliteStore::set_note(const std::string& name, const std::string& value) {
  auto connection = pools_.writer->take();
  return connection->prepare("INSERT OR REPLACE INTO meta (name,value) VALUES (?, ?)").bind(name).bind(value).run();
}

Result<StoreCounts> SqliteStore::counts() {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM items), (SELECT count(*) FROM items WHERE "
      "model=''), "
      "(SELECT count(*) FROM blocks INDEXED BY blocks_waiting WHERE " WEFT_BLOCK_WAITS
      "), "
      "(SELECT max(ifnull(max(seq),0), ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE name=?),0)) FROM "
      "messages), "
      "(SELECT max(ifnull(max(row),0), ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE name=?),0)) FROM items)");
  statement.bind(kLastSeqNote).bind(kLastRowNote);
  StoreCounts counts;
  if (statement.step()) {
    counts = {static_cast<std::uint64_t>(statement.integer(0)),
              static_cast<std::uint64_t>(statement.integer(1)),
              static_cast<std::uint64_t>(statement.integer(2)),
              static_cast<std::uint64_t>(statement.integer(3)),
              statement.integer(4),
              statement.integer(5)};
  }
  WEFT_CHECK(statement.status());
  return counts;
}

}  // namespace sqlite
}  // namespace weft
