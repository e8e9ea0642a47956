#include "ports/files/file.h"
#include "surface/api/bodies.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"

namespace weft::cli {
namespace {

// The options of the command line stand over what the file says.
Result<ContextRequest> request_of(Console& console, const Config& config, const ContextOptions& options) {
  std::string body;
  if (options.request == "-") {
    WEFT_TRY(body, console.read_all());
  } else if (!options.request.empty()) {
    WEFT_TRY(body, read_file(console.path(options.request)));
  }
  WEFT_TRY(auto what, BodyForm<ContextRequest>::read(body, config));
  WEFT_CHECK(options.what.apply(what));
  if (what.input.empty() && what.history.empty())
    return invalid_argument("context: nothing to answer", "give the user's message, or --request with \"messages\"");
  return what;
}

void print(Console& console, const WovenContext& woven, bool skein, bool explain) {
  if (!woven.answer.empty())
    console.print("%s\n", woven.answer.c_str());
  else if (explain)
    print_report(console, woven.report);
  else if (skein)
    console.print("%s\n", woven.skein.c_str());
  else
    print_messages(console, woven.messages);
}

}  // namespace

int context(const Globals& globals, const ContextOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const auto what, request_of(*globals.console, engine.config(), options));
    wait_for_models(globals, engine);
    WEFT_TRY(const auto woven, engine.session(request, SessionId(globals.session)).context(what));
    if (globals.json)
      globals.console->line(to_json(woven, what.full));
    else
      print(*globals.console, woven, what.skein, options.explain);
    return {};
  });
}

}  // namespace weft::cli
