// The bytes of the store's files, for those who have to be sure that something is gone.
//
// They are read and written through the handles that SQLite has open: a handle of our own would, when it is closed,
// take away the locks that this process holds on the file, and another program could then mistake the log for a left
// one.
#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "ports/store/sqlite/tables.h"

namespace weft::sqlite {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr int kSettleTries = 500;
constexpr std::chrono::milliseconds kSettlePause{10};

sqlite3_file* file_of(Connection& connection, bool log) {
  sqlite3_file* file = nullptr;
  const int what = log ? SQLITE_FCNTL_JOURNAL_POINTER : SQLITE_FCNTL_FILE_POINTER;
  if (sqlite3_file_control(connection.handle(), "main", what, &file) != SQLITE_OK) return nullptr;
  return file == nullptr || file->pMethods == nullptr ? nullptr : file;
}

Result<std::uint64_t> size_of(sqlite3_file& file) {
  sqlite3_int64 size = 0;
  if (const int code = file.pMethods->xFileSize(&file, &size); code != SQLITE_OK) return error_of(code, nullptr);
  return static_cast<std::uint64_t>(size);
}

Status read_at(sqlite3_file& file, std::uint64_t place, std::string& bytes) {
  const int code =
      file.pMethods->xRead(&file, bytes.data(), static_cast<int>(bytes.size()), static_cast<sqlite3_int64>(place));
  if (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ) return {};
  return error_of(code, nullptr);
}

Status blank(sqlite3_file& file, std::uint64_t place, std::size_t size) {
  if (size == 0) return {};
  const std::string zeros(size, '\0');
  const int code =
      file.pMethods->xWrite(&file, zeros.data(), static_cast<int>(size), static_cast<sqlite3_int64>(place));
  return code == SQLITE_OK ? Status() : Status(error_of(code, nullptr));
}

std::size_t u16(const std::string& page, std::size_t at) {
  return static_cast<std::size_t>(static_cast<unsigned char>(page[at])) << 8 | static_cast<unsigned char>(page[at + 1]);
}

// The bytes of a b-tree page that hold no cell, as (place, size) within the page; none for a page of another kind. The
// file format: a header, pointers to the cells, a gap, the cells, and among them a chain of free blocks.
std::vector<std::pair<std::size_t, std::size_t>> unused(const std::string& page, bool first) {
  const std::size_t header = first ? 100 : 0;
  const auto kind = static_cast<unsigned char>(page[header]);
  const bool leaf = kind == 13 || kind == 10;
  if (!leaf && kind != 5 && kind != 2) return {};
  const std::size_t pointers = header + (leaf ? 8 : 12);
  const std::size_t from = pointers + 2 * u16(page, header + 3);
  std::size_t to = u16(page, header + 5);
  if (to == 0) to = 65536;
  if (from > to || to > page.size()) return {};
  std::vector<std::pair<std::size_t, std::size_t>> parts{{from, to - from}};
  for (std::size_t block = u16(page, header + 1); block >= to && block + 4 <= page.size();) {
    const std::size_t next = u16(page, block), size = u16(page, block + 2);
    if (size < 4 || block + size > page.size()) return {};
    parts.emplace_back(block + 4, size - 4);
    if (next != 0 && next <= block) return {};
    block = next;
  }
  return parts;
}

// Empties the log; false where somebody reads from it just now.
Result<bool> empty_log(Connection& connection) {
  sqlite3_busy_timeout(connection.handle(), 0);
  Statement checkpoint = connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  const bool done = checkpoint.step() && checkpoint.integer(0) == 0;
  const Status status = checkpoint.status();
  sqlite3_busy_timeout(connection.handle(), kBusyMs);
  if (!status.ok() && status.error().code != ErrorCode::kUnavailable) return status.error();
  return done;
}

// Nobody writes while the connection is held, and the log is empty: what stands in the file is what holds.
Status blank_pages(Connection& connection, const std::set<std::uint64_t>& pages, std::size_t page_size) {
  sqlite3_file* const file = file_of(connection, false);
  if (file == nullptr) return internal("store: the file cannot be reached");
  // Pages in its cache hold the old bytes, and would be written back with them.
  sqlite3_db_release_memory(connection.handle());
  for (const std::uint64_t number : pages) {
    std::string page(page_size, '\0');
    const std::uint64_t place = number * page_size;
    WEFT_CHECK(read_at(*file, place, page));
    for (const auto& [at, size] : unused(page, number == 0)) WEFT_CHECK(blank(*file, place + at, size));
  }
  const int synced = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
  return synced == SQLITE_OK ? Status() : Status(error_of(synced, nullptr));
}

constexpr std::int64_t kSlice = 1000;  // rows read at a time

// `sql` gives rows behind a number in its order, the number first.
Status scan_slices(Pool& readers, const char* sql, const std::function<void(const Statement& at)>& take) {
  for (std::int64_t last = 0;;) {
    auto connection = readers.take();
    Statement statement = connection->prepare(sql);
    statement.bind(last).bind(kSlice);
    std::int64_t rows = 0;
    for (; statement.step(); ++rows) {
      last = statement.integer(0);
      take(statement);
    }
    WEFT_CHECK(statement.status());
    if (rows < kSlice) return {};
  }
}

}  // namespace

Status SqliteFile::settle() {
  if (!pools_.has_file()) return {};
  for (int i = 0; i < kSettleTries; ++i) {
    {
      auto connection = pools_.writer->take();
      WEFT_TRY(const bool done, empty_log(*connection));
      if (done) return {};
    }
    std::this_thread::sleep_for(kSettlePause);
  }
  return timed_out("store: the log could not be emptied, since it was read from all the time", "try again later");
}

Status SqliteFile::scan_bytes(std::size_t overlap, const std::function<void(const StoreBytes& piece)>& take) {
  if (!pools_.has_file()) return {};
  for (const bool log : {false, true}) {
    std::string bytes;
    for (std::uint64_t place = 0;;) {
      {
        // Held for a piece only, so that nobody who reads rows has to wait for the whole.
        auto connection = pools_.readers().take();
        WEFT_CHECK(connection->run("SELECT 1 FROM meta LIMIT 1"));
        sqlite3_file* const file = file_of(*connection, log);
        if (file == nullptr) break;
        WEFT_TRY(const std::uint64_t size, size_of(*file));
        if (place >= size) break;
        bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, size - place)));
        WEFT_CHECK(read_at(*file, place, bytes));
      }
      take({log, place, bytes});
      if (bytes.size() < kPiece) break;
      place += bytes.size() - overlap;
    }
  }
  return {};
}

Status SqliteFile::scrub(std::span<const std::uint64_t> places) {
  if (!pools_.has_file() || places.empty()) return {};
  for (int i = 0; i < kSettleTries; ++i) {
    {
      auto connection = pools_.writer->take();
      Statement size = connection->prepare("PRAGMA page_size");
      const std::size_t page_size = size.step() ? static_cast<std::size_t>(size.integer(0)) : 0;
      WEFT_CHECK(size.status());
      WEFT_TRY(const bool emptied, empty_log(*connection));
      if (emptied && page_size > 0) {
        std::set<std::uint64_t> pages;
        for (const std::uint64_t place : places) pages.insert(place / page_size);
        return blank_pages(*connection, pages, page_size);
      }
    }
    std::this_thread::sleep_for(kSettlePause);
  }
  return timed_out("store: the log could not be emptied, since it was read from all the time", "try again later");
}

Status SqliteFile::copy_to(const std::string& path) {
  WEFT_TRY(const auto copy, Connection::create(path));
  auto connection = pools_.readers().take();
  sqlite3_backup* const backup = sqlite3_backup_init(copy->handle(), "main", connection->handle(), "main");
  if (backup == nullptr) return error_of(sqlite3_errcode(copy->handle()), copy->handle());
  // In one step, which reads the rows of one moment; in the mode of the log nobody who writes has to wait for it.
  const int step = sqlite3_backup_step(backup, -1);
  const int finished = sqlite3_backup_finish(backup);
  if (step != SQLITE_DONE) return error_of(step, copy->handle());
  return finished == SQLITE_OK ? Status() : Status(error_of(finished, copy->handle()));
}

Status SqliteFile::scan_texts(const std::function<void(bool said, std::string_view text)>& take) {
  // The two large tables in slices: a log that is read from all the time can be neither emptied nor shortened.
  WEFT_CHECK(scan_slices(pools_.readers(), "SELECT seq,content,extra FROM messages WHERE seq>? ORDER BY seq LIMIT ?",
                         [&](const Statement& at) {
                           take(true, at.view(1));
                           take(true, at.view(2));
                         }));
  WEFT_CHECK(scan_slices(
      pools_.readers(), "SELECT row,text,kind FROM items WHERE row>? ORDER BY row LIMIT ?",
      [&](const Statement& at) { take(static_cast<ItemKind>(at.integer(2)) == ItemKind::kLore, at.view(1)); }));
  auto connection = pools_.readers().take();
  for (const auto& [said, sql] : {std::pair{true, "SELECT system FROM sessions WHERE system<>''"},
                                  {false, "SELECT lead FROM topics WHERE lead<>''"},
                                  {false, "SELECT payload FROM jobs"},
                                  {false, "SELECT body FROM documents"},
                                  {false, "SELECT body FROM log"}}) {
    Statement statement = connection->prepare(sql);
    while (statement.step()) take(said, statement.view(0));
    WEFT_CHECK(statement.status());
  }
  return {};
}

}  // namespace weft::sqlite
