// weft agent watch: learning from the sessions of other agents while these are written.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "growth/transcript_follower.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"
#include "ports/files/folder_watch.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

// A burst of lines is one look; a folder that takes long to look through is looked at less often.
constexpr std::chrono::milliseconds kPause{500};
constexpr int kShareOfTime = 10;
constexpr std::chrono::seconds kPatience{5};  // for another one to end
constexpr std::chrono::seconds kAgain{5};  // where the workspace could not be had
constexpr std::chrono::seconds kLongest{60};  // also where notices get lost, as on network file systems

struct WatchOptions {
  std::string folder, format;
  std::int64_t quiet = 600;
  bool once = false, no_learning = false;
};

/// Follows a folder: finds tasks by itself, and needs the workspace only to keep them.
class Watcher {
 public:
  Watcher(const Globals& globals, const WatchOptions& options) : globals_(globals), options_(options) {}

  Status run() {
    WEFT_TRY(const auto request, request_of(globals_));
    log_ = followed_log(globals_.workspace, request.scope.key());
    WEFT_CHECK(make_folder(log_.parent_path()));
    which_ = {globals_.console->path(options_.folder), {}, std::chrono::seconds(options_.quiet)};
    for (const TranscriptFormat format : kTranscriptFormats)
      if (to_string(format) == options_.format) which_.format = format;
    WEFT_TRY(auto watch, FolderWatch::open(which_.folder));
    WEFT_CHECK(open());
    if (options_.once) return once();
    if (!globals_.json)
      globals_.console->line("watching " + which_.folder.string() + "; Ctrl-C ends it, and it goes on where it was");
    for (;;) {
      const auto begun = std::chrono::steady_clock::now();
      WEFT_TRY(const auto look, follower_->look());
      if (!keep(look)) {
        std::this_thread::sleep_for(kAgain);
        WEFT_CHECK(open());
        continue;
      }
      if (!follower_) WEFT_CHECK(open());
      if (look.more) continue;
      const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
      std::this_thread::sleep_for(std::max(kPause, took * kShareOfTime));
      watch.wait(std::min(look.due.value_or(kLongest), kLongest), globals_.console->cancelled());
    }
  }

 private:
  Status open() {
    close();
    // A server may still be at the last round of a command that was killed.
    auto lock = WorkspaceLock::take(log_.parent_path());
    for (const Deadline until = Deadline::after(kPatience); !lock.ok() && !until.passed();) {
      std::this_thread::sleep_for(kPause);
      lock = WorkspaceLock::take(log_.parent_path());
    }
    if (!lock.ok())
      return conflict("watch: another `weft agent watch` follows sessions for this user", "end that one first");
    lock_ = std::move(*lock);
    WEFT_TRY(auto follower, TranscriptFollower::open(disk(), log_, which_));
    follower_.emplace(std::move(follower));
    return {};
  }

  void close() {
    follower_.reset();
    lock_.reset();
  }

  Status once() {
    for (bool more = true; more;) {
      WEFT_TRY(const auto look, follower_->look());
      if (!keep(look)) return unavailable("watch: what was found could not be kept");
      if (!follower_) return {};  // a server did it
      files_ = look.files;
      more = look.more;
    }
    if (!globals_.json && globals_.serving == nullptr)
      globals_.console->line(std::to_string(tasks_) + " tasks in " + std::to_string(files_) + " files");
    return {};
  }

  // One opening of the workspace for all that a look found. Where a server holds it, that does a round by itself, with
  // the same log.
  bool keep(const TranscriptFollower::Look& look) {
    if (look.found.empty()) return true;
    Globals own = globals_;
    if (globals_.hand_over)
      own.hand_over = [this] {
        if (!std::filesystem::exists(std::filesystem::path(globals_.workspace) / "weft.sock"))
          return std::optional<int>();
        close();
        return globals_.hand_over();
      };
    const int code = with_engine(own, [&](Engine& engine, const RequestContext& request) -> Status {
      for (const auto& found : look.found) {
        WEFT_TRY(const auto made, import(engine.hindsight(request), found));
        tell(found, made);
        if (follower_) WEFT_CHECK(follower_->taken(found));
      }
      return {};
    });
    return code == kDone;
  }

  Result<ImportedRuns> import(const Hindsight& hindsight, const TranscriptFollower::Found& found) const {
    if (found.reports.empty()) return ImportedRuns();
    std::string reports;
    for (const TaskReport& report : found.reports) reports += to_json(report) + "\n";
    return hindsight.import_runs(reports, found.file.string(), !options_.no_learning);
  }

  void tell(const TranscriptFollower::Found& found, const ImportedRuns& made) {
    for (const std::string& problem : found.problems) globals_.console->complain("! %s\n", problem.c_str());
    const auto line = [this](const std::string& id, const std::string& what, const std::string& task) {
      globals_.console->line(id + "  " + what + "  " + task.substr(0, task.find('\n')));
    };
    for (std::size_t i = 0; i < made.reflections.size(); ++i) {
      ++tasks_;
      const Reflection& one = made.reflections[i];
      if (globals_.json)
        globals_.console->line(to_json(one));
      else
        line(one.id,
             std::to_string(found.reports[i].steps.size()) + " steps, " + std::to_string(one.errors.size()) + " errors",
             one.task);
    }
    for (const TaskReport& one : made.kept) {
      ++tasks_;
      if (globals_.json)
        globals_.console->line(to_json(one));
      else
        line(one.id, std::to_string(one.steps.size()) + " steps, kept", one.task);
    }
  }

  const Globals& globals_;
  const WatchOptions& options_;
  FollowedFiles which_;
  std::filesystem::path log_;
  std::optional<WorkspaceLock> lock_;  ///< of the log
  std::optional<TranscriptFollower> follower_;
  std::size_t tasks_ = 0, files_ = 0;
};

}  // namespace

void add_watch(CommandLine& line) {
  auto asked = std::make_shared<WatchOptions>();
  auto* watching = line.app().get_subcommand("agent")->add_subcommand(
      "watch",
      "learn from sessions of other agents while they are written: OpenAI-style messages, Claude Code, Codex, "
      "OpenHands, SWE-agent");
  watching->add_option("folder", asked->folder, "in which their files are, at any depth")->required();
  std::vector<std::string> formats;
  for (const TranscriptFormat format : kTranscriptFormats)
    if (format != TranscriptFormat::kTaskReports) formats.emplace_back(to_string(format));
  watching->add_option("--format", asked->format, "only files of this one; default: all that are known")
      ->check(CLI::IsMember(formats));
  watching
      ->add_option(
          "--quiet", asked->quiet,
          "seconds: a task whose file rests for so long behind an answer is over; 12 times as long without one")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{7 * 24 * 3600}))
      ->capture_default_str();
  watching->add_flag("--once", asked->once, "take what is over now, and end");
  watching->add_flag("--no-learning", asked->no_learning,
                     "keep the reports of their tasks, and learn nothing from them");
  line.on(watching, Place::kFollows, [asked](const Globals& globals) {
    const Status done = Watcher(globals, *asked).run();
    return done.ok() ? kDone : report(globals, done.error());
  });
}

}  // namespace weft::cli
