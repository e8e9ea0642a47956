#include "surface/imports/foreign_chats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "ports/files/archive_file.h"
#include "ports/store/foreign_tables.h"
#include "surface/imports/foreign_readers.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;

// A pickle is a program for a machine with a stack, whose instructions push values, gather them into containers and
// call functions. Here it has no functions.

constexpr std::size_t kMostValues = 1'000'000;  // on the stack, and remembered

/// A value, and how many levels of containers it has.
struct Held {
  Json value = {};
  std::size_t depth = 0;
};

class Machine {
 public:
  explicit Machine(std::string_view bytes) : bytes_(bytes) {}

  Result<Json> run() {
    while (at_ < bytes_.size() && sound_ && stack_.size() < kMostValues) {
      const auto code = static_cast<unsigned char>(bytes_[at_++]);
      if (code == '.') return sound_ && !stack_.empty() ? Result<Json>(pop().value) : broken();
      if (!value(code) && !container(code) && !object(code)) break;
    }
    return broken();
  }

 private:
  Error broken() const {
    if (too_deep_)
      return too_large("a pickle is nested deeper than " + std::to_string(kDeepestJson) + " levels, at byte " +
                       std::to_string(at_));
    return corrupt("no pickle that can be read, at byte " + std::to_string(at_));
  }

  // The next bytes; of what is cut off nothing, and the machine stops.
  std::string_view take(std::uint64_t count) {
    sound_ = sound_ && count <= bytes_.size() - at_;
    if (!sound_) return {};
    const auto taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  // Little-endian.
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t out = 0;
    const auto taken = take(bytes);
    for (std::size_t i = taken.size(); i-- > 0;) out = out << 8 | static_cast<unsigned char>(taken[i]);
    return out;
  }
  double real() {
    std::uint64_t bits = 0;
    for (const char c : take(8)) bits = bits << 8 | static_cast<unsigned char>(c);
    return std::bit_cast<double>(bits);
  }
  // Of up to eight bytes, with a sign.
  std::int64_t whole(std::size_t bytes) {
    if (bytes > 8) return take(bytes), 0;
    const std::uint64_t read = number(bytes);
    const std::size_t spare = 64 - bytes * 8;
    return bytes == 0 ? 0 : static_cast<std::int64_t>(read << spare) >> spare;
  }

  void push(Json one) { stack_.push_back({std::move(one)}); }
  Held pop() {
    sound_ = sound_ && !stack_.empty();
    if (!sound_) return {};
    Held one = std::move(stack_.back());
    stack_.pop_back();
    return one;
  }
  // What was pushed since the last mark.
  std::vector<Held> gathered() {
    sound_ = sound_ && !marks_.empty() && marks_.back() <= stack_.size();
    if (!sound_) return {};
    const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Held> out(std::make_move_iterator(from), std::make_move_iterator(stack_.end()));
    stack_.erase(from, stack_.end());
    marks_.pop_back();
    return out;
  }
  Held* top() { return stack_.empty() ? (sound_ = false, nullptr) : &stack_.back(); }

  // A container gets a part, or not where it would nest too deeply: whoever copies or writes it walks down all levels.
  Json take_in(Held& container, Held part) {
    container.depth = std::max(container.depth, part.depth + 1);
    too_deep_ = too_deep_ || container.depth > kDeepestJson;
    sound_ = sound_ && !too_deep_;
    return std::move(part.value);
  }
  Held list_of(std::vector<Held> parts) {
    Held list{Json::array()};
    for (Held& one : parts) list.value.push_back(take_in(list, std::move(one)));
    return list;
  }

  // Only texts are remembered: containers change after they are, and could be put into each other without end.
  void remember(std::uint64_t place) {
    const Held* one = top();
    if (one != nullptr && one->value.is_string() && memory_.size() < kMostValues) memory_[place] = one->value;
    next_ = place + 1;
  }
  void recall(std::uint64_t place) {
    const auto known = memory_.find(place);
    push(known == memory_.end() ? Json() : known->second);
  }

  bool value(unsigned char code) {
    switch (code) {
      case 0x80: take(1); return true;  // protocol
      case 0x95: take(8); return true;  // frame
      case 0x8c: push(std::string(take(number(1)))); return true;  // texts
      case 'X': push(std::string(take(number(4)))); return true;
      case 0x8d: push(std::string(take(number(8)))); return true;
      case 'C':
        take(number(1));
        push(nullptr);
        return true;  // bytes
      case 'B':
        take(number(4));
        push(nullptr);
        return true;
      case 0x8e:
      case 0x96:
        take(number(8));
        push(nullptr);
        return true;
      case 'G': push(real()); return true;
      case 'K': push(number(1)); return true;
      case 'M': push(number(2)); return true;
      case 'J': push(whole(4)); return true;
      case 0x8a: push(whole(number(1))); return true;
      case 'N': push(nullptr); return true;
      case 0x88: push(true); return true;
      case 0x89: push(false); return true;
      case 0x94: remember(next_); return true;
      case 'q': remember(number(1)); return true;
      case 'r': remember(number(4)); return true;
      case 'h': recall(number(1)); return true;
      case 'j': recall(number(4)); return true;
      default: return false;
    }
  }

  void put(const Held& key, Held one) {
    Held* into = top();
    if (into == nullptr || !into->value.is_object()) return;
    into->value[key.value.is_string() ? key.value.get<std::string>() : write_json(key.value)] =
        take_in(*into, std::move(one));
  }
  void append(std::vector<Held> more) {
    Held* into = top();
    if (into == nullptr || !into->value.is_array()) return;
    for (Held& one : more) into->value.push_back(take_in(*into, std::move(one)));
  }
  void tuple(std::size_t count) {
    std::vector<Held> parts(count);
    while (count > 0) parts[--count] = pop();
    stack_.push_back(list_of(std::move(parts)));
  }

  bool container(unsigned char code) {
    switch (code) {
      case '}': push(Json::object()); return true;
      case ']':
      case ')':
      case 0x8f: push(Json::array()); return true;
      case '(': marks_.push_back(stack_.size()); return true;
      case 's': {
        Held one = pop(), key = pop();
        put(key, std::move(one));
        return true;
      }
      case 'u': {
        std::vector<Held> all = gathered();
        for (std::size_t i = 0; i + 1 < all.size(); i += 2) put(all[i], std::move(all[i + 1]));
        return true;
      }
      case 'a': {
        std::vector<Held> one;
        one.push_back(pop());
        append(std::move(one));
        return true;
      }
      case 'e':
      case 0x90: append(gathered()); return true;
      case 't':
      case 0x91: stack_.push_back(list_of(gathered())); return true;
      case 0x85: tuple(1); return true;
      case 0x86: tuple(2); return true;
      case 0x87: tuple(3); return true;
      case '0': pop(); return true;
      default: return false;
    }
  }

  bool object(unsigned char code) {
    switch (code) {
      case 0x93:
      case 0x81:
      case 'R':  // a class by its names, an object of it, what a function gives
        pop();
        pop();
        push(nullptr);
        return true;
      case 0x92:
        pop();
        pop();
        pop();
        push(nullptr);
        return true;
      case 'c':  // a class by its names, a line each
        for (int i = 0; i < 2; ++i) {
          const auto end = bytes_.find('\n', at_);
          take(end == std::string_view::npos ? bytes_.size() + 1 : end - at_ + 1);
        }
        push(nullptr);
        return true;
      case 'b': {  // an object is its state
        Held state = pop();
        pop();
        stack_.push_back(std::move(state));
        return true;
      }
      default: return false;
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool sound_ = true, too_deep_ = false;
  std::vector<Held> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, Json> memory_;
  std::uint64_t next_ = 0;
};

}  // namespace

Result<nlohmann::json> read_pickle(std::string_view bytes) { return Machine(bytes).run(); }

namespace {

namespace fs = std::filesystem;

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

// Exports as other systems send them: a ZIP, or the folder that it was unpacked to. Nothing is written to disk, so a
// name in an archive leads nowhere.

namespace {

constexpr std::uint64_t kMostBytes = 1024 * 1024 * 1024;  // of all that is read, unpacked
constexpr std::string_view kOtherFile = "file of the export that holds no conversations";

/// One file of an export. `read` gives at most that many bytes.
struct Part {
  std::string name;
  std::function<Result<std::string>(std::uint64_t most)> read;
};

// "conversations-2.json" comes before "conversations-10.json": digits count as numbers.
bool comes_before(const Part& a, const Part& b) {
  const auto is_digit_at = [](const std::string& text, std::size_t at) {
    return at < text.size() && is_digit(text[at]);
  };
  std::size_t i = 0, j = 0;
  while (i < a.name.size() && j < b.name.size()) {
    if (is_digit_at(a.name, i) && is_digit_at(b.name, j)) {
      std::size_t m = i, n = j;
      while (is_digit_at(a.name, m)) ++m;
      while (is_digit_at(b.name, n)) ++n;
      const std::string x = a.name.substr(i, m - i), y = b.name.substr(j, n - j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      i = m, j = n;
    } else if (a.name[i] != b.name[j]) {
      return a.name[i] < b.name[j];
    } else {
      ++i, ++j;
    }
  }
  return a.name.size() - i < b.name.size() - j;
}

Result<std::vector<Part>> parts_of_zip(const fs::path& path) {
  WEFT_TRY(ZipFile opened, ZipFile::open(path));
  const auto zip = std::make_shared<const ZipFile>(std::move(opened));
  std::vector<Part> parts;
  for (const ZipFile::Entry& entry : zip->entries())
    parts.push_back({entry.name, [zip, &entry](std::uint64_t most) { return zip->read(entry, most); }});
  return parts;
}

// Links are not followed: they may lead out of the folder.
Result<std::vector<Part>> parts_of_folder(const fs::path& folder) {
  std::vector<Part> parts;
  std::error_code code;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    std::error_code gone;
    if (at->is_symlink(gone) || !at->is_regular_file(gone)) continue;
    if (parts.size() == ZipFile::kMostEntries)
      return too_large(fmt::format("{} holds more than {} files", folder.string(), ZipFile::kMostEntries),
                       "give the folder of the export itself");
    const fs::path path = at->path();
    parts.push_back({path.lexically_relative(folder).string(), [path](std::uint64_t most) -> Result<std::string> {
                       std::error_code unknown;
                       if (const auto size = fs::file_size(path, unknown); !unknown && size > most)
                         return too_large(fmt::format("{} has {} bytes, more than {}", path.string(), size, most),
                                          "give smaller files one by one");
                       return read_file(path);
                     }});
  }
  if (code) return permission("cannot read " + folder.string() + ": " + code.message());
  return parts;
}

bool may_hold_memory(const std::string& name) {
  const fs::path path(name);
  const std::string extension = lowered(path.extension().string());
  const bool hidden = path.filename().string().starts_with(".") || name.starts_with("__MACOSX/");
  return !hidden && (extension == ".json" || extension == ".jsonl");
}

template <class T>
void move_to(std::vector<T>& all, std::vector<T>& some) {
  all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

void merge(ForeignFile& all, ForeignFile& part, const std::string& name) {
  if (all.source.empty()) all.source = part.source;
  if (part.source != all.source)
    return complain(all,
                    fmt::format("{}: it is from {}, not from {}; stage it on its own", name, part.source, all.source));
  move_to(all.chats, part.chats);
  move_to(all.notes, part.notes);
  for (const std::string& problem : part.problems) complain(all, name + ": " + problem);
  const auto add = [&](std::vector<ForeignTally>& tallies, const std::vector<ForeignTally>& more) {
    for (const ForeignTally& one : more) {
      tally(tallies, one.kind, {}, one.count);
      for (const std::string& where : one.where) tally(tallies, one.kind, name + ": " + where, 0);
    }
  };
  add(all.left_out, part.left_out);
  add(all.assumed, part.assumed);
}

}  // namespace

bool is_foreign_archive(const fs::path& path) {
  std::error_code code;
  return is_zip_file(path) || (fs::is_directory(path, code) && !is_foreign_store(path));
}

Result<ForeignFile> read_foreign_archive(const fs::path& path) {
  WEFT_TRY(std::vector<Part> parts, is_zip_file(path) ? parts_of_zip(path) : parts_of_folder(path));
  std::sort(parts.begin(), parts.end(), comes_before);
  ForeignFile all;
  std::uint64_t left = kMostBytes;
  for (const Part& part : parts) {
    if (!may_hold_memory(part.name)) {
      tally(all.left_out, kOtherFile, part.name);
      continue;
    }
    auto text = part.read(left);
    if (!text.ok() && text.error().code == ErrorCode::kTooLarge) return text.error();
    if (!text.ok()) {
      complain(all, text.error().message);
      continue;
    }
    left -= text->size();
    const std::string name = fs::path(part.name).filename().string();
    auto read = read_foreign_file(*text, name);
    // Beside its conversations an export has settings and lists that hold no memory; a damaged one is told.
    if (read.ok())
      merge(all, *read, part.name);
    else if (read.error().code == ErrorCode::kNotFound)
      tally(all.left_out, kOtherFile, part.name);
    else
      complain(all, part.name + ": " + read.error().message);
  }
  if (!all.source.empty()) return all;
  return invalid_argument(
      path.string() + " is no store and no export that is known",
      all.problems.empty()
          ? "known are the ZIP or the folder of an export of ChatGPT or Claude, chats of SillyTavern, and "
            "stores of Chroma, mem0 and Qdrant's client"
          : all.problems.front());
}

}  // namespace weft
