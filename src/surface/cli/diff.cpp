#include "surface/cli/diff.h"

#include "text/json_writer.h"

namespace weft::cli {

void print_diff(const Globals& globals, const std::string& diff) {
  if (!globals.json) return globals.console->write(diff.empty() ? "no difference\n" : diff);
  JsonWriter out;
  out.begin('{');
  out.name("diff");
  out.text(diff);
  out.end('}');
  globals.console->line(out.take());
}

}  // namespace weft::cli
