#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "agent/permissions.h"
#include "agent/run_state.h"
#include "agent/tool.h"

/// What runs and their replays are made of alike.
namespace weft {

/// The permissions of a run: its own on top of the configured ones.
Result<Permissions> permissions_of(const std::string& configured, const AgentTools& tools);

/// The program that judges a run; null where nobody is to. A sub-agent's answer is judged by the run that started it.
Result<std::shared_ptr<Tool>> verifier_of(const RunState& state, const std::filesystem::path& folder,
                                          std::chrono::milliseconds most);

/// What the agent is told of itself, in the language of its task.
std::string system_text_for(const std::string& task);

}  // namespace weft
