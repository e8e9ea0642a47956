#include "flow/context/planner.h"

#include <algorithm>
#include <cmath>

#include "flow/context/goal_talk.h"
#include "flow/context/number_answer.h"
#include "flow/context/planner_prompt.h"
#include "text/small_talk.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

// More of a message than this says nothing more about its subject.
constexpr std::size_t kMostRead = 8192;
constexpr std::size_t kGoalCharacters = 200;

const std::vector<Quest>& quests_of(const PlannerInput& input) {
  static const std::vector<Quest> none;
  return input.quests != nullptr ? *input.quests : none;
}

std::string read_part(std::string_view text) { return repair_utf8(cut_bytes(text, kMostRead)); }

// What was said last, by both.
std::string last_turn(const PlannerInput& input) {
  std::string text;
  if (input.history == nullptr) return text;
  std::size_t taken = 0;
  for (auto at = input.history->rbegin(); at != input.history->rend() && taken < 2; ++at) {
    if (at->role != Role::kUser && at->role != Role::kAssistant) continue;
    text += read_part(at->content) + "\n";
    ++taken;
  }
  return text;
}

// By name; for a task; by the cues of the turn, where there is a story or the template is the user's own; by what there
// is.
std::string choose_template(const PlannerInput& input, const std::string& text) {
  if (!input.template_id.empty()) return input.template_id;
  if (!input.task.empty()) return "agent";
  const bool story = input.has_state || !quests_of(input).empty();
  if (input.templates != nullptr && story)
    if (const TemplateInfo* fits = template_for(text, last_turn(input), *input.templates)) return fits->id;
  return story ? "narrative" : "chat";
}

// A template says how its prompts are searched for; where it does not, the words of the turn do.
void weigh_by_template(const PlannerInput& input, PlanContext& plan) {
  if (input.templates == nullptr) return;
  const TemplateInfo* chosen = find_template(*input.templates, plan.template_id);
  if (chosen != nullptr && chosen->weights) plan.search_intent.domain_weight = *chosen->weights;
}

// What is worked towards: a goal that is set in words now; else that of the quest in focus; else the one that holds
// from before; else what is asked for.
void set_goal(const PlannerInput& input, const std::string& text, const QuestFocus& focus, PlannerDecision& decision) {
  const GoalTalk talk = goal_in(text);
  decision.lasting_goal = talk.ended ? "" : input.goal;
  if (!talk.stated.empty()) decision.lasting_goal = preview(talk.stated, kGoalCharacters);
  std::string& goal = decision.plan.current_goal;
  goal = preview(input.task.empty() ? text : read_part(input.task), kGoalCharacters);
  if (!input.task.empty() && focus.quest == nullptr) return;
  if (!decision.lasting_goal.empty()) goal = decision.lasting_goal;
  if (focus.quest == nullptr || !talk.stated.empty()) return;
  // A quest that is spoken of goes before a goal from before; one that merely stands does not.
  constexpr double kSpokenOf = 0.7;
  const bool spoken_of = focus.sure >= kSpokenOf && focus.shares_words;
  const std::string& of_quest = focus.quest->objective.empty() ? focus.quest->title : focus.quest->objective;
  if (!of_quest.empty() && (spoken_of || decision.lasting_goal.empty()))
    goal = preview(read_part(of_quest), kGoalCharacters);
}

// The fast path, where every number that is meant is clear.
bool triage(const PlannerInput& input, std::string_view text, PlannerDecision& decision) {
  const auto requests = quantity_requests(text);
  if (requests.empty() || !input.state) return false;
  const StateIndex* state = input.state();
  if (state == nullptr) return false;
  NumberDoubt doubt;
  const auto changes = state->resolve(requests, input.players, &doubt);
  if (!changes.ok()) {
    decision.notice = notice_text(doubt, language_of(text));
    decision.reasons.push_back("numbers are asked for, but " + changes.error().message);
    return false;
  }
  decision.numeric = true;
  decision.operations = operations_json(*changes);
  decision.answer = answer_text(*changes, *state, language_of(text));
  decision.plan.search_intent.enabled = false;
  decision.reasons.push_back("only numbers of the state are changed");
  return true;
}

void set_focus(const PlannerInput& input, TextAnalysis& said, const PlannerOptions& options,
               PlannerDecision& decision) {
  PlanContext& plan = decision.plan;
  const auto previous = input.previous ? input.previous->active_quest_id : std::nullopt;
  const QuestFocus focus = focus_on_quest(said, quests_of(input), previous);
  decision.sure = focus.sure;
  decision.reasons.push_back(focus.why);
  if (focus.quest != nullptr) plan.active_quest_id = focus.quest->id;
  set_goal(input, std::string(said.text()), focus, decision);
  SearchIntent& intent = plan.search_intent;
  std::vector<KnownNames::Found> here, before;
  if (input.names != nullptr) {
    here = input.names->find(said);
    const std::string turn = last_turn(input);
    TextAnalysis before_it(turn);
    before = input.names->find(before_it);
  }
  intent.temporal_context = temporal_context_of(said);
  intent.focus_keywords = focus_keywords(said, here, before, options.most_keywords);
  intent.domain_weight = weights_for(said, intent.temporal_context, here, focus.sure == 1 && focus.quest != nullptr);
  if (intent.focus_keywords.empty() && input.names != nullptr && !input.names->empty()) {
    decision.sure = std::min(decision.sure, 0.5);
    decision.reasons.push_back("the input names nothing to look for");
  }
}

}  // namespace

Status check_plan(const PlanContext& plan, const std::vector<Quest>& quests) {
  if (!plan.active_quest_id) return {};
  const auto quest =
      std::find_if(quests.begin(), quests.end(), [&](const Quest& one) { return one.id == *plan.active_quest_id; });
  if (quest == quests.end())
    return not_found("plan: activeQuestId: there is no quest \"" + *plan.active_quest_id + "\"",
                     "null says that there is none");
  if (quest->status != QuestStatus::kActive)
    return invalid_argument("plan: activeQuestId: the quest \"" + quest->id + "\" is not in progress");
  return {};
}

Result<PlannerDecision> decide_plan(const PlannerInput& input, const PlannerOptions& options, ChatModel* model,
                                    const Deadline& deadline) {
  PlannerDecision decision;
  if (input.given) {
    WEFT_CHECK(check_plan(*input.given, quests_of(input)));
    decision.plan = *input.given;
    decision.lasting_goal = input.given->current_goal.empty() ? input.goal : input.given->current_goal;
    decision.by = MadeBy::kGiven;
    decision.reasons.push_back("the plan was given");
    return decision;
  }
  const std::string text = read_part(input.input);
  decision.plan.template_id = choose_template(input, text);
  const bool numeric = triage(input, input.input, decision);
  TextAnalysis said(text);
  set_focus(input, said, options, decision);
  weigh_by_template(input, decision.plan);
  if (numeric) {
    decision.plan.search_intent.focus_keywords.clear();
    decision.sure = 1;
    return decision;
  }
  if (is_empty_talk(said.plain(), 0, said.plain().size(), capital_words(text))) {
    decision.plan.search_intent.enabled = false;
    decision.plan.search_intent.focus_keywords.clear();
    decision.sure = 1;
    decision.reasons.push_back("the input is small talk");
    return decision;
  }
  if (decision.sure >= options.sure_enough || model == nullptr) return decision;
  const auto asked = ask_planner(
      {text, last_turn(input), quests_of(input), decision.plan, input.template_id.empty() ? input.templates : nullptr},
      *model, deadline.within(options.model_timeout));
  if (!asked.ok()) {
    decision.reasons.push_back("the planner model was not followed: " + asked.error().message);
    return decision;
  }
  decision.plan = *asked;
  weigh_by_template(input, decision.plan);
  decision.by = MadeBy::kModel;
  return decision;
}

KnownNames names_of(const std::vector<StateEntity>& entities, const std::vector<Quest>& quests,
                    const std::vector<std::string>& lore_titles) {
  KnownNames names;
  for (const Quest& quest : quests) names.add(quest.title, KnownNames::Kind::kQuest);
  for (const std::string& title : lore_titles) names.add(title, KnownNames::Kind::kLore);
  for (const StateEntity& entity : entities) {
    if (entity.group) continue;
    names.add(entity.name, KnownNames::Kind::kEntity);
    for (const std::string& alias : entity.aliases) names.add(alias, KnownNames::Kind::kEntity);
  }
  return names;
}

}  // namespace weft
