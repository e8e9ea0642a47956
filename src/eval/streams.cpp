#include "eval/streams.h"

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/strings.h"
#include "demo/scratch_workspace.h"
#include "engine/engine_impl.h"
#include "eval/stream_tasks.h"
#include "text/json.h"

namespace weft {
namespace {

constexpr std::int64_t kDayMs = 24 * 60 * 60 * std::int64_t{1000};
constexpr std::int64_t kBegin = 1'772'400'000'000;
constexpr std::int64_t kPatienceMs = 60'000;  // what is told is judged here, not how fast this machine tells it
constexpr double kUnaware = 0.45, kAware = 0.9, kBesideCost = 0.005;

// Stands still within a task; a task a day.
class StreamClock final : public Clock {
 public:
  using Day = std::atomic<std::int64_t>;  ///< background threads look at the clock at any time

  explicit StreamClock(std::shared_ptr<Day> day) : day_(std::move(day)) {}
  Time now() const override { return {kBegin + *day_ * kDayMs, 0}; }

 private:
  std::shared_ptr<Day> day_;
};

// What a worker gets from its prompt.
struct Read {
  bool aware = false;
  std::int64_t beside = 0;
};

bool holds(std::string_view line, std::string_view word) { return line.find(word) != std::string_view::npos; }

// Rules and steps of skills are lines of a list.
Read read_prompt(std::string_view prompt, const Catch& trap) {
  Read read;
  for (const std::string_view line : lines_of(prompt)) {
    if (!line.starts_with("- ")) continue;
    const bool heeds =
        std::any_of(trap.heeds.begin(), trap.heeds.end(), [&](const std::string& word) { return holds(line, word); });
    const bool own = holds(line, trap.tool);
    read.aware = read.aware || (own && heeds);
    read.beside += !own;
  }
  return read;
}

// One try of a task. `luck` is the same with and without growth.
TaskReport work_on(const StreamTask& task, const Read& read, double luck) {
  TaskReport report;
  const double chance = (read.aware ? kAware : kUnaware) - kBesideCost * static_cast<double>(read.beside);
  const bool success = luck < chance;
  const auto step = [&](std::string arguments, std::string output, bool failed) {
    ReportStep made;
    made.number = std::ssize(report.steps) + 1;
    made.agent = "main";
    made.tool = task.trap.tool;
    made.arguments = std::move(arguments);
    made.output = std::move(output);
    made.failed = failed;
    report.steps.push_back(std::move(made));
  };
  if (!read.aware) {
    step(R"({"for": ")" + task.text + "\"}", task.trap.error, true);
    step(R"({"for": ")" + task.text + R"(", "again": true})", task.trap.error + " (second attempt)", true);
  }
  if (success) step(R"({"for": ")" + task.text + R"(", "checked": true})", "ok, done: " + task.text, false);
  report.task = task.text;
  report.tool_calls = std::ssize(report.steps);
  report.output = success ? "Done: " + task.text : "It did not work: " + task.text;
  report.outcome = success ? Outcome::kSuccess : Outcome::kFailure;
  report.outcome_by = Witness::kVerifier;
  return report;
}

Result<std::string> prompt_for(Engine& engine, const Caller& caller, const SessionId& session, const StreamTask& task) {
  ContextRequest what;
  what.input = task.text;
  what.task.description = task.text;
  WEFT_TRY(const WovenContext woven, engine.session(caller, session).context(what));
  std::string text;
  for (const Message& message : woven.messages) text += message.content + "\n";
  return text;
}

// What a run's end does: the report is kept and looked at, rules and skills that stood in the prompt are counted.
Status learn_from(Engine& engine, const Caller& caller, TaskReport report) {
  const Growth growth = engine.growth(caller);
  WEFT_TRY(const auto rules, growth.rules_for(report.task));
  for (const Rule& rule : rules) report.rules.push_back(rule.id);
  WEFT_TRY(const auto skills, growth.match_skills(report.task));
  for (const SkillMatch& match : skills) report.skills.push_back(match.skill.skill_id);
  WEFT_TRY(const Reflection made, engine.hindsight(caller).reflect(report));
  (void)made;
  return growth.count_report(report);
}

double fraction(Draw& draw) {
  constexpr std::size_t kParts = 1'000'000;
  return static_cast<double>(draw.below(kParts)) / kParts;
}

Status play(const Config& base, const std::vector<StreamTask>& tasks, std::uint64_t seed, bool grows,
            StreamTally& tally) {
  const ScratchWorkspace folder;
  Config config = base;
  config.workspace = folder.path();
  config.evolution.learn = grows;
  const auto day = std::make_shared<StreamClock::Day>(0);
  EngineParts parts;
  parts.clock = std::make_unique<StreamClock>(day);
  WEFT_TRY(const auto engine, EngineImpl::open(config, std::move(parts)));
  if (engine->models().embedder() != nullptr)
    WEFT_CHECK(engine->models().wait_ready(Deadline::after(std::chrono::seconds(60))));
  WEFT_TRY(const Scope scope, Scope::of_user("worker"));
  const RequestContext caller{scope, {}, {}};
  Draw luck(seed);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    *day = static_cast<std::int64_t>(i);
    const SessionId session("task-" + std::to_string(i));
    WEFT_TRY(const std::string prompt, prompt_for(*engine, caller, session, tasks[i]));
    const Read read = read_prompt(prompt, tasks[i].trap);
    TaskReport report = work_on(tasks[i], read, fraction(luck));
    report.id = "report-" + std::to_string(i);
    report.session = session.str();
    report.owner = scope.key().str();
    const bool success = report.outcome == Outcome::kSuccess;
    (grows ? tally.with : tally.without) += success;
    if (grows) {
      ++tally.tasks;
      tally.told += read.aware;
      tally.beside += read.beside;
    }
    WEFT_CHECK(learn_from(*engine, caller, std::move(report)));
  }
  return {};
}

}  // namespace

Result<StreamsReport> play_streams(const Config& config, const StreamsPlan& plan) {
  Config own = config;
  own.models.clear();
  own.roles.clear();
  own.context.deadline_ms = kPatienceMs;
  StreamsReport report;
  for (const StreamKind kind : {StreamKind::kBuilding, StreamKind::kApart})
    for (const Language language : {Language::kEnglish, Language::kChinese}) {
      StreamTally& tally = report.kinds[std::string(kind == StreamKind::kBuilding ? "building" : "apart") +
                                        (language == Language::kChinese ? " zh" : " en")];
      for (std::int64_t stream = 0; stream < plan.streams; ++stream) {
        const auto seed = plan.seed * 1'000'003 + static_cast<std::uint64_t>(stream) * 7919;
        Draw draw(seed);
        const auto tasks = stream_tasks(kind, language, plan.tasks, draw);
        for (const bool grows : {false, true}) WEFT_CHECK(play(own, tasks, seed, grows, tally));
      }
    }
  return report;
}

std::string to_json(const StreamsReport& report) {
  nlohmann::ordered_json json;
  for (const auto& [kind, tally] : report.kinds)
    json[kind] = {{"tasks", tally.tasks},        {"without", tally.without}, {"with", tally.with},
                  {"gain_points", tally.gain()}, {"told", tally.told},       {"rules_beside", tally.beside}};
  return write_json(json);
}

}  // namespace weft
