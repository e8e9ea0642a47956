// A backup of what runs, and an export for people and other programs.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/backups.h"
#include "engine/engine_core.h"
#include "engine/operations.h"
#include "model/event_details.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kChunk = 200;  // items read at a time

Status hand_out(const Json& json, const std::function<Status(std::string_view line)>& take) {
  return take(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json sources_json(const std::vector<MessageId>& sources) {
  Json list = Json::array();
  for (const MessageId& id : sources) list.push_back(id.str());
  return list;
}

Json message_json(const MessageRow& row) {
  Json json = {{"kind", "message"}, {"session", row.session.str()}};
  json.update(Json::parse(to_json(row.message), nullptr, false));
  if (!row.active) json["active"] = false;
  return json;
}

Json item_json(const ItemRow& row) {
  Json json = {
      {"kind", to_string(row.item.kind)},         {"id", row.item.id.str()}, {"session", row.item.session.str()},
      {"time", format_time(row.item.time)},       {"by", row.item.by},       {"text", row.item.text},
      {"sources", sources_json(row.item.sources)}};
  if (row.item.event) json["details"] = Json::parse(to_json(*row.item.event), nullptr, false);
  if (!row.active) json["active"] = false;
  return json;
}

Json document_json(const DocumentRow& row) {
  Json body = Json::parse(row.body, nullptr, false);
  return {{"kind", row.kind},       {"id", row.id},
          {"version", row.version}, {"time", format_time(row.time)},
          {"author", row.author},   {"body", body.is_discarded() ? Json(row.body) : std::move(body)}};
}

}  // namespace

// The queue before the rows: a job whose work is in the rows already is known by them, one that is in neither would be
// lost.
Result<BackupReport> Operations::backup(const std::string& folder) {
  if (folder.empty()) return invalid_argument("backup: no folder is named");
  const std::filesystem::path target(folder), workspace(core_.config.workspace);
  if (core_.config.store == "memory:") return invalid_argument("backup: this store is in memory only");
  WEFT_CHECK(prepare_backup(target));
  // Before anything of the workspace stands in it, so that an erasure knows where to look.
  WEFT_CHECK(note_backup(workspace, target));
  WEFT_CHECK(copy_files(workspace, target));
  WEFT_CHECK(core_.store->copy_to((target / "weft.db").string()));
  WEFT_TRY(const auto report, finish_backup(target, core_.clock->now()));
  return report;
}

Status Operations::export_scope(const RequestContext& request,
                                const std::function<Status(std::string_view line)>& take) {
  const std::string scope = request.scope.key();
  Status status;
  WEFT_CHECK(hand_out({{"kind", "scope"}, {"scope", scope}, {"exported_at", format_time(core_.clock->now())}}, take));
  WEFT_CHECK(core_.store->scan_messages(scope, false, [&](MessageRow&& row) {
    if (status.ok()) status = hand_out(message_json(row), take);
  }));
  WEFT_CHECK(status);
  std::vector<std::int64_t> rows;
  WEFT_CHECK(core_.store->scan_sources(scope, [&](ItemRow&& row) {
    // A message's own items say what the message says.
    if (row.item.kind != ItemKind::kMessage) rows.push_back(row.row);
  }));
  for (std::size_t at = 0; at < rows.size(); at += kChunk) {
    WEFT_TRY(const auto items,
             core_.store->items(scope, std::span(rows).subspan(at, std::min(kChunk, rows.size() - at))));
    for (const ItemRow& row : items) WEFT_CHECK(hand_out(item_json(row), take));
  }
  WEFT_TRY(const auto documents, core_.store->documents(scope, ""));
  for (const DocumentRow& row : documents) WEFT_CHECK(hand_out(document_json(row), take));
  return {};
}

}  // namespace weft
