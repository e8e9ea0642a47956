#pragma once

#include <sqlite3.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/ids.h"
#include "weft/result.h"

namespace weft::sqlite {

inline constexpr int kBusyMs = 10'000;  // for a lock that another connection holds

/// A prepared statement being used: bind from left to right, then step. Resets itself at the end of its life.
/// Texts and blobs are bound without copying and must live until then.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  /// One that could not be prepared: it has no rows, and `status` tells why.
  explicit Statement(Error failure) : statement_(nullptr), failure_(std::move(failure)) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& bind(std::int64_t value);
  Statement& bind(std::string_view text);
  template <class Tag>
  Statement& bind(const Id<Tag>& id) {
    return bind(std::string_view(id.str()));
  }
  Statement& bind_blob(std::string_view bytes);

  /// Moves to the next row; false at the end or on an error, which `status` tells.
  bool step();
  Status status() const;
  /// Runs a statement that gives no rows.
  Status run();

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::string text(int column) const;
  std::string_view view(int column) const;  ///< of a text; until the next step
  std::string_view blob(int column) const;

 private:
  sqlite3_stmt* statement_;
  int next_ = 1;
  int code_ = SQLITE_OK;
  std::optional<Error> failure_;
};

/// One connection with its prepared statements. Not safe for several threads.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const std::string& path, bool writer);
  /// Opens a new file that another one's pages are copied to.
  static Result<std::unique_ptr<Connection>> create(const std::string& path);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The statement for this text, prepared at first use. Where it cannot be (the disk, the file, memory), it fails when
  /// it is run, and is prepared anew the next time.
  Statement prepare(const char* sql);
  /// Runs statements without parameters.
  Status run(const char* sql);
  sqlite3* handle() { return handle_; }

 private:
  explicit Connection(sqlite3* handle) : handle_(handle) {}
  sqlite3* handle_;
  std::unordered_map<std::string_view, sqlite3_stmt*> statements_;  ///< by their text, which SQLite keeps
};

/// A transaction on one connection: undone at the end of its life unless it was committed.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) {}
  ~Transaction() {
    if (open_) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Status begin() {
    Status begun = connection_.run("BEGIN IMMEDIATE");
    open_ = begun.ok();
    return begun;
  }
  Status commit() {
    Status committed = connection_.run("COMMIT");
    open_ = !committed.ok();
    return committed;
  }

 private:
  Connection& connection_;
  bool open_ = false;
};

/// While it lives, commits of the connection are not flushed: a power cut may lose them, a crash of the program does
/// not. The next flushed commit flushes them, too. To be made and destroyed outside of a transaction.
class Unflushed {
 public:
  explicit Unflushed(Connection& connection) : connection_(connection) {
    (void)connection_.run("PRAGMA synchronous=NORMAL");
  }
  ~Unflushed() { (void)connection_.run("PRAGMA synchronous=FULL"); }
  Unflushed(const Unflushed&) = delete;
  Unflushed& operator=(const Unflushed&) = delete;

 private:
  Connection& connection_;
};

/// Connections for reading, handed to one thread at a time. With `shared` set (a store in memory, which has only one
/// connection) every reader and the writer take turns on that one.
class Pool {
 public:
  class Lease {
   public:
    Lease(Pool& pool, Connection* connection) : pool_(&pool), connection_(connection) {}
    Lease(Lease&& other) noexcept : pool_(other.pool_), connection_(std::exchange(other.connection_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Connection* operator->() { return connection_; }
    Connection& operator*() { return *connection_; }

   private:
    Pool* pool_;
    Connection* connection_;
  };

  static Result<std::unique_ptr<Pool>> open(const std::string& path, std::size_t size);
  static std::unique_ptr<Pool> share(std::unique_ptr<Connection> connection);
  /// Waits for a free connection.
  Lease take();

 private:
  std::mutex mutex_;
  std::condition_variable free_again_;
  std::vector<std::unique_ptr<Connection>> all_;
  std::vector<Connection*> free_;
};

/// What SQLite's result code means for a caller.
Error error_of(int code, sqlite3* handle);

}  // namespace weft::sqlite
