#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model_set.h"
#include "flow/memory/likeness.h"
#include "growth/skill_match.h"
#include "ports/chat/chat_model.h"
#include "ports/embedding/embedder.h"
#include "ports/embedding/vector_file.h"
#include "weft/config.h"
#include "weft/growth.h"
#include "weft/result.h"

namespace weft {

/// A task, and which skill is meant for it.
struct SkillTask {
  std::string text;
  std::optional<std::size_t> skill;  ///< place in the set; none: no skill is for it
  bool held = false;                 ///< set apart, nothing may be fitted on it
  std::size_t file = 0;              ///< which of the files it is of
};

struct SkillSet {
  std::vector<Skill> skills;
  std::vector<SkillTask> tasks;
  std::vector<std::size_t> files;  ///< of each skill, which file it is of
};

/// Reads a file as `eval_skills` has it. Errors name file and line.
Result<SkillSet> read_skill_set(const std::string& path);
/// Several files as one set.
Result<SkillSet> read_skill_sets(std::span<const std::string> paths);

/// What makes the vectors of tasks and skills while they are measured: the configured embedder, or the states of the
/// chat model of the role "fast". The models must outlive it.
struct TaskEmbedder {
  std::unique_ptr<StateEmbedder> states;
  std::unique_ptr<VectorFile> kept;
  Embedder* embedder = nullptr;  ///< null: none is configured
  std::shared_ptr<const Similarity> similarity;
  std::optional<SkillWeights> weights;  ///< those that are configured for the states; none: what ships

  /// `vectors`, a file, keeps vectors for further runs; empty: none does. Errors: kInvalidArgument where states are
  /// wanted and no model gives any; those of an embedder that does not load.
  static Result<TaskEmbedder> open(const Config& config, const ModelSet& models, bool by_states,
                                   const std::string& vectors);
};

/// How tasks find the skill that is meant for them.
struct SkillTally {
  std::int64_t tasks = 0, right_first = 0, right_among = 0, wrong_first = 0, followed = 0;  ///< of tasks with a skill
  std::int64_t ranked_first = 0;  ///< the right one fits best, told or not
  std::int64_t unrelated = 0, injected = 0, injected_to_follow = 0;  ///< of tasks that no skill is for
  std::int64_t without = 0, without_injected = 0, without_to_follow = 0;  ///< its own taken away: is another one told?
};

struct SkillsReport {
  std::array<SkillTally, 2> halves;  ///< that was tuned on, and that was held apart
  std::map<std::string, SkillTally> by_language;  ///< "en→zh": of the task and of the skill; the held half
  std::string by;  ///< which embedder; "floor": words alone
  std::string chooser;  ///< which chat model chose among the nearest; empty: none did
  SkillTally chosen;  ///< what it made of the held half
  std::int64_t not_chosen = 0;  ///< of these, where the ranking stood since the model's answer could not be used
};

/// Matches the tasks of a file against all its skills. JSON Lines of {"skill", "lang", "name", "description", "when":
/// [texts], "tuning": [tasks], "held": [tasks]} and {"unrelated": task, "lang", "held": bool}. A `chooser` is asked for
/// the held half as runs ask it, see `chosen_by_model`. `weights`: null for those of the vectors' embedder. Errors name
/// file and line.
Result<SkillsReport> eval_skills(const std::string& file, const Likeness& likeness, ChatModel* chooser = nullptr,
                                 const SkillWeights* weights = nullptr);

struct SkillsEvalOptions {
  std::string vectors;  ///< a file that keeps vectors for the next run
  bool choose = false;  ///< the chat model of the role "fast" chooses among the nearest
  bool states = false;  ///< its states are compared, and not the vectors of the embedder
};

/// The same with the configured embedder, by words alone where there is none; gives the report as JSON.
Result<std::string> run_eval_skills(const Config& config, const std::string& file, const SkillsEvalOptions& options);

/// The report as one line of JSON.
std::string to_json(const SkillsReport& report);

}  // namespace weft
