#include "engine/state_chooser.h"

#include <filesystem>

#include "base/log.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "growth/growth_files.h"
#include "growth/skill_space.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr EmbedUse kUse = EmbedUse::kCompare;

std::vector<std::string> phrases_of(std::span<const Skill> skills) {
  std::vector<std::string> all;
  for (const Skill& skill : skills)
    for (std::string& phrase : skill_phrases(skill)) all.push_back(std::move(phrase));
  return all;
}

// A task's state, and those of skills as they are kept.
class KeptStates final : public Likeness {
 public:
  KeptStates(const std::string& task, Vector state, const VectorFile& kept)
      : task_(task), state_(std::move(state)), kept_(kept) {}

  std::vector<double> to_all(std::string_view text, std::span<const std::string> others) const override {
    return WordLikeness().to_all(text, others);
  }

  TextVectors vectors(std::span<const std::string> texts) const override {
    static const auto as_it_is = std::make_shared<const Similarity>(Similarity::raw());
    TextVectors found{kept_.name(), as_it_is, {}};
    for (const std::string& text : texts) found.vectors.push_back(text == task_ ? state_ : kept_.kept(text, kUse));
    return found;
  }

  bool by_meaning() const override { return true; }

 private:
  const std::string& task_;
  const Vector state_;
  const VectorFile& kept_;
};

}  // namespace

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

const SkillWeights* SkillStates::shipped_for(const ChatModel& model) {
  if (!model.state_space().given()) return nullptr;
  const SkillWeights* fitted = SkillWeights::fitted_for(StateEmbedder::name_for(model));
  return fitted != nullptr && fitted->work.size() == model.state_space().dimensions ? fitted : nullptr;
}

Result<SkillWeights> SkillStates::read_weights(const ChatModel& model, const std::string& path) {
  WEFT_TRY(const std::string source, disk().read(path));
  WEFT_TRY(SkillWeights read, SkillWeights::parse(source, path));
  const std::string name = StateEmbedder::name_for(model);
  if (!model.state_space().given() || read.embedder != lowered(name) ||
      read.work.size() != model.state_space().dimensions)
    return invalid_argument(path + " was fitted for \"" + read.embedder + "\", and the model of the role 'fast' is \"" +
                                (model.state_space().given() ? lowered(name) : model.name()) + "\"",
                            "tools/fit/skills.py fits it for that one");
  return read;
}

Result<std::unique_ptr<SkillStates>> SkillStates::open(ChatModel& model, const SkillWeights& weights,
                                                       const fs::path& file) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);  // the file's own error says more
  std::unique_ptr<SkillStates> made(new SkillStates(model, weights));
  WEFT_TRY(made->kept_, VectorFile::open(file, made->states_));
  return made;
}

Status SkillStates::learn(std::span<const Skill> skills, const std::stop_token& stop) {
  WEFT_CHECK(keep_only(skills));
  for (const std::string& phrase : phrases_of(skills)) {
    const auto read = kept_->embed(phrase, kUse, Deadline({}, stop));
    // What says nothing has no state; anything else is the model's trouble, and the next text would have it, too.
    if (!read.ok() && read.error().code != ErrorCode::kInvalidArgument) return read.error();
  }
  return {};
}

Status SkillStates::keep_only(std::span<const Skill> skills) { return kept_->keep_only(phrases_of(skills), kUse); }

Result<std::vector<SkillMatch>> SkillStates::match(std::span<const Skill> skills, const std::string& task,
                                                   std::size_t most, const Deadline& deadline) const {
  std::size_t unread = 0;
  for (const std::string& phrase : phrases_of(skills)) unread += has_word(phrase) && !kept_->keeps(phrase, kUse);
  if (unread > 0) return unavailable(std::to_string(unread) + " texts of skills are not read yet");
  WEFT_TRY(Vector state, states_.embed(task, kUse, deadline));
  return match_skills(KeptStates(task, std::move(state), *kept_), skills, task, most, kReferred, &weights_);
}

}  // namespace weft
