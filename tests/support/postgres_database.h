#pragma once

#include <memory>
#include <string>

namespace weft::test {

/// A database of its own on the server whose URL stands in the file that WEFT_TEST_POSTGRES names; see
/// tests/support/postgres.py. Dropped at the end of its life.
class PostgresDatabase {
 public:
  /// Null where there is no such file. Throws if the server cannot be used.
  static std::unique_ptr<PostgresDatabase> make();
  ~PostgresDatabase();
  PostgresDatabase(const PostgresDatabase&) = delete;
  PostgresDatabase& operator=(const PostgresDatabase&) = delete;

  const std::string& url() const { return url_; }
  /// Runs statements on the server; false where they fail.
  bool run(const std::string& sql);

 private:
  struct Server;
  PostgresDatabase();
  std::unique_ptr<Server> server_;
  std::string name_, url_;
};

}  // namespace weft::test
