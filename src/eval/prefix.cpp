#include "eval/prefix.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "demo/data_files.h"
#include "engine/engine_impl.h"
#include "text/json.h"
#include "weft/engine.h"

namespace weft {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct Mean {
  double sum = 0;
  std::size_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

// A small story around each trace: what stands, what is called up by its words, and what changes with every turn.
constexpr const char* kStoryLore =
    R"([{"id":"law","title":"Law","text":"Nobody can be in two places at once.","constant":true},
{"id":"day","title":"Day","text":"A day has twenty hours here.","keys":["today","tomorrow","day","今天","明天"]},
{"id":"work","title":"Work","text":"Who works is paid on the spot.","keys":["work","job","工作"]},
{"id":"home","title":"Home","text":"Doors are never locked.","keys":["home","house","door","家"]}])";
constexpr const char* kStoryState =
    R"({"turn":0,"player":{"id":"player","name":"Kai","hp":{"value":40,"max":50}},"bag":[{"id":"rope","name":"Rope","count":1}]})";
constexpr const char* kStoryQuests =
    R"([{"id":"q","title":"The long road","objective":"Reach the sea.","status":"in_progress"}])";

/// Plain prompts or planned ones.
class PrefixEvaluation {
 public:
  PrefixEvaluation(Engine& engine, bool planned) : engine_(engine), planned_(planned) {}

  Status run_file(const std::string& path) {
    std::ifstream in(path);
    if (!in) return not_found("eval prefix: cannot read " + path);
    const std::string set = std::filesystem::path(path).stem().string();
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.empty()) continue;
      if (const Status done = run_trace(set, line, number); !done.ok())
        return invalid_argument(path + ":" + std::to_string(number) + ": " + done.error().message);
    }
    return {};
  }

  OrderedJson report() {
    OrderedJson json{{"traces", traces_}, {"prompts", times_.size()}, {"kept", all_.value()}};
    for (const auto& [set, mean] : by_set_) json["by_set"][set] = mean.value();
    json["breaks"] = OrderedJson::object();
    for (const auto& [section, count] : breaks_) json["breaks"][section] = count;
    std::sort(times_.begin(), times_.end());
    if (!times_.empty())
      json["context_ms"] = {{"p50", times_[times_.size() / 2]}, {"p95", times_[times_.size() * 95 / 100]}};
    return json;
  }

 private:
  Status run_trace(const std::string& set, const std::string& line, std::size_t number) {
    WEFT_CHECK(check_json(line, {.max_bytes = line.size()}, "the trace"));
    WEFT_TRY(const auto messages, parse_messages(json_member(line, "messages")));
    const SessionId session((planned_ ? "planned-" : "") + set + "-" + std::to_string(number));
    // Each run is somebody else's, so that none remembers another.
    WEFT_TRY(auto scope, Scope::private_of(UserId(session.str())));
    const RequestContext request{std::move(scope), {}, {}};
    ++traces_;
    if (planned_) WEFT_CHECK(begin_story(request));
    for (std::size_t i = 1; i < messages.size(); ++i) {
      if (messages[i].role != Role::kAssistant || messages[i - 1].role == Role::kAssistant) continue;
      WEFT_CHECK(weave(request, session, set, std::span(messages).first(i)));
    }
    return {};
  }

  Status begin_story(const RequestContext& request) {
    WEFT_TRY(const auto state, engine_.state(request, "default").put_json(kStoryState, "game"));
    WEFT_TRY(const auto lore, engine_.story(request).import_lore(kStoryLore, "story.json"));
    WEFT_TRY(const auto quests, engine_.story(request).import_quests(kStoryQuests, "story.json"));
    static_cast<void>(state.version + static_cast<std::int64_t>(lore.imported + quests.size()));
    return {};
  }

  Status weave(const RequestContext& request, const SessionId& session, const std::string& set,
               std::span<const Message> history) {
    WEFT_TRY(const auto synced, engine_.session(request, session).sync(history));
    static_cast<void>(synced);
    ContextRequest what;
    what.history.assign(history.begin(), history.end());
    what.planned = planned_;
    if (planned_) {
      WEFT_TRY(const auto turned, engine_.state(request, "default").apply({R"(["ADD","turn",1])", "game", {}, "", ""}));
      static_cast<void>(turned);
    }
    const Stopwatch clock;
    WEFT_TRY(const auto woven, engine_.session(request, session).context(what));
    if (!woven.answer.empty()) return {};  // a change of numbers: nothing was woven
    times_.push_back(clock.ms());
    const ContextReport& report = woven.report;
    if (report.last_prompt_bytes == 0) return {};
    const double kept = static_cast<double>(report.prefix_equal_bytes) / static_cast<double>(report.last_prompt_bytes);
    all_.add(kept);
    by_set_[set].add(kept);
    if (!report.prefix_break.empty()) ++breaks_[report.prefix_break];
    return {};
  }

  Engine& engine_;
  const bool planned_;
  std::size_t traces_ = 0;
  Mean all_;
  std::map<std::string, Mean> by_set_;
  std::map<std::string, std::size_t> breaks_;
  std::vector<double> times_;
};

}  // namespace

Result<std::string> run_eval_prefix(const Config& config, const std::vector<std::string>& files) {
  const ScratchWorkspace workspace;
  Config own = config;
  own.workspace = workspace.path();
  own.store.clear();
  WEFT_TRY(const auto engine, EngineImpl::open(own));
  WEFT_CHECK(engine->wait_ready(std::chrono::seconds(60)));
  PrefixEvaluation plain(*engine, false), planned(*engine, true);
  for (const std::string& file : files) {
    WEFT_CHECK(plain.run_file(file));
    WEFT_CHECK(planned.run_file(file));
  }
  OrderedJson report = plain.report();
  report["planned"] = planned.report();
  return write_json(report);
}

}  // namespace weft
