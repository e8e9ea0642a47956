// Commands for the keys of the server: who may ask it, and for what.
#include <CLI/CLI.hpp>

#include "base/clock.h"
#include "ports/files/file_system.h"
#include "surface/access/key_ring.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

struct KeyOptions {
  std::string name, right = "write";
  std::vector<std::string> users, groups;
};

std::filesystem::path workspace_of(const Globals& globals) { return globals.console->path(globals.workspace); }

std::string opened_by(const ApiKey& key) {
  std::string text;
  for (const std::string& user : key.users) text += " user:" + user;
  for (const std::string& group : key.groups) text += " group:" + group;
  return text.empty() ? "everybody" : text.substr(1);
}

Status add_key(const Globals& globals, const KeyOptions& options) {
  const auto right = enum_of<Right>(options.right);
  if (!right) return invalid_argument("there is no right \"" + options.right + "\"", "use one of: read, write, admin");
  WEFT_CHECK(make_private_folder(workspace_of(globals)));
  KeyRing keys(KeyRing::file_of(workspace_of(globals)));
  ApiKey about;
  about.name = options.name, about.right = *right, about.users = options.users, about.groups = options.groups;
  WEFT_TRY(const NewKey made, keys.add(std::move(about), SystemClock().now()));
  globals.made->push_back("key " + made.kept.id);
  if (globals.json) {
    globals.console->line(
        to_json(Value(ValueObject{{"name", made.kept.name}, {"id", made.kept.id}, {"key", made.key}})));
    return {};
  }
  globals.console->line(made.key);
  globals.console->complain("It may %s and opens the memory of %s. It is shown this once: keep it now.\n",
                            std::string(to_string(*right)).c_str(), opened_by(made.kept).c_str());
  return {};
}

Status list_keys(const Globals& globals) {
  WEFT_TRY(const auto all, KeyRing(KeyRing::file_of(workspace_of(globals))).keys());
  if (all.empty() && !globals.json) globals.console->line("no keys yet; `weft key add NAME` makes one");
  for (const ApiKey& key : all) {
    if (globals.json) {
      globals.console->line(to_json(listed(key)));
      continue;
    }
    globals.console->print("%-20s %-10s %-6s %-25s %s\n", key.name.c_str(), key.id.c_str(),
                           std::string(to_string(key.right)).c_str(), format_time(key.created).c_str(),
                           opened_by(key).c_str());
  }
  return {};
}

Status revoke_key(const Globals& globals, const std::string& name) {
  KeyRing keys(KeyRing::file_of(workspace_of(globals)));
  WEFT_TRY(const ApiKey gone, keys.revoke(name));
  globals.made->push_back("key " + gone.id);
  globals.console->line(globals.json ? to_json(listed(gone))
                                     : "revoked " + gone.name + "; a running server refuses it now");
  if (keys.empty())
    globals.console->complain(
        "It was the last one: until `weft key add NAME` makes another, the server lets nobody in.\n");
  return {};
}

int finish(const Globals& globals, const Status& status) {
  return status.ok() ? kDone : report(globals, status.error());
}

}  // namespace

void add_keys(CommandLine& line) {
  auto asked = std::make_shared<KeyOptions>();
  auto* keys = line.app().add_subcommand("key", "who may ask the server, and for what");
  keys->require_subcommand(1);
  auto* adding = keys->add_subcommand("add", "make a key and show it this once");
  adding->add_option("name", asked->name, "what it is called in lists and logs")->required();
  adding->add_option("--right", asked->right, "read, write (default) or admin; each includes those before it");
  adding->add_option("--for-user", asked->users, "only for this user's memory; may be given several times");
  adding->add_option("--for-group", asked->groups, "only for this group's memory; likewise");
  line.on(adding, Place::kAnywhere,
          [asked](const Globals& globals) { return finish(globals, add_key(globals, *asked)); });
  line.on(keys->add_subcommand("list", "all keys, without their secrets"), Place::kAnywhere,
          [](const Globals& globals) { return finish(globals, list_keys(globals)); });
  auto* revoking = keys->add_subcommand("revoke", "take a key away");
  revoking->add_option("name", asked->name, "its name or its id")->required();
  line.on(revoking, Place::kAnywhere,
          [asked](const Globals& globals) { return finish(globals, revoke_key(globals, asked->name)); });
}

}  // namespace weft::cli
