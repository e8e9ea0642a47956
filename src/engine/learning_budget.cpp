#include "engine/learning_budget.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "agent/research_sources.h"
#include "base/log.h"
#include "engine/run_streams.h"
#include "growth/learning_plan.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

// The first line of a stream says how it was begun. What cannot be read, or is none, was not begun without learning.
bool was_begun_without(const std::filesystem::path& stream, const std::string& owner) {
  std::ifstream in(stream, std::ios::binary);
  std::string line;
  if (!in || !std::getline(in, line)) return false;
  const auto event = parse_record<BusEvent>(line, "line 1", {.max_bytes = line.size() + 1});
  if (!event.ok() || event->type != BusEventType::kRunStarted) return false;
  const auto start = payload_of<RunStarted>(*event);
  return start.ok() && start->owner == owner && !start->learn;
}

}  // namespace

bool RunLearning::from(const ScopeKey& scope) const { return learns_from(workspace_, scope); }

bool RunLearning::from(const ScopeKey& scope, const SessionId& session) const {
  if (!from(scope)) return false;
  const auto streams = streams_of(scope, session);
  return std::none_of(streams.begin(), streams.end(),
                      [&](const auto& stream) { return was_begun_without(stream, scope.str()); });
}

bool RunLearning::is_of_run(const ScopeKey& scope, const SessionId& session) const {
  const auto streams = streams_of(scope, session);
  return std::any_of(streams.begin(), streams.end(), [](const auto& stream) {
    std::error_code none;
    return std::filesystem::exists(stream, none);
  });
}

std::vector<std::filesystem::path> RunLearning::streams_of(const ScopeKey& scope, const SessionId& session) const {
  const std::string& name = session.str();
  if (!is_job_id(name)) return {};
  std::vector<std::filesystem::path> streams{workspace_ / "agents" / (name + ".jsonl")};
  if (name.starts_with(kResearchSession))
    streams.push_back(scope_folder(workspace_, "research", scope) / name.substr(kResearchSession.size()) /
                      "events.jsonl");
  return streams;
}

Status RunLearning::check(const TaskReport& report) const {
  if (const ScopeKey owner(report.owner); !from(owner)) return learning_is_off(owner);
  if (report.learn) return {};
  return conflict("nothing is learnt from the task report " + report.id + ": its run was begun without learning",
                  "a run is learnt from where it is begun without --no-learning and \"learn\": false");
}

namespace {

constexpr double kMsOfMinute = 60'000;

std::filesystem::path path_in(const Config& config) {
  return std::filesystem::path(config.workspace) / "reflections" / "budget.json";
}

class CountedModel final : public ChatModel {
 public:
  CountedModel(ChatModel& model, LearningBudget& budget) : model_(model), budget_(budget) {}

  std::string name() const override { return model_.name(); }
  std::int64_t window() const override { return model_.window(); }
  std::int64_t count_tokens(std::string_view text) const override { return model_.count_tokens(text); }
  StateSpace state_space() const override { return model_.state_space(); }

  Result<ChatReply> complete(const ChatRequest& request, const Deadline& deadline,
                             const std::function<bool(std::string_view)>& on_text) override {
    const Stopwatch watch;
    auto reply = model_.complete(request, deadline, on_text);
    // A call that failed took its time all the same.
    budget_.spend(reply.ok() ? reply->prompt_tokens + reply->completion_tokens : 0, watch.ms());
    return reply;
  }

 private:
  ChatModel& model_;
  LearningBudget& budget_;
};

LearningStatus kept_use(const Config& config) {
  const auto path = path_in(config);
  const auto text = disk().read(path);
  if (!text.ok()) return {};
  auto read = parse_record<LearningStatus>(*text, path.filename().string());
  if (read.ok()) return std::move(read).value();
  log_warning("learning.budget", read.error().message);
  return {};
}

std::string why_closed(const LearningStatus& used, const LearningPlan& plan, Time now) {
  if (!plan.enabled) return "learning is off";
  if (plan.day_tokens == 0 || plan.day_minutes == 0) return "no model may be asked for it";
  if (used.tokens >= plan.day_tokens) return "the tokens of the day are used up";
  if (used.minutes >= static_cast<double>(plan.day_minutes)) return "the minutes of the day are used up";
  if (is_time_for(plan, now)) return {};
  return "it is not between " + std::to_string(plan.from_hour) + " and " + std::to_string(plan.to_hour) + " o'clock";
}

// A new day begins with nothing used.
void bring_to(LearningStatus& used, const Config& config, Time now) {
  const std::string today = format_date(now);
  if (used.day != today) {
    used = {};
    used.day = today;
  }
  used.turns = config.roles.contains("reflection") ? "model" : "floor";
  const auto plan = read_learning_plan(config.workspace);
  used.why = plan.ok() ? why_closed(used, *plan, now) : plan.error().message;
  used.open = used.why.empty();
  used.enabled = plan.ok() && plan->enabled;
  if (!plan.ok()) return;
  used.scopes = plan->scopes;
  used.most_tokens = plan->day_tokens, used.most_minutes = plan->day_minutes;
  used.from_hour = plan->from_hour, used.to_hour = plan->to_hour;
  used.replays = plan->replays, used.regressions = plan->regressions;
}

}  // namespace

template <>
const Record<LearningStatus>& record<LearningStatus>() {
  static const auto made =
      Record<LearningStatus>("LearningStatus", "How much models are asked for the sake of learning.", RecordUse::kBoth)
          .field("day", &LearningStatus::day, "that the figures are of")
          .field("calls", &LearningStatus::calls, "of models")
          .field("tokens", &LearningStatus::tokens, "of these calls")
          .field("minutes", &LearningStatus::minutes, "of model time")
          .field("most_tokens", &LearningStatus::most_tokens, "a day")
          .field("most_minutes", &LearningStatus::most_minutes, "a day")
          .field("turns", &LearningStatus::turns, "how turns are looked back at: floor or model")
          .field("from_hour", &LearningStatus::from_hour, "of the day, from which models are asked")
          .field("to_hour", &LearningStatus::to_hour, "until which they are")
          .field("replays", &LearningStatus::replays, "past tasks that a candidate is tried on before it is promoted")
          .field("regressions", &LearningStatus::regressions, "of these, that it may break")
          .field("enabled", &LearningStatus::enabled, "anything is learnt at all")
          .field("scopes", &LearningStatus::scopes, "who is learnt from")
          .field("open", &LearningStatus::open, "a model may be asked now")
          .field("why", &LearningStatus::why, "it may not", {.sparse = true});
  return made;
}

LearningStatus learning_status(const Config& config, Time now) {
  LearningStatus status = kept_use(config);
  bring_to(status, config, now);
  return status;
}

LearningBudget::LearningBudget(const Config& config, const Clock& clock)
    : config_(config), clock_(clock), used_(kept_use(config)) {}

bool LearningBudget::open() {
  const std::lock_guard lock(mutex_);
  bring_to(used_, config_, clock_.now());
  return used_.open;
}

ChatModel* LearningBudget::counted(ChatModel* model) {
  if (model == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  auto& made = counted_[model];
  if (!made) made = std::make_unique<CountedModel>(*model, *this);
  return made.get();
}

void LearningBudget::spend(std::int64_t tokens, double ms) {
  const std::lock_guard lock(mutex_);
  bring_to(used_, config_, clock_.now());
  ++used_.calls;
  used_.tokens += tokens;
  used_.minutes += ms / kMsOfMinute;
  if (const Status kept = keep(); !kept.ok()) log_warning("learning.budget", kept.error().message);
}

Status LearningBudget::keep() const {
  const auto path = path_in(config_);
  WEFT_CHECK(disk().make_folder(path.parent_path()));
  return write_file(disk(), path, to_json(used_) + "\n", true);
}

}  // namespace weft
