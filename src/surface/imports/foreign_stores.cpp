#include "surface/imports/foreign_stores.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/strings.h"
#include "ports/store/foreign_tables.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kFiles = {"chroma.sqlite3", "history.db"};

// The file of a store that is a folder.
fs::path file_in(const fs::path& path) {
  std::error_code code;
  if (!fs::is_directory(path, code)) return path;
  for (const char* name : kFiles)
    if (fs::is_regular_file(path / name, code)) return path / name;
  return path;
}

// Seconds or milliseconds since 1970, or a written time.
Time time_in(const std::string& text) {
  constexpr double kSecondsUntilMillis = 1e11;  // the year 5138
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed == std::errc() && end == text.data() + text.size() && number > 0)
    return {static_cast<std::int64_t>(number < kSecondsUntilMillis ? number * 1000 : number), 0};
  return parse_time(text).value_or({});
}

// ---- Chroma: a row an entry, and beside it a row a value of its metadata ----

// Under which names the text stands: Chroma's own, mem0's, LangChain's and LlamaIndex's.
constexpr std::array<const char*, 4> kTexts = {"chroma:document", "data", "page_content", "text"};
constexpr std::array<const char*, 5> kTimes = {"updated_at", "created_at", "timestamp", "time", "date"};
constexpr std::array<const char*, 3> kOwners = {"user_id", "agent_id", "run_id"};

const char* const kEntries =
    "SELECT e.id, c.name, e.created_at, m.key, coalesce(m.string_value, m.int_value, m.float_value, '') "
    "FROM embeddings e JOIN segments s ON s.id=e.segment_id JOIN collections c ON c.id=s.collection "
    "JOIN embedding_metadata m ON m.id=e.id ORDER BY e.id";

struct Entry {
  std::string id, collection, kept_at;
  std::map<std::string, std::string> values;

  template <std::size_t N>
  std::string first_of(const std::array<const char*, N>& names) const {
    for (const char* name : names)
      if (const auto found = values.find(name); found != values.end() && !found->second.empty()) return found->second;
    return {};
  }
};

void keep(const Entry& entry, ForeignFile& file) {
  ForeignNote note{entry.first_of(kTexts), time_in(entry.first_of(kTimes)), entry.first_of(kOwners)};
  if (note.time.ms == 0) note.time = time_in(entry.kept_at);
  if (note.place.empty()) note.place = entry.collection;
  if (!trimmed(note.text).empty()) file.notes.push_back(std::move(note));
}

Result<ForeignFile> read_chroma(ForeignTables& tables) {
  ForeignFile file{"chroma", {}, {}, {}};
  Entry entry;
  WEFT_CHECK(tables.read(kEntries, [&](const ForeignTables::Row& row) {
    if (row[0] != entry.id) {
      keep(entry, file);
      entry = {row[0], row[1], row[2], {}};
    }
    entry.values[row[3]] = row[4];
  }));
  keep(entry, file);
  return file;
}

// ---- mem0: a row each time a memory was added, changed or deleted ----

Result<ForeignFile> read_history(ForeignTables& tables) {
  struct Memory {
    std::size_t order = 0;
    std::string text, time;
  };
  std::map<std::string, Memory> memories;
  std::size_t number = 0;
  WEFT_CHECK(
      tables.read("SELECT memory_id, event, new_memory, coalesce(created_at, ''), coalesce(updated_at, '') FROM "
                  "history ORDER BY rowid",
                  [&](const ForeignTables::Row& row) {
                    Memory& memory = memories[row[0]];
                    if (memory.order == 0) memory.order = ++number;
                    memory.text = row[1] == "DELETE" ? "" : row[2];
                    memory.time = row[4].empty() ? row[3] : row[4];
                  }));
  std::vector<Memory> all;
  for (auto& [id, memory] : memories)
    if (!trimmed(memory.text).empty()) all.push_back(std::move(memory));
  std::sort(all.begin(), all.end(), [](const Memory& a, const Memory& b) { return a.order < b.order; });
  ForeignFile file{"mem0", {}, {}, {}};
  for (Memory& memory : all) file.notes.push_back({std::move(memory.text), time_in(memory.time), {}});
  return file;
}

// ---- which is which ----

struct KnownTable {
  const char* name;
  std::vector<std::string> columns;
};
const std::vector<KnownTable> kChromaTables = {
    {"embeddings", {"id", "segment_id", "created_at"}},
    {"segments", {"id", "collection"}},
    {"collections", {"id", "name"}},
    {"embedding_metadata", {"id", "key", "string_value", "int_value", "float_value"}}};
const std::vector<KnownTable> kHistoryTables = {
    {"history", {"memory_id", "event", "new_memory", "created_at", "updated_at"}}};

Result<bool> has_all(ForeignTables& tables, const std::vector<KnownTable>& known) {
  for (const KnownTable& table : known) {
    WEFT_TRY(const bool has, tables.has(table.name, table.columns));
    if (!has) return false;
  }
  return true;
}

}  // namespace

bool is_foreign_store(const fs::path& path) {
  std::error_code code;
  return fs::is_directory(path, code) || is_sqlite_file(path);
}

Result<ForeignFile> read_foreign_store(const fs::path& path) {
  const fs::path file = file_in(path);
  std::error_code code;
  if (fs::is_directory(file, code))
    return invalid_argument(path.string() + " is no store that is known",
                            "known are folders with a chroma.sqlite3 of Chroma or a history.db of mem0");
  WEFT_TRY(const auto tables, ForeignTables::open(file));
  WEFT_TRY(const bool chroma, has_all(*tables, kChromaTables));
  if (chroma) return read_chroma(*tables);
  WEFT_TRY(const bool history, has_all(*tables, kHistoryTables));
  if (history) return read_history(*tables);
  return invalid_argument(file.string() + " has tables that are not known",
                          "known are chroma.sqlite3 of Chroma and history.db of mem0");
}

}  // namespace weft
