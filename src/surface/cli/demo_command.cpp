#include <map>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "eval/data_files.h"
#include "eval/scratch_workspace.h"
#include "surface/api/lists.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"
#include "text/utf8.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kPreview = 72;

/// What a person is told, step by step.
class Story {
 public:
  explicit Story(Console& console) : console_(console), style_(style_of(console)) {}

  void model(const EngineStatus& status, double ms) {
    console_.print("%sWeft%s  embedder %s (%s), loaded in %.0f ms; chat model: %s\n\n", style_.bold, style_.plain,
                   status.embedder.c_str(), status.embedder_state.c_str(), ms, status.chat.c_str());
  }

  void chapter(const char* title) { console_.print("%s%s%s\n", style_.bold, title, style_.plain); }

  void flushed(const Flushed& topic) {
    console_.print("   %s── topic closed (%s): %zu blocks, %lld tokens%s\n", style_.yellow,
                   std::string(to_string(topic.reason)).c_str(), topic.blocks, static_cast<long long>(topic.tokens),
                   style_.plain);
  }

  void block(const Observation& seen, const std::string& question) {
    const Decision& decision = *seen.decision;
    const bool cut = decision.verdict != Verdict::kAdsorb;
    console_.print(" %s%-6s%s %-7s %s%s%s", style_.bold, seen.block.str().c_str(), style_.plain,
                   std::string(to_string(decision.verdict)).c_str(), cut ? style_.green : style_.dim,
                   preview(question, kPreview).c_str(), style_.plain);
    if (!decision.reasons.empty())
      console_.print("  %s%s %+.1f%s", style_.dim, decision.reasons[0].name.c_str(), decision.reasons[0].weight,
                     style_.plain);
    console_.line("");
  }

  void observed(std::size_t messages, double ms) {
    console_.print("   %s%zu messages in %.0f ms, %.1f ms each%s\n\n", style_.dim, messages, ms,
                   ms / static_cast<double>(messages), style_.plain);
  }

  void narrative(const Item& item) {
    const auto lines_end = item.text.find('\n', item.text.find('\n') + 1);
    const std::string title = item.text.substr(0, item.text.find('\n'));
    console_.print(" %s%s%s  %s\n", style_.green, format_date(item.time).c_str(), style_.plain, title.c_str());
    if (lines_end != std::string::npos)
      console_.print("   %s%s%s\n", style_.dim, preview(item.text.substr(lines_end + 1), 2 * kPreview).c_str(),
                     style_.plain);
  }

  void remembered(std::size_t topics, std::size_t events, double ms) {
    console_.print("   %s%zu topics and %zu events written and embedded, %.0f ms after the last message%s\n\n",
                   style_.dim, topics, events, ms, style_.plain);
  }

  void answer(const std::string& question, const ContextReport& report, double ms) {
    console_.print("\n %s? %s%s\n", style_.magenta, question.c_str(), style_.plain);
    for (const ReportSection& section : report.sections) {
      if (section.name != "memory") continue;
      for (const ReportItem& item : section.items) {
        if (item.kept)
          console_.print("   %s%-9s%s %s\n", style_.blue, item.source.c_str(), style_.plain,
                         preview(item.preview, kPreview).c_str());
      }
    }
    console_.print("   %s%lld tokens of %lld, %.1f ms:", style_.dim, static_cast<long long>(report.tokens),
                   static_cast<long long>(report.usable), ms);
    for (const auto& [name, took] : report.timings_ms) console_.print(" %s %.1f", name.c_str(), took);
    console_.print("%s\n", style_.plain);
  }

  void end() {
    console_.print(
        "\nNext: `weft init`, then `weft serve --upstream URL` and point your client at it, or `weft chat`.\n");
  }

 private:
  Console& console_;
  Style style_;
};

/// The demonstration. With --json nothing is told; one value at the end holds what was seen.
class Demo {
 public:
  Demo(const Globals& globals, Engine& engine, const RequestContext& request)
      : globals_(globals), engine_(engine), request_(request) {
    if (!globals.json) story_.emplace(*globals.console);
  }

  Status run() {
    Stopwatch clock;
    wait_for_models(globals_, engine_);
    if (story_) story_->model(engine_.status(), clock.ms());
    WEFT_CHECK(play());
    WEFT_CHECK(show_memories());
    WEFT_CHECK(ask());
    if (story_) {
      story_->end();
      return {};
    }
    seen_["status"] = Json::parse(to_json(engine_.status()));
    globals_.console->line(seen_.dump(-1, ' ', false, Json::error_handler_t::replace));
    return {};
  }

 private:
  void take(const ObserveReport& report, std::map<BlockId, std::string>& questions) {
    if (!story_) seen_["observed"].push_back(Json::parse(to_json(report)));
    if (!story_) return;
    for (const Flushed& topic : report.flushed) story_->flushed(topic);
    for (const Observation& seen : report.observations)
      if (seen.decision) story_->block(seen, questions[seen.block]);
  }

  Status play() {
    if (story_) story_->chapter("1. A conversation comes in: blocks form, topics are cut");
    const SessionId session("days-in-march");
    std::map<BlockId, std::string> questions;
    std::size_t messages = 0;
    Stopwatch clock;
    for (const Message& message : data_messages(data_file("demo/talk"), "demo/talk")) {
      WEFT_TRY(const auto report, engine_.session(request_, session).observe(message));
      ++messages;
      if (message.role == Role::kUser) questions[report.observations.front().block] = message.content;
      take(report, questions);
    }
    WEFT_TRY(const auto saved, engine_.session(request_, session).save());
    take({{}, saved.flushed}, questions);
    if (story_) story_->observed(messages, clock.ms());
    return {};
  }

  Status show_memories() {
    if (story_) story_->chapter("2. What is remembered");
    Stopwatch clock;
    WEFT_CHECK(drain(globals_, engine_, kPatience));
    const double ms = clock.ms();
    WEFT_TRY(const auto narratives, engine_.memory(request_).items(ItemKind::kNarrative, 100));
    WEFT_TRY(const auto events, engine_.memory(request_).items(ItemKind::kEvent, 1000));
    for (const Item& item : narratives) {
      if (story_) story_->narrative(item);
      seen_["memories"].push_back(Json::parse(to_json(item)));
    }
    if (story_) story_->remembered(narratives.size(), events.size(), ms);
    return {};
  }

  Status ask() {
    if (story_) story_->chapter("3. Two weeks later, in a new session: the context woven for three questions");
    for (const Message& question : data_messages(data_file("demo/questions"), "demo/questions")) {
      ContextRequest what;
      what.input = question.content;
      Stopwatch clock;
      WEFT_TRY(const auto woven, engine_.session(request_, SessionId("later")).context(what));
      if (story_) story_->answer(what.input, woven.report, clock.ms());
      seen_["questions"].push_back({{"input", what.input}, {"context", Json::parse(to_json(woven))}});
    }
    return {};
  }

  const Globals& globals_;
  Engine& engine_;
  const RequestContext& request_;
  std::optional<Story> story_;
  Json seen_ = {{"observed", Json::array()}, {"memories", Json::array()}, {"questions", Json::array()}};
};

}  // namespace

int demo(const Globals& globals) {
  const ScratchWorkspace folder;
  Globals own = globals;
  own.workspace = folder.path();
  return with_engine(own,
                     [&](Engine& engine, const RequestContext& request) { return Demo(own, engine, request).run(); });
}

}  // namespace weft::cli
