#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/record.h"
#include "weft/engine.h"
#include "weft/result.h"

namespace weft {

/// What Claude Code tells a hook on its standard input, as far as Weft reads it.
struct HookCall {
  std::string event;  ///< "SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd", …
  std::string session;  ///< the client's id of the session
  std::string transcript;  ///< its JSON Lines file
  std::string prompt;  ///< what the user has just submitted
};

/// How much a hook gives.
struct HookLimits {
  std::size_t known_bytes = 6000;  ///< of each of profile, MEMORY.md and last day, as a session begins
};

/// Reads it. kInvalidArgument where it is no such object.
Result<HookCall> read_hook_call(std::string_view json);

/// What a hook does: before the model is called it gives memories, when a turn is over it takes the conversation in.
///
///   SessionStart      gives what is known of the user, what stands in MEMORY.md and what was done of late, fenced as
///                     quoted (see flow/context/fence.h)
///   UserPromptSubmit  gives what is remembered that the prompt needs, and takes the prompt in
///   Stop, SubagentStop, PreCompact, SessionEnd
///                     take in what the transcript has that is new (see growth/claude_transcript.h), without what it
///                     copied from another session; the last two close the open topic
///
/// Gives the JSON that the client reads, or an empty text where there is nothing to say; other events do nothing.
Result<std::string> answer_hook(const Engine& engine, const RequestContext& request, const HookCall& call,
                                const HookLimits& limits = {});

/// Claude Code's settings.json with `command` at every event that Weft's hooks answer, in the place of an earlier one
/// of Weft. Hooks of others and all other settings stay, in their order. An empty text is a file that is not there yet.
/// kInvalidArgument where it is no JSON object, or its hooks have another form.
Result<std::string> with_weft_hooks(std::string_view settings, const std::string& command);

/// The same without Weft's hooks.
Result<std::string> without_weft_hooks(std::string_view settings);

/// A word as a shell takes it for one.
std::string shell_word(const std::string& word);

}  // namespace weft
