#include "eval/streams.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/strings.h"
#include "demo/data_files.h"
#include "engine/engine_impl.h"
#include "text/json.h"

namespace weft {
namespace {

using Both = std::array<std::string_view, 2>;  // by Language

// A kind of catch: what tools say, and the words of what helps.
struct CatchKind {
  std::string_view error;
  std::array<std::array<std::string_view, 2>, 2> heeds;  // by Language
};
constexpr CatchKind kCatches[] = {
    {"error: no such entry, the name was not found", {{{"Look up", "exact"}, {"查", "准确"}}}},
    {"error: invalid argument, field has the wrong type", {{{"arguments", "takes"}, {"参数", "接受"}}}},
    {"error: timed out, the result is too large", {{{"smaller", "limit"}, {"拆", "限制"}}}},
};

struct Work {
  std::string_view tool;
  Both what;  // {} is the object
};
constexpr Work kWorks[] = {
    {"fetch_invoice", {"Send the unpaid invoice to {}", "把未付的发票寄给{}"}},
    {"book_room", {"Reserve a meeting room for {}", "给{}订一间会议室"}},
    {"query_orders", {"Report which orders of {} are late", "汇报{}有哪些订单延误了"}},
    {"update_contact", {"Change the phone number of {}", "修改{}的电话号码"}},
    {"export_sales", {"Export the sales figures of {}", "导出{}的销售数据"}},
    {"print_label", {"Print a shipping label for {}", "为{}打印快递面单"}},
    {"check_stock", {"Find out whether the spare parts for {} are in store", "看看{}的备件有没有库存"}},
    {"plan_tour", {"Plan the delivery tour to {}", "安排送货到{}的路线"}},
    {"sign_contract", {"Prepare the contract with {} for signing", "准备与{}签的合同"}},
    {"count_visitors", {"Count the visitors of the page of {}", "统计{}网页的访客"}},
    {"renew_licence", {"Renew the software licence of {}", "续期{}的软件许可"}},
    {"grade_essay", {"Grade the essay by {}", "批改{}的作文"}},
    {"mix_paint", {"Mix the colour that {} wants", "调出{}想要的颜色"}},
    {"read_meter", {"Read the electricity meter of {}", "读取{}的电表"}},
    {"translate_menu", {"Translate the menu for {}", "为{}翻译菜单"}},
    {"trace_parcel", {"Find the parcel of {}", "查找{}的包裹"}},
    {"tune_engine", {"Adjust the engine of the boat of {}", "调校{}的船用发动机"}},
    {"water_garden", {"Water the garden of {}", "给{}的花园浇水"}},
    {"scan_photo", {"Scan the old photographs of {}", "扫描{}的老照片"}},
    {"rent_bike", {"Rent a bicycle for {}", "为{}租一辆自行车"}},
    {"test_alarm", {"Test the fire alarm of {}", "测试{}的火警"}},
    {"draw_map", {"Draw a map of the estate of {}", "绘制{}的地块图"}},
    {"bake_cake", {"Order a birthday cake for {}", "为{}订生日蛋糕"}},
    {"file_claim", {"File the insurance claim of {}", "提交{}的保险理赔"}},
    {"clean_pool", {"Have the pool of {} cleaned", "请人清洗{}的泳池"}},
    {"tag_music", {"Sort the music collection of {}", "整理{}的音乐收藏"}},
    {"weigh_cargo", {"Weigh the cargo of {}", "给{}的货物称重"}},
    {"sell_ticket", {"Sell two tickets to {}", "卖两张票给{}"}},
    {"patch_server", {"Install the updates on the server of {}", "给{}的服务器装更新"}},
    {"feed_fish", {"Feed the fish of {}", "喂{}的鱼"}},
};
constexpr Both kObjects[] = {
    {"Miller", "王明"},
    {"the Oslo branch", "上海分部"},
    {"Garcia", "李华"},
    {"team four", "四组"},
    {"Harbour Ltd", "海港公司"},
    {"Okafor", "赵强"},
    {"the library", "图书馆"},
    {"Novak", "陈静"},
    {"the north site", "北区工地"},
    {"Dubois", "刘洋"},
    {"Sunrise Inc", "朝阳公司"},
    {"the clinic", "诊所"},
};

std::string with_object(std::string_view text, std::string_view object) {
  std::string made(text);
  return made.replace(made.find("{}"), 2, object);
}

}  // namespace

std::vector<StreamTask> stream_tasks(StreamKind kind, Language language, std::int64_t count, Draw& draw) {
  const auto at = static_cast<std::size_t>(language);
  const std::span works(kWorks);
  const std::size_t first = draw.below(works.size()), first_catch = draw.below(std::size(kCatches));
  std::vector<StreamTask> tasks;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::size_t>(i);
    const std::size_t step = kind == StreamKind::kBuilding ? 0 : number;
    const Work& work = works[(first + step) % works.size()];
    const CatchKind& trap = kCatches[(first_catch + step) % std::size(kCatches)];
    StreamTask task;
    // One after the other: within one expression each compiler draws in an order of its own.
    const std::string_view object = kObjects[draw.below(std::size(kObjects))][at];
    const std::string order = std::to_string(draw.between(1000, 9999));
    task.text = with_object(work.what[at], object) + (language == Language::kChinese ? "，单号" : ", number ") + order;
    task.trap.tool = work.tool;
    task.trap.error = trap.error;
    for (const std::string_view word : trap.heeds[at]) task.trap.heeds.emplace_back(word);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

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
