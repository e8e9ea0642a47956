#include "tests/support/postgres_database.h"

#include <libpq-fe.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace weft::test {

struct PostgresDatabase::Server {
  explicit Server(const std::string& url) : connection(PQconnectdb(url.c_str()), &PQfinish) {}
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection;
};

PostgresDatabase::PostgresDatabase() = default;

std::unique_ptr<PostgresDatabase> PostgresDatabase::make() {
  static int made = 0;
  const char* const file = std::getenv("WEFT_TEST_POSTGRES");
  std::unique_ptr<PostgresDatabase> database(new PostgresDatabase());
  if (file == nullptr || !std::getline(std::ifstream(file), database->url_)) return nullptr;
  database->server_ = std::make_unique<Server>(database->url_);
  const std::string name = "t" + std::to_string(::getpid()) + "_" + std::to_string(++made);
  // Another test may be copying the template at this moment.
  bool is_made = false;
  for (int tries = 0; !is_made && tries < 20; ++tries) is_made = database->run("CREATE DATABASE " + name);
  if (!is_made) throw std::runtime_error(PQerrorMessage(database->server_->connection.get()));
  database->name_ = name;
  constexpr std::string_view kFirst = "/postgres?";
  database->url_.replace(database->url_.find(kFirst), kFirst.size(), "/" + name + "?");
  return database;
}

PostgresDatabase::~PostgresDatabase() {
  if (!name_.empty()) run("DROP DATABASE " + name_ + " WITH (FORCE)");
}

bool PostgresDatabase::run(const std::string& sql) {
  PGresult* const done = PQexec(server_->connection.get(), sql.c_str());
  const ExecStatusType status = PQresultStatus(done);
  PQclear(done);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

}  // namespace weft::test
