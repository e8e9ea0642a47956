// Task reports, and what was learnt of them.
#include "engine/learning_budget.h"
#include "growth/learning_plan.h"
#include "model/growth_records.h"
#include "surface/api/list_operation.h"
#include "surface/api/report_body.h"

namespace weft {
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

}  // namespace weft
