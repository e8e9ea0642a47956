#include "engine/state_chooser.h"

#include <filesystem>

#include "base/log.h"
#include "engine/engine_core.h"
#include "growth/growth_files.h"
#include "ports/files/file_system.h"

namespace weft {

ChatModel* fast_model(const EngineCore& core) {
  return core.config.roles.contains("fast") ? core.models->chat("fast") : nullptr;
}

Result<std::unique_ptr<StateChooser>> StateChooser::open(const EngineCore& core) {
  std::unique_ptr<StateChooser> made(new StateChooser(core));
  const ChatModel* model = fast_model(core);
  const std::string& path = core.config.agent.skill_weights;
  if (!path.empty() && model == nullptr)
    return invalid_argument("agent.skill_weights is set, and no model has the role 'fast'",
                            "weft.toml names one under [roles]");
  if (path.empty()) {
    made->weights_ = model != nullptr ? SkillStates::shipped_for(*model) : nullptr;
    return made;
  }
  WEFT_TRY(made->own_weights_, SkillStates::read_weights(*model, path));
  made->weights_ = &*made->own_weights_;
  return made;
}

std::shared_ptr<SkillStates> StateChooser::states(bool wanted) {
  const auto file = GrowthFiles{core_.config.workspace}.skill_states();
  std::error_code ignored;
  const std::lock_guard lock(mutex_);
  if (states_ || weights_ == nullptr || (!wanted && !std::filesystem::exists(file, ignored))) return states_;
  auto opened = SkillStates::open(*fast_model(core_), *weights_, file);
  if (opened.ok())
    states_ = std::move(*opened);
  else
    log_warning("skills.states", opened.error().message);
  return states_;
}

std::optional<SkillChoice> StateChooser::choose(std::span<const Skill> skills, const std::string& task,
                                                std::size_t most, const Deadline& deadline) {
  const auto opened = states(false);
  if (!opened) return std::nullopt;
  auto matches = opened->match(skills, task, most, deadline);
  if (matches.ok()) return SkillChoice{std::move(*matches), "states of " + opened->name(), {}};
  log_info("skills", "not chosen by states: " + matches.error().message);
  return std::nullopt;
}

bool StateChooser::learn(std::span<const Skill> all, const std::stop_token& stop) {
  const auto opened = states(!all.empty());
  if (!opened) return true;
  const Status read = opened->learn(all, stop);
  if (!read.ok() && !stop.stop_requested()) log_warning("skills.states", read.error().message);
  return read.ok();
}

Status StateChooser::keep_only(std::span<const Skill> left) {
  if (const auto opened = states(false)) return opened->keep_only(left);
  // Of a model that was configured once: nobody reads it, and what it holds is of whoever is erased, too.
  return disk().remove(GrowthFiles{core_.config.workspace}.skill_states());
}

}  // namespace weft
