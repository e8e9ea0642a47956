// weft backup, restore and export: what is kept leaves the workspace, and comes back.
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/archive.h"
#include "ports/files/file.h"
#include "surface/api/lists.h"
#include "surface/cli/backup_commands.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

void tell(const Globals& globals, const char* what, const BackupReport& report) {
  if (globals.json)
    globals.console->line(to_json(report));
  else
    globals.console->print("%s %s: %zu files, %llu bytes\n", what, report.folder.c_str(), report.files,
                           static_cast<unsigned long long>(report.bytes));
}

}  // namespace

int backup(const Globals& globals, const std::string& folder) {
  // The server may stand in another folder than the person.
  const std::string target = std::filesystem::absolute(globals.console->path(folder)).lexically_normal().string();
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto report, engine.upkeep().backup(target));
    tell(globals, "backed up to", report);
    return {};
  });
}

// A backup is a folder, or an archive of one.
int restore(const Globals& globals, const std::string& folder) {
  const auto from = globals.console->path(folder);
  const std::string workspace = globals.console->path(globals.workspace).string();
  std::error_code ignored;
  const auto restored = std::filesystem::is_regular_file(from, ignored) ? read_archive(from.string(), workspace)
                                                                        : restore_backup(from.string(), workspace);
  if (!restored.ok()) return report(globals, restored.error());
  tell(globals, "restored to", *restored);
  return kDone;
}

int export_archive(const Globals& globals, const std::string& file) {
  const std::string target = std::filesystem::absolute(globals.console->path(file)).lexically_normal().string();
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto report, write_archive(engine, target));
    tell(globals, "packed into", report);
    return {};
  });
}

int export_memory(const Globals& globals, const std::string& file) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    if (file.empty())
      return engine.memory(request).export_to([&](std::string_view line) -> Status {
        globals.console->line(std::string(line));
        return {};
      });
    const auto path = globals.console->path(file);
    // It holds all of somebody's memory: a new one is for its owner alone.
    const FileHandle made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    if (!out) return permission("cannot write " + path.string(), "name a file in a folder that may be written");
    std::size_t lines = 0;
    WEFT_CHECK(engine.memory(request).export_to([&](std::string_view line) -> Status {
      out << line << '\n';
      ++lines;
      return out ? Status() : Status(unavailable("cannot write " + path.string(), "is the disk full?"));
    }));
    out.close();
    if (!out) return unavailable("cannot write " + path.string(), "is the disk full?");
    if (globals.json)
      globals.console->line(nlohmann::ordered_json{{"file", file}, {"lines", lines}}.dump());
    else
      globals.console->print("%zu lines in %s\n", lines, file.c_str());
    return {};
  });
}

}  // namespace weft::cli
