#include "ports/files/kept_responses.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/log.h"
#include "ports/files/file_system.h"
#include "text/json.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string text_of_file(const KeptResponse& response) {
  Json json = {{"id", response.id},           {"scope", response.scope.str()},
               {"session", response.session}, {"made_at", format_time(response.made)},
               {"status", response.status},   {"background", response.background},
               {"ours", response.ours}};
  if (Json object = lenient_json<Json>(response.object); !object.is_discarded()) json["response"] = std::move(object);
  return write_json(json) + "\n";
}

Result<KeptResponse> read(const fs::path& path, std::string_view text) {
  const Json json = lenient_json<Json>(text);
  KeptResponse out;
  out.id = text_of(member(json, "id"));
  out.scope = ScopeKey(text_of(member(json, "scope")));
  out.session = text_of(member(json, "session"));
  out.status = text_of(member(json, "status"));
  if (out.id.empty() || out.scope.empty() || out.status.empty())
    return corrupt(path.string() + " is no kept response", "remove it");
  out.background = member(json, "background") == true;
  out.ours = member(json, "ours") == true;
  if (const Json& object = member(json, "response"); object.is_object()) out.object = write_json(object);
  WEFT_TRY(out.made, parse_time(text_of(member(json, "made_at"))));
  return out;
}

Result<KeptResponse> read(const fs::path& path) {
  WEFT_TRY(const std::string text, read_file(path));
  return read(path, text);
}

Error none(std::string_view id) { return not_found("Response with id '" + std::string(id) + "' not found."); }

// Of a folder, or nothing of what is none.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code failed;
  for (fs::directory_iterator one(folder, failed); !failed && one != fs::directory_iterator(); one.increment(failed))
    all.push_back(one->path());
  return all;
}

Status remove_file(const fs::path& path) {
  std::error_code failed;
  fs::remove(path, failed);
  return failed ? Status(unavailable("cannot remove " + path.string() + ": " + failed.message())) : Status();
}

}  // namespace

KeptResponses::KeptResponses(fs::path workspace, std::chrono::hours kept_for)
    : folder_(std::move(workspace) / "responses"), kept_for_(kept_for) {}

fs::path KeptResponses::path_of(const ScopeKey& scope, std::string_view id) const {
  return folder_ / encode_file_name(scope.str()) / (encode_file_name(id) + ".json");
}

Status KeptResponses::write(const KeptResponse& response, bool durable) const {
  const fs::path path = path_of(response.scope, response.id);
  WEFT_CHECK(make_folder(path.parent_path()));
  return write_file(path, text_of_file(response), durable);
}

Status KeptResponses::put(const KeptResponse& response, bool durable) {
  const auto now = fs::file_time_type::clock::now();
  const auto today = std::chrono::duration_cast<std::chrono::hours>(now.time_since_epoch()).count() / 24;
  if (looked_through_.exchange(today) != today)
    if (const auto old = remove_older(now - kept_for_); !old.ok()) log_warning("responses.old", old.error().message);
  WEFT_TRY(const FileHandle turn, take_turn(folder_));
  return write(response, durable);
}

Status KeptResponses::replace(const KeptResponse& response) {
  WEFT_TRY(const FileHandle turn, take_turn(folder_));
  std::error_code failed;
  if (!fs::exists(path_of(response.scope, response.id), failed)) return none(response.id);
  return write(response, true);
}

Result<KeptResponse> KeptResponses::find(const ScopeKey& scope, std::string_view id) const {
  auto found = read(path_of(scope, id));
  return !found.ok() && found.error().code == ErrorCode::kNotFound ? none(id) : std::move(found);
}

Result<KeptResponse> KeptResponses::find(std::string_view id) const {
  const std::string name = encode_file_name(id) + ".json";
  std::error_code failed;
  for (const fs::path& scope : entries_of(folder_))
    if (fs::exists(scope / name, failed)) return read(scope / name);
  return none(id);
}

Result<bool> KeptResponses::remove(const ScopeKey& scope, std::string_view id) {
  WEFT_TRY(const FileHandle turn, take_turn(folder_));
  const fs::path path = path_of(scope, id);
  std::error_code failed;
  const bool there = fs::remove(path, failed);
  if (failed) return unavailable("cannot remove " + path.string() + ": " + failed.message());
  return there;
}

Result<std::size_t> KeptResponses::remove_if(const ScopeKey& scope, const Goes& goes) {
  std::error_code failed;
  const fs::path folder = folder_ / encode_file_name(scope.str());
  if (!fs::exists(folder, failed)) return std::size_t{0};
  WEFT_TRY(const FileHandle turn, take_turn(folder_));
  std::size_t count = 0;
  for (const fs::path& path : entries_of(folder)) {
    WEFT_TRY(const std::string text, read_file(path));
    const auto one = read(path, text);
    // What cannot be read may hold anything.
    if (one.ok() && !goes(*one, text)) continue;
    WEFT_CHECK(remove_file(path));
    ++count;
  }
  fs::remove(folder, failed);  // fails as long as it holds something
  return count;
}

Status KeptResponses::recover(const std::function<void(KeptResponse&)>& end) {
  std::error_code failed;
  if (!fs::exists(folder_, failed)) return {};
  WEFT_TRY(const FileHandle turn, take_turn(folder_));
  for (const fs::path& scope : entries_of(folder_)) {
    for (const fs::path& path : entries_of(scope)) {
      auto one = read(path);
      if (!one.ok()) log_warning("responses.recover", one.error().message);
      if (!one.ok() || !one->ours || !one->unfinished()) continue;
      end(*one);
      WEFT_CHECK(write(*one, true));
    }
  }
  return {};
}

Result<std::size_t> KeptResponses::remove_older(fs::file_time_type since) {
  WEFT_TRY(const FileHandle turn, take_turn(folder_));
  std::size_t count = 0;
  std::error_code failed;
  for (const fs::path& scope : entries_of(folder_)) {
    for (const fs::path& path : entries_of(scope)) {
      const auto written = fs::last_write_time(path, failed);
      if (failed || written >= since) continue;
      WEFT_CHECK(remove_file(path));
      ++count;
    }
    if (fs::is_directory(scope, failed)) fs::remove(scope, failed);  // fails as long as it holds something
  }
  return count;
}

}  // namespace weft
