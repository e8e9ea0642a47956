// Exports as other systems send them: a ZIP, or the folder that it was unpacked to. Nothing is written to disk, so a
// name in an archive leads nowhere.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "base/ascii.h"
#include "base/lowered.h"
#include "ports/files/zip_file.h"
#include "surface/imports/foreign_readers.h"
#include "surface/imports/foreign_stores.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

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
