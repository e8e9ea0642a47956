#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "growth/report_builder.h"

namespace weft {

/// One object of a transcript is handed on to the builder. Each tells whether it knew the object.

/// A chat message in OpenAI's form.
bool take_message(const nlohmann::json& message, ReportBuilder& into);
/// A line of a Claude Code session, as `ClaudeTranscript` gives it.
bool take_claude_line(const nlohmann::json& line, ReportBuilder& into);
/// A line of a Codex session: a response item, bare or as the payload of one with a time.
bool take_codex_line(const nlohmann::json& line, ReportBuilder& into);
/// An event of OpenHands: an action, or an observation that answers one.
bool take_openhands_event(const nlohmann::json& event, ReportBuilder& into);
/// A step of a SWE-agent trajectory: thought, action, observation.
bool take_swe_step(const nlohmann::json& step, ReportBuilder& into);

/// What a source says of the outcome: {"reward": 0}, {"success": true}, {"resolved": false}, {"error": "…"}.
void take_outcome(const nlohmann::json& outcome, ReportBuilder& into);

/// The person's own request in a message (see text/typed_words.h), without demonstrations.
std::string asked_words(const nlohmann::json& message);

/// The text of a content: itself, or that of its parts.
std::string content_text(const nlohmann::json& content);

}  // namespace weft
