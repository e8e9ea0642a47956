#include "surface/cli/file_change.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ports/files/file_system.h"
#include "text/line_diff.h"

namespace weft::cli {

namespace fs = std::filesystem;

Status change_file(const Globals& globals, const fs::path& file, bool write,
                   const std::function<Result<std::string>(const std::string& before)>& change) {
  std::string before;
  if (auto text = read_file(file); text.ok())
    before = std::move(text).value();
  else if (text.error().code != ErrorCode::kNotFound)
    return text.error();
  const auto after = change(before);
  if (!after.ok()) {
    Error error = after.error();
    error.message = file.string() + ": " + error.message;
    return error;
  }
  const bool changed = before != *after;
  const std::string diff = show_diff(line_diff(before, *after));
  if (write && changed) {
    WEFT_CHECK(make_folder(file.parent_path()));
    WEFT_CHECK(write_file(file, *after, true));
  }
  Console& console = *globals.console;
  if (globals.json) {
    const nlohmann::ordered_json told = {
        {"file", file.string()}, {"changed", changed}, {"written", write && changed}, {"diff", diff}};
    console.line(told.dump());
    return {};
  }
  console.print("%s\n%s", file.c_str(), changed ? diff.c_str() : "is as it should be\n");
  if (changed) console.line(write ? "written" : "nothing was written yet: add --write");
  return {};
}

Result<std::vector<std::string>> own_options(const Globals& globals) {
  std::error_code failed;
  const fs::path workspace = fs::weakly_canonical(globals.console->path(globals.workspace), failed);
  if (failed) return unavailable("the path of the workspace cannot be found: " + failed.message());
  std::vector<std::string> options{"--workspace", workspace.string()};
  const auto add = [&options](const char* option, const std::string& value) {
    options.emplace_back(option);
    options.push_back(value);
  };
  if (globals.owner_named && globals.user != "default") add("--user", globals.user);
  if (!globals.group.empty()) add("--group", globals.group);
  if (globals.session != "default") add("--session", globals.session);
  return options;
}

Result<std::string> own_program() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return unavailable("the path of this program cannot be found: " + failed.message());
  return program.string();
}

Result<fs::path> home_folder(const std::string& otherwise) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home);
  return invalid_argument("HOME is not set, so your configuration cannot be found", otherwise);
}

}  // namespace weft::cli
