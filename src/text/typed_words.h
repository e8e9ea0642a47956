#pragma once

#include <string>
#include <string_view>

namespace weft {

/// What the person typed of a message that a client's program hands on. Programs add to it: reminders, outputs of
/// commands, notifications, what the editor shows, the surroundings of the work, AGENTS.md, summaries of a conversation
/// that was cut off. Those of Claude Code, Codex, OpenHands, Cline, Copilot and Gemini CLI are known. A request that a
/// program wraps ("## My request for Codex:", "<task>…</task>") is taken out, and a slash command is given as it was
/// typed ("/review src"). Empty where nothing is left. For the proxy, the hook, the import and the follower, so that
/// all of them read the same.
///
/// What a person writes of such elements stays: in code and in quotation marks, where an element has no end, and where
/// its name is one that people use, too, and something else stands beside it.
std::string typed_words(std::string_view text);

/// The text without the reminders in it: outputs of tools hold them, too.
std::string without_reminders(std::string_view text);

/// Whether a slash command says something beside its settings: "/compact keep the decisions on the port", but not
/// "/model opus". The first is the person's word even where the program carries the command out itself.
bool is_told_command(std::string_view typed);

/// The name of a slash command and nothing else, such as "/clear".
bool is_bare_command(std::string_view text);

}  // namespace weft
