// All rows at once, for backups and for those who look for a text.
#include "ports/store/sqlite/tables.h"

namespace weft::sqlite {
namespace {

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
