#include <nlohmann/json.hpp>

#include "engine/engine_impl.h"
#include "surface/api/lists.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"
#include "text/utf8.h"

namespace weft::cli {
namespace {

constexpr std::size_t kMemoriesShown = 20;
constexpr std::size_t kPreview = 100;
constexpr std::chrono::seconds kDrainPatience{30};

/// One chat: reads lines, answers commands that begin with "/", sends the rest to the model. With --json each line that
/// came in is answered by one object.
class Chat {
 public:
  Chat(const Globals& globals, EngineImpl& engine, RequestContext request)
      : globals_(globals),
        console_(*globals.console),
        engine_(engine),
        request_(std::move(request)),
        session_(globals.session),
        model_(engine.models().chat("main")),
        style_(style_of(console_)) {}

  Status run() {
    if (!globals_.json)
      console_.print(
          "%sModel: %s. /save keeps the topic, /why shows the last context, /memory what is remembered, /quit "
          "ends.%s\n",
          style_.dim, model_ == nullptr ? "none; memories are shown instead of answers" : model_->name().c_str(),
          style_.plain);
    for (;;) {
      WEFT_TRY(const auto read, console_.read_line(globals_.json ? "" : "> "));
      if (!read || *read == "/quit" || *read == "/exit") return {};
      if (read->find_first_not_of(" \t\r") == std::string::npos) continue;
      const Status done = take(*read);
      if (request_.cancel.stop_requested()) return cancelled("the chat has ended: nobody waits for it any more");
      if (!done.ok()) (void)report(globals_, done.error());
    }
  }

 private:
  Status take(const std::string& line) {
    if (line == "/save") return save();
    if (line == "/memory") return show_memory();
    if (line == "/why") {
      globals_.json ? console_.line(to_json(last_)) : print_report(console_, last_.report);
      return {};
    }
    if (line.front() == '/') return invalid_argument("no command " + line, "/save, /why, /memory, /quit");
    return answer(line);
  }

  Status save() {
    WEFT_TRY(const auto done, engine_.session(request_, session_).save());
    WEFT_CHECK(drain(globals_, engine_, kDrainPatience));
    if (globals_.json)
      console_.line(to_json(done));
    else
      console_.print("%s%s%s\n", style_.dim, done.flushed.empty() ? "nothing to save" : "saved", style_.plain);
    return {};
  }

  Status show_memory() {
    std::vector<Item> shown;
    for (const ItemKind kind : {ItemKind::kNarrative, ItemKind::kEvent}) {
      WEFT_TRY(const auto items, engine_.memory(request_).items(kind, 100'000));
      shown.insert(shown.end(), items.end() - static_cast<std::ptrdiff_t>(std::min(items.size(), kMemoriesShown)),
                   items.end());
    }
    if (globals_.json) {
      console_.line(list_json(shown));
      return {};
    }
    for (const Item& item : shown)
      console_.print("%s%-9s%s %s\n", style_.blue, std::string(to_string(item.kind)).c_str(), style_.plain,
                     preview(item.text, kPreview).c_str());
    return {};
  }

  Status answer(const std::string& line) {
    Message user;
    user.content = line;
    WEFT_TRY(const auto observed, engine_.session(request_, session_).observe(user));
    WEFT_TRY(last_, engine_.session(request_, session_).context());
    if (model_ == nullptr) {
      show_recalled();
      return {};
    }
    ChatRequest call;
    call.messages = last_.messages;
    WEFT_TRY(auto reply, model_->complete(call, Deadline({}, request_.cancel), [this](std::string_view text) {
      if (!globals_.json) {
        console_.write(text);
        console_.flush();
      }
      return !request_.cancel.stop_requested();
    }));
    globals_.json ? print_json({{"reply", reply.message.content}}) : console_.line("");
    reply.message.id = {};
    WEFT_TRY(const auto kept, engine_.session(request_, session_).observe(reply.message));
    return {};
  }

  void show_recalled() {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ReportSection& section : last_.report.sections) {
      if (section.name != "memory") continue;
      for (const ReportItem& item : section.items) {
        if (!item.kept) continue;
        list.push_back({{"source", item.source}, {"text", item.preview}});
        if (!globals_.json)
          console_.print("%s%-9s%s %s\n", style_.blue, item.source.c_str(), style_.plain, item.preview.c_str());
      }
    }
    if (!globals_.json && list.empty()) console_.print("%sno memory fits%s\n", style_.dim, style_.plain);
    if (globals_.json) print_json({{"memories", std::move(list)}});
  }

  void print_json(const nlohmann::ordered_json& value) {
    console_.line(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }

  const Globals& globals_;
  Console& console_;
  EngineImpl& engine_;
  RequestContext request_;
  SessionId session_;
  ChatModel* model_;
  Style style_;
  WovenContext last_;
};

}  // namespace

int chat(const Globals& globals) {
  return with_whole_engine(globals, [&](EngineImpl& engine, const RequestContext& request) -> Status {
    wait_for_models(globals, engine);
    return Chat(globals, engine, request).run();
  });
}

}  // namespace weft::cli
