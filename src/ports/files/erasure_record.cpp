#include "ports/files/erasure_record.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "model/receipt_json.h"
#include "ports/files/file.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kReceiptEnd = ".json";
constexpr const char* kTracesEnd = ".traces.json";
constexpr const char* kPendingEnd = ".pending.json";

Json request_json(const Scope& scope, const EraseRequest& what) {
  Json json = {{"user", scope.user().str()}, {"group", scope.group().str()}, {"everything", what.everything}};
  for (const MessageId& id : what.messages) json["messages"].push_back(id.str());
  if (!what.session.empty()) json["session"] = what.session.str();
  if (what.before) json["before"] = format_time(*what.before);
  return json;
}

Result<EraseRequest> read_request(const Json& json) {
  EraseRequest what;
  what.everything = json.value("everything", false);
  for (const Json& id : json.value("messages", Json::array())) what.messages.emplace_back(id.get<std::string>());
  what.session = SessionId(json.value("session", ""));
  if (const std::string before = json.value("before", ""); !before.empty()) {
    WEFT_TRY(what.before, parse_time(before));
  }
  return what;
}

Result<Scope> read_scope(const Json& json) {
  const std::string user = json.value("user", ""), group = json.value("group", "");
  return group.empty() ? Scope::private_of(UserId(user)) : Scope::group_of(GroupId(group), UserId(user));
}

Json record_json(const ErasureRecord& record) {
  return {{"request", request_json(record.scope, record.request)},
          {"receipt", Json::parse(to_json(record.receipt))},
          {"traces", Json::parse(record.traces.to_json())}};
}

Result<ErasureRecord> read_record(const std::string& text, const std::filesystem::path& path) {
  const Json json = Json::parse(text, nullptr, false);
  try {
    if (!json.is_object()) return corrupt(path.string() + " is no record of an erasure");
    WEFT_TRY(auto scope, read_scope(json.at("request")));
    WEFT_TRY(auto request, read_request(json.at("request")));
    WEFT_TRY(auto receipt, parse_receipt(json.at("receipt").dump()));
    WEFT_TRY(auto traces, Traces::parse(json.at("traces").dump()));
    return ErasureRecord{std::move(receipt), std::move(scope), std::move(request), std::move(traces)};
  } catch (const Json::exception& error) {
    return corrupt(path.string() + " is no record of an erasure: " + error.what());
  }
}

std::vector<std::filesystem::path> files_ending(const std::filesystem::path& folder, std::string_view end) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& file : std::filesystem::directory_iterator(folder, failed))
    if (file.path().filename().string().ends_with(end)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string erasure_digest(const std::string& scope, const std::string& kind, const std::string& id) {
  const std::string key = std::to_string(scope.size()) + ":" + scope + kind + id;
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string message_digest(const std::string& scope, const SessionId& session, const MessageId& id) {
  return erasure_digest(scope, "message", std::to_string(session.str().size()) + ":" + session.str() + id.str());
}

ErasureRecord ErasureRecords::begin(const Scope& scope, const EraseRequest& request, Time now) {
  std::random_device chance;
  const auto number = [&chance] { return static_cast<std::uint64_t>(chance()) << 32 | chance(); };
  ErasureRecord record{{}, scope, request, Traces(number())};
  record.receipt.id = fmt::format("{:016x}", number());
  record.receipt.scope_digest = erasure_digest(scope.key(), "scope", "");
  record.receipt.at = now;
  return record;
}

bool ErasureRecords::same(const EraseRequest& a, const EraseRequest& b) {
  return a.everything == b.everything && a.messages == b.messages && a.session == b.session && a.before == b.before;
}

std::filesystem::path ErasureRecords::file(const std::string& id, const char* end) const {
  return folder_ / (encode_file_name(id) + end);
}

Result<std::vector<ErasureRecord>> ErasureRecords::pending() const {
  std::vector<ErasureRecord> records;
  for (const auto& path : files_ending(folder_, kPendingEnd)) {
    WEFT_TRY(const std::string text, read_file(path));
    WEFT_TRY(auto record, read_record(text, path));
    records.push_back(std::move(record));
  }
  return records;
}

Result<EraseReceipt> ErasureRecords::receipt_of(const Scope& scope, const EraseRequest& request) const {
  std::optional<EraseReceipt> newest;
  for (const auto& path : files_ending(folder_, kTracesEnd)) {
    WEFT_TRY(const std::string text, read_file(path));
    WEFT_TRY(const auto record, read_record(text, path));
    if (!(record.scope == scope) || !same(record.request, request)) continue;
    if (!newest || newest->at < record.receipt.at) newest = record.receipt;
  }
  if (!newest) return not_found("no such erasure");
  return *newest;
}

Result<std::string> ErasureRecords::receipt_text(const std::string& id) const {
  return read_file(file(id, kReceiptEnd));
}

Result<Traces> ErasureRecords::traces(const std::string& id) const {
  const auto path = file(id, kTracesEnd);
  const auto text = read_file(path);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return Traces();
  WEFT_CHECK(text.ok() ? Status() : Status(text.error()));
  WEFT_TRY(auto record, read_record(*text, path));
  return std::move(record.traces);
}

Status ErasureRecords::keep_pending(const ErasureRecord& record) const {
  WEFT_CHECK(make_folder(folder_));
  return write_file(file(record.receipt.id, kPendingEnd), record_json(record).dump() + "\n", true);
}

// The receipt first: a record that is still pending is carried out again, one that is gone would be lost.
Status ErasureRecords::keep_done(const ErasureRecord& record) const {
  WEFT_CHECK(make_folder(folder_));
  const auto traces = file(record.receipt.id, kTracesEnd);
  WEFT_CHECK(write_file(traces, record_json(record).dump() + "\n", true));
  ::chmod(traces.c_str(), S_IRUSR | S_IWUSR);
  WEFT_CHECK(write_file(file(record.receipt.id, kReceiptEnd), to_json(record.receipt) + "\n", true));
  std::error_code failed;
  std::filesystem::remove(file(record.receipt.id, kPendingEnd), failed);
  return sync_folder(folder_);
}

}  // namespace weft
