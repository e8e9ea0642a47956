#pragma once

#include <array>
#include <string>
#include <string_view>

#include "weft/result.h"

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

}  // namespace weft
