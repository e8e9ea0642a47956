#include <cstdio>
#include <iostream>

#include "engine/engine_impl.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"
#include "text/utf8.h"

namespace weft::cli {
namespace {

constexpr std::size_t kMemoriesShown = 20;
constexpr std::size_t kPreview = 100;
constexpr std::chrono::seconds kDrainPatience{30};

/// One terminal chat: reads lines, answers commands that begin with "/", sends the rest to the model.
class Chat {
 public:
  Chat(EngineImpl& engine, RequestContext request, SessionId session)
      : engine_(engine),
        request_(std::move(request)),
        session_(std::move(session)),
        model_(engine.models().chat("main")) {}

  void run() {
    std::printf(
        "%sModel: %s. /save keeps the topic, /why shows the last context, /memory what is remembered, /quit ends.%s\n",
        style_.dim, model_ == nullptr ? "none; memories are shown instead of answers" : model_->name().c_str(),
        style_.plain);
    std::string line;
    while (std::printf("%s> %s", style_.bold, style_.plain), std::fflush(stdout), std::getline(std::cin, line)) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      if (line == "/quit" || line == "/exit") break;
      const Status done = take(line);
      if (!done.ok()) (void)report(done.error(), false);
    }
    std::puts("");
  }

 private:
  Status take(const std::string& line) {
    if (line == "/save") return save();
    if (line == "/memory") return show_memory();
    if (line == "/why") {
      print_report(last_report_);
      return {};
    }
    if (line.front() == '/') return invalid_argument("no command " + line, "/save, /why, /memory, /quit");
    return answer(line);
  }

  Status save() {
    WEFT_TRY(const auto done, engine_.save(request_, session_));
    WEFT_CHECK(engine_.drain(kDrainPatience));
    std::printf("%s%s%s\n", style_.dim, done.flushed.empty() ? "nothing to save" : "saved", style_.plain);
    return {};
  }

  Status show_memory() {
    for (const ItemKind kind : {ItemKind::kNarrative, ItemKind::kEvent}) {
      WEFT_TRY(auto items, engine_.items(request_, kind, 100'000));
      if (items.size() > kMemoriesShown) items.erase(items.begin(), items.end() - kMemoriesShown);
      for (const Item& item : items) {
        std::printf("%s%-9s%s %s\n", style_.blue, std::string(to_string(kind)).c_str(), style_.plain,
                    preview(item.text, kPreview).c_str());
      }
    }
    return {};
  }

  Status answer(const std::string& line) {
    Message user;
    user.content = line;
    WEFT_TRY(const auto observed, engine_.observe(request_, session_, std::span(&user, 1)));
    WEFT_TRY(const auto woven, engine_.context(request_, session_, {}));
    last_report_ = woven.report;
    if (model_ == nullptr) {
      show_recalled();
      return {};
    }
    ChatRequest call;
    call.messages = woven.messages;
    WEFT_TRY(auto reply, model_->complete(call, Deadline(), [](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
      return true;
    }));
    std::puts("");
    reply.message.id = {};
    WEFT_TRY(const auto kept, engine_.observe(request_, session_, std::span(&reply.message, 1)));
    return {};
  }

  void show_recalled() {
    bool any = false;
    for (const ReportSection& section : last_report_.sections) {
      if (section.name != "memory") continue;
      for (const ReportItem& item : section.items) {
        if (!item.kept) continue;
        any = true;
        std::printf("%s%-9s%s %s\n", style_.blue, item.source.c_str(), style_.plain, item.preview.c_str());
      }
    }
    if (!any) std::printf("%sno memory fits%s\n", style_.dim, style_.plain);
  }

  EngineImpl& engine_;
  RequestContext request_;
  SessionId session_;
  ChatModel* model_;
  Style style_ = style_of_stdout();
  ContextReport last_report_;
};

}  // namespace

int chat(const Globals& globals) {
  auto config = load(globals);
  if (!config.ok()) return report(config.error(), globals.json);
  auto engine = EngineImpl::open(*config);
  if (!engine.ok()) return report(engine.error(), globals.json);
  auto request = request_of(globals);
  if (!request.ok()) return report(request.error(), globals.json);
  wait_for_models(**engine);
  Chat(**engine, *request, SessionId(globals.session)).run();
  return kDone;
}

}  // namespace weft::cli
