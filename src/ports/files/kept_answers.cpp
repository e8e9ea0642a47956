#include "ports/files/kept_answers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <vector>

#include "base/log.h"
#include "ports/files/file_system.h"
#include "text/json.h"

namespace weft {

// A file is a line of JSON, which says what the answer is, and behind it the body as it was sent.

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string text_of_file(const FiledAnswer& answer) {
  Json head = {{"scope", answer.scope.str()},
               {"request", answer.request},
               {"status", answer.status},
               {"made_at", format_time(answer.made)},
               {"type", answer.type}};
  if (answer.forgotten) head["forgotten"] = true;
  return write_json(head) + "\n" + (answer.forgotten ? std::string() : answer.body);
}

Result<FiledAnswer> read_head(const fs::path& path, std::string_view line) {
  const Json head = Json::parse(line, nullptr, false);
  const Json& status = member(head, "status");
  const Json& request = member(head, "request");
  if (!status.is_number_integer() || !request.is_number_unsigned())
    return corrupt(path.string() + " is no kept answer", "remove it");
  FiledAnswer out;
  out.name = path.filename().string();
  out.scope = ScopeKey(text_of(member(head, "scope")));
  out.request = request.get<std::uint64_t>();
  out.status = status.get<int>();
  out.forgotten = member(head, "forgotten") == true;
  out.type = text_of(member(head, "type"));
  WEFT_TRY(out.made, parse_time(text_of(member(head, "made_at"))));
  return out;
}

// Bodies may be large, and a list needs none of them.
Result<AnswerFiles::Listed> read_listed(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!std::getline(file, line)) return corrupt(path.string() + " is no kept answer", "remove it");
  AnswerFiles::Listed out;
  WEFT_TRY(out.answer, read_head(path, line));
  std::error_code failed;
  const auto size = fs::file_size(path, failed);
  out.bytes = failed || size <= line.size() ? 0 : static_cast<std::size_t>(size) - line.size() - 1;
  return out;
}

Result<FiledAnswer> read_answer(const fs::path& path) {
  WEFT_TRY(const std::string text, read_file(path));
  const auto end = std::min(text.find('\n'), text.size());
  WEFT_TRY(FiledAnswer out, read_head(path, std::string_view(text).substr(0, end)));
  out.body = text.substr(std::min(end + 1, text.size()));
  return out;
}

}  // namespace

Status AnswerFiles::write(const FiledAnswer& answer) const {
  return write_file(path_of(answer.name), text_of_file(answer), true);
}

Status AnswerFiles::put(const FiledAnswer& answer) {
  WEFT_CHECK(make_private_folder(folder_));
  WEFT_TRY(const FileHandle turn, take_turn(folder_));
  const auto former = read_listed(path_of(answer.name));
  if (!former.ok() || !former->answer.forgotten || former->answer.status != 0) return write(answer);
  FiledAnswer silent = answer;
  silent.forgotten = true;
  return write(silent);
}

Result<FiledAnswer> AnswerFiles::find(const std::string& name) const { return read_answer(path_of(name)); }

Status AnswerFiles::remove(const std::string& name) {
  std::error_code failed;
  if (!fs::exists(folder_, failed)) return {};
  WEFT_TRY(const FileHandle turn, take_turn(folder_));
  fs::remove(path_of(name), failed);
  return failed ? Status(unavailable("cannot remove " + path_of(name).string() + ": " + failed.message())) : Status();
}

std::vector<fs::path> AnswerFiles::paths() const {
  std::vector<fs::path> all;
  std::error_code failed;
  for (fs::directory_iterator one(folder_, failed); !failed && one != fs::directory_iterator(); one.increment(failed))
    if (one->path().filename() != ".lock") all.push_back(one->path());
  return all;
}

Result<std::vector<AnswerFiles::Listed>> AnswerFiles::list() {
  std::vector<Listed> all;
  std::error_code failed;
  if (!fs::exists(folder_, failed)) return all;
  WEFT_TRY(const FileHandle turn, take_turn(folder_));
  for (const fs::path& path : paths()) {
    auto one = read_listed(path);
    if (one.ok()) {
      all.push_back(std::move(one).value());
      continue;
    }
    log_warning("answers.list", one.error().message);
    fs::remove(path, failed);
  }
  std::sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) { return a.answer.made < b.answer.made; });
  return all;
}

Result<std::size_t> AnswerFiles::forget(const ScopeKey& scope,
                                        const std::function<bool(std::string_view text)>& repeats) {
  std::error_code failed;
  if (!fs::exists(folder_, failed)) return std::size_t{0};
  WEFT_TRY(const FileHandle turn, take_turn(folder_));
  std::size_t count = 0;
  for (const fs::path& path : paths()) {
    auto one = read_answer(path);
    if (!one.ok()) {  // it may hold anything
      fs::remove(path, failed);
      continue;
    }
    if (one->forgotten || (one->scope != scope && !repeats(one->body))) continue;
    one->forgotten = true;
    WEFT_CHECK(write(*one));
    ++count;
  }
  return count;
}

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

Result<KeptResponse> read_response(const fs::path& path, std::string_view text) {
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

Result<KeptResponse> read_response(const fs::path& path) {
  WEFT_TRY(const std::string text, read_file(path));
  return read_response(path, text);
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
  auto found = read_response(path_of(scope, id));
  return !found.ok() && found.error().code == ErrorCode::kNotFound ? none(id) : std::move(found);
}

Result<KeptResponse> KeptResponses::find(std::string_view id) const {
  const std::string name = encode_file_name(id) + ".json";
  std::error_code failed;
  for (const fs::path& scope : entries_of(folder_))
    if (fs::exists(scope / name, failed)) return read_response(scope / name);
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
    const auto one = read_response(path, text);
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
      auto one = read_response(path);
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
