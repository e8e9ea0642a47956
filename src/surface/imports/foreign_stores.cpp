#include "surface/imports/foreign_stores.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/percent.h"
#include "base/strings.h"
#include "ports/store/foreign_tables.h"
#include "surface/imports/foreign_readers.h"
#include "surface/imports/pickled_values.h"
#include "text/json_lookup.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::array<const char*, 2> kFiles = {"chroma.sqlite3", "history.db"};

// The file of a store that is a folder. What says whose memories are comes before a history, which does not.
fs::path file_in(const fs::path& path) {
  std::error_code code;
  if (!fs::is_directory(path, code)) return path;
  for (const char* name : kFiles)
    if (fs::is_regular_file(path / name, code)) return path / name;
  return path;
}

// ---- Chroma: a row an entry, and beside it a row a value of its metadata ----

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
  ForeignNote note{entry.first_of(kForeignTexts), foreign_time(entry.first_of(kForeignTimes)),
                   entry.first_of(kForeignOwners)};
  if (note.time.ms == 0) note.time = foreign_time(entry.kept_at);
  if (note.place.empty()) note.place = entry.collection;
  if (trimmed(note.text).empty()) return tally(file.left_out, "entry without text", entry.id);
  file.notes.push_back(std::move(note));
}

Result<ForeignFile> read_chroma(ForeignTables& tables) {
  ForeignFile file{"chroma", {}, {}, {}, {}, {}};
  Entry entry;
  WEFT_CHECK(tables.read(kEntries, [&](const ForeignTables::Row& row) {
    if (row[0] != entry.id) {
      if (!entry.id.empty()) keep(entry, file);
      entry = {row[0], row[1], row[2], {}};
    }
    entry.values[row[3]] = row[4];
  }));
  if (!entry.id.empty()) keep(entry, file);
  return file;
}

// ---- Qdrant, as its client for Python keeps it in a folder: a table a collection, a pickled record a point ----

Error not_readable(const fs::path& file) { return corrupt(file.string() + ": a point of it cannot be read"); }

std::string unhexed(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(hex_value(hex[i]) * 16 + hex_value(hex[i + 1]));
  return bytes;
}

std::string as_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : std::string();
}

Status read_collection(const fs::path& file, const std::string& name, ForeignFile& into) {
  WEFT_TRY(const auto tables, ForeignTables::open(file));
  WEFT_TRY(const bool points, tables->has("points", {"id", "point"}));
  if (!points) return {};
  return tables->read("SELECT hex(point) FROM points ORDER BY rowid", [&](const ForeignTables::Row& row) {
    const auto point = read_pickle(unhexed(row[0]));
    if (!point.ok()) return complain(into, not_readable(file).message);
    Entry entry{{}, name, {}, {}};
    const Json& payload = member(member(*point, "__dict__"), "payload");
    for (const auto& [key, value] : payload.items()) entry.values[key] = as_text(value);
    // LangChain keeps what it knows of a text one level below.
    const Json& metadata = member(payload, "metadata");
    for (const auto& [key, value] : metadata.items()) entry.values.emplace(key, as_text(value));
    keep(entry, into);
  });
}

bool is_qdrant(const fs::path& folder) {
  std::error_code code;
  return fs::is_regular_file(folder / "meta.json", code) && fs::is_directory(folder / "collection", code);
}

Result<ForeignFile> read_qdrant(const fs::path& folder) {
  ForeignFile file{"qdrant", {}, {}, {}, {}, {}};
  std::vector<fs::path> collections;
  std::error_code code;
  for (const auto& one : fs::directory_iterator(folder / "collection", code))
    if (fs::is_regular_file(one.path() / "storage.sqlite", code)) collections.push_back(one.path());
  std::sort(collections.begin(), collections.end());
  for (const fs::path& one : collections)
    WEFT_CHECK(read_collection(one / "storage.sqlite", one.filename().string(), file));
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
  ForeignFile file{"mem0", {}, {}, {}, {}, {}};
  for (Memory& memory : all) file.notes.push_back({std::move(memory.text), foreign_time(memory.time), {}});
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

bool is_foreign_store(const fs::path& path) { return is_qdrant(path) || is_sqlite_file(file_in(path)); }

Result<ForeignFile> read_foreign_store(const fs::path& path) {
  if (is_qdrant(path)) return read_qdrant(path);
  const fs::path file = file_in(path);
  WEFT_TRY(const auto tables, ForeignTables::open(file));
  WEFT_TRY(const bool chroma, has_all(*tables, kChromaTables));
  if (chroma) return read_chroma(*tables);
  WEFT_TRY(const bool history, has_all(*tables, kHistoryTables));
  if (history) return read_history(*tables);
  return invalid_argument(file.string() + " has tables that are not known",
                          "known are chroma.sqlite3 of Chroma and history.db of mem0");
}

}  // namespace weft
