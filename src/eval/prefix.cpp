#include "eval/prefix.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "eval/scratch_workspace.h"
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

class PrefixEvaluation {
 public:
  explicit PrefixEvaluation(Engine& engine) : engine_(engine) {}

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

  std::string report() {
    OrderedJson json{{"traces", traces_}, {"prompts", times_.size()}, {"kept", all_.value()}};
    for (const auto& [set, mean] : by_set_) json["by_set"][set] = mean.value();
    json["breaks"] = OrderedJson::object();
    for (const auto& [section, count] : breaks_) json["breaks"][section] = count;
    std::sort(times_.begin(), times_.end());
    if (!times_.empty())
      json["context_ms"] = {{"p50", times_[times_.size() / 2]}, {"p95", times_[times_.size() * 95 / 100]}};
    return write_json(json);
  }

 private:
  Status run_trace(const std::string& set, const std::string& line, std::size_t number) {
    WEFT_CHECK(check_json(line, {.max_bytes = line.size()}, "the trace"));
    WEFT_TRY(const auto messages, parse_messages(json_member(line, "messages")));
    const SessionId session(set + "-" + std::to_string(number));
    // Each run is somebody else's, so that none remembers another.
    WEFT_TRY(auto scope, Scope::private_of(UserId(session.str())));
    const RequestContext request{std::move(scope), {}, {}};
    ++traces_;
    for (std::size_t i = 1; i < messages.size(); ++i) {
      if (messages[i].role != Role::kAssistant || messages[i - 1].role == Role::kAssistant) continue;
      WEFT_CHECK(weave(request, session, set, std::span(messages).first(i)));
    }
    return {};
  }

  Status weave(const RequestContext& request, const SessionId& session, const std::string& set,
               std::span<const Message> history) {
    WEFT_TRY(const auto synced, engine_.sync(request, session, history));
    static_cast<void>(synced);
    ContextRequest what;
    what.history.assign(history.begin(), history.end());
    const Stopwatch clock;
    WEFT_TRY(const auto woven, engine_.context(request, session, what));
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
  WEFT_TRY(const auto engine, Engine::open(own));
  WEFT_CHECK(engine->wait_ready(std::chrono::seconds(60)));
  PrefixEvaluation evaluation(*engine);
  for (const std::string& file : files) WEFT_CHECK(evaluation.run_file(file));
  return evaluation.report();
}

}  // namespace weft
