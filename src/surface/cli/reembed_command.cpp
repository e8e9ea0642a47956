// weft reembed: another embedding model for the whole workspace, with progress.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/toml_edit.h"
#include "ports/files/file.h"
#include "surface/cli/beside/socket.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

/// SIGINT and SIGTERM are waited for instead of ending the process. To be made before any thread is started.
class Interruption {
 public:
  Interruption() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  /// Waits as long, or until a signal comes, and says whether one did.
  bool within(std::chrono::milliseconds time) const {
    const timespec limit{time.count() / 1000, static_cast<long>(time.count() % 1000) * 1'000'000};
    return sigtimedwait(&signals_, nullptr, &limit) > 0;
  }

 private:
  sigset_t signals_{};
};

class ProgressLine {
 public:
  explicit ProgressLine(const Globals& globals) : globals_(globals), terminal_(isatty(STDERR_FILENO) != 0) {}

  /// Shows how far the change is, not more often than is of use.
  void show(const EngineStatus& status) {
    if (all_ == 0 && status.next_all > 0) first_ = status.next_done;
    all_ = status.next_all;
    done_ = status.next_done;
    if (clock_.ms() < next_ms_) return;
    next_ms_ = clock_.ms() + (terminal_ && !globals_.json ? 250 : 2000);
    const double rate = static_cast<double>(done_ - std::min(first_, done_)) / (clock_.ms() / 1000 + 1e-3);
    const double rest = rate > 0 ? static_cast<double>(all_ - done_) / rate : 0;
    if (globals_.json) {
      const nlohmann::ordered_json line = {{"model", status.next_embedder},
                                           {"state", status.next_embedder_state},
                                           {"done", done_},
                                           {"all", all_},
                                           {"per_second", rate},
                                           {"rest_seconds", rest}};
      globals_.console->complain("%s\n",
                                 line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
      return;
    }
    globals_.console->complain("%s%s: %llu of %llu items, %.0f a second, %.0f s left%s", terminal_ ? "\r\x1b[K" : "",
                               status.next_embedder.c_str(), static_cast<unsigned long long>(done_),
                               static_cast<unsigned long long>(all_), rate, rest, terminal_ ? "" : "\n");
    std::fflush(stderr);
    open_ = terminal_;
  }
  ~ProgressLine() {
    if (open_) std::fputc('\n', stderr);
  }
  std::string how_far() const { return std::to_string(done_) + " of " + std::to_string(all_) + " items"; }
  double seconds() const { return clock_.ms() / 1000; }

 private:
  const Globals& globals_;
  bool terminal_, open_ = false;
  Stopwatch clock_;
  double next_ms_ = 0;
  std::uint64_t first_ = 0, done_ = 0, all_ = 0;
};

Status check_settings(const Config& config) {
  if (config.embedding.provider == EmbeddingProvider::kNone)
    return invalid_argument("reembed: embedding.provider is \"none\"", "set it to \"local\" or \"openai\" first");
  if (config.embedding.provider == EmbeddingProvider::kLocal && !config.embedding.path.empty())
    return invalid_argument("reembed: embedding.path names a file, which counts more than a model's name",
                            "put the new file into the model folder and take embedding.path out of weft.toml");
  return {};
}

Status remember(const std::string& workspace, const std::string& model) {
  const auto path = std::filesystem::path(workspace) / "weft.toml";
  std::string text;
  if (std::filesystem::exists(path)) {
    WEFT_TRY(text, read_file(path));
  }
  WEFT_TRY(const std::string changed, set_toml_text(text, "embedding", "model", model));
  return changed == text ? Status() : write_file(path, changed, true);
}

// The settings name the model as soon as it has proved to load: whatever opens the workspace after an interruption then
// goes on with the change, while another name would mean that it is given up.
Status follow(Engine& engine, const std::string& model, const Interruption& interruption, ProgressLine& progress) {
  bool remembered = false;
  for (;;) {
    const EngineStatus status = engine.status();
    const bool changing = !status.next_embedder.empty();
    const std::string& state = changing ? status.next_embedder_state : status.embedder_state;
    if (state.starts_with("failed: ")) return unavailable("reembed: " + model + ": " + state.substr(8));
    const bool ready = state == "ready" && (changing || status.embedder == model);
    if (ready && !remembered) WEFT_CHECK(remember(engine.config().workspace, model));
    remembered = remembered || ready;
    if (ready && !changing) return {};
    if (changing) progress.show(status);
    if (interruption.within(std::chrono::milliseconds(100)))
      return Error{ErrorCode::kCancelled, "reembed: interrupted at " + progress.how_far(),
                   "the same command goes on from there; until then the old vectors are searched"};
  }
}

}  // namespace

int reembed(const Globals& globals, const ReembedOptions& options) {
  const Interruption interruption;
  Globals with = globals;
  with.settings.push_back("embedding.model=" + options.model);
  if (connect_in(globals.workspace).ok())
    return report(globals, conflict("reembed: a server holds the workspace " + globals.workspace,
                                    "set embedding.model = \"" + options.model +
                                        "\" in weft.toml and start it again: it changes the model while it serves"));
  const auto config = load(with);
  if (!config.ok()) return report(globals, config.error());
  if (auto checked = check_settings(*config); !checked.ok()) return report(globals, checked.error());
  return with_engine(with, [&](Engine& engine, const RequestContext&) -> Status {
    double seconds = 0;
    {
      ProgressLine progress(globals);
      WEFT_CHECK(follow(engine, options.model, interruption, progress));
      seconds = progress.seconds();
    }
    const EngineStatus status = engine.status();
    if (globals.json) {
      const nlohmann::ordered_json done = {
          {"status", "complete"}, {"model", status.embedder}, {"items", status.items}, {"seconds", seconds}};
      globals.console->line(done.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else {
      globals.console->print("%s serves: %llu items, %.1f s. weft.toml names it.\n", status.embedder.c_str(),
                             static_cast<unsigned long long>(status.items), seconds);
    }
    const auto later = load(globals);
    if (later.ok() && later->embedding.model != options.model)
      globals.console->complain("weft: later runs will use %s all the same: the environment or --set says so\n",
                                later->embedding.model.c_str());
    return {};
  });
}

}  // namespace weft::cli
