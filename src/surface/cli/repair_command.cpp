// weft repair: what is kept, made anew from its sources.
#include "base/clock.h"
#include "model/records.h"
#include "surface/cli/commands.h"

namespace weft::cli {
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

}  // namespace weft::cli
