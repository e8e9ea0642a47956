#include "ports/files/erasure_record.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <random>

#include "base/fault_point.h"
#include "model/records.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

constexpr const char* kReceiptEnd = ".json";
constexpr const char* kTracesEnd = ".traces.json";
constexpr const char* kPendingEnd = ".pending.json";

/// What was asked for, as it stands in the file.
struct KeptRequest {
  std::string user, group;
  EraseRequest what;
};

/// A record as it stands in the file.
struct KeptRecord {
  KeptRequest request;
  std::string receipt, traces;  ///< JSON
  std::int64_t last_seq = 0;
};

}  // namespace

WEFT_DESCRIBED(KeptRequest);
WEFT_DESCRIBED(KeptRecord);

template <>
const Record<KeptRequest>& record<KeptRequest>() {
  static const auto made = Record<KeptRequest>("KeptRequest", "What was asked for.", RecordUse::kTold)
                               .field("user", &KeptRequest::user, "of the scope")
                               .field("group", &KeptRequest::group, "of the scope; empty in private")
                               .spread(&KeptRequest::what, record<EraseRequest>());
  return made;
}

template <>
const Record<KeptRecord>& record<KeptRecord>() {
  static const auto made =
      Record<KeptRecord>("KeptRecord", "An erasure from the moment it is decided on.", RecordUse::kTold)
          .field("request", &KeptRecord::request, "what was asked for")
          .json("receipt", &KeptRecord::receipt, "as it is shown", {.required = true})
          .json("traces", &KeptRecord::traces, "fingerprints of what went", {.required = true})
          .field("last_seq", &KeptRecord::last_seq, "of the newest message when it began; 0: not known");
  return made;
}

namespace {

std::string record_json(const ErasureRecord& record) {
  const KeptRequest request{record.scope.user().str(), record.scope.group().str(), record.request};
  return to_json(KeptRecord{request, to_json(record.receipt), record.traces.to_json(), record.last_seq});
}

Result<Scope> scope_of(const KeptRequest& request) {
  return request.group.empty() ? Scope::private_of(UserId(request.user))
                               : Scope::group_of(GroupId(request.group), UserId(request.user));
}

Result<ErasureRecord> read_record(const std::string& text, const std::filesystem::path& path) {
  auto kept = parse_record<KeptRecord>(text, "the record", {.max_bytes = text.size() + 1});
  if (!kept.ok()) return corrupt(path.string() + " is no record of an erasure: " + kept.error().message);
  WEFT_TRY(auto scope, scope_of(kept->request));
  WEFT_TRY(auto receipt, parse_receipt(kept->receipt));
  WEFT_TRY(auto traces, Traces::parse(kept->traces));
  return ErasureRecord{std::move(receipt), std::move(scope), std::move(kept->request.what), std::move(traces),
                       kept->last_seq};
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

std::string erasure_digest(const ScopeKey& scope, const std::string& kind, const std::string& id) {
  const std::string key = std::to_string(scope.str().size()) + ":" + scope.str() + kind + id;
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string message_digest(const ScopeKey& scope, const SessionId& session, const MessageId& id) {
  return erasure_digest(scope, "message", std::to_string(session.str().size()) + ":" + session.str() + id.str());
}

ErasureRecord ErasureRecords::begin(const Scope& scope, const EraseRequest& request, Time now) {
  std::random_device chance;
  const auto number = [&chance] { return static_cast<std::uint64_t>(chance()) << 32 | chance(); };
  ErasureRecord record{{}, scope, request, Traces(number()), 0};
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
  return write_file(file(record.receipt.id, kPendingEnd), record_json(record) + "\n", true);
}

// The receipt first: a record that is still pending is carried out again, one that is gone would be lost.
Status ErasureRecords::keep_done(const ErasureRecord& record) const {
  WEFT_CHECK(make_folder(folder_));
  const auto traces = file(record.receipt.id, kTracesEnd);
  WEFT_CHECK(write_file(traces, record_json(record) + "\n", true));
  ::chmod(traces.c_str(), S_IRUSR | S_IWUSR);
  WEFT_CHECK(write_file(file(record.receipt.id, kReceiptEnd), to_json(record.receipt) + "\n", true));
  WEFT_CHECK(fault_point(FaultPoint::kEraseReceipt));
  std::error_code failed;
  std::filesystem::remove(file(record.receipt.id, kPendingEnd), failed);
  return sync_folder(folder_);
}

}  // namespace weft
