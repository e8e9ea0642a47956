#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "base/log.h"
#include "base/settings_table.h"
#include "demo/data_files.h"
#include "demo/demonstration.h"
#include "engine/backups.h"
#include "engine/embedder_model.h"
#include "engine/engine_impl.h"
#include "model/records.h"
#include "ports/files/file_system.h"
#include "ports/net/http_client.h"
#include "surface/api/openapi.h"
#include "surface/api/operation.h"
#include "surface/cli/beside/socket.h"
#include "surface/cli/commands.h"
#include "surface/cli/output.h"
#include "surface/doctor/doctor.h"
#include "surface/http/serve.h"
#include "text/time_bounds.h"

namespace weft::cli {

int settings(const Globals& globals) {
  const auto config = load(globals);
  if (!config.ok()) return report(globals, config.error());
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SettingInfo& info : describe_settings()) {
    const std::string value = shown_value(info.key, get_setting(*config, info.key).value_or("?"));
    if (globals.json) {
      list.push_back({{"key", info.key},
                      {"type", info.type},
                      {"value", value},
                      {"default", info.default_value},
                      {"environment", info.environment},
                      {"text", info.text}});
    } else {
      globals.console->print("%-34s %-12s %s\n", info.key.c_str(), value.c_str(), info.text.c_str());
    }
  }
  if (globals.json)
    globals.console->line(list.dump());
  else
    globals.console->print(
        "\nTables of weft.toml:\n"
        "[models.NAME]            provider, url, model, path, api_key_env, vocabulary, window, output, "
        "system_messages,\n"
        "                         timeout_ms, retries: a model that Weft itself calls; [roles] gives it its work\n"
        "[catalogue.\"PATTERN\"]    window, output (tokens), vocabulary (a GGUF file), system_messages (\"one\" or\n"
        "                         \"several\"): what holds of models that clients call by a name such as "
        "\"my-llama*\";\n"
        "                         it comes before what their server lists and what Weft knows of the families in "
        "use\n");
  return kDone;
}

int help_http(const Globals& globals) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PathInfo& path : http_paths()) {
    if (globals.json)
      list.push_back({{"path", path.path}, {"text", path.text}});
    else
      globals.console->print("%-52s %s\n", std::string(path.path).c_str(), std::string(path.text).c_str());
  }
  if (globals.json)
    globals.console->line(list.dump());
  else
    globals.console->line(
        "\nWhose memory: the headers X-Weft-User, X-Weft-Group, X-Weft-Session. README.md shows each way with curl.");
  return kDone;
}

// weft repair: what is kept, made anew from its sources.

namespace {

std::string as_json(const RepairReport& done, bool dry_run) {
  const std::string report = to_json(done);
  return std::string("{\"dry_run\":") + (dry_run ? "true," : "false,") + report.substr(1);
}

void show(const Globals& globals, const RepairReport& done, bool dry_run) {
  for (const RepairedEvent& one : done.examples)
    globals.console->print("%s %s\n- %s\n+ %s\n", one.scope.str().c_str(), one.id.str().c_str(), one.before.c_str(),
                           one.after.c_str());
  globals.console->print("%zu events: %zu %s, %zu say the same, %zu are left (worded by a model, or not of a topic)\n",
                         done.events, done.changed, dry_run ? "would change" : "were made anew", done.same, done.kept);
}

}  // namespace

int repair_events(const Globals& globals, bool dry_run) {
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto done, engine.upkeep().repair_events(dry_run));
    if (globals.json)
      globals.console->line(as_json(done, dry_run));
    else
      show(globals, done, dry_run);
    return {};
  });
}

// weft reembed: another embedding model for the whole workspace, with progress.

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

// weft erase: forgetting, and checking that it is forgotten.

namespace {

constexpr std::chrono::seconds kDrainPatience{60};
constexpr std::size_t kAll = 100'000'000;

Result<std::string> what_would_go(Engine& engine, const RequestContext& request, const Globals& globals,
                                  const EraseRequest& what) {
  std::string counts;
  for (const auto& [kind, name] : {std::pair{ItemKind::kMessage, "messages"}, std::pair{ItemKind::kEvent, "events"},
                                   std::pair{ItemKind::kNarrative, "narratives"}}) {
    WEFT_TRY(const auto items, engine.memory(request).items(kind, kAll));
    const auto going = std::count_if(items.begin(), items.end(),
                                     [&](const Item& item) { return !what.before || item.time < *what.before; });
    counts += (counts.empty() ? "" : ", ") + std::to_string(going) + " " + name;
  }
  return "of the private memory of the user \"" + globals.user + "\"" +
         (what.before ? ", all from before " + format_time(*what.before) : ", everything") + ": " + counts +
         ", and what was made of them";
}

// Where many things go at once and nobody said whose, the user may have been forgotten: a person is asked.
Result<bool> is_meant(Engine& engine, const RequestContext& request, const Globals& globals, const EraseRequest& what) {
  WEFT_TRY(const auto going, what_would_go(engine, request, globals, what));
  if (globals.json || !globals.console->interactive())
    return invalid_argument("erase: nobody is named; it would erase, " + going,
                            "say whose memory it is with -u or -g, or add --yes");
  globals.console->print("Nobody is named. This erases, %s.\n", going.c_str());
  WEFT_TRY(const auto answer, globals.console->read_line("Type yes to go on: "));
  return answer && *answer == "yes";
}

Status verify(Engine& engine, const Globals& globals, const std::string& id) {
  WEFT_TRY(const auto check, engine.upkeep().verify_erasure(id));
  if (globals.json) {
    globals.console->line(to_json(check));
  } else {
    globals.console->print("%zu of %zu erased things are back\nlooked for %zu pieces of erased texts in %zu files\n",
                           check.found, check.digests, check.fingerprints, check.files_searched);
    for (const std::string& trace : check.traces) globals.console->print("a trace stands in %s\n", trace.c_str());
  }
  if (check.clean()) return {};
  if (check.found > 0) return conflict("something that was erased is there again", "erase it once more");
  return conflict("traces of what was erased are left in the files that are named",
                  "backups and archives are never changed: delete those that hold it");
}

// Backups and archives are never changed: who erases is told which of them still hold what was erased.
Status tell_traces(Engine& engine, const Globals& globals, const std::string& id) {
  WEFT_TRY(const auto check, engine.upkeep().verify_erasure(id));
  for (const std::string& trace : check.traces) globals.console->print("a trace stands in %s\n", trace.c_str());
  globals.console->line("backups and archives are never changed: delete those that hold it");
  return {};
}

Status run_erase(Engine& engine, const RequestContext& request, const Globals& globals, const EraseRequest& what) {
  WEFT_TRY(const auto receipt, engine.memory(request).erase(what));
  globals.made->push_back("receipt " + receipt.id);
  WEFT_CHECK(drain(globals, engine, kDrainPatience));
  if (globals.json) {
    globals.console->line(to_json(receipt));
    return {};
  }
  globals.console->print(
      "erased %zu messages, %zu items, %zu topics, %zu jobs; %zu profile files changed or gone\n"
      "searched %zu files: %zu traces left\nreceipt %s (`weft erase --verify %s`)\n",
      receipt.messages, receipt.items, receipt.topics, receipt.jobs, receipt.profile_files, receipt.files_searched,
      receipt.traces_found, receipt.id.c_str(), receipt.id.c_str());
  return receipt.traces_found == 0 ? Status() : tell_traces(engine, globals, receipt.id);
}

// What a group knows stays the group's, unless it is to go as well: it is said either way.
Status tell_of_groups(Engine& engine, const RequestContext& request, const Globals& globals, bool forget) {
  if (request.scope.is_group()) return {};
  if (forget) {
    WEFT_TRY(const auto receipts, engine.memory(request).erase_in_groups());
    for (const EraseReceipt& receipt : receipts) globals.made->push_back("receipt " + receipt.id);
    for (const EraseReceipt& receipt : receipts)
      globals.console->line(globals.json ? to_json(receipt) : "erased in a group: receipt " + receipt.id);
    return drain(globals, engine, kDrainPatience);
  }
  WEFT_TRY(const auto traces, engine.memory(request).group_traces());
  if (globals.json || traces.empty()) return {};
  for (const GroupTrace& trace : traces)
    globals.console->print("the group %s keeps %zu events of %zu messages of this user\n", trace.group_id.c_str(),
                           trace.events, trace.messages.size());
  globals.console->line("`weft erase --everything --in-groups` takes them along");
  return {};
}

}  // namespace

int erase(const Globals& globals, const EraseOptions& options) {
  EraseRequest what;
  what.everything = options.everything;
  for (const std::string& id : options.messages) what.messages.emplace_back(id);
  if (!what.messages.empty() && globals.session != Globals().session) what.session = SessionId(globals.session);
  if (!options.before.empty()) {
    const auto bounds = read_time_bounds(options.before, SystemClock().now());
    if (!bounds.ok()) {
      (void)report(globals, bounds.error());
      return kWrongUse;
    }
    what.before = bounds->from ? bounds->from : bounds->to;
  }
  bool meant = globals.owner_named || options.yes || !(what.everything || what.before);
  const int code = with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    if (!options.verify.empty()) return verify(engine, globals, options.verify);
    if (!meant) {
      WEFT_TRY(meant, is_meant(engine, request, globals, what));
      if (!meant) return cancelled("nothing was erased");
    }
    WEFT_CHECK(run_erase(engine, request, globals, what));
    return what.everything ? tell_of_groups(engine, request, globals, options.in_groups) : Status();
  });
  return code != kDone && !meant && options.verify.empty() ? kWrongUse : code;
}

// weft backup, restore and export: what is kept leaves the workspace, and comes back.

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

// weft doctor: all that Weft stands on, looked at, with what to do about it.

namespace {

using doctor::Finding;
using doctor::Grade;
using doctor::Report;

constexpr std::chrono::minutes kNewVectors{30};  // how long a repair waits for them

// What is waited for where nobody says how long.
constexpr std::chrono::seconds kForLock{2}, kForModel{30}, kForServer{10};

std::chrono::milliseconds patience_of(const DoctorOptions& options, std::chrono::milliseconds usual) {
  if (!options.patience) return usual;
  return std::chrono::milliseconds(static_cast<std::int64_t>(*options.patience * 1000));
}

// In parts, since whoever asked may have left.
void wait_for_models(const Globals& globals, Engine& engine, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kPart{200};
  const std::stop_token left = globals.console->cancelled();
  for (const Deadline until = Deadline::after(patience); !until.passed() && !left.stop_requested();)
    if (const Status ready = engine.wait_ready(std::min(patience, kPart));
        ready.ok() || ready.error().code != ErrorCode::kTimeout)
      return;
}

// The engine that serves, or one that is opened for this.
void examine_engine(const Globals& globals, const DoctorOptions& options, const Config& config, Report& report) {
  std::unique_ptr<EngineImpl> own;
  if (globals.serving == nullptr) {
    auto opened = EngineImpl::open(config);
    if (!opened.ok()) return report.wrong("store", opened.error(), config.workspace);
    own = std::move(opened).value();
  }
  EngineImpl& engine = own ? *own : *globals.serving;
  wait_for_models(globals, engine, patience_of(options, kForModel));  // what became of it is told next
  doctor::look_at_models(engine, report);
  doctor::look_at_index(engine, options.repair, report);
  if (options.repair)
    if (const Status made = drain(globals, engine, kNewVectors); !made.ok())
      report.look("repair", made.error().message, {}, "it goes on in the background while a server runs");
  report.status = engine.status();
  doctor::look_at_health(*report.status, report);
}

// A workspace that is not there yet has no engine: the model is tried by itself.
void try_embedder(const Config& config, std::chrono::milliseconds patience, Report& report) {
  if (config.embedding.provider != EmbeddingProvider::kLocal) return;
  const EmbedderModel model = open_embedder_model(config, nullptr);
  if (model.loading == nullptr) return;  // that the file is missing is told already
  const Status ready = model.wait_ready(Deadline::after(patience));
  if (ready.ok())
    report.ok("embedder", "can be loaded", model.name);
  else
    report.look("embedder", ready.error().message, model.name, "words alone are searched until another file is there");
}

Report examine(const Globals& globals, const DoctorOptions& options) {
  Report report;
  Globals here = globals;
  here.workspace = globals.console->path(globals.workspace).string();
  const auto config = load(here);
  doctor::look_at_disk(here.workspace, config.ok() ? config->health : HealthSettings(), report);
  const bool free =
      doctor::look_at_holder(here.workspace, globals.serving != nullptr, patience_of(options, kForLock), report);
  doctor::look_at_time_zones(report);
  if (!config.ok()) {
    report.wrong("settings", config.error(), here.workspace + "/weft.toml");
    return report;
  }
  const auto client = make_http_client();
  doctor::look_at_settings(*config, globals.serving == nullptr ? nullptr : &globals.serving->config(), report);
  doctor::look_at_door(*config, report);
  doctor::look_at_model_files(*config, report);
  const std::string address = AddressFile::read(here.workspace);
  const auto for_server = patience_of(options, kForServer);
  if ((globals.serving != nullptr || !free) && !address.empty())
    doctor::look_at_server(address, *client, for_server, report);
  if (options.online) doctor::look_at_others(*config, *client, for_server, report);
  std::error_code code;
  if (!std::filesystem::is_directory(here.workspace, code))
    try_embedder(*config, patience_of(options, kForModel), report);
  else if (free)
    examine_engine(globals, options, *config, report);
  return report;
}

void print(const Globals& globals, const Report& report) {
  const Style style = style_of(*globals.console);
  for (const Finding& finding : report.findings) {
    const char* const colour = finding.grade == Grade::kOk ? style.green : style.yellow;
    globals.console->print("%s%-5s%s %s: %s%s%s%s\n", colour, std::string(to_string(finding.grade)).c_str(),
                           style.plain, finding.check.c_str(), finding.what.c_str(), finding.where.empty() ? "" : "  (",
                           finding.where.c_str(), finding.where.empty() ? "" : ")");
    if (!finding.advice.empty()) globals.console->print("      %s\n", finding.advice.c_str());
  }
}

}  // namespace

int doctor(const Globals& globals, const DoctorOptions& options) {
  // Beside its server a command may ask for no other settings, as with every other one.
  if (globals.serving != nullptr) {
    const int fits = with_engine(globals, [](Engine&, const RequestContext&) { return Status(); });
    if (fits != kDone) return fits;
  }
  const Report report = examine(globals, options);
  if (globals.json)
    globals.console->line(to_json(report));
  else
    print(globals, report);
  return report.well() ? kDone : kFailed;
}

int demo(const Globals& globals) {
  const ScratchWorkspace folder;
  Globals own = globals;
  own.workspace = folder.path();
  Console& console = *globals.console;
  const auto write = [&console](std::string_view text) {
    console.write(text);
    if (text.ends_with('\n')) console.flush();
  };
  return with_engine(own, [&](Engine& engine, const RequestContext& request) {
    return demonstrate(engine, request, {write, console.colours(), own.json});
  });
}

}  // namespace weft::cli
