// Looking for what was erased: in the store's own bytes, in every file of the workspace, and in known backups and
// archives.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <unordered_set>

#include "base/ascii.h"
#include "base/log.h"
#include "engine/backups.h"
#include "engine/engine_core.h"
#include "engine/eraser.h"
#include "engine/trace_search.h"
#include "model/receipt_json.h"
#include "ports/files/erasure_record.h"

namespace weft {
namespace {

using Pieces = std::set<std::size_t>;

// The store reads its own files itself, see `Store::scan_bytes`; records of erasures hold no text.
bool is_looked_at(const std::filesystem::path& path, const std::filesystem::path& workspace) {
  const auto inside = path.lexically_relative(workspace);
  const std::string name = inside.string();
  return !(name.starts_with("weft.db") || name == "weft.lock" || name == "weft.sock" || name.starts_with("erasures/"));
}

// A file that was being written when its process was killed.
bool is_left_over(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const auto at = name.rfind(".tmp");
  const auto dash = name.rfind('-');
  if (at == std::string::npos || dash == std::string::npos || dash < at) return false;
  const std::string process = name.substr(at + 4, dash - at - 4);
  const bool number = !process.empty() && std::all_of(process.begin(), process.end(), is_digit<char>);
  return number && process != std::to_string(::getpid());
}

struct Places {
  std::map<std::size_t, std::vector<std::uint64_t>> in_file;  // by piece
  Pieces in_log;
};

Result<Places> places_in_store(Store& store, const Traces& traces) {
  Places places;
  WEFT_CHECK(store.file().scan_bytes(Traces::kPiece - 1, [&](const StoreBytes& part) {
    traces.find(part.bytes, [&](std::size_t piece, std::uint64_t at) {
      if (part.log)
        places.in_log.insert(piece);
      else
        places.in_file[piece].push_back(part.place + at);
    });
  }));
  return places;
}

// Pieces that stand somewhere by right: somebody else said the same, or, of what was only made, it was made again.
Result<Pieces> pieces_by_right(Store& store, const Traces& traces) {
  Pieces right;
  WEFT_CHECK(store.file().scan_texts([&](bool said, std::string_view text) {
    traces.find(text, [&](std::size_t piece, std::uint64_t) {
      if (said || !traces.said(piece)) right.insert(piece);
    });
  }));
  return right;
}

bool any_wrong(const Pieces& found, const Pieces& right) {
  return std::any_of(found.begin(), found.end(), [&](std::size_t piece) { return !right.contains(piece); });
}

std::vector<std::uint64_t> wrong_places(const Places& places, const Pieces& right) {
  std::vector<std::uint64_t> wrong;
  for (const auto& [piece, at] : places.in_file)
    if (!right.contains(piece)) wrong.insert(wrong.end(), at.begin(), at.end());
  return wrong;
}

}  // namespace

// `clean`: pages of the store that hold copies of rows that have moved are cleaned of them.
Status Eraser::look_for_traces(const Traces& traces, bool clean, EraseCheck& check) {
  check.fingerprints = traces.size();
  const std::filesystem::path workspace(core_.config.workspace);
  std::map<std::string, Pieces> files;
  const auto look_at = [&](const std::filesystem::path& file) {
    ++check.files_searched;
    if (auto found = pieces_in(file, traces); !found.empty()) files[file.string()] = std::move(found);
  };
  std::vector<std::filesystem::path> folders{workspace};
  std::error_code failed;
  for (const auto& backup : known_backups(workspace)) {
    if (!backup.lexically_relative(workspace).string().starts_with("..")) continue;
    if (std::filesystem::is_directory(backup, failed))
      folders.push_back(backup);
    else
      look_at(backup);
  }
  for (const auto& folder : folders) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder, failed)) {
      if (!file.is_regular_file(failed)) continue;
      if (clean && folder == workspace && is_left_over(file.path())) {
        std::filesystem::remove(file.path(), failed);
        continue;
      }
      if (folder != workspace || is_looked_at(file.path(), workspace)) look_at(file.path());
    }
  }
  WEFT_TRY(auto places, places_in_store(*core_.store, traces));
  check.files_searched += 2;
  if (files.empty() && places.in_file.empty() && places.in_log.empty()) return {};
  WEFT_TRY(Pieces right, pieces_by_right(*core_.store, traces));
  // Days are made of messages that are left, and were rid of the others: what was only made may stand there again.
  for (const auto& [path, found] : files)
    if (std::filesystem::path(path).parent_path().filename() == "daily")
      std::copy_if(found.begin(), found.end(), std::inserter(right, right.end()),
                   [&](std::size_t piece) { return !traces.said(piece); });
  if (const auto wrong = wrong_places(places, right); clean && !wrong.empty()) {
    WEFT_CHECK(core_.store->file().scrub(wrong));
    WEFT_TRY(places, places_in_store(*core_.store, traces));
  }
  if (!wrong_places(places, right).empty()) check.traces.push_back((workspace / "weft.db").string());
  if (any_wrong(places.in_log, right)) check.traces.push_back((workspace / "weft.db-wal").string());
  for (const auto& [path, found] : files)
    if (any_wrong(found, right)) check.traces.push_back(path);
  for (const std::string& path : check.traces)
    log_warning("erase.trace", "a trace of an erased text stands in " + path);
  return {};
}

Status Eraser::remove_traces(const ErasureRecord& record, EraseReceipt& receipt) {
  WEFT_CHECK(core_.store->file().settle());
  EraseCheck check;
  WEFT_CHECK(look_for_traces(record.traces, true, check));
  receipt.files_searched = check.files_searched;
  receipt.traces_found = check.traces.size();
  return {};
}

Result<EraseCheck> Eraser::verify_erasure(const std::string& receipt_id) {
  WEFT_CHECK(check_id(receipt_id, "receipt"));
  const ErasureRecords records(core_.config.workspace);
  WEFT_TRY(const std::string text, records.receipt_text(receipt_id));
  WEFT_TRY(const EraseReceipt receipt, parse_receipt(text));
  const std::unordered_set<std::string> digests(receipt.digests.begin(), receipt.digests.end());
  EraseCheck check;
  check.digests = digests.size();
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& scope : scopes) {
    if (erasure_digest(scope, "scope", "") != receipt.scope_digest) continue;
    WEFT_CHECK(core_.store->messages().scan(scope, true, [&](MessageRow&& row) {
      const std::string digest = receipt.version < 2 ? erasure_digest(scope, "message", row.message.id.str())
                                                     : message_digest(scope, row.session, row.message.id);
      check.found += digests.contains(digest) ? 1 : 0;
    }));
    WEFT_CHECK(core_.store->items().scan_sources(scope, [&](ItemRow&& row) {
      check.found += digests.contains(erasure_digest(scope, "item", row.item.id.str())) ? 1 : 0;
    }));
  }
  WEFT_TRY(const Traces traces, records.traces(receipt_id));
  WEFT_CHECK(core_.store->file().settle());
  WEFT_CHECK(look_for_traces(traces, false, check));
  return check;
}

}  // namespace weft
