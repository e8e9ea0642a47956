// The demonstration alone: the engine without server and command line, so that it is built minutes before them.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "demo/data_files.h"
#include "demo/demonstration.h"
#include "weft/config.h"

namespace {

weft::Status show() {
  const weft::ScratchWorkspace folder;
  WEFT_TRY(const weft::Config config, weft::load_config(folder.path()));
  WEFT_TRY(const auto engine, weft::Engine::open(config));
  WEFT_TRY(const auto scope, weft::Scope::private_of(weft::UserId("default")));
  const auto write = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (text.ends_with('\n')) std::fflush(stdout);
  };
  const bool colours = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return weft::demonstrate(*engine, {scope, {}, {}}, {write, colours, false});
}

}  // namespace

int main() {
  const weft::Status shown = show();
  if (shown.ok()) return 0;
  std::fprintf(stderr, "weft-demo: %s\n", shown.error().message.c_str());
  if (!shown.error().hint.empty()) std::fprintf(stderr, "      %s\n", shown.error().hint.c_str());
  return 1;
}
