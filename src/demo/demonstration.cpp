#include "demo/demonstration.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "base/log.h"
#include "base/terminal_style.h"
#include "demo/data_files.h"
#include "model/records.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kPreview = 72;

/// What a person is told, step by step.
class Story {
 public:
  explicit Story(const Audience& audience) : audience_(audience), style_(terminal_style(audience.colours)) {}

  void model(const EngineStatus& status, double ms) {
    say("{}Weft{}  embedder {} ({}), loaded in {:.0f} ms; chat model: {}\n\n", style_.bold, style_.plain,
        status.embedder, status.embedder_state, ms, status.chat);
  }

  void chapter(std::string_view title) { say("{}{}{}\n", style_.bold, title, style_.plain); }

  void flushed(const Flushed& topic) {
    say("   {}── topic closed ({}): {} blocks, {} tokens{}\n", style_.yellow, to_string(topic.reason), topic.blocks,
        topic.tokens, style_.plain);
  }

  void block(const Observation& seen, const std::string& question) {
    const Decision& decision = *seen.decision;
    const bool cut = decision.verdict != Verdict::kAdsorb;
    say(" {}{:<6}{} {:<7} {}{}{}", style_.bold, seen.block.str(), style_.plain, to_string(decision.verdict),
        cut ? style_.green : style_.dim, preview(question, kPreview), style_.plain);
    if (!decision.reasons.empty())
      say("  {}{} {:+.1f}{}", style_.dim, decision.reasons[0].name, decision.reasons[0].weight, style_.plain);
    say("\n");
  }

  void observed(std::size_t messages, double ms) {
    say("   {}{} messages in {:.0f} ms, {:.1f} ms each{}\n\n", style_.dim, messages, ms,
        ms / static_cast<double>(messages), style_.plain);
  }

  void narrative(const Item& item) {
    const auto lines_end = item.text.find('\n', item.text.find('\n') + 1);
    const std::string title = item.text.substr(0, item.text.find('\n'));
    say(" {}{}{}  {}\n", style_.green, format_date(item.time), style_.plain, title);
    if (lines_end != std::string::npos)
      say("   {}{}{}\n", style_.dim, preview(item.text.substr(lines_end + 1), 2 * kPreview), style_.plain);
  }

  void remembered(std::size_t topics, std::size_t events, double ms) {
    say("   {}{} topics and {} events written and embedded, {:.0f} ms after the last message{}\n\n", style_.dim, topics,
        events, ms, style_.plain);
  }

  void answer(const std::string& question, const ContextReport& report, double ms) {
    say("\n {}? {}{}\n", style_.magenta, question, style_.plain);
    for (const ReportSection& section : report.sections) {
      if (section.name != "memory") continue;
      for (const ReportItem& item : section.items)
        if (item.kept)
          say("   {}{:<9}{} {}\n", style_.blue, item.source, style_.plain, preview(item.preview, kPreview));
    }
    say("   {}{} tokens of {}, {:.1f} ms:", style_.dim, report.tokens, report.usable, ms);
    for (const auto& [name, took] : report.timings_ms) say(" {} {:.1f}", name, took);
    say("{}\n", style_.plain);
  }

  void end() {
    say("\nNext: `weft init`, then `weft serve --upstream URL` and point your client at it, or `weft chat`.\n");
  }

 private:
  template <class... Parts>
  void say(fmt::format_string<Parts...> format, Parts&&... parts) {
    audience_.write(fmt::format(format, std::forward<Parts>(parts)...));
  }

  const Audience& audience_;
  const TerminalStyle style_;
};

/// The demonstration. As JSON nothing is told before the end.
class Demo {
 public:
  Demo(Engine& engine, const RequestContext& request, const Audience& audience)
      : engine_(engine), request_(request), audience_(audience) {
    if (!audience.json) story_.emplace(audience);
  }

  Status run() {
    Stopwatch clock;
    // A model that does not come leaves the words: the story says so.
    if (const Status ready = engine_.wait_ready(kPatience); !ready.ok()) log_warning("embedder", ready.error().message);
    if (story_) story_->model(engine_.status(), clock.ms());
    WEFT_CHECK(play());
    WEFT_CHECK(show_memories());
    WEFT_CHECK(ask());
    if (story_) {
      story_->end();
      return {};
    }
    seen_["status"] = Json::parse(to_json(engine_.status()));
    audience_.write(write_json(seen_) + "\n");
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
    RequestContext request = request_;
    request.await_decisions = true;
    Stopwatch clock;
    for (const Message& message : data_messages(data_file("demo/talk"), "demo/talk")) {
      WEFT_TRY(const auto report, engine_.session(request, session).observe(message));
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
    WEFT_CHECK(engine_.drain(kPatience));
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
    if (story_) story_->chapter("3. Two weeks later, in a new session: the context woven for six questions");
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

  Engine& engine_;
  const RequestContext& request_;
  const Audience& audience_;
  std::optional<Story> story_;
  Json seen_ = {{"observed", Json::array()}, {"memories", Json::array()}, {"questions", Json::array()}};
};

}  // namespace

Status demonstrate(Engine& engine, const RequestContext& request, const Audience& audience) {
  return Demo(engine, request, audience).run();
}

}  // namespace weft
