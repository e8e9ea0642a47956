// weft usage: what calls of models have cost.
#include <CLI/CLI.hpp>

#include "base/strings.h"
#include "surface/api/lists.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "text/plain_words.h"

namespace weft::cli {
namespace {

// What a row is told apart by, in one column.
std::string names_of(const UsageRow& row) {
  std::string names;
  for (const std::string* one : {&row.day, &row.scope, &row.key, &row.role, &row.model})
    if (!one->empty()) names += (names.empty() ? "" : "  ") + *one;
  return names.empty() ? "all" : names;
}

void print_rows(const Globals& globals, const std::vector<UsageRow>& rows) {
  if (rows.empty()) return globals.console->line("no model was called");
  globals.console->print("%9s %9s %12s %12s %10s\n", "calls", "failed", "tokens in", "tokens out", "seconds");
  for (const UsageRow& row : rows)
    globals.console->print("%9llu %9llu %12lld %12lld %10.1f  %s%s\n", static_cast<unsigned long long>(row.calls),
                           static_cast<unsigned long long>(row.failed), static_cast<long long>(row.input_tokens),
                           static_cast<long long>(row.output_tokens), row.seconds, names_of(row).c_str(),
                           row.counted > 0 ? "  (partly counted here)" : "");
}

}  // namespace

int usage(const Globals& globals, const UsageOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    UsageQuery query{options.all ? std::string() : request.scope.key().str(), options.from, options.to, {}};
    for (const std::string_view one : split_list(options.by, ','))
      if (const auto name = trimmed(one); !name.empty()) query.by.emplace_back(name);
    WEFT_TRY(const auto rows, engine.upkeep().usage(query));
    if (globals.json)
      globals.console->line(list_json(rows));
    else
      print_rows(globals, rows);
    return {};
  });
}

void add_usage(CommandLine& line) {
  auto asked = std::make_shared<UsageOptions>();
  auto* asking = line.app().add_subcommand("usage", "what calls of models for a user (-u) or a group (-g) have cost");
  asking->add_flag("--all", asked->all, "of the whole workspace");
  asking->add_option("--by", asked->by, "told apart by day, scope, key, role, model; with commas between");
  asking->add_option("--from", asked->from, "first day, in UTC, such as 2026-11-26");
  asking->add_option("--to", asked->to, "last day, in UTC");
  line.on(asking, Place::kWorkspace, [asked](const Globals& globals) { return usage(globals, *asked); });
}

}  // namespace weft::cli
