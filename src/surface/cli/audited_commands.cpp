#include "surface/cli/audited_commands.h"

#include <algorithm>
#include <string_view>

#include "text/utf8.h"

namespace weft::cli {
namespace {

constexpr std::size_t kMostCharacters = 128;  // of an id in the log

/// Commands that begin with these words, but those that only look.
struct Audited {
  std::string_view begin;
  std::string_view noun = {}, argument = {};  ///< what the argument names; empty: nothing
  std::vector<std::string_view> look = {};
};

const std::vector<Audited>& all_audited() {
  static const std::vector<Audited> all{
      {"weft key", "key", "name", {"list"}},
      {"weft erase", "checked receipt", "--verify"},
      {"weft backup", "folder", "folder"},
      {"weft restore", "from", "folder"},
      {"weft export", "file", "--archive"},
      {"weft import", "import", "id", {"list", "show"}},
      {"weft migrate", "file", "file"},
      {"weft reembed", "model", "--model"},
      {"weft repair"},
      {"weft queue", "job", "job", {"status", "list", "show"}},
      {"weft profile", "profile", "which", {"list", "show", "history", "diff"}},
      {"weft rule", "rule", "id", {"list", "show", "diff"}},
      {"weft mutation propose", "skill", "id"},
      {"weft mutation", "mutation", "id", {"list", "show"}},
      {"weft skill", "skill", "id", {"list", "show", "match", "diff", "export"}},
      {"weft reflect plan"},
      {"weft memory confirm"},
      {"weft agent answer", "run", "run"},
  };
  return all;
}

// The words of the command behind those that it begins with.
const Audited* find_audited(std::string_view command) {
  for (const Audited& one : all_audited()) {
    if (!command.starts_with(one.begin)) continue;
    std::string_view verb = command.substr(one.begin.size());
    if (!verb.empty() && verb.front() != ' ') continue;
    verb.remove_prefix(verb.empty() ? 0 : 1);
    return std::find(one.look.begin(), one.look.end(), verb) == one.look.end() ? &one : nullptr;
  }
  return nullptr;
}

}  // namespace

bool is_audited(const std::string& command) { return find_audited(command) != nullptr; }

std::vector<std::string> acted_on(const CommandLine& line) {
  std::vector<std::string> what;
  const Audited* found = find_audited(line.name());
  if (found == nullptr) return what;
  if (!found->argument.empty())
    for (const std::string& id : line.given(std::string(found->argument)))
      what.push_back(std::string(found->noun) + " " + preview(id, kMostCharacters));
  for (const std::string& version : line.given("--version"))
    what.push_back("version " + preview(version, kMostCharacters));
  if (line.name() == "weft erase" && line.globals().session != Globals().session)
    what.push_back("session " + preview(line.globals().session, kMostCharacters));
  if (line.name() == "weft reflect plan")
    for (const std::string& option : line.given_options()) what.push_back("setting " + option);
  const auto& made = *line.globals().made;
  for (const std::string& id : made)
    if (std::find(what.begin(), what.end(), id) == what.end()) what.push_back(id);
  return what;
}

}  // namespace weft::cli
