#pragma once

#include <libpq-fe.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "weft/ids.h"
#include "weft/result.h"

namespace weft::postgres {

/// A statement with its parameters, in the order of $1, $2, …. Texts are copied.
class Query {
 public:
  /// `sql` is a constant of the program: what stands at its address never changes.
  explicit Query(const char* sql) : sql_(sql) {}

  Query& bind(std::int64_t value);
  Query& bind(std::string_view text);
  template <class Tag>
  Query& bind(const Id<Tag>& id) {
    return bind(std::string_view(id.str()));
  }
  Query& bind_bytes(std::string_view bytes);
  Query& bind(const std::vector<std::int64_t>& numbers);  ///< a bigint[]
  Query& bind(const std::vector<std::string>& texts);     ///< a text[]

 private:
  friend class Connection;
  struct Value {
    std::string bytes;
    bool is_binary = false;
  };
  const char* sql_;
  std::vector<Value> values_;
};

/// The rows of an answer.
class Rows {
 public:
  Rows() : result_(nullptr, &PQclear) {}
  explicit Rows(PGresult* result) : result_(result, &PQclear) {}
  int count() const { return result_ ? PQntuples(result_.get()) : 0; }
  /// How many rows the statement has changed.
  std::size_t changed() const;

 private:
  friend class Row;
  friend class Connection;
  std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

/// One of them; the rows must outlive it.
class Row {
 public:
  Row(const Rows& rows, int place) : result_(rows.result_.get()), place_(place) {}
  std::int64_t integer(int column) const;
  bool is_null(int column) const { return PQgetisnull(result_, place_, column) != 0; }
  std::string text(int column) const;
  std::string_view blob(int column) const;

 private:
  const PGresult* result_;
  int place_;
};

/// One connection. Bytes that PostgreSQL takes for no text are escaped on their way in and restored on their way out.
/// Statements are kept on the server once they were used, unless a pooler is found to give each transaction another
/// server connection: then they are sent with each use. Not safe for several threads.
class Connection {
 public:
  /// kUnavailable where the server cannot be reached, kPermission where it refuses. No error names the password.
  static Result<std::unique_ptr<Connection>> open(const std::string& url);

  /// Runs one statement, on its own or in the transaction that is open.
  Result<Rows> run(const Query& query);
  /// Runs statements without parameters.
  Status run(const char* sql);
  /// How a transaction is run.
  struct How {
    /// A crash of the server may undo it, though nothing that is committed later stays without it.
    bool without_flush = false;
    bool may_last = false;  ///< without time limits; flushed in any case
  };
  /// Sends all statements at once and waits once: a transaction of their own, whole or not at all. Gives the answers in
  /// the same order.
  Result<std::vector<Rows>> run_together(const std::vector<Query>& queries, How how);
  Result<std::vector<Rows>> run_together(const std::vector<Query>& queries) { return run_together(queries, How()); }

  /// Whether statements are kept on the server. At first they are not.
  bool keeps_statements() const { return keeps_statements_; }
  void keep_statements(bool kept) { keeps_statements_ = kept; }

  /// Whether the server has closed it while nobody used it.
  bool is_stale();
  /// Whether nothing can be done with it any more.
  bool is_broken() const { return is_broken_ || PQstatus(handle_.get()) != CONNECTION_OK; }

 private:
  explicit Connection(PGconn* handle) : handle_(handle, &PQfinish) {}
  class Asking;
  Result<std::vector<Rows>> run_once(const std::vector<Query>& queries, How how);
  bool send(const Query& query);
  bool send_prepare(const Query& query);
  bool is_to_prepare(const Query& query) const;
  bool lost_statements(const PGresult* result) const;
  static bool is_done(const Rows& rows);
  Error failed();
  Error error_of(const PGresult* result);
  std::unique_ptr<PGconn, decltype(&PQfinish)> handle_;
  bool is_broken_ = false;
  bool keeps_statements_ = false;
  std::unordered_set<std::string_view> kept_statements_;
};

/// A bounded number of connections, each with one thread at a time. They are opened when they are needed, and again
/// when they have broken.
class Pool {
 public:
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<Connection> connection) : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->give_back(std::move(connection_));
    }
    Connection* operator->() { return connection_.get(); }
    Connection& operator*() { return *connection_; }

   private:
    friend class Pool;
    Pool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  Pool(std::string url, std::size_t most) : url_(std::move(url)), most_(most) { free_.reserve(most); }

  /// Waits for a free connection; kUnavailable if there is none for long.
  Result<Lease> take();
  /// Runs one statement on a free connection.
  Result<Rows> run(const Query& query);

 private:
  void give_back(std::unique_ptr<Connection> connection) noexcept;

  const std::string url_;
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable free_again_;
  std::vector<std::unique_ptr<Connection>> free_;
  std::size_t open_ = 0;  ///< those that are handed out included
  bool keeps_statements_ = true;  ///< see `Connection`
};

}  // namespace weft::postgres
