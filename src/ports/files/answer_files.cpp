// A file is a line of JSON, which says what the answer is, and behind it the body as it was sent.
#include "ports/files/answer_files.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "ports/files/file_system.h"
#include "text/json.h"

namespace weft {
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

Result<FiledAnswer> read(const fs::path& path) {
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

Result<FiledAnswer> AnswerFiles::find(const std::string& name) const { return read(path_of(name)); }

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
    auto one = read(path);
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

}  // namespace weft
