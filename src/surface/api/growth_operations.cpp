#include <algorithm>

#include "engine/learning_budget.h"
#include "growth/learning_plan.h"
#include "model/growth_records.h"
#include "surface/access/access.h"
#include "surface/api/bodies.h"
#include "surface/api/operation.h"
#include "text/utf8.h"

namespace weft {

// What was learnt: rules and changes of skills, reports and what came of them, beliefs and questions.

namespace {

struct AskedChange {
  std::string skill;
};
struct Judgement {
  bool approve = false;
  std::string why;
};
struct DiffAnswer {
  std::string id, diff;
};

}  // namespace

WEFT_DESCRIBED(AskedChange);
WEFT_DESCRIBED(Judgement);
WEFT_DESCRIBED(DiffAnswer);

template <>
const Record<AskedChange>& record<AskedChange>() {
  static const auto made = Record<AskedChange>("ProposeMutations", "Which skill is to be changed.", RecordUse::kAsked)
                               .field("skill", &AskedChange::skill, "its id", {.required = true});
  return made;
}

template <>
const Record<Judgement>& record<Judgement>() {
  static const auto made =
      Record<Judgement>("JudgeMutation", "What a person decides of a change.", RecordUse::kAsked)
          .field("approve", &Judgement::approve, "true: try it, or keep it where it is on trial; false: discard it")
          .field("why", &Judgement::why, "the reason, kept with it");
  return made;
}

template <>
const Record<DiffAnswer>& record<DiffAnswer>() {
  static const auto made = Record<DiffAnswer>("RuleDiff", "Two versions compared.", RecordUse::kTold)
                               .field("id", &DiffAnswer::id, "of the rule")
                               .field("diff", &DiffAnswer::diff, "line by line; empty: they are the same");
  return made;
}

template <>
inline constexpr std::string_view kListName<Rule> = "rules";
template <>
inline constexpr std::string_view kListName<Mutation> = "mutations";

namespace {

// All, or those that a task is told.
Result<std::vector<Rule>> get_rules(const Call& call) {
  const auto growth = call.engine.growth(call.context);
  const std::string task = call.text("task");
  return task.empty() ? growth.rules() : growth.rules_for(task);
}

std::string key_of(const Rule& one) { return one.id; }

Result<Rule> get_rule(const Call& call) { return call.engine.growth(call.context).rule(call.path("id")); }

Result<Rule> change_rule(const Call& call, RuleChange change) {
  const auto growth = call.engine.growth(call.context);
  WEFT_TRY(const Rule rule, growth.rule(call.path("id")));
  WEFT_CHECK(check_may_change(call.request.access, rule.owner));
  return growth.change_rule(call.path("id"), change);
}

Result<DiffAnswer> diff_rule(const Call& call) {
  WEFT_TRY(const auto from, call.number("from", 0));
  WEFT_TRY(const auto to, call.number("to", 0));
  WEFT_TRY(auto diff, call.engine.growth(call.context).rule_diff(call.path("id"), from, to));
  return DiffAnswer{call.path("id"), std::move(diff)};
}

Result<std::vector<Mutation>> get_mutations(const Call& call) { return call.engine.growth(call.context).mutations(); }

std::string key_of(const Mutation& one) { return one.id; }

Result<List<Mutation>> propose_mutations(const Call& call, AskedChange asked) {
  const auto growth = call.engine.growth(call.context);
  WEFT_TRY(const Skill skill, growth.skill(asked.skill));
  WEFT_CHECK(check_may_change(call.request.access, skill.owner));
  WEFT_TRY(auto made, growth.propose_mutations(asked.skill));
  return List<Mutation>{std::move(made)};
}

// A change belongs to whom its skill belongs to.
Status check_mutation(const Call& call) {
  if (!call.request.access.bound()) return {};
  const auto growth = call.engine.growth(call.context);
  WEFT_TRY(const auto all, growth.mutations());
  for (const Mutation& one : all) {
    if (one.id != call.path("id")) continue;
    WEFT_TRY(const Skill skill, growth.skill(one.skill_id));
    return check_may_change(call.request.access, skill.owner);
  }
  return {};
}

Result<Mutation> judge_mutation(const Call& call, Judgement judgement) {
  WEFT_CHECK(check_mutation(call));
  return call.engine.growth(call.context).judge_mutation(call.path("id"), judgement.approve, judgement.why);
}

}  // namespace

std::vector<Operation> growth_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      list_operation<Rule>("rules", "GET /v1/rules", "rules in every stage, or those that a task is told", kScope,
                           ListOrder::kAsGiven, get_rules, key_of,
                           {text_parameter("task", "what is to be done: gives what a prompt for it would hold")}),
      operation("rule", "GET /v1/rules/{id}", "one rule with its history", kScope, get_rule),
      operation("change_rule", "POST /v1/rules/{id}",
                "approve, refuse, retire, pin, unpin, disable, enable, rollback or edit it", kScope, change_rule),
      operation(
          "rule_diff", "GET /v1/rules/{id}/diff", "what changed between two versions", kScope, diff_rule,
          {number_parameter("from", "0: the one before the newest", 0), number_parameter("to", "0: the newest", 0)}),
      list_operation<Mutation>("mutations", "GET /v1/mutations", "changes of skills on trial, waiting and decided",
                               kScope, ListOrder::kAsGiven, get_mutations, key_of),
      operation("propose_mutations", "POST /v1/mutations", "propose changes of a skill that does well", kScope,
                propose_mutations),
      operation("judge_mutation", "POST /v1/mutations/{id}", "approve or refuse a change", kScope, judge_mutation),
  };
}

// Task reports, and what was learnt of them.

namespace {

struct AskedFeedback {
  std::string report, text;
};
struct AskedReview {
  std::string day;
};

Value day_or_empty(SchemaBook&) { return day_schema(); }

}  // namespace

WEFT_DESCRIBED(AskedFeedback);
WEFT_DESCRIBED(AskedReview);

template <>
const Record<AskedFeedback>& record<AskedFeedback>() {
  static const auto made = Record<AskedFeedback>("GiveFeedback", "What a user said to a result.", RecordUse::kAsked)
                               .field("report", &AskedFeedback::report, "id of the task's report", {.required = true})
                               .field("text", &AskedFeedback::text, "in the user's words", {.required = true});
  return made;
}

template <>
const Record<AskedReview>& record<AskedReview>() {
  static const auto made = Record<AskedReview>("ReviewDay", "Which day is to be looked at.", RecordUse::kAsked)
                               .custom(
                                   "day", "YYYY-MM-DD; empty: today", day_or_empty,
                                   [](std::string_view json, const std::string& place, AskedReview& into) {
                                     return JsonForm<std::string>::read(json, place, {}, into.day);
                                   },
                                   nullptr);
  return made;
}

template <>
inline constexpr std::string_view kListName<Reflection> = "reflections";
template <>
inline constexpr std::string_view kListName<TaskReport> = "reports";

namespace {

Result<std::vector<Reflection>> get_reflections(const Call& call) {
  return call.engine.hindsight(call.context).reflections();
}

std::string key_of(const Reflection& one) { return one.id; }

Result<Reflection> get_reflection(const Call& call) {
  return call.engine.hindsight(call.context).reflection(call.path("id"));
}

Result<std::vector<TaskReport>> get_reports(const Call& call) { return call.engine.hindsight(call.context).reports(); }

std::string key_of(const TaskReport& one) { return one.id; }

Result<LearningStatus> get_learning(const Call& call) {
  return learning_status(call.engine.config(), call.engine.now());
}

// What is not named becomes what it is by default: the plan is put as a whole.
Result<LearningStatus> put_learning(const Call& call, LearningPlan plan) {
  if (call.request.body.find_first_not_of(" \t\r\n") == std::string::npos)
    return invalid_argument("there is no plan in the request", "send its fields, or {} for the plan by default");
  WEFT_CHECK(write_learning_plan(call.engine.config().workspace, plan));
  return get_learning(call);
}

Result<Reflection> take_report(const Call& call, ReportBody body) {
  return call.engine.hindsight(call.context).reflect(body.report);
}

Result<Reflection> review_day(const Call& call, AskedReview asked) {
  return call.engine.hindsight(call.context).review(asked.day);
}

Result<Reflection> take_feedback(const Call& call, AskedFeedback asked) {
  return call.engine.hindsight(call.context).feedback(asked.report, asked.text);
}

}  // namespace

std::vector<Operation> reflection_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      list_operation<Reflection>("reflections", "GET /v1/reflections", "what was learnt of tasks, the oldest first",
                                 kScope, ListOrder::kAsGiven, get_reflections, key_of),
      operation("learning", "GET /v1/learning", "how much models are asked for the sake of learning", kScope,
                get_learning),
      operation("plan_learning", "PUT /v1/learning", "who is learnt from, and what models may be asked for it",
                Whose::kNobody, put_learning),
      operation("reflection", "GET /v1/reflections/{id}", "one reflection", kScope, get_reflection),
      operation("review", "POST /v1/reflections", "look for what the tasks of a day have in common", kScope,
                review_day),
      list_operation<TaskReport>("reports", "GET /v1/reports", "reports of tasks that are over, the oldest first",
                                 kScope, ListOrder::kAsGiven, get_reports, key_of),
      operation("report", "POST /v1/reports", "reflect on a task that is over", kScope, take_report),
      operation("feedback", "POST /v1/feedback", "what a user said to the result of a task", kScope, take_feedback),
  };
}

// Beliefs of what is preferred, and questions to people.

namespace {

struct ConfirmedBelief {
  std::string dimension, value;
};
struct NamedBelief {
  std::string dimension, value;
};
struct EditedAnswer {
  std::string before, after, source;
};
struct ForgottenBeliefs {
  std::size_t forgotten = 0;
};
struct AskQuestion {
  std::string text, why, fallback, run, session;
  QuestionKind kind = QuestionKind::kKnowledge;
  Grade urgency = Grade::kMedium;
  std::vector<std::string> choices;
};
struct AnswerQuestion {
  std::string answer, arguments;
};

}  // namespace

WEFT_DESCRIBED(NamedBelief);
WEFT_DESCRIBED(ConfirmedBelief);
WEFT_DESCRIBED(EditedAnswer);
WEFT_DESCRIBED(ForgottenBeliefs);
WEFT_DESCRIBED(AskQuestion);
WEFT_DESCRIBED(AnswerQuestion);

template <>
const Record<ConfirmedBelief>& record<ConfirmedBelief>() {
  static const auto made = Record<ConfirmedBelief>("ConfirmBelief", "What holds.", RecordUse::kAsked)
                               .field("dimension", &ConfirmedBelief::dimension, "detail, format, …", {.required = true})
                               .field("value", &ConfirmedBelief::value, "of it", {.required = true});
  return made;
}

template <>
const Record<NamedBelief>& record<NamedBelief>() {
  static const auto made = Record<NamedBelief>("NamedBelief", "Which belief is meant.", RecordUse::kAsked)
                               .field("dimension", &NamedBelief::dimension, "detail, format, …", {.required = true})
                               .field("value", &NamedBelief::value, "empty: the leading one, or all of the dimension");
  return made;
}

template <>
const Record<EditedAnswer>& record<EditedAnswer>() {
  static const auto made =
      Record<EditedAnswer>("EditedAnswer", "What a user made of an answer.", RecordUse::kAsked)
          .field("before", &EditedAnswer::before, "the answer", {.required = true})
          .field("after", &EditedAnswer::after, "what became of it", {.required = true})
          .field("source", &EditedAnswer::source, "SESSION/MESSAGE of the answer; the same one counts once");
  return made;
}

template <>
const Record<ForgottenBeliefs>& record<ForgottenBeliefs>() {
  static const auto made = Record<ForgottenBeliefs>("ForgottenBeliefs", "How many beliefs went.", RecordUse::kTold)
                               .field("forgotten", &ForgottenBeliefs::forgotten, "beliefs");
  return made;
}

template <>
const Record<AskQuestion>& record<AskQuestion>() {
  static const auto made =
      Record<AskQuestion>("AskQuestion", "A question for the user.", RecordUse::kAsked)
          .field("text", &AskQuestion::text, "as it is asked, one question", {.required = true})
          .field("why", &AskQuestion::why, "what it is needed for")
          .field("fallback", &AskQuestion::fallback, "what is done without an answer")
          .field("run", &AskQuestion::run, "that waits for it")
          .field("session", &AskQuestion::session, "of the run")
          .field("kind", &AskQuestion::kind, "what is wanted")
          .field("urgency", &AskQuestion::urgency, "HIGH: now; others in batches and not in quiet hours")
          .field("choices", &AskQuestion::choices, "that are offered");
  return made;
}

template <>
const Record<AnswerQuestion>& record<AnswerQuestion>() {
  static const auto made = Record<AnswerQuestion>("AnswerQuestion", "An answer to a question.", RecordUse::kAsked)
                               .field("answer", &AnswerQuestion::answer,
                                      "letter, number or words of a choice, or free text", {.required = true})
                               .json("arguments", &AnswerQuestion::arguments,
                                     "of a call that is to be approved: in the place of those that were shown",
                                     {.advanced = true}, ValueObject{{"type", "object"}});
  return made;
}

template <>
inline constexpr std::string_view kListName<Belief> = "beliefs";
template <>
inline constexpr std::string_view kListName<Question> = "questions";

namespace {

Result<std::vector<Belief>> get_beliefs(const Call& call) { return call.engine.beliefs(call.context).list(); }

std::string key_of(const Belief& one) { return mark_of(one.dimension + '\n' + one.value); }

Result<Belief> confirm_belief(const Call& call, ConfirmedBelief named) {
  return call.engine.beliefs(call.context).confirm(named.dimension, named.value);
}

Result<Belief> reject_belief(const Call& call, NamedBelief named) {
  return call.engine.beliefs(call.context).reject(named.dimension, named.value);
}

Result<ForgottenBeliefs> forget_belief(const Call& call, NamedBelief named) {
  WEFT_TRY(const auto gone, call.engine.beliefs(call.context).forget(named.dimension, named.value));
  return ForgottenBeliefs{gone};
}

Result<List<Belief>> learn_edit(const Call& call, EditedAnswer edit) {
  WEFT_TRY(auto all, call.engine.beliefs(call.context).learn_edit(edit.before, edit.after, edit.source));
  return List<Belief>{std::move(all)};
}

Result<std::vector<Question>> get_questions(const Call& call) { return call.engine.questions(call.context).list(); }

std::string key_of(const Question& one) { return one.id; }

Result<List<Question>> next_question(const Call& call) {
  WEFT_TRY(const auto next, call.engine.questions(call.context).next());
  List<Question> one;
  if (next) one.all.push_back(*next);
  return one;
}

Result<Question> ask_question(const Call& call, AskQuestion asked) {
  Question question;
  question.text = asked.text;
  question.why = asked.why;
  question.fallback = asked.fallback;
  question.run = asked.run;
  question.session = asked.session;
  question.kind = asked.kind;
  question.urgency = asked.urgency;
  question.choices = asked.choices;
  return call.engine.questions(call.context).ask(question);
}

Result<Question> answer_question(const Call& call, AnswerQuestion given) {
  return call.engine.questions(call.context).answer(call.path("id"), given.answer, given.arguments);
}

Result<Question> withdraw_question(const Call& call) {
  return call.engine.questions(call.context).withdraw(call.path("id"));
}

}  // namespace

std::vector<Operation> adaptation_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      list_operation<Belief>("beliefs", "GET /v1/beliefs", "what is believed of the user's preferences", kScope,
                             ListOrder::kAsGiven, get_beliefs, key_of),
      operation("confirm_belief", "POST /v1/beliefs/confirm", "say that a value holds", kScope, confirm_belief),
      operation("reject_belief", "POST /v1/beliefs/reject", "say that it does not", kScope, reject_belief),
      operation("forget_belief", "POST /v1/beliefs/forget", "take a dimension out, or one value", kScope,
                forget_belief),
      operation("learn_edit", "POST /v1/beliefs/edits", "learn from what the user made of an answer", kScope,
                learn_edit),
      list_operation<Question>("questions", "GET /v1/questions", "questions to the user in every stage", kScope,
                               ListOrder::kAsGiven, get_questions, key_of),
      operation("next_question", "GET /v1/questions/next", "the one that stands before the user now, or none", kScope,
                next_question),
      operation("ask_question", "POST /v1/questions", "queue a question", kScope, ask_question),
      operation("answer_question", "POST /v1/questions/{id}", "answer it", kScope, answer_question),
      operation("withdraw_question", "DELETE /v1/questions/{id}", "take it back", kScope, withdraw_question),
  };
}

// Procedures that were learnt, taught or imported.

namespace {

struct SkillDiff {
  std::string id, diff;
};
struct SkillProblems {
  std::vector<std::string> problems;
  std::string next;
};

}  // namespace

WEFT_DESCRIBED(SkillDiff);
WEFT_DESCRIBED(SkillProblems);

template <>
const Record<SkillDiff>& record<SkillDiff>() {
  static const auto made = Record<SkillDiff>("SkillDiff", "Two versions compared.", RecordUse::kTold)
                               .field("id", &SkillDiff::id, "of the skill")
                               .field("diff", &SkillDiff::diff, "line by line; empty: they are the same");
  return made;
}

template <>
const Record<SkillProblems>& record<SkillProblems>() {
  static const auto made =
      Record<SkillProblems>("SkillProblems", "Files of skills that cannot be read.", RecordUse::kTold)
          .field("problems", &SkillProblems::problems, "each with its file, line and key")
          .field("next", &SkillProblems::next, kNextDoc, {.sparse = true});
  return made;
}

template <>
inline constexpr std::string_view kListName<Skill> = "skills";
template <>
inline constexpr std::string_view kListName<SkillMatch> = "matches";

namespace {

Growth growth(const Call& call) { return call.engine.growth(call.context); }

Result<std::vector<Skill>> get_skills(const Call& call) { return growth(call).skills(); }

std::string key_of(const Skill& one) { return one.skill_id; }

Result<Skill> get_skill(const Call& call) { return growth(call).skill(call.path("id")); }

Result<Skill> teach_skill(const Call& call, SkillLesson lesson) { return growth(call).teach_skill(lesson); }

Result<Skill> put_skill(const Call& call, Skill skill) {
  if (skill.skill_id != call.path("id"))
    return invalid_argument("\"skill_id\" must be the id in the path, \"" + call.path("id") + "\"");
  // A new version takes the place of the one that is there.
  if (const auto there = growth(call).skill(skill.skill_id); there.ok())
    WEFT_CHECK(check_may_change(call.request.access, there->owner));
  return growth(call).put_skill(skill);
}

Result<Skill> change_skill(const Call& call, SkillChange change) {
  WEFT_TRY(const Skill skill, growth(call).skill(call.path("id")));
  WEFT_CHECK(check_may_change(call.request.access, skill.owner));
  return growth(call).change_skill(call.path("id"), change);
}

Result<SkillDiff> diff_skill(const Call& call) {
  WEFT_TRY(const auto from, call.number("from", 0));
  WEFT_TRY(const auto to, call.number("to", 0));
  WEFT_TRY(auto diff, growth(call).skill_diff(call.path("id"), from, to));
  return SkillDiff{call.path("id"), std::move(diff)};
}

Result<std::vector<SkillMatch>> get_matches(const Call& call) { return growth(call).match_skills(call.text("task")); }

std::string key_of(const SkillMatch& one) { return one.skill.skill_id; }

Result<Skill> import_skill(const Call& call, SkillFolder folder) { return growth(call).import_skill(folder); }

// JSON holds only text.
Result<SkillFolder> export_skill(const Call& call) {
  WEFT_TRY(SkillFolder folder, growth(call).export_skill(call.path("id")));
  const auto binary = [](const SkillFile& file) { return find_invalid_utf8(file.content).has_value(); };
  for (const SkillFile& file : folder.files)
    if (binary(file)) folder.left_out.push_back(file.path);
  std::erase_if(folder.files, binary);
  return folder;
}

Result<Paged<SkillProblems>> get_problems(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(auto problems, growth(call).skill_problems());
  WEFT_TRY(auto page, page_of(std::move(problems), ListOrder::kAsGiven, wanted,
                              [](const std::string& problem) { return mark_of(problem); }));
  return Paged<SkillProblems>{{std::move(page.answer), {}}, std::move(page.place)};
}

Result<List<Skill>> count_report(const Call& call, ReportBody body) {
  const TaskReport& report = body.report;
  // For rules, and for changes of skills on trial. First, since it refuses what the other would count.
  WEFT_CHECK(growth(call).count_report(report));
  WEFT_CHECK(growth(call).count_skills(report));
  List<Skill> skills;
  for (const std::string& id : report.skills)
    if (auto skill = growth(call).skill(id); skill.ok()) skills.all.push_back(std::move(skill).value());
  return skills;
}

}  // namespace

std::vector<Operation> skill_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      list_operation<Skill>("skills", "GET /v1/skills", "skills in every stage, those that serve first", kScope,
                            ListOrder::kAsGiven, get_skills, key_of),
      operation("teach_skill", "POST /v1/skills", "teach a procedure in one's own words", kScope, teach_skill),
      operation("skill", "GET /v1/skills/{id}", "one skill with its history", kScope, get_skill),
      operation("put_skill", "PUT /v1/skills/{id}", "put a new version in its place, or a new skill", kScope,
                put_skill),
      operation("change_skill", "POST /v1/skills/{id}",
                "approve, retire, pin, unpin, disable, enable, rollback or remove it", kScope, change_skill),
      operation(
          "skill_diff", "GET /v1/skills/{id}/diff", "what changed between two versions", kScope, diff_skill,
          {number_parameter("from", "0: the one before the newest", 0), number_parameter("to", "0: the newest", 0)}),
      operation("export_skill", "GET /v1/skills/{id}/folder", "the skill as an Agent Skill", kScope, export_skill),
      operation("import_skill", "POST /v1/skill_folders", "take an Agent Skill; nothing in it is run", kScope,
                import_skill),
      list_operation<SkillMatch>("match_skills", "GET /v1/skill_matches", "which skills fit a task", kScope,
                                 ListOrder::kAsGiven, get_matches, key_of,
                                 {text_parameter("task", "what is to be done")}),
      list_operation("skill_problems", "GET /v1/skill_problems", "files of skills that cannot be read", kScope,
                     get_problems, {}, kWholePage),
      operation("count_task", "POST /v1/task_reports", "count how a task went for the rules and skills in its prompts",
                kScope, count_report),
  };
}

}  // namespace weft
