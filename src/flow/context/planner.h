#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "flow/context/skeleton.h"
#include "flow/context/state_target.h"
#include "ports/chat/chat_model.h"
#include "text/analysis.h"
#include "text/words.h"
#include "weft/choices.h"
#include "weft/message.h"
#include "weft/plan.h"
#include "weft/quest.h"
#include "weft/result.h"

namespace weft {

/// Names that may be spoken of: of entities, quests, titles of lore. Built once for each version of them; read-only
/// then, safe from any thread.
class KnownNames {
 public:
  enum class Kind { kEntity, kQuest, kLore };
  struct Found {
    std::string name;  ///< as it was added
    Kind kind = Kind::kEntity;
  };

  /// Names of more than 12 words (characters, in Chinese) and single common letters are passed over.
  void add(std::string_view name, Kind kind);

  /// The names in a text, in its order, each once, the longest where several begin at one place. Case, width and
  /// traditional characters do not matter. Linear in the text.
  std::vector<Found> find(TextAnalysis& text) const;

  bool empty() const { return names_.empty(); }

 private:
  std::unordered_map<std::string, Found> names_;  ///< by the words, parted
  std::unordered_map<std::string, std::size_t> longest_;  ///< most words of a name that begins with this one
};

/// "past", "future" or "now", by the words for time of both languages.
std::string temporal_context_of(TextAnalysis& input);

/// Which quest a message is about, and how sure that is from 0 to 1.
struct QuestFocus {
  const Quest* quest = nullptr;  ///< into the list that was given
  double sure = 1;
  std::string why;
  bool shares_words = false;  ///< the input speaks of it
};

/// Of the active quests the one that the input names or shares the most words with; else the previous one while it is
/// active; else the only one. Several that fit alike give the previous one or none, and little certainty.
QuestFocus focus_on_quest(TextAnalysis& input, const std::vector<Quest>& quests,
                          const std::optional<std::string>& previous);

/// Names found in the input, then those of the last turn, then the input's own words that carry meaning, at most
/// `most`.
std::vector<std::string> focus_keywords(TextAnalysis& input, const std::vector<KnownNames::Found>& in_input,
                                        const std::vector<KnownNames::Found>& in_last_turn, std::size_t most);

/// The chains' weights: the past weighs on the narrative, a question what something of the lore is on the lore, a
/// quest that is spoken of on the events.
DomainWeight weights_for(TextAnalysis& input, std::string_view temporal_context,
                         const std::vector<KnownNames::Found>& in_input, bool quest_named);

/// What somebody says of the goal they work towards.
struct GoalTalk {
  std::string stated;  ///< the sentence in which a goal is set for the time to come; empty: none
  bool ended = false;  ///< the goal that stood is reached or given up
};

/// Reads it by the forms of both languages: "my goal is …", "from now on we …", "I swear to …"; 我的目标是……, 我发誓……;
/// "I give up on …", "never mind the …", 不再……, 目标达成. What is only done next ("I open the door", "I want to
/// sleep") is no goal, nor is a question.
GoalTalk goal_in(std::string_view input);

/// What is said of changes that were made: "Hero: hp changed from 85 to 80.", 主角的血从 85 变为 75。
std::string answer_text(const std::vector<NumberChange>& changes, const StateIndex& state, Language language);

/// What is said of a change that was asked for and not made: why, and which numbers may be meant.
std::string notice_text(const NumberDoubt& doubt, Language language);

/// The same of a change that was clear and then refused, with the reason.
std::string refusal_text(std::string_view reason, Language language);

/// What the planner decides from. Holds nothing; what it points at has to outlive the call.
struct PlannerInput {
  std::string_view input;  ///< what the user says
  const std::vector<Message>* history = nullptr;  ///< before the input, the last message at the end; may be null
  const std::vector<Quest>* quests = nullptr;  ///< of all states; may be null
  bool has_state = false;  ///< whether there are entities
  /// Gives the index of the state, valid during the call. Asked only when the input changes numbers, so that building
  /// it is not paid for on every turn. May be empty or give null.
  std::function<const StateIndex*()> state;
  std::vector<std::string> players;  ///< names or ids of the player's own figure, beside what the state says
  const KnownNames* names = nullptr;  ///< of entities, quests and lore; may be null
  std::string task;  ///< description of the task at hand; empty: there is none
  std::string template_id;  ///< chosen by the caller; empty: by the turn and what there is
  const std::vector<TemplateInfo>* templates = nullptr;  ///< those that there are; may be null
  std::string goal;  ///< that was set before and still holds; empty: none
  std::optional<PlanContext> previous;  ///< the plan of the turn before
  std::optional<PlanContext> given;  ///< a plan from outside: used as it is, once checked
};

struct PlannerOptions {
  std::chrono::milliseconds model_timeout{400};
  double sure_enough = 0.6;  ///< the model is asked below this certainty
  std::size_t most_keywords = 8;
};

struct PlannerDecision {
  PlanContext plan;
  bool numeric = false;  ///< fast path: apply `operations`, answer with `answer`, search nothing and ask no model
  std::string operations;  ///< JSON array, of the fast path only
  std::string answer;  ///< in the language of the input, of the fast path only
  std::string notice;  ///< numbers were to be changed and are not, and why, in its language; the story is told so
  MadeBy by = MadeBy::kFloor;
  /// The goal that outlives this turn: a new one, the former one, or none where it was given up or reached.
  std::string lasting_goal;
  double sure = 1;  ///< of the deterministic decision, 0 to 1
  std::vector<std::string> reasons;  ///< in words, for a report
};

/// Decides what a turn is about, before its context is built.
///
/// - A plan from outside is checked (`check_plan`) and taken.
/// - Input that asks for nothing but changes of numbers which the state has is answered at once.
/// - Else quest, goal, keywords, time, weights and template follow from the words of the input, without a model.
/// - Only where that is unsure, and a model is given, the model is asked within its own timeout and `deadline`. An
///   answer that is late, broken or names a quest that is not active changes nothing.
///
/// Errors only come from a plan from outside. Pure but for the model; safe from any thread.
Result<PlannerDecision> decide_plan(const PlannerInput& input, const PlannerOptions& options,
                                    ChatModel* model = nullptr, const Deadline& deadline = {});

/// Whether a plan fits the quests: its active quest exists (else kNotFound) and is in progress (else
/// kInvalidArgument).
Status check_plan(const PlanContext& plan, const std::vector<Quest>& quests);

/// The names of a state, its quests and the lore in one table. Built when one of them changes.
KnownNames names_of(const std::vector<StateEntity>& entities, const std::vector<Quest>& quests,
                    const std::vector<std::string>& lore_titles);

}  // namespace weft
