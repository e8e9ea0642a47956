// Commands that bring in what other systems have kept.
#include <CLI/CLI.hpp>

#include "ports/files/file_system.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/imports/foreign_chats.h"
#include "surface/imports/foreign_stores.h"
#include "surface/imports/staged_import.h"
#include "text/utf8.h"

namespace weft::cli {
namespace {

struct ImportOptions {
  std::string file, id, of;
};

Imports imports_of(const Globals& globals) { return Imports(globals.console->path(globals.workspace)); }

std::string words_of(const ForeignTally& one) {
  std::string text = std::to_string(one.count) + " x " + one.kind;
  for (std::size_t i = 0; i < one.where.size(); ++i) text += (i == 0 ? " (" : ", ") + one.where[i];
  return one.where.empty() ? text : text + (one.count > one.where.size() ? ", …)" : ")");
}

// What is not taken in as it stands in the export.
template <class Import>
void print_losses(const Globals& globals, const Import& one) {
  for (const ForeignTally& some : one.left_out) globals.console->line("  left out: " + words_of(some));
  for (const ForeignTally& some : one.assumed) globals.console->line("  assumed: " + words_of(some));
  for (const std::string& problem : one.problems) globals.console->line("  ! " + problem);
}

void print(const Globals& globals, const StagedImport& one) {
  if (globals.json) return globals.console->line(to_json(one));
  globals.console->print("%s  %-8s %s, for %s: %zu conversations with %zu messages, %zu notes  (%s)\n", one.id.c_str(),
                         one.stage.c_str(), one.source.c_str(), one.owner.c_str(), one.chats, one.messages, one.notes,
                         one.file.c_str());
  if (one.places.size() > 1) {
    globals.console->line("  whose the notes are there (`--of NAME` takes one's alone):");
    for (const ForeignPlace& place : one.places)
      globals.console->print("    %s: %zu\n", place.name.c_str(), place.notes);
  }
  print_losses(globals, one);
}

Status stage(const Globals& globals, const RequestContext& request, const ImportOptions& options) {
  const auto path = globals.console->path(options.file);
  const Imports imports = imports_of(globals);
  const auto staged = [&]() -> Result<StagedImport> {
    if (is_foreign_store(path) || is_foreign_archive(path))
      return imports.stage_path(path, options.file, request.scope, options.of);
    WEFT_TRY(const std::string text, read_file(path));
    return imports.stage(text, options.file, request.scope, options.of);
  };
  WEFT_TRY(const StagedImport made, staged());
  globals.made->push_back("import " + made.id);
  print(globals, made);
  if (!globals.json && made.stage == "staged")
    globals.console->print("nothing is remembered yet: look with `weft import show %s`, then `weft import accept %s`\n",
                           made.id.c_str(), made.id.c_str());
  return {};
}

Status list(const Globals& globals) {
  WEFT_TRY(const auto all, imports_of(globals).list());
  if (all.empty() && !globals.json) globals.console->line("no imports; `weft import stage FILE` reads one");
  for (const StagedImport& one : all) print(globals, one);
  return {};
}

Status show(const Globals& globals, const std::string& id) {
  WEFT_TRY(const ForeignFile content, imports_of(globals).show(id));
  if (globals.json) {
    globals.console->line(to_json(content));
    return {};
  }
  for (const ForeignChat& chat : content.chats) {
    globals.console->print("%s  %s\n", chat.id.c_str(), chat.title.c_str());
    for (const ForeignMessage& said : chat.messages)
      globals.console->print("  %-10s %s\n", said.role.c_str(), preview(said.text, 100).c_str());
  }
  for (const ForeignNote& note : content.notes) globals.console->print("- %s\n", preview(note.text, 120).c_str());
  return {};
}

Status accept(const Globals& globals, Engine& engine, const RequestContext& request, const std::string& id) {
  WEFT_TRY(const AcceptedImport taken, imports_of(globals).accept(id, engine, request));
  if (globals.json) {
    globals.console->line(to_json(taken));
  } else {
    globals.console->print("taken in: %zu new messages of %zu conversations, %zu notes\n", taken.messages, taken.chats,
                           taken.notes);
    print_losses(globals, taken);
  }
  finish(globals, engine);
  return {};
}

Status drop(const Globals& globals, const std::string& id) {
  WEFT_CHECK(imports_of(globals).drop(id));
  globals.console->line(globals.json ? "{}" : "removed; what was taken in stays");
  return {};
}

}  // namespace

void add_imports(CommandLine& line) {
  auto asked = std::make_shared<ImportOptions>();
  auto* group = line.app().add_subcommand("import",
                                          "bring in chats of ChatGPT, Claude and SillyTavern, memories of mem0 "
                                          "and Chroma");
  group->require_subcommand(1);
  using Run = std::function<Status(const Globals&, Engine&, const RequestContext&)>;
  const auto add = [&](const char* name, const char* text, const Run& run) {
    auto* sub = group->add_subcommand(name, text);
    line.on(sub, Place::kWorkspace, [run](const Globals& globals) {
      return with_engine(globals,
                         [&](Engine& engine, const RequestContext& request) { return run(globals, engine, request); });
    });
    return sub;
  };
  auto* stages = add("stage", "read an export and lay it ready",
                     [asked](const Globals& globals, Engine&, const RequestContext& request) {
                       return stage(globals, request, *asked);
                     });
  stages
      ->add_option(
          "file", asked->file,
          "the ZIP of an export or the folder it was unpacked to, its conversations.json, a chat as JSON Lines, "
          "memories as JSON, or a store of Chroma, mem0 or Qdrant as it lies on disk")
      ->required();
  stages->add_option("--of", asked->of, "of memories only those of this user, agent or collection there");
  add("list", "imports that lie ready or were taken in",
      [](const Globals& globals, Engine&, const RequestContext&) { return list(globals); });
  auto archive = std::make_shared<std::string>();
  auto* whole =
      group->add_subcommand("archive", "put a whole workspace, of `weft export --archive`, into an empty one");
  whole->add_option("file", *archive, "the .tar.gz")->required();
  line.on(whole, Place::kAnywhere, [archive](const Globals& globals) { return restore(globals, *archive); });
  const auto with_id = [&](CLI::App* sub) { sub->add_option("id", asked->id, "which import")->required(); };
  with_id(add("show", "what one holds",
              [asked](const Globals& globals, Engine&, const RequestContext&) { return show(globals, asked->id); }));
  with_id(add("accept", "take it into memory",
              [asked](const Globals& globals, Engine& engine, const RequestContext& request) {
                return accept(globals, engine, request, asked->id);
              }));
  with_id(add("drop", "remove one; what was taken in stays",
              [asked](const Globals& globals, Engine&, const RequestContext&) { return drop(globals, asked->id); }));
}

}  // namespace weft::cli
