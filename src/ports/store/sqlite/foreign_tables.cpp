#include "ports/store/foreign_tables.h"

#include <sqlite3.h>

#include <algorithm>
#include <fstream>

#include "ports/store/sqlite/connection.h"

namespace weft {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr int kPatienceMs = 3'000;
constexpr int kMostBytes = 64 * 1024 * 1024;  // of one text in it

// Bytes of a path as they stand in a URI.
std::string in_uri(const std::string& path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

class Tables final : public ForeignTables {
 public:
  Tables(sqlite3* handle, std::string file) : handle_(handle), file_(std::move(file)) {}
  ~Tables() override { sqlite3_close(handle_); }

  Result<bool> has(std::string_view table, const std::vector<std::string>& columns) override {
    Row found;
    WEFT_CHECK(
        read("SELECT c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type='table' AND m.name=" +
                 quoted(table) + " AND m.sql NOT LIKE 'CREATE VIRTUAL%'",
             [&found](const Row& row) { found.push_back(row.front()); }));
    return !found.empty() && std::all_of(columns.begin(), columns.end(), [&found](const std::string& column) {
      return std::find(found.begin(), found.end(), column) != found.end();
    });
  }

  Status read(const std::string& select, const std::function<void(const Row& row)>& take) override {
    sqlite3_stmt* made = nullptr;
    if (const int code = sqlite3_prepare_v2(handle_, select.c_str(), -1, &made, nullptr); code != SQLITE_OK)
      return failed(code);
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(made, sqlite3_finalize);
    Row row(static_cast<std::size_t>(sqlite3_column_count(made)));
    for (;;) {
      const int code = sqlite3_step(made);
      if (code == SQLITE_DONE) return {};
      if (code != SQLITE_ROW) return failed(code);
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = text_at(made, static_cast<int>(i));
      take(row);
    }
  }

 private:
  static std::string quoted(std::string_view name) {
    std::string out = "'";
    for (const char c : name) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
  }

  static std::string text_at(sqlite3_stmt* statement, int column) {
    if (sqlite3_column_type(statement, column) == SQLITE_BLOB) return {};
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    return text == nullptr ? std::string()
                           : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
  }

  Error failed(int code) const {
    const std::string told = file_ + ": " + sqlite3_errmsg(handle_);
    const int kind = code & 0xff;
    if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED)
      return unavailable(told, "end the program that uses it, or give a copy of it");
    return corrupt(told, "use another copy of it");
  }

  sqlite3* handle_;
  std::string file_;
};

}  // namespace

bool is_sqlite_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(kMagic.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file && head == kMagic;
}

Result<std::unique_ptr<ForeignTables>> ForeignTables::open(const std::filesystem::path& path) {
  if (!is_sqlite_file(path)) return corrupt(path.string() + " is no file of SQLite");
  // One whose program has ended has no log beside it, and may lie where nothing may be written.
  std::error_code code;
  const bool log = std::filesystem::exists(path.string() + "-wal", code);
  const std::string uri =
      "file:" + in_uri(std::filesystem::absolute(path, code).string()) + (log ? "?mode=ro" : "?mode=ro&immutable=1");
  sqlite3* handle = nullptr;
  const int opened =
      sqlite3_open_v2(uri.c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  auto tables = std::make_unique<Tables>(handle, path.string());
  if (opened != SQLITE_OK) return sqlite::error_of(opened, handle);
  sqlite3_busy_timeout(handle, kPatienceMs);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMostBytes);
  return std::unique_ptr<ForeignTables>(std::move(tables));
}

}  // namespace weft
