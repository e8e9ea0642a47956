#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/terminal_style.h"
#include "surface/api/operation.h"
#include "surface/cli/command_line.h"
#include "surface/cli/console.h"
#include "text/record.h"
#include "weft/agent_runs.h"
#include "weft/context.h"
#include "weft/message.h"

namespace weft::cli {

using Style = TerminalStyle;

/// The terminal codes that a console wants.
Style style_of(const Console& console);

/// A context report as a table: every section with its items, what was kept, what was dropped and why.
void print_report(Console& console, const ContextReport& report);

/// A prompt as a person reads it.
void print_messages(Console& console, const std::vector<Message>& messages);

/// Prints what changed between two versions, {"diff": …} with --json.
void print_diff(const Globals& globals, const std::string& diff);

// Lists of which a command shows so many, `--limit`; 0 shows all.

/// What is said of --limit.
inline constexpr const char* kLimitHelp = "how many; 0 shows all";

/// What to ask for, so that it is seen whether there is more.
inline std::size_t asked_for(std::int64_t limit) {
  return limit > 0 ? static_cast<std::size_t>(limit) + 1 : std::size_t{std::numeric_limits<std::int32_t>::max()};
}

/// Cuts what was asked for; gives whether there is more. With `newest_last` the first ones go.
template <class T>
bool cut_list(std::vector<T>& all, std::int64_t limit, bool newest_last = false) {
  if (limit <= 0 || all.size() <= static_cast<std::size_t>(limit)) return false;
  const auto beyond = static_cast<std::ptrdiff_t>(all.size()) - static_cast<std::ptrdiff_t>(limit);
  if (newest_last)
    all.erase(all.begin(), all.begin() + beyond);
  else
    all.erase(all.end() - beyond, all.end());
  return true;
}

/// What was cut as JSON, which says so: {"runs":[…],"more":true}
template <class T>
std::string cut_list_json(const std::vector<T>& all, bool more) {
  std::string text = list_json(all);
  if (more) text.insert(text.size() - 1, ",\"more\":true");
  return text;
}

/// Says that there is more, and how it is seen.
inline void tell_of_more(const Globals& globals, bool more) {
  if (more) globals.console->print("… there are more: --limit 0 shows all\n");
}

}  // namespace weft::cli

namespace weft {

/// A list for programs: {"NAME":[…]}.
template <class T>
std::string json_list(const char* name, const std::vector<T>& all) {
  JsonWriter out;
  out.begin('{');
  out.name(name);
  JsonForm<std::vector<T>>::write(all, out);
  out.end('}');
  return out.take();
}

}  // namespace weft

namespace weft::cli {

/// One event of a run for people, a line or a few; empty for what they need not see.
std::string told_event(const BusEvent& event, bool colours);

/// A run as it stands, with its open questions and what can be done now.
void print_run(Console& console, const AgentRun& run);

}  // namespace weft::cli
