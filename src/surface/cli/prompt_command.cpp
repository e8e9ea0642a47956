// weft prompt: the texts that are shipped for models, to be put into one's own system prompt.
#include <nlohmann/json.hpp>
#include <set>

#include "base/prompts.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string names_of_prompts() {
  std::set<std::string> names;
  for (unsigned i = 0; i < prompt_file_count; ++i) {
    const std::string_view id = prompt_file_list[i].id;
    names.emplace(id.substr(id.find('/') + 1));
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace

int prompt(const Globals& globals, const std::string& name, const std::string& language) {
  const Prompt found = shipped_prompt(name, language);
  if (found.text.empty())
    return report(globals, not_found("there is no prompt \"" + name + "\"", "there are " + names_of_prompts()));
  if (globals.json)
    globals.console->line(Json{{"id", found.id}, {"text", found.text}}.dump());
  else
    globals.console->line(found.text);
  return kDone;
}

}  // namespace weft::cli
