#include <nlohmann/json.hpp>

#include <set>

#include "base/prompts.h"
#include "engine/engine_impl.h"
#include "model/records.h"
#include "ports/files/end_summaries.h"
#include "ports/files/file_system.h"
#include "surface/api/bodies.h"
#include "surface/api/operation.h"
#include "surface/api/tools.h"
#include "surface/cli/commands.h"
#include "surface/cli/output.h"
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

namespace {

// The options of the command line stand over what the file says.
Result<ContextRequest> context_request_of(Console& console, const Config& config, const ContextOptions& options) {
  std::string body;
  if (options.request == "-") {
    WEFT_TRY(body, console.read_all());
  } else if (!options.request.empty()) {
    WEFT_TRY(body, read_file(console.path(options.request)));
  }
  WEFT_TRY(auto what, BodyForm<ContextRequest>::read(body, config));
  WEFT_CHECK(options.what.apply(what));
  if (what.input.empty() && what.history.empty())
    return invalid_argument("context: nothing to answer", "give the user's message, or --request with \"messages\"");
  return what;
}

void print(Console& console, const WovenContext& woven, bool skein, bool explain) {
  if (!woven.answer.empty())
    console.print("%s\n", woven.answer.c_str());
  else if (explain)
    print_report(console, woven.report);
  else if (skein)
    console.print("%s\n", woven.skein.c_str());
  else
    print_messages(console, woven.messages);
}

}  // namespace

int context(const Globals& globals, const ContextOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const auto what, context_request_of(*globals.console, engine.config(), options));
    wait_for_models(globals, engine);
    WEFT_TRY(const auto woven, engine.session(request, SessionId(globals.session)).context(what));
    if (globals.json)
      globals.console->line(to_json(woven, what.full));
    else
      print(*globals.console, woven, what.skein, options.explain);
    return {};
  });
}

// What a session works on, for people.

namespace {

void print_list(Console& console, const char* name, const std::vector<std::string>& entries) {
  for (const std::string& one : entries) console.print("%-11s %s\n", name, one.c_str());
}

void print_task(Console& console, const SessionTask& task) {
  if (task.empty()) {
    console.line("no task");
    return;
  }
  console.print("%s\n", task.state.description.c_str());
  if (!task.state.type.empty()) console.print("%-11s %s\n", "type", task.state.type.c_str());
  print_list(console, "done", task.state.done);
  if (!task.state.current.empty()) console.print("%-11s %s\n", "current", task.state.current.c_str());
  print_list(console, "remaining", task.state.remaining);
  print_list(console, "constraint", task.state.constraints);
  print_list(console, "warning", task.state.warnings);
  for (const Preference& one : task.preferences)
    console.print("%-11s %s (%.2f)\n", "preference", one.text.c_str(), one.confidence);
  console.print("%-11s %s\n", "since", task.since.c_str());
}

}  // namespace

int task(const Globals& globals, const TaskOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    const SessionId session(globals.session);
    if (options.what == "end") {
      WEFT_TRY(const bool ended, engine.session(request, session).end_task());
      if (globals.json)
        globals.console->line(ended ? R"({"ended":true})" : R"({"ended":false})");
      else
        globals.console->line(ended ? "ended" : "no task");
      return {};
    }
    if (options.what == "set") {
      WEFT_TRY(const auto given, options.task.made());
      WEFT_CHECK(engine.session(request, session).set_task(given));
    }
    WEFT_TRY(const auto known, engine.session(request, session).task());
    if (globals.json)
      globals.console->line("{\"task\":" + (known.empty() ? "null" : to_json(known)) + "}");
    else
      print_task(*globals.console, known);
    return {};
  });
}

// weft prompt: the texts that are shipped for models, to be put into one's own system prompt.

namespace {

using Json = nlohmann::ordered_json;

std::string names_of_prompts() {
  std::set<std::string> names;
  for (unsigned i = 0; i < prompt_file_count; ++i) {
    const std::string_view id = prompt_file_list[i].id;
    names.emplace(id.substr(id.find('/') + 1));
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace

int prompt(const Globals& globals, const std::string& name, const std::string& language) {
  const Prompt found = shipped_prompt(name, language);
  if (found.text.empty())
    return report(globals, not_found("there is no prompt \"" + name + "\"", "there are " + names_of_prompts()));
  if (globals.json)
    globals.console->line(Json{{"id", found.id}, {"text", found.text}}.dump());
  else
    globals.console->line(found.text);
  return kDone;
}

// Commands of the cognitive memory: ends of turns, tools, migration; and of the queue, which they fill.

namespace {

constexpr std::chrono::seconds kMigrationPatience{60};

struct MigrationCount {
  std::size_t queued = 0, known = 0;
};

// An entry keeps its id whatever stands around it, so that a second run finds it done.
Result<bool> migrate_entry(Engine& engine, const Globals& globals, const EndSummary& entry) {
  Globals own = globals;
  // What was done in a group was not said by whoever migrates it.
  if (!entry.group_id.empty()) own.user = Globals().user;
  if (!entry.group_id.empty()) own.group = entry.group_id;
  if (!entry.user_id.empty()) own.user = entry.user_id;
  WEFT_TRY(const auto request, request_of(own));
  WEFT_TRY(const auto report,
           engine.memory(request).import_summary(
               entry.summary, entry.has_time ? std::optional<Time>(entry.time) : std::nullopt, entry.place));
  return report.queued;
}

Status run_migration(Engine& engine, const Globals& globals, const MigrateOptions& options) {
  WEFT_TRY(const std::string text, read_file(globals.console->path(options.file)));
  ReadSummaries read = read_summaries(text);
  MigrationCount count;
  for (const auto& [place, entry] : read.entries) {
    const auto done = migrate_entry(engine, globals, entry);
    if (!done.ok()) {
      if (done.error().code != ErrorCode::kInvalidArgument && done.error().code != ErrorCode::kTooLarge)
        return done.error();
      read.skipped.push_back({place, done.error().message});
      continue;
    }
    ++(*done ? count.queued : count.known);
    if ((count.queued + count.known) % 1000 == 0)
      globals.console->complain("%zu of %zu\n", count.queued + count.known, read.entries.size());
  }
  WEFT_CHECK(drain(globals, engine, std::chrono::minutes(60)));
  if (globals.json) {
    std::string skipped;
    for (const SkippedSummary& one : read.skipped)
      skipped +=
          (skipped.empty() ? "" : ",") + ("{\"place\":" + std::to_string(one.place)) + ",\"why\":\"" + one.why + "\"}";
    globals.console->line("{\"written\":" + std::to_string(count.queued) + ",\"known\":" + std::to_string(count.known) +
                          ",\"skipped\":[" + skipped + "]}");
    return {};
  }
  globals.console->print("%zu summaries became events, %zu were there already, %zu were skipped\n", count.queued,
                         count.known, read.skipped.size());
  for (const SkippedSummary& one : read.skipped)
    globals.console->print("  entry %zu: %s\n", one.place, one.why.c_str());
  return {};
}

}  // namespace

int end(const Globals& globals, const Words<EndRequest>& given) {
  const auto made = given.made();
  if (!made.ok()) return report(globals, made.error());
  const EndRequest& what = *made;
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const auto done, engine.session(request, SessionId(globals.session)).end(what));
    WEFT_CHECK(drain(globals, engine, kMigrationPatience));
    if (globals.json) {
      globals.console->line(to_json(done));
      return {};
    }
    for (const std::string& notice : done.notices) globals.console->complain("weft: %s\n", notice.c_str());
    globals.console->line(done.queued ? ("kept as event " + done.event_id).c_str() : "nothing to keep");
    return {};
  });
}

int tool(const Globals& globals, const std::string& name, const std::string& arguments) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(globals, engine);
    WEFT_TRY(const auto answer, call_tool({engine, request, SessionId(globals.session), Access{}}, name, arguments));
    globals.console->line(answer);
    return drain(globals, engine, kMigrationPatience);
  });
}

int migrate(const Globals& globals, const MigrateOptions& options) {
  return with_engine(globals,
                     [&](Engine& engine, const RequestContext&) { return run_migration(engine, globals, options); });
}

int queue_show(const Globals& globals, const std::string& job) {
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto jobs, engine.upkeep().jobs());
    for (const JobInfo& one : jobs) {
      if (one.id.str() != job) continue;
      if (globals.json) {
        globals.console->line(list_json(std::span<const JobInfo>(&one, 1)));
        return {};
      }
      globals.console->print("%s\nkind %s, %s since %s, %d attempts%s\n%s\n", one.id.str().c_str(), one.kind.c_str(),
                             one.state.c_str(), one.created.c_str(), one.attempts,
                             one.reason.empty() ? "" : (", because " + one.reason).c_str(), one.payload.c_str());
      return {};
    }
    return not_found("no job " + job, "`weft queue list` lists the jobs");
  });
}

int queue_purge(const Globals& globals, const std::string& job, bool all) {
  if (job.empty() && !all) {
    (void)report(globals, invalid_argument("queue purge: name a job, or say --all"));
    return kWrongUse;
  }
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto gone, engine.upkeep().purge_failed(JobId(all ? "" : job)));
    if (globals.json)
      globals.console->line("{\"purged\":" + std::to_string(gone) + "}");
    else
      globals.console->print("%zu failed jobs are gone\n", gone);
    return {};
  });
}

}  // namespace weft::cli
