#include "engine/skill_states.h"

#include "base/lowered.h"
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
                            "`weft fit skills FILES --states -o FILE` fits it for that one");
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
