#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flow/context/tool_index.h"
#include "text/token_counter.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft {

/// The groups of tools that a name's prefix tells. A model that may only call one group is held to it by the first
/// token of the name, while the descriptions in the prompt stay as they are.
inline constexpr std::array<std::string_view, 5> kToolPrefixes{"browser_", "shell_", "file_", "search_", "human_"};

/// The structured prefix a name begins with, as in `kToolPrefixes`; empty where there is none.
std::string_view tool_prefix(std::string_view name);

/// Whether a name can be offered to providers: 1 to 64 letters, digits, "_" and "-". The error of kInvalidArgument
/// names the first byte that is wrong.
Status check_tool_name(std::string_view name);

/// `check_tool_name`, and that it begins with a structured prefix and goes on after it. The hint proposes a name where
/// one can be derived.
Status check_structured_name(std::string_view name);

/// A name with the structured prefix that its words tell: "run_command" gives "shell_run_command", "webNavigate" gives
/// "browser_web_navigate", "readFile" gives "file_read". The description decides where the name says nothing. The name
/// itself where it has a prefix already, empty where no group fits: a wrong prefix would mask the tool out.
/// Deterministic; at most 64 bytes.
std::string structured_tool_name(std::string_view name, std::string_view description);

/// The words of an identifier with one space between them: cut at signs, at a capital letter after a small one, and
/// before the last capital of a run ("parseHTML_page" gives "parse HTML page"). Other scripts stay as they are.
std::string words_of_identifier(std::string_view name);

/// One parameter of a tool, as its JSON schema says.
struct ToolParameter {
  std::string name;
  std::string type;         ///< "string", "array of number", "string or null"; empty where the schema does not say
  std::string description;  ///< may be empty
  std::vector<std::string> values;  ///< texts of `enum`
  bool required = false;
  int depth = 0;  ///< 0: a parameter of the tool itself; more: a member of one
};

/// The parameters of a JSON schema, in its order, members behind what they are members of. Bounded: 256 parameters,
/// 8 levels, 1 MB. What is no JSON, or no schema of an object, has none: a tool is found by its name and its
/// description as well. Safe from any thread.
std::vector<ToolParameter> tool_parameters(std::string_view schema);

/// The short form of a tool for a prompt, one line:
///
///     search_flights(from: string, to: string, [seats: integer]) – Finds flights between two airports.
///
/// The name; the parameters of the first level, required ones first, then optional ones in brackets, each group in the
/// order of the schema; the first sentence of the description. Within `max_tokens` by the counter: first optional
/// parameters are left out, then the sentence is cut, then required parameters are left out, each with "…" in its
/// place. The name stays whole unless it alone is too long. Everything is escaped, line breaks and control characters
/// are gone. Same tool, same bytes. Empty where `max_tokens` is 0 or less.
std::string tool_text(const ToolInfo& tool, std::int64_t max_tokens, const TokenCounter& tokens);

/// A tool that the prompts of a task offer.
struct OfferedTool {
  std::size_t index = 0;   ///< in the list
  double score = 0;        ///< when it was chosen
  std::size_t needed = 0;  ///< the input that last needed it, or by which it was last seen in use
  bool used = false;       ///< it was called in this task
};

/// The tools that a session's prompts offer, in the order in which they are described. A value; kept from call to call.
struct OfferedTools {
  std::string origin;  ///< of which list, for which task
  std::size_t inputs = 0;
  std::vector<OfferedTool> tools;
};

/// What a step is about.
struct ToolNeed {
  std::string task;  ///< empty: there is none, and each input is a task of its own
  std::string input;  ///< the user's last words
  std::string step;  ///< what the task says it is at; may be empty
  std::set<std::string> in_use;  ///< names of tools that the history calls
};

struct ToolBounds {
  std::size_t least = 3, most = 7;
};

/// Brings the offer up to what is needed now. Tools are first chosen by task and input together; within a task they
/// stay as they are, in their order, so that the prompt only grows: what a further input, or the step, clearly needs is
/// added behind them, and so is what is in use. Over `most` those go first that were needed longest ago; what was
/// called in this task never goes. Where fewer than `least` have anything to do with it, others of the list fill up.
/// Costs and failures as of `ToolIndex::choose`.
void offer_tools(OfferedTools& offered, const std::string& list_digest, const ToolIndex& index, const ToolNeed& need,
                 const ToolBounds& bounds, const ToolIndex::Models& models, const Deadline& deadline);

}  // namespace weft
