// A backup of what runs, and an export for people and other programs.
#include <filesystem>

#include "base/log.h"
#include "engine/backups.h"
#include "engine/engine_core.h"
#include "engine/operations.h"
#include "model/records.h"
#include "ports/files/document_files.h"

namespace weft {
namespace {

constexpr std::size_t kChunk = 200;  // items read at a time

using Take = std::function<Status(std::string_view line)>;

/// The first line of an export.
struct ExportHead {
  std::string kind = "scope";
  ScopeKey scope;
  Time exported_at;
};

/// One line of it: a message with its session.
struct ExportedMessage {
  std::string kind = "message";
  SessionId session;
  Message message;
  bool gone = false;
};

/// One line of it: something made from messages.
struct ExportedItem {
  Item item;
  bool gone = false;
};

// What was left on another branch says so.
template <class T>
void write_active(const T& line, JsonWriter& out) {
  out.flag(!line.gone);
}

template <class T>
bool is_active(const T& line) {
  return !line.gone;
}

constexpr FieldRule kSparse{.sparse = true};

}  // namespace

WEFT_DESCRIBED(ExportHead);
WEFT_DESCRIBED(ExportedMessage);
WEFT_DESCRIBED(ExportedItem);
WEFT_DESCRIBED(DocumentRow);

template <>
const Record<ExportHead>& record<ExportHead>() {
  static const auto made = Record<ExportHead>("ExportHead", "Whose memory it is.", RecordUse::kTold)
                               .field("kind", &ExportHead::kind, "scope")
                               .field("scope", &ExportHead::scope, "its key")
                               .field("exported_at", &ExportHead::exported_at, "when");
  return made;
}

template <>
const Record<ExportedMessage>& record<ExportedMessage>() {
  using E = ExportedMessage;
  static const auto made = Record<E>("ExportedMessage", "A message.", RecordUse::kTold)
                               .field("kind", &E::kind, "message")
                               .field("session", &E::session, "where it was said")
                               .spread(&E::message, record<Message>())
                               .custom("active", "false on a branch that was left", nullptr, nullptr, write_active<E>,
                                       kSparse, is_active<E>);
  return made;
}

template <>
const Record<ExportedItem>& record<ExportedItem>() {
  using E = ExportedItem;
  static const auto made = Record<E>("ExportedItem", "Something made from messages.", RecordUse::kTold)
                               .field("kind", &E::item, &Item::kind, "event, narrative, profile")
                               .field("id", &E::item, &Item::id, "its id")
                               .field("session", &E::item, &Item::session, "where it comes from")
                               .field("time", &E::item, &Item::time, "when it happened")
                               .field("by", &E::item, &Item::by, "what made it")
                               .field("text", &E::item, &Item::text, "what is remembered")
                               .field("sources", &E::item, &Item::sources, "the messages")
                               .field("details", &E::item, &Item::event, "of an event", kSparse)
                               .custom("active", "false on a branch that was left", nullptr, nullptr, write_active<E>,
                                       kSparse, is_active<E>);
  return made;
}

template <>
const Record<DocumentRow>& record<DocumentRow>() {
  using D = DocumentRow;
  static const auto made = Record<D>("Document", "A version of a document.", RecordUse::kTold)
                               .field("kind", &D::kind, "state, quest, lore …")
                               .field("id", &D::id, "its id")
                               .field("version", &D::version, "which one")
                               .field("time", &D::time, "when it was written")
                               .field("author", &D::author, "by whom")
                               .custom("body", "as it stands", nullptr, nullptr,
                                       [](const D& row, JsonWriter& out) { out.json_or_text(row.body); });
  return made;
}

namespace {

template <Described T>
Status hand_out(const T& line, const Take& take) {
  return take(to_json(line));
}

}  // namespace

// The rows before the files: what a job or a reader of the log had done by then is done again in the copy, and changes
// nothing where a file holds it already. The other way round files would lack what the rows call done.
Result<BackupReport> Operations::backup(const std::string& folder) {
  if (folder.empty()) return invalid_argument("backup: no folder is named");
  const std::filesystem::path target(folder), workspace(core_.config.workspace);
  if (core_.config.store == "memory:") return invalid_argument("backup: this store is in memory only");
  if (core_.store->is_shared())
    return invalid_argument("backup: `weft backup` does not copy PostgreSQL", "use pg_dump or a base backup");
  WEFT_CHECK(prepare_backup(target));
  // Before anything of the workspace stands in it, so that an erasure knows where to look.
  WEFT_CHECK(note_backup(workspace, target));
  WEFT_CHECK(core_.store->file().copy_to((target / "weft.db").string()));
  WEFT_CHECK(copy_files(workspace, target));
  WEFT_TRY(const auto report, finish_backup(target, core_.clock->now()));
  return report;
}

Status Operations::export_scope(const RequestContext& request, const Take& take) {
  const ScopeKey scope = request.scope.key();
  // An edit of a profile becomes a version, which is exported.
  if (const Status shown = core_.profile_files->show(scope, core_.clock->now()); !shown.ok())
    log_warning("export.profile", shown.error().message);
  Status status;
  WEFT_CHECK(hand_out(ExportHead{"scope", scope, core_.clock->now()}, take));
  WEFT_CHECK(core_.store->messages().scan(scope, false, [&](MessageRow&& row) {
    if (status.ok()) status = hand_out(ExportedMessage{"message", row.session, row.message, !row.active}, take);
  }));
  WEFT_CHECK(status);
  std::vector<std::int64_t> rows;
  WEFT_CHECK(core_.store->items().scan_sources(scope, [&](ItemRow&& row) {
    // A message's own items say what the message says.
    if (row.item.kind != ItemKind::kMessage) rows.push_back(row.row);
  }));
  for (std::size_t at = 0; at < rows.size(); at += kChunk) {
    WEFT_TRY(const auto items,
             core_.store->items().get(scope, std::span(rows).subspan(at, std::min(kChunk, rows.size() - at))));
    for (const ItemRow& row : items) WEFT_CHECK(hand_out(ExportedItem{row.item, !row.active}, take));
  }
  WEFT_TRY(const auto documents, core_.store->documents().all(scope, ""));
  for (const DocumentRow& row : documents)
    if (row.kind != kShownDocument) WEFT_CHECK(hand_out(row, take));
  return {};
}

}  // namespace weft
