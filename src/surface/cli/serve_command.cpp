#include <unistd.h>

#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/threads.h"
#include "engine/engine_impl.h"
#include "surface/cli/beside/command_server.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"
#include "surface/http/serve.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kGrace{10};  // for commands at work when the server ends

/// Turns SIGINT and SIGTERM into a stop. The signals must be blocked in every thread before any is started.
class StopOnSignal {
 public:
  StopOnSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    begun_ = start_thread(waiter_, "weft serve", [this] {
      int signal = 0;
      sigwait(&signals_, &signal);
      stop_.request_stop();
    });
  }
  ~StopOnSignal() {
    if (!waiter_.joinable()) return;
    // Wakes the waiter where no signal came.
    pthread_kill(waiter_.native_handle(), SIGTERM);
    waiter_.join();
  }
  /// Without the thread a server could not be stopped.
  const Status& begun() const { return begun_; }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  std::stop_token token() const { return stop_.get_token(); }

 private:
  sigset_t signals_{};
  std::stop_source stop_;
  Status begun_;
  std::thread waiter_;
};

// A local model answers by itself; one behind an endpoint is called by the proxy as it is.
ChatModel* local_model(EngineImpl& engine) {
  const auto role = engine.config().roles.find("main");
  if (role == engine.config().roles.end()) return nullptr;
  return engine.config().models.at(role->second).provider == ModelProvider::kLocal ? engine.models().chat("main")
                                                                                   : nullptr;
}

/// What a person at a terminal wants to know as a server starts.
void greet(Console& console, const Config& config, const std::string& url) {
  const Style style = style_of(console);
  const auto row = [&](const char* name, const std::string& text) {
    console.print("  %-13s %s\n", name, text.c_str());
  };
  const std::string& upstream = config.proxy.upstream;
  console.print("%sWeft is running.%s\n\n", style.bold, style.plain);
  row("Page", url + "/ui");
  row("Chat clients", url + "/v1");
  row("Model", upstream.empty() ? "none; --upstream URL connects one, so that chat clients can be answered" : upstream);
  row("Memory", "of the user \"" + config.server.default_user + "\", unless a call names another one");
  row("Workspace", config.workspace);
  // A shell keeps Ctrl+C from what runs in its background.
  const bool in_front = ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  console.print("\nStop it with %s\n", in_front ? "Ctrl+C." : fmt::format("kill {}", ::getpid()).c_str());
  console.flush();
}

}  // namespace

int serve(const Globals& globals, const ServeOptions& options) {
  const StopOnSignal signals;
  const auto refuse = [&](const Error& error) {
    (void)report(globals, error);
    return kWrongUse;
  };
  if (!signals.begun().ok()) return report(globals, signals.begun().error());
  auto config = load(globals);
  if (!config.ok()) return refuse(config.error());
  if (!options.host.empty()) config->server.host = options.host;
  if (options.port >= 0) config->server.port = options.port;
  if (!options.upstream.empty()) {
    if (const Status set = set_setting(*config, "proxy.upstream", options.upstream); !set.ok())
      return refuse(set.error());
  }
  auto engine = open_when_free(*config);
  if (!engine.ok()) return report(globals, engine.error());
  const auto commands = serve_commands(**engine);
  const int code = run_server(**engine, *config, local_model(**engine), signals.token(), [&](const std::string& url) {
    if (globals.console->interactive() && !globals.json) return greet(*globals.console, *config, url);
    globals.console->line(nlohmann::ordered_json{{"listening", url}, {"upstream", config->proxy.upstream}}.dump());
  });
  if (commands) commands->stop(kGrace);
  return code;
}

}  // namespace weft::cli
