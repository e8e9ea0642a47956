// weft erase: forgetting, and checking that it is forgotten.
#include <algorithm>

#include "base/clock.h"
#include "surface/api/lists.h"
#include "surface/cli/commands.h"
#include "text/time_bounds.h"

namespace weft::cli {
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

}  // namespace weft::cli
