#include "surface/doctor/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/deadline.h"
#include "ports/files/disk_trial.h"
#include "ports/files/lock_state.h"
#include "surface/hook/hook_settings.h"
#include "text/time_zone.h"

namespace weft::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kNextLook{50};
constexpr double kSlowFlush = 250;        // ms; every acknowledged write waits for one
constexpr std::uint64_t kFewFiles = 1000;
constexpr std::size_t kNamed = 5;         // files that a finding names

void look_at_space(const fs::path& workspace, const HealthSettings& health, Report& report) {
  const auto space = disk_space(workspace);
  if (!space.ok()) return report.wrong("disk", space.error(), workspace.string());
  const std::string left = fmt::format("{} MB left", space->bytes >> 20);
  if (space->read_only)
    return report.wrong("disk", "the disk is read only", workspace.string(),
                        "mount it for writing, or choose another folder with --workspace");
  if (space->counts_files && space->files < kFewFiles)
    report.look("disk", fmt::format("room for {} more files only", space->files), workspace.string(),
                "remove files that are not needed: a disk can have space and no room for another file");
  if (space->bytes < static_cast<std::uint64_t>(health.min_free_bytes))
    return report.look("disk",
                       left + fmt::format(", less than health.min_free_bytes ({} MB)", health.min_free_bytes >> 20),
                       workspace.string(),
                       "free some space; nothing that was acknowledged is lost, but soon nothing "
                       "more can be kept");
  report.ok("disk", left, workspace.string());
}

void look_at_flush(const fs::path& workspace, Report& report) {
  const auto ms = try_disk(workspace);
  if (!ms.ok()) return report.wrong("flush", ms.error(), workspace.string());
  const std::string told = fmt::format("a write is on disk after {:.1f} ms", *ms);
  if (*ms > kSlowFlush)
    return report.look("flush", told + ": every message that is taken in waits for one", workspace.string(),
                       "put the workspace on a local disk that is not busy");
  report.ok("flush", told, workspace.string());
}

// Whether another user of the machine can get into a folder: folders above it may keep them out.
bool is_open_to_others(const fs::path& folder) {
  std::error_code code;
  const fs::perms rights = fs::status(folder, code).permissions();
  bool group = !code && (rights & fs::perms::group_all) != fs::perms::none;
  bool others = !code && (rights & fs::perms::others_all) != fs::perms::none;
  const fs::path whole = fs::canonical(folder, code);
  for (fs::path above = whole.parent_path(); group || others; above = above.parent_path()) {
    const fs::perms way = fs::status(above, code).permissions();
    group = group && (way & fs::perms::group_exec) != fs::perms::none;
    others = others && (way & fs::perms::others_exec) != fs::perms::none;
    if (!above.has_relative_path()) break;
  }
  return group || others;
}

// A workspace of an earlier version, or one that somebody made by hand.
bool look_at_others(const fs::path& workspace, Report& report) {
  if (!is_open_to_others(workspace)) return true;
  std::error_code code;
  const std::string path = fs::absolute(workspace, code).string();
  report.look("rights", "the workspace is open to other users of this machine, and it holds all that is remembered",
              path, "chmod -R go-rwx " + shell_word(path));
  return false;
}

void look_at_rights(const fs::path& workspace, Report& report) {
  const bool closed = look_at_others(workspace, report);
  struct Told {
    WrongRights::Kind kind;
    Grade grade;
    const char *what, *advice;
  };
  static constexpr Told kTold[] = {
      {WrongRights::Kind::kClosed, Grade::kWrong, "may not be read and written by this user",
       "chown and chmod them for the user that Weft runs as"},
      {WrongRights::Kind::kForeign, Grade::kLook, "belong to another user than the workspace",
       "chown them to the owner of the workspace: its server may not be able to write them"},
      {WrongRights::Kind::kOpen, Grade::kWrong, "may be read by others, and hold what is for their owner alone",
       "chmod 600 them"},
  };
  const auto found = wrong_rights(workspace);
  for (const Told& told : kTold) {
    std::size_t count = 0;
    std::string named;
    for (const WrongRights& one : found) {
      if (one.kind != told.kind) continue;
      if (++count <= kNamed) named += (named.empty() ? "" : ", ") + one.path.string();
    }
    if (count > kNamed) named += ", …";
    if (count > 0)
      report.findings.push_back(
          {"rights", told.grade, fmt::format("{} files or folders {}", count, told.what), named, told.advice});
  }
  if (found.empty() && closed) report.ok("rights", "all files may be read and written, by their owner alone");
}

}  // namespace

void look_at_disk(const fs::path& workspace, const HealthSettings& health, Report& report) {
  std::error_code code;
  const auto state = fs::status(workspace, code);
  if (fs::exists(state) && !fs::is_directory(state))
    return report.wrong("disk", "the workspace is no folder", workspace.string(),
                        "name a folder with --workspace, or move the file away");
  if (!fs::exists(state)) {
    // The nearest folder that is there has to take it.
    fs::path above = fs::absolute(workspace, code);
    while (above.has_relative_path() && !fs::exists(above, code)) above = above.parent_path();
    if (!fs::is_directory(above, code))
      return report.wrong("disk", "the workspace cannot be made: " + above.string() + " is no folder",
                          workspace.string(), "name another folder with --workspace");
    look_at_space(above, health, report);
    return report.ok("workspace", "there is none yet; the first command that needs it makes it", workspace.string());
  }
  look_at_space(workspace, health, report);
  look_at_flush(workspace, report);
  look_at_rights(workspace, report);
}

bool look_at_holder(const fs::path& workspace, bool here, std::chrono::milliseconds patience, Report& report) {
  const Deadline until = Deadline::after(patience);
  LockState lock = look_at_lock(workspace);
  // A command that is about to end holds it, too.
  for (; lock.held && !here && !until.passed(); lock = look_at_lock(workspace)) std::this_thread::sleep_for(kNextLook);
  const std::string where = (workspace / "weft.lock").string();
  const std::string who =
      fmt::format("process {}{}", lock.process, lock.program.empty() ? "" : " (" + lock.program + ")");
  if (lock.held && here) {
    report.ok("lock", "held by " + who + ", which answers this command", where);
    return true;
  }
  if (lock.held) {
    report.wrong("lock",
                 fmt::format("held by {}, which takes no commands and did not let go of it within {:.3g} s", who,
                             std::chrono::duration<double>(patience).count()),
                 where,
                 "it is a program that uses Weft as a library, or one that hangs: ask it to end (kill " +
                     std::to_string(lock.process) + "), then run this again");
    return false;
  }
  std::error_code code;
  const bool socket = fs::exists(workspace / "weft.sock", code);
  const bool killed = lock.process > 0 && socket;
  report.ok("lock",
            killed ? "held by nobody; the last server was killed (" + who +
                         ") and left its socket, which the next one replaces"
                   : "held by nobody",
            where);
  return true;
}

void look_at_time_zones(Report& report) {
  struct Known {
    const char* zone;
    std::int64_t ms;  // 2026-01-15 and 2026-07-15, 12:00 UTC
    std::int32_t minutes;
  };
  constexpr std::int64_t kWinter = 1'768'478'400'000, kSummer = 1'784'116'800'000;
  static constexpr Known kKnown[] = {{"Asia/Shanghai", kWinter, 480},     {"Asia/Kolkata", kSummer, 330},
                                     {"Europe/Berlin", kWinter, 60},      {"Europe/Berlin", kSummer, 120},
                                     {"America/New_York", kWinter, -300}, {"America/New_York", kSummer, -240}};
  for (const Known& known : kKnown) {
    const auto offset = zone_offset(known.zone, known.ms);
    if (offset.ok() && *offset == known.minutes) continue;
    report.wrong("time_zones",
                 fmt::format("the offset of {} is {}, not {} minutes", known.zone,
                             offset.ok() ? std::to_string(*offset) : offset.error().message, known.minutes),
                 "ICU " + zone_data_version(), "install the data of ICU (libicu) and of time zones (tzdata) again");
    return;
  }
  report.ok("time_zones", "ICU knows them, data of " + zone_data_version());
}

}  // namespace weft::doctor
