// weft doctor: all that Weft stands on, looked at, with what to do about it.
#include "base/clock.h"
#include "base/log.h"
#include "engine/embedder_model.h"
#include "engine/engine_impl.h"
#include "ports/net/http_client.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"
#include "surface/doctor/doctor.h"
#include "surface/http/address_file.h"

namespace weft::cli {
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

}  // namespace weft::cli
