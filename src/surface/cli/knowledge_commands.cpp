// MEMORY.md and days, for people.
#include <CLI/CLI.hpp>

#include "surface/api/lists.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/input.h"

namespace weft::cli {
namespace {

int show(const Globals& globals) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const KnowledgeFile file, engine.memory(request).knowledge());
    if (globals.json)
      globals.console->line(to_json(file));
    else
      globals.console->write(file.text.empty() ? "MEMORY.md is empty; it is " + file.path + "\n" : file.text);
    return {};
  });
}

int add(const Globals& globals, const Words<KnowledgeEntry>& words) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const KnowledgeEntry entry, words.made());
    wait_for_models(globals, engine);
    WEFT_TRY(const KnowledgeAdded added, engine.memory(request).add_knowledge(entry));
    if (globals.json)
      globals.console->line("{\"added\":\"" + std::string(to_string(added)) + "\"}");
    else if (added == KnowledgeAdded::kContradicts)
      globals.console->line("added; it contradicts another entry: `weft memory confirm TEXT` says which one holds");
    else
      globals.console->line(added == KnowledgeAdded::kNew ? "added" : "known already");
    return {};
  });
}

int confirm(const Globals& globals, const std::string& text) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const KnowledgeEntry gone, engine.memory(request).confirm_knowledge(text));
    globals.console->line(globals.json ? to_json(gone) : "gone to the archive: " + gone.text);
    return {};
  });
}

int days(const Globals& globals, const std::string& date) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    if (!date.empty()) {
      WEFT_TRY(const Day day, engine.memory(request).day(date));
      globals.console->write(globals.json ? to_json(day) + "\n" : day.text);
      return {};
    }
    WEFT_TRY(const auto all, engine.memory(request).days());
    for (const std::string& one : all) globals.console->line(globals.json ? "{\"date\":\"" + one + "\"}" : one);
    return {};
  });
}

}  // namespace

void add_knowledge(CommandLine& line) {
  auto* memory = line.app().add_subcommand("memory", "MEMORY.md, what is known beyond single events; and days");
  memory->require_subcommand(1);
  line.on(memory->add_subcommand("show", "print MEMORY.md"), Place::kWorkspace, show);
  auto words = std::make_shared<Words<KnowledgeEntry>>();
  auto* adding = memory->add_subcommand("add", "add an entry; what contradicts one is marked below it");
  words->offer(*adding, {"text", "section", "source"});
  line.on(adding, Place::kWorkspace, [words](const Globals& globals) { return add(globals, *words); });
  auto text = std::make_shared<std::string>();
  auto* confirming = memory->add_subcommand("confirm", "say which of two entries that contradict each other holds");
  confirming->add_option("text", *text, "the one that holds, as it stands")->required();
  line.on(confirming, Place::kWorkspace, [text](const Globals& globals) { return confirm(globals, *text); });
  auto date = std::make_shared<std::string>();
  auto* daily = memory->add_subcommand("days", "the days of which something is written, or one of them");
  daily->add_option("date", *date, "such as 2026-11-24");
  line.on(daily, Place::kWorkspace, [date](const Globals& globals) { return days(globals, *date); });
}

}  // namespace weft::cli
