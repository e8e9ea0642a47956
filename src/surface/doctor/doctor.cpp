#include "surface/doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/settings_table.h"
#include "engine/embedder_model.h"
#include "ports/files/file_system.h"
#include "ports/llama/llama_engine.h"
#include "ports/net/openai_wire.h"
#include "surface/access/key_ring.h"
#include "surface/hook/hook.h"
#include "text/time_bounds.h"

namespace weft {

namespace doctor {

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::kOk: return "ok";
    case Grade::kLook: return "look";
    case Grade::kWrong: return "wrong";
  }
  return {};
}

bool Report::well() const {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& one) { return one.grade == Grade::kOk; });
}

void Report::wrong(std::string check, const Error& error, std::string where) {
  wrong(std::move(check), error.message, std::move(where),
        error.hint.empty() ? "the message says what failed; `--log debug` says more" : error.hint);
}

}  // namespace doctor

template <>
const Record<doctor::Finding>& record<doctor::Finding>() {
  using F = doctor::Finding;
  static const auto made = Record<F>("Finding", "One thing that was looked at.", RecordUse::kTold)
                               .field("check", &F::check, "what kind of thing")
                               .field("grade", &F::grade, "how grave it is")
                               .field("what", &F::what, "how it is")
                               .field("where", &F::where, "the file, setting or address", {.sparse = true})
                               .field("advice", &F::advice, "what to do", {.sparse = true});
  return made;
}

template <>
const Record<doctor::Report>& record<doctor::Report>() {
  using R = doctor::Report;
  static const auto made =
      Record<R>("DoctorReport", "All that was looked at.", RecordUse::kTold)
          .custom(
              "well", "nothing needs a person", [](SchemaBook&) { return Value(ValueObject{{"type", "boolean"}}); },
              nullptr, [](const R& report, JsonWriter& out) { out.flag(report.well()); })
          .field("findings", &R::findings, "in the order in which they were looked at")
          .field("status", &R::status, "of the engine, where it could be opened", {.sparse = true});
  return made;
}

}  // namespace weft

namespace weft::doctor {
namespace {

constexpr std::size_t kNamed = 5;  // faults, scopes and files that a finding names
constexpr const char* kRepair = "`weft doctor --repair` makes it anew; messages and memories stay as they are";

void look_at_faults(const std::vector<std::string>& faults, const std::string& file, Report& report) {
  if (faults.empty()) return report.ok("store", "every page and index of the store is sound", file);
  std::string named;
  for (std::size_t i = 0; i < faults.size() && i < kNamed; ++i) named += (i == 0 ? "" : "; ") + faults[i];
  report.wrong("store", fmt::format("{} faults in the store: {}", faults.size(), named), file,
               "`weft doctor --repair` makes the store's own indexes anew; what it cannot mend is in the rows: stop "
               "everything and `weft restore` a backup");
}

// What is wrong on a shelf, in words.
std::string faults_of(const ShelfCheck& shelf) {
  const std::pair<std::size_t, const char*> all[] = {
      {shelf.wrong_words, "stand under other words than their text has"},
      {shelf.wrong_vectors, "have a vector of another model, of another length or of none"},
      {shelf.missing, "messages cannot be found"},
      {shelf.unlike_memory, "differ between memory and disk"}};
  std::string told;
  for (const auto& [count, what] : all)
    if (count > 0) told += fmt::format("{}{} {}", told.empty() ? "" : ", ", count, what);
  return told;
}

void look_at_shelf(const ShelfCheck& shelf, bool mended, Report& report) {
  const std::string where = shelf.scope.str() + " " + std::string(to_string(shelf.kind));
  if (const std::string told = faults_of(shelf); !told.empty()) {
    if (mended)
      report.ok("index", "made anew: " + told, where);
    else
      report.wrong("index", fmt::format("of {} entries {}", shelf.rows, told), where, kRepair);
  }
  if (shelf.loose > 0)
    report.wrong("index", fmt::format("{} entries are of messages that are not there", shelf.loose), where,
                 "rows of messages are gone: `weft restore` a backup, or erase what is left of that session");
}

void look_at_sample(const IndexCheck& found, bool mended, const std::string& model, Report& report) {
  if (found.sampled == 0) return;
  const std::string told =
      fmt::format("{} of {} vectors that were made again came out otherwise", found.strange, found.sampled);
  if (found.strange == 0)
    report.ok("vectors", fmt::format("{} that were made again are the same", found.sampled), model);
  else if (!found.other_model())
    report.look("vectors", told, model, "make the index anew if searches by meaning are poor: `weft doctor --repair`");
  else if (mended)
    report.ok("vectors", told + ": the file of the model is another one than before; all are made again", model);
  else
    report.wrong("vectors", told + ": another model had this name", model,
                 "`weft doctor --repair` makes all vectors again; or put the former file back");
}

void tell_sound(const IndexCheck& found, Report& report) {
  std::map<std::string, std::size_t> rows;
  std::size_t waiting = 0, vectors = 0;
  for (const ShelfCheck& shelf : found.shelves) {
    rows[std::string(to_string(shelf.kind))] += shelf.rows;
    waiting += shelf.waiting, vectors += shelf.vectors;
  }
  std::string told;
  for (const auto& [kind, count] : rows) told += fmt::format("{}{} {}", told.empty() ? "" : ", ", count, kind);
  report.ok("index", told.empty() ? "nothing is kept yet"
                                  : fmt::format("agrees with what it was made from: {}; {} vectors, {} wait for one",
                                                told, vectors, waiting));
}

}  // namespace

void look_at_models(Engine& engine, Report& report) {
  const EngineStatus status = engine.status();
  if (status.embedder_state == "none")
    report.ok("embedder", "none, as it is configured: words alone are searched");
  else if (status.embedder_state == "ready")
    report.ok("embedder", "loaded and at work", status.embedder);
  else if (status.embedder_state == "loading")
    report.look("embedder", "is still being loaded", status.embedder,
                "look again with more --patience; until then words alone are searched");
  else
    report.look("embedder", status.embedder_state, status.embedder,
                embedder_advice() + "; until then words alone are searched");
  if (!status.next_embedder.empty())
    report.ok("embedder",
              fmt::format("is changing to {}: {} of {} items, {}", status.next_embedder, status.next_done,
                          status.next_all, status.next_embedder_state),
              status.embedder);
  report.ok("chat",
            status.chat == "none" ? "no chat model: every task has a way without one" : "chat model " + status.chat);
  report.ok("tokens", "token counts: " + status.token_mode);
}

void look_at_health(const EngineStatus& status, Report& report) {
  static constexpr std::array<std::string_view, 2> kElsewhere = {"disk", "embedder"};
  for (const Problem& problem : status.problems) {
    if (std::find(kElsewhere.begin(), kElsewhere.end(), problem.code) != kElsewhere.end()) continue;
    report.findings.push_back(
        {problem.code, problem.failing ? Grade::kWrong : Grade::kLook, problem.what, {}, problem.advice});
  }
  report.ok("queue", fmt::format("{} jobs pending, {} failed", status.queue.pending, status.queue.failed));
  report.ok("kept", fmt::format("{} messages, {} items, {} waiting for a vector", status.messages, status.items,
                                status.unembedded));
}

void look_at_index(EngineImpl& engine, bool mend, Report& report) {
  const Config& config = engine.config();
  const std::string file = config.store.empty() ? config.workspace + "/weft.db" : without_password(config.store);
  const auto found = engine.check_index(mend);
  if (!found.ok()) return report.wrong("index", found.error(), file);
  if (config.store.starts_with("postgres"))
    report.ok("store", "in PostgreSQL, which looks after its own files", file);
  else
    look_at_faults(found->faults, file, report);
  const std::size_t before = report.findings.size();
  for (const ShelfCheck& shelf : found->shelves) look_at_shelf(shelf, mend, report);
  if (report.findings.size() == before) tell_sound(*found, report);
  look_at_sample(*found, mend, embedder_name(engine.config()), report);
  if (mend && found->mended > 0) report.ok("repair", fmt::format("{} entries were made anew", found->mended));
}

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kNextLook{50};
constexpr double kSlowFlush = 250;        // ms; every acknowledged write waits for one
constexpr std::uint64_t kFewFiles = 1000;

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

namespace {

std::string file_of(const Config& config) { return (fs::path(config.workspace) / "weft.toml").string(); }

bool is_set(const std::string& variable) {
  const char* const value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  return value != nullptr && *value != '\0';
}

// Each asks for something that another one takes away.
void look_for_conflicts(const Config& config, Report& report) {
  const std::string file = file_of(config);
  const EmbeddingSettings& embedding = config.embedding;
  if (embedding.provider == EmbeddingProvider::kOpenAi && embedding.url.empty() &&
      config.cognitive_embedding.api_url.empty())
    report.wrong("settings", "embedding.provider is \"openai\" and embedding.url is empty", file,
                 "set embedding.url to the base URL of the endpoint, with /v1");
  if (embedding.provider != EmbeddingProvider::kLocal && !embedding.path.empty())
    report.look("settings", "embedding.path is set, and embedding.provider is not \"local\": the file is not used",
                file, "set embedding.provider = \"local\", or take embedding.path out");
  for (const auto& [name, model] : config.models) {
    if (model.provider != ModelProvider::kOpenAi) continue;
    if (model.url.empty())
      report.wrong("settings", "models." + name + " has no url", file, "set models." + name + ".url, with /v1");
    if (!model.api_key_env.empty() && !is_set(model.api_key_env))
      report.look("settings", fmt::format("models.{}.api_key_env names {}, which is not set", name, model.api_key_env),
                  file, "set the variable where Weft is started, or take the setting out where no key is needed");
  }
  for (const auto& [setting, variable] : {std::pair{"proxy.api_key_env", &config.proxy.api_key_env},
                                          {"proxy.anthropic_key_env", &config.proxy.anthropic_key_env}})
    if (!variable->empty() && !is_set(*variable))
      report.look("settings", fmt::format("{} names {}, which is not set", setting, *variable), file,
                  "set the variable where Weft is started; without it the client's own key is passed on");
  const std::string own = fmt::format("://{}:{}/", config.server.host, config.server.port);
  if ((config.proxy.upstream + "/").find(own) != std::string::npos)
    report.wrong("settings", "proxy.upstream is this server itself: a call would never end", file,
                 "set proxy.upstream to the server of the model");
  for (const auto& [role, near] : mistyped_roles(config))
    report.look("settings", "roles." + role + ": only tasks that name this role use it", file,
                "did you mean roles." + near + "?");
  for (const std::string& role : roles_without_model(config))
    report.look("settings", "agent.models names the role \"" + role + "\", which no model has: main answers", file,
                "set roles." + role + " to the name of a model, or take it out of agent.models");
  if (!config.cognitive.enabled && !config.roles.empty() && config.roles.contains("historian"))
    report.look("settings", "a model has the role \"historian\", and cognitive.enabled is false: ends are not worded",
                file, "set cognitive.enabled = true, or take the role out");
}

// A server reads its settings once, when it starts.
void look_for_changes(const Config& config, const Config& serving, Report& report) {
  std::error_code none, code;
  const auto started = fs::last_write_time(fs::path(config.workspace) / "weft.address", none);
  const auto changed = fs::last_write_time(file_of(config), code);
  if (none || code || changed <= started) return;
  static constexpr std::array<std::string_view, 4> kGivenAtStart = {"workspace", "server.host", "server.port",
                                                                    "proxy.upstream"};
  std::string differ;
  for (const SettingInfo& info : describe_settings()) {
    if (std::find(kGivenAtStart.begin(), kGivenAtStart.end(), info.key) != kGivenAtStart.end()) continue;
    const auto file = get_setting(config, info.key), has = get_setting(serving, info.key);
    if (file.ok() && has.ok() && *file != *has)
      differ += fmt::format("{}{} (runs with {}, now {})", differ.empty() ? "" : ", ", info.key,
                            shown_value(info.key, *has), shown_value(info.key, *file));
  }
  if (!differ.empty())
    report.look("settings", "weft.toml has changed since the server started: " + differ, file_of(config),
                "restart the server, so that it takes them");
}

void look_at_file(const std::string& setting, const std::string& path, Report& report) {
  std::error_code code;
  if (path.empty() || fs::is_regular_file(path, code)) return;
  report.wrong("door", setting + " names a file that is not there", path, "put the file there, or mend the setting");
}

}  // namespace

void look_at_settings(const Config& config, const Config* serving, Report& report) {
  const std::size_t before = report.findings.size();
  if (const Status fits = check_config(config); !fits.ok()) report.wrong("settings", fits.error(), file_of(config));
  look_for_conflicts(config, report);
  if (serving != nullptr) look_for_changes(config, *serving, report);
  const bool clean = report.findings.size() == before;
  if (const std::string roles = told_roles(config); !roles.empty()) report.ok("roles", roles, file_of(config));
  if (!clean) return;
  std::error_code code;
  const bool file = fs::exists(file_of(config), code);
  report.ok("settings", file ? "weft.toml makes sense" : "all as shipped; weft.toml is not there", file_of(config));
}

void look_at_door(const Config& config, Report& report) {
  KeyRing keys(KeyRing::file_of(config.workspace));
  const auto known = keys.keys();
  const std::string file = KeyRing::file_of(config.workspace).string();
  if (!known.ok()) report.wrong("door", known.error(), file);
  look_at_file("server.tls_certificate", config.server.tls_certificate, report);
  look_at_file("server.tls_key", config.server.tls_key, report);
  if (const Status fit = check_door(config.server, keys); !fit.ok())
    return report.wrong("door", fit.error(), config.server.host);
  if (!known.ok()) return;
  const auto admins =
      std::count_if(known->begin(), known->end(), [](const ApiKey& key) { return key.right == Right::kAdmin; });
  if (!known->empty() && admins == 0 && config.server.api_key.empty())
    return report.look("door", fmt::format("{} keys, none of which may administrate", known->size()), file,
                       "`weft key add NAME --right admin`; until then /metrics and the like are closed to all");
  const bool open = known->empty() && config.server.api_key.empty();
  if (open && keys.guarded())
    return report.look("door", "no key opens the server: the last one was revoked", file,
                       "`weft key add NAME`; or remove that file and restart, to serve this machine without keys");
  report.ok("door",
            open ? "no keys: the server listens on this machine alone"
                 : fmt::format("{} keys{}", known->size() + (config.server.api_key.empty() ? 0U : 1U),
                               config.server.tls_certificate.empty() ? "" : ", HTTPS"),
            config.server.host);
}

// The files of models, and the servers of others.

namespace {

std::string key_in(const std::string& variable) {
  const char* const value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  return value == nullptr ? std::string() : value;
}

void look_at_model_file(const std::string& what, const std::string& path, const std::string& advice,
                        const std::string& otherwise, Report& report) {
  const auto file = llama::look_at_model_file(path);
  if (!file.ok()) {
    report.look("model", what + ": " + file.error().message, path, advice + "; until then " + otherwise);
    return;
  }
  report.ok(
      "model",
      fmt::format("{}: {}, {} bytes, xxh128 {}", what, file->kind, file->bytes, digest_of_file(path).value_or("?")),
      path);
}

struct Other {
  std::string what, url, key;
};

std::vector<Other> others_of(const Config& config) {
  std::vector<Other> all;
  const auto& proxy = config.proxy;
  if (!proxy.upstream.empty()) all.push_back({"the upstream", proxy.upstream, key_in(proxy.api_key_env)});
  if (!proxy.anthropic_upstream.empty())
    all.push_back({"the upstream of Anthropic's form", proxy.anthropic_upstream, key_in(proxy.anthropic_key_env)});
  for (const auto& [name, model] : config.models)
    if (model.provider == ModelProvider::kOpenAi && !model.url.empty())
      all.push_back({"models." + name, model.url, key_in(model.api_key_env)});
  if (config.embedding.provider == EmbeddingProvider::kOpenAi && !config.embedding.url.empty())
    all.push_back({"embedding.url", config.embedding.url, key_in(config.embedding.api_key_env)});
  return all;
}

void ask(const Other& other, HttpClient& client, std::chrono::milliseconds patience, Report& report) {
  HttpRequest request = openai::post(other.url, "models", other.key, {});
  request.method = "GET";
  request.connect_timeout = patience;
  const Stopwatch time;
  const auto answer = client.send(request, Deadline::after(patience));
  const std::string where = server_of(other.url);
  const std::string not_there =
      "start that server, or mend the setting; until then what needs it fails or goes "
      "the way without a model";
  if (!answer.ok()) return report.wrong("online", other.what + ": " + answer.error().message, where, not_there);
  if (answer->status == 401 || answer->status == 403)
    return report.look("online",
                       fmt::format("{} is there and refuses {} ({})", other.what,
                                   other.key.empty() ? "whoever has no key" : "the key", answer->status),
                       where,
                       "set the variable that holds the key; where clients bring their own this is as it should be");
  if (answer->status >= 500)
    return report.wrong("online",
                        fmt::format("{} answers {}: {}", other.what, answer->status, openai::error_text(answer->body)),
                        where, not_there);
  // A server without a list of models is there all the same.
  report.ok("online", fmt::format("{} answers after {:.0f} ms ({})", other.what, time.ms(), answer->status), where);
}

}  // namespace

void look_at_model_files(const Config& config, Report& report) {
  const bool endpoint = !config.cognitive_embedding.api_url.empty();
  if (config.embedding.provider == EmbeddingProvider::kLocal && !endpoint)
    look_at_model_file("embedder " + embedder_name(config), embedder_file(config), embedder_advice(),
                       "words alone are searched", report);
  std::set<std::string> used;
  for (const auto& [role, name] : config.roles) used.insert(name);
  for (const auto& [name, model] : config.models) {
    if (model.provider != ModelProvider::kLocal) continue;
    const std::string path = model.path.empty() ? model_folder(config) + "/" + model.model + ".gguf" : model.path;
    look_at_model_file("models." + name, path, "put its file there, or name another one with models." + name + ".path",
                       used.contains(name) ? "its roles go the way without a model" : "nothing, since it has no role",
                       report);
  }
}

void look_at_others(const Config& config, HttpClient& client, std::chrono::milliseconds patience, Report& report) {
  for (const Other& other : others_of(config)) ask(other, client, patience, report);
}

void look_at_server(const std::string& address, HttpClient& client, std::chrono::milliseconds patience,
                    Report& report) {
  // Its certificate names what clients call it, which this machine need not know.
  if (address.starts_with("https://")) return report.ok("server", "it listens with TLS; not asked from here", address);
  HttpRequest request;
  request.method = "GET";
  request.url = address + "/healthz";
  request.connect_timeout = patience;
  const Stopwatch time;
  const auto answer = client.send(request, Deadline::after(patience));
  if (!answer.ok())
    return report.wrong("server", "it does not answer: " + answer.error().message, address,
                        "see its log; where all its threads are busy raise server.threads, else restart it");
  if (answer->status != 200)
    return report.wrong("server", fmt::format("it answers {}", answer->status), address,
                        "the findings about the engine say why");
  report.ok("server", fmt::format("it answers after {:.0f} ms", time.ms()), address);
}

}  // namespace weft::doctor
