#include "demo/demonstration.h"
#include "demo/scratch_workspace.h"
#include "surface/cli/commands.h"

namespace weft::cli {

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
