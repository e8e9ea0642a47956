#include "surface/cli/globals.h"

#include <nlohmann/json.hpp>
#include <thread>

#include "base/call_context.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/settings_table.h"
#include "engine/engine_impl.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kFinishPatience{20};
constexpr std::chrono::seconds kModelPatience{30};
constexpr std::chrono::milliseconds kLook{100};  // how often a wait looks whether anybody still waits for the command
// How long a command waits for a workspace that another one holds, or a server that does not listen yet.
constexpr std::chrono::seconds kPatienceForWorkspace{5};
constexpr std::chrono::milliseconds kNextTry{25};

Status apply_settings(Config& config, const Globals& globals) {
  if (!globals.preset.empty()) WEFT_CHECK(apply_preset(config, globals.preset));
  for (const std::string& setting : globals.settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) {
      return invalid_argument("--set " + setting + ": no \"=\"", "write it as --set stream.threshold=0.5");
    }
    WEFT_CHECK(set_setting(config, setting.substr(0, equals), setting.substr(equals + 1)));
  }
  if (!globals.log_level.empty()) WEFT_CHECK(set_setting(config, "log.level", globals.log_level));
  return {};
}

// A running server keeps its settings: a command that asks for others must not seem to have had them.
Status check_for_server(const Globals& globals, const Config& serving) {
  Config asked = serving;
  Globals given = globals;
  if (given.preset == to_string(serving.preset))
    given.preset.clear();  // it would also take back what the file sets over it
  WEFT_CHECK(apply_settings(asked, given));
  asked.log.level = serving.log.level;
  for (const SettingInfo& info : describe_settings()) {
    const auto has = get_setting(serving, info.key), wanted = get_setting(asked, info.key);
    if (has.ok() && wanted.ok() && *has == *wanted) continue;
    return conflict("the server that holds this workspace runs with " + info.key + " = " +
                        shown_value(info.key, has.value_or("?")) + "; --set and --preset cannot change it to " +
                        shown_value(info.key, wanted.value_or("?")),
                    "leave it out, or end the server first");
  }
  return {};
}

template <class Wait>
Status wait_in_parts(const Globals& globals, std::chrono::milliseconds limit, Wait wait) {
  const Deadline deadline(Deadline::Clock::now() + limit, globals.console->cancelled());
  for (;;) {
    const Status done = wait(std::min(kLook, deadline.left(kLook)));
    if (done.ok() || done.error().code != ErrorCode::kTimeout) return done;
    if (deadline.cancelled()) return cancelled("nobody waits for this command any more");
    if (deadline.passed()) return done;
  }
}

}  // namespace

Result<Config> load(const Globals& globals) {
  WEFT_TRY(Config config, load_config(globals.workspace));
  WEFT_CHECK(apply_settings(config, globals));
  configure_log(config.log.level, config.log.json);
  return config;
}

// Of a group only who is named is a member of it.
Result<RequestContext> request_of(const Globals& globals) {
  const bool named = globals.user != Globals().user;
  auto scope = globals.group.empty()
                   ? Scope::private_of(UserId(globals.user))
                   : Scope::group_of(GroupId(globals.group), UserId(named ? globals.user : std::string()));
  if (!scope.ok()) return scope.error();
  return RequestContext{*scope, {}, globals.console->cancelled()};
}

int report(const Globals& globals, const Error& error) {
  Console& console = *globals.console;
  if (globals.json) {
    const nlohmann::json body = {
        {"error", {{"code", to_string(error.code)}, {"message", error.message}, {"hint", error.hint}}}};
    console.line(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    console.complain("weft: %s\n", error.message.c_str());
    if (!error.hint.empty()) console.complain("      %s\n", error.hint.c_str());
  }
  return kFailed;
}

Status models_ready(const Globals& globals, Engine& engine) {
  return wait_in_parts(globals, kModelPatience, [&](auto time) { return engine.wait_ready(time); });
}

void wait_for_models(const Globals& globals, Engine& engine) {
  const Status ready = models_ready(globals, engine);
  // A model that does not come leaves the words: the answer says so ("by").
  if (!ready.ok()) log_warning("embedder", ready.error().message);
}

Status drain(const Globals& globals, Engine& engine, std::chrono::milliseconds limit) {
  const auto done = wait_in_parts(globals, limit, [&](auto time) { return engine.drain(time); });
  const bool goes_on = globals.serving != nullptr && !done.ok() && done.error().code == ErrorCode::kTimeout;
  return goes_on ? Status() : done;
}

void finish(const Globals& globals, Engine& engine) {
  if (globals.serving != nullptr) return;
  if (const Status done = drain(globals, engine, kFinishPatience); !done.ok())
    log_warning("command", done.error().message + "; other commands go on with it");
}

Result<std::unique_ptr<EngineImpl>> open_when_free(const Config& config, const std::function<bool()>& give_up) {
  const Deadline until = Deadline::after(kPatienceForWorkspace);
  for (;;) {
    auto engine = EngineImpl::open(config);
    if (engine.ok() || engine.error().code != ErrorCode::kConflict || until.passed() || (give_up && give_up()))
      return engine;
    std::this_thread::sleep_for(kNextTry);
  }
}

int with_whole_engine(const Globals& globals, const std::function<Status(EngineImpl&, const RequestContext&)>& body) {
  std::optional<int> handed;
  const auto is_handed = [&] {
    if (globals.hand_over) handed = globals.hand_over();
    return handed.has_value();
  };
  const auto run = [&]() -> Status {
    if (globals.serving != nullptr) {
      WEFT_CHECK(check_for_server(globals, globals.serving->config()));
      WEFT_TRY(const auto request, request_of(globals));
      const CallScope call(Account{request.scope.key().str(), {}});
      return body(*globals.serving, request);
    }
    WEFT_TRY(const Config config, load(globals));
    WEFT_TRY(const auto engine, open_when_free(config, is_handed));
    WEFT_TRY(const auto request, request_of(globals));
    const CallScope call(Account{request.scope.key().str(), {}});
    return body(*engine, request);
  };
  const Status done = run();
  if (handed) return *handed;
  return done.ok() ? kDone : report(globals, done.error());
}

int with_engine(const Globals& globals, const std::function<Status(Engine&, const RequestContext&)>& body) {
  return with_whole_engine(globals, body);
}

}  // namespace weft::cli
