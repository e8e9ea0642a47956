#include "growth/learning_plan.h"

#include "base/log.h"
#include "ports/files/file_system.h"
#include "text/scope_patterns.h"

namespace weft {
namespace {

constexpr std::string_view kFile = "learning.json";
constexpr std::int64_t kHourMs = 3'600'000, kMinuteMs = 60'000;

}  // namespace

template <>
const Record<LearningPlan>& record<LearningPlan>() {
  static const auto made =
      Record<LearningPlan>("LearningPlan", "Who is learnt from, and what models may be asked for it.", RecordUse::kBoth)
          .field("enabled", &LearningPlan::enabled,
                 "learn from runs, turns and talks; what is known is told all the same")
          .field(
              "scopes", &LearningPlan::scopes,
              "who is learnt from: patterns such as 'user:* -user:guest', parted by blanks, the last that fits counts")
          .field("day_tokens", &LearningPlan::day_tokens,
                 "tokens a day of models that are asked in the background; then it does without, until the next day",
                 {.least = 0})
          .field("day_minutes", &LearningPlan::day_minutes, "minutes a day of such models, likewise",
                 {.least = 0, .most = 1440})
          .field("from_hour", &LearningPlan::from_hour, "hour of the day from which on they are asked, in local time",
                 {.least = 0, .most = 23})
          .field("to_hour", &LearningPlan::to_hour, "hour until which they are; 22 and 6 are the night",
                 {.least = 0, .most = 24})
          .field("replays", &LearningPlan::replays,
                 "past tasks that are played again with and without a rule or a skill before it is promoted; 0: none",
                 {.least = 0, .most = 50})
          .field("regressions", &LearningPlan::regressions, "of these, that it may break", {.least = 0, .most = 50});
  return made;
}

Result<LearningPlan> read_learning_plan(const std::filesystem::path& workspace) {
  const auto text = disk().read(workspace / kFile);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return LearningPlan();
  if (!text.ok()) return text.error();
  return parse_record<LearningPlan>(*text, std::string(kFile));
}

Status write_learning_plan(const std::filesystem::path& workspace, const LearningPlan& plan) {
  if (plan.from_hour == plan.to_hour)
    return invalid_argument("\"from_hour\" and \"to_hour\" are both " + std::to_string(plan.from_hour),
                            "0 and 24 are the whole day; to ask no model set \"day_tokens\" to 0");
  return write_file(disk(), workspace / kFile, to_json(plan) + "\n", true);
}

bool is_time_for(const LearningPlan& plan, Time now) {
  const std::int64_t local = now.ms + now.offset_minutes * kMinuteMs;
  const std::int64_t hour = (local / kHourMs % 24 + 24) % 24;
  if (plan.from_hour < plan.to_hour) return hour >= plan.from_hour && hour < plan.to_hour;
  return hour >= plan.from_hour || hour < plan.to_hour;
}

bool learns_from(const std::filesystem::path& workspace, const ScopeKey& scope) {
  const auto plan = read_learning_plan(workspace);
  if (!plan.ok()) log_warning("learning.plan", plan.error().message);
  return plan.ok() && plan->enabled && is_meant(plan->scopes, scope.str());
}

Error learning_is_off(const ScopeKey& scope) {
  return conflict("nothing is learnt from " + scope.str() + ": learning is off",
                  "`weft reflect plan` and GET /v1/learning say for whom it is on");
}

}  // namespace weft
