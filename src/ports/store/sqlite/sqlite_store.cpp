#include "ports/store/sqlite/sqlite_store.h"

#include <utility>

#include "ports/store/sqlite/row_readers.h"
#include "ports/store/sqlite/schema.h"
#include "ports/store/sqlite/write_batch.h"

namespace weft {

bool WriteBatch::empty() const {
  return sessions.empty() && messages.empty() && blocks.empty() && topics.empty() && items.empty() && vectors.empty() &&
         message_blocks.empty() && message_active.empty() && item_active.empty() && jobs_done.empty() &&
         erased_items.empty() && erased_messages.empty() && erased_topics.empty() && erased_blocks.empty() &&
         message_parents.empty() && passed_traces.empty() && erased_sessions.empty() && blanked_leads.empty() &&
         erased_jobs.empty() && erased_job_ends.empty() && documents.empty() && erased_documents.empty() &&
         erased_versions.empty();
}

Result<std::unique_ptr<Store>> open_store(const std::string& url) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (url == "memory:") return sqlite::SqliteStore::open("");
  if (url.starts_with(kSqlite)) return sqlite::SqliteStore::open(url.substr(kSqlite.size()));
  return invalid_argument("store: \"" + url + "\" names no store this program knows",
                          "use \"sqlite:PATH\" or \"memory:\"");
}

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
  return std::unique_ptr<Store>(new SqliteStore(std::move(writer), std::move(readers)));
}

Status SqliteStore::write(const WriteBatch& batch) {
  if (batch.empty()) return {};
  Waiting mine{&batch, {}, false};
  std::unique_lock lock(queue_mutex_);
  queue_.push_back(&mine);
  queue_moved_.wait(lock, [&] { return mine.done || !committing_; });
  if (mine.done) return mine.status;
  committing_ = true;
  std::vector<Waiting*> group = std::exchange(queue_, {});
  lock.unlock();
  commit_together(group);
  lock.lock();
  committing_ = false;
  for (Waiting* waiting : group) waiting->done = true;
  queue_moved_.notify_all();
  return mine.status;
}

void SqliteStore::commit_together(std::vector<Waiting*>& group) {
  auto connection = pools_.writer->take();
  Status begun = connection->run("BEGIN IMMEDIATE");
  if (begun.ok()) {
    // A savepoint for each, so that one caller's conflict does not undo what the others wrote.
    for (Waiting* waiting : group) {
      waiting->status = connection->run("SAVEPOINT batch");
      if (waiting->status.ok()) waiting->status = apply(*connection, *waiting->batch);
      if (!waiting->status.ok()) (void)connection->run("ROLLBACK TO batch");
      (void)connection->run("RELEASE batch");
    }
    begun = connection->run("COMMIT");
    if (!begun.ok()) (void)connection->run("ROLLBACK");
  }
  if (begun.ok()) return;
  for (Waiting* waiting : group) {
    if (waiting->status.ok()) waiting->status = begun;
  }
}

Result<bool> SqliteStore::job_done(const std::string& job) {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare("SELECT 1 FROM jobs_done WHERE job=?");
  statement.bind(job);
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
  return connection->prepare("INSERT OR REPLACE INTO meta VALUES (?, ?)").bind(name).bind(value).run();
}

Result<StoreCounts> SqliteStore::counts() {
  auto connection = pools_.readers().take();
  Statement statement = connection->prepare(
      "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM items), (SELECT count(*) FROM items WHERE "
      "model=''), "
      "(SELECT max(ifnull(max(seq),0), ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE name=?),0)) FROM "
      "messages), "
      "(SELECT max(ifnull(max(row),0), ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE name=?),0)) FROM items)");
  statement.bind(kLastSeqNote).bind(kLastRowNote);
  StoreCounts counts;
  if (statement.step()) {
    counts = {static_cast<std::uint64_t>(statement.integer(0)), static_cast<std::uint64_t>(statement.integer(1)),
              static_cast<std::uint64_t>(statement.integer(2)), statement.integer(3), statement.integer(4)};
  }
  WEFT_CHECK(statement.status());
  return counts;
}

}  // namespace sqlite
}  // namespace weft
