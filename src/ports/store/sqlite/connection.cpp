#include "ports/store/sqlite/connection.h"

#include <fcntl.h>

#include <filesystem>
#include <utility>

#include "ports/files/file_system.h"

namespace weft::sqlite {

Error error_of(int code, sqlite3* handle) {
  const std::string text = handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_FULL:
      return unavailable("store: the disk is full: " + text, "free some space; nothing that was acknowledged is lost");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return permission("store: " + text, "check that the workspace folder exists and may be written");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return corrupt("store: " + text, "restore weft.db from a backup");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR: return unavailable("store: " + text, "try again");
    case SQLITE_CONSTRAINT: return conflict("store: " + text);
    default: return internal("store: " + text);
  }
}

Statement::~Statement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Statement& Statement::bind(std::int64_t value) {
  if (statement_ == nullptr) return *this;
  sqlite3_bind_int64(statement_, next_++, value);
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  if (statement_ == nullptr) return *this;
  sqlite3_bind_text64(statement_, next_++, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_blob(std::string_view bytes) {
  if (statement_ == nullptr) return *this;
  sqlite3_bind_blob64(statement_, next_++, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
  return *this;
}

bool Statement::step() {
  if (statement_ == nullptr) return false;
  code_ = sqlite3_step(statement_);
  return code_ == SQLITE_ROW;
}

Status Statement::status() const {
  if (failure_) return *failure_;
  if (code_ == SQLITE_OK || code_ == SQLITE_ROW || code_ == SQLITE_DONE) return {};
  return error_of(code_, sqlite3_db_handle(statement_));
}

Status Statement::run() {
  while (step()) {
  }
  return status();
}

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return data == nullptr ? std::string() : std::string(data, size);
}

std::string_view Statement::view(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return {data, data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Statement::blob(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {data, data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

namespace {

// SQLite would make it for everybody to read; its log and shared memory take the rights that it has.
void make_file(const std::string& path) {
  if (path.empty() || path.starts_with(':')) return;  // ":memory:" is no file
  const auto folder = std::filesystem::path(path).parent_path();
  const FileHandle made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_within(folder, 0644)));
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, bool writer) {
  sqlite3* handle = nullptr;
  if (writer) make_file(path);
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (writer ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  std::unique_ptr<Connection> connection(new Connection(handle));
  if (code != SQLITE_OK) {
    Error error = error_of(code, handle);
    error.message += " (" + path + ")";
    return error;
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMs);
  // Only the writer checkpoints: SQLite 3.40 has a known race between a checkpoint and a log reset on another
  // connection.
  WEFT_CHECK(connection->run(
      writer
          ? "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=4000; PRAGMA secure_delete=ON;"
          : "PRAGMA wal_autocheckpoint=0; PRAGMA query_only=1;"));
  WEFT_CHECK(connection->run("PRAGMA cache_size=-8000; PRAGMA temp_store=MEMORY;"));
  return connection;
}

Result<std::unique_ptr<Connection>> Connection::create(const std::string& path) {
  sqlite3* handle = nullptr;
  make_file(path);
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Connection> connection(new Connection(handle));
  if (code == SQLITE_OK) return connection;
  Error error = error_of(code, handle);
  error.message += " (" + path + ")";
  return error;
}

Connection::~Connection() {
  for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

Statement Connection::prepare(const char* sql) {
  const auto known = statements_.find(sql);
  if (known != statements_.end()) return Statement(known->second);
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return Statement(error_of(code, handle_));
  std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> made(statement, sqlite3_finalize);
  statements_.emplace(sqlite3_sql(statement), statement);
  return Statement(made.release());
}

Status Connection::run(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error_of(code, handle_);
  return {};
}

Pool::Lease::~Lease() {
  if (connection_ == nullptr) return;
  {
    std::lock_guard lock(pool_->mutex_);
    pool_->free_.push_back(connection_);
  }
  pool_->free_again_.notify_one();
}

Result<std::unique_ptr<Pool>> Pool::open(const std::string& path, std::size_t size) {
  auto pool = std::make_unique<Pool>();
  for (std::size_t i = 0; i < size; ++i) {
    WEFT_TRY(auto connection, Connection::open(path, false));
    pool->free_.push_back(connection.get());
    pool->all_.push_back(std::move(connection));
  }
  return pool;
}

std::unique_ptr<Pool> Pool::share(std::unique_ptr<Connection> connection) {
  auto pool = std::make_unique<Pool>();
  pool->free_.push_back(connection.get());
  pool->all_.push_back(std::move(connection));
  return pool;
}

Pool::Lease Pool::take() {
  std::unique_lock lock(mutex_);
  free_again_.wait(lock, [this] { return !free_.empty(); });
  Connection* connection = free_.back();
  free_.pop_back();
  return {*this, connection};
}

}  // namespace weft::sqlite
