#include <filesystem>

#include "base/clock.h"
#include "ports/files/file_system.h"
#include "surface/api/bodies.h"
#include "surface/api/lists.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"
#include "text/utf8.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kDrainPatience{60};
constexpr std::size_t kPreview = 100;

constexpr const char* kFirstConfig = R"(# Settings of this workspace; `weft settings` lists all with their meaning.
preset = "balanced"

# A chat model behind any OpenAI-compatible endpoint:
# [models.main]
# url = "http://127.0.0.1:8000/v1"
# model = "name-of-the-model"
# api_key_env = "OPENAI_API_KEY"
# [roles]
# main = "main"
)";

Status observe_history(const Globals& globals, Engine& engine, const RequestContext& request,
                       const SessionId& session) {
  WEFT_TRY(const std::string text, globals.console->read_all());
  WEFT_TRY(auto messages, parse_messages(text, message_limits(engine.config())));
  WEFT_CHECK(read_senders(messages));
  WEFT_TRY(const auto report, engine.session(request, session).sync(messages));
  globals.console->line(to_json(report));
  return {};
}

// One line in, one decision out, so that a program can feed a stream and read along.
Status observe_lines(const Globals& globals, Engine& engine, const RequestContext& request, const SessionId& session,
                     std::size_t& refused) {
  Globals as_json = globals;
  as_json.json = true;
  for (std::size_t number = 1;; ++number) {
    WEFT_TRY(const auto read, globals.console->read_line());
    if (!read) return {};
    const std::string& line = *read;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto messages = parse_message(line, message_limits(engine.config()));
    const Status named = messages.ok() ? read_senders(*messages) : Status(messages.error());
    auto done = named.ok() ? engine.session(request, session).observe(*messages) : Result<ObserveReport>(named.error());
    if (!done.ok()) {
      Error error = done.error();
      error.message = "line " + std::to_string(number) + ": " + error.message;
      (void)report(as_json, error);
      ++refused;
      continue;
    }
    globals.console->line(to_json(*done));
  }
}

Status print_hits(const Globals& globals, Engine& engine, const RequestContext& request, const SearchResult& result,
                  bool originals) {
  const Style style = style_of(*globals.console);
  if (result.hits.empty())
    globals.console->line("nothing found");
  else if (!result.known)
    globals.console->line("no memory clearly answers this; the closest ones:");
  for (const Hit& hit : result.hits) {
    globals.console->print("%s%6.3f%s  %s%-9s%s %s  %s\n", style.bold, hit.score, style.plain, style.dim,
                           std::string(to_string(hit.item.kind)).c_str(), style.plain,
                           format_time(hit.item.time).c_str(), preview(hit.item.text, kPreview).c_str());
    if (!originals) continue;
    WEFT_TRY(const auto messages, engine.memory(request).originals(hit.item.sources));
    for (const StoredMessage& message : messages) {
      // Clients number their messages from one in each session.
      if (!hit.item.session.empty() && message.session != hit.item.session) continue;
      globals.console->print("          %s%s%s: %s\n", style.dim, std::string(to_string(message.message.role)).c_str(),
                             style.plain, message.message.content.c_str());
    }
  }
  globals.console->print("%sby %s, recipe %s, %.1f ms%s\n", style.dim, to_string(result.by).data(),
                         result.recipe.c_str(), result.embed_ms + result.search_ms, style.plain);
  return {};
}

// "sender_id=ann" as a field of the filter.
Status add_filter(const std::string& word, EventFilter& filter) {
  const auto equals = word.find('=');
  if (equals == std::string::npos)
    return invalid_argument("--where " + word + " names no value", "write it as NAME=VALUE, such as sender_id=ann");
  const auto& fields = record<EventFilter>();
  const auto* field = fields.find(word.substr(0, equals));
  if (field == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& one : fields.fields()) known.push_back(one.name);
    return unknown_field("", word.substr(0, equals), known);
  }
  const std::string value = word.substr(equals + 1);
  const std::string json = field->kind == FieldKind::kFlag ? value : json_of_words(field->kind, {value});
  return fields.read_field(*field, json, field->name, filter);
}

Result<SearchBody> body_of(const SearchOptions& options) {
  WEFT_TRY(auto body, options.what.made());
  if (!options.where.empty()) body.where.emplace();
  for (const std::string& one : options.where) WEFT_CHECK(add_filter(one, *body.where));
  return body;
}

}  // namespace

int init(const Globals& globals) {
  const auto shown = std::filesystem::path(globals.workspace) / "weft.toml";
  const auto path = globals.console->path(shown);
  if (auto made = make_private_folder(path.parent_path()); !made.ok()) return report(globals, made.error());
  if (!std::filesystem::exists(path)) {
    if (auto written = write_file(path, kFirstConfig, true); !written.ok()) return report(globals, written.error());
  }
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    if (globals.json)
      globals.console->line(to_json(engine.status()));
    else
      globals.console->print("The workspace %s is ready. Its settings are in %s.\n", globals.workspace.c_str(),
                             shown.c_str());
    return {};
  });
}

int observe(const Globals& globals, bool history) {
  std::size_t refused = 0;
  const int code = with_engine(globals, [&](Engine& engine, RequestContext request) -> Status {
    wait_for_models(globals, engine);
    request.await_decisions = true;
    const SessionId session(globals.session);
    WEFT_CHECK(history ? observe_history(globals, engine, request, session)
                       : observe_lines(globals, engine, request, session, refused));
    finish(globals, engine);
    return {};
  });
  return code == kDone && refused > 0 ? kFailed : code;
}

int save(const Globals& globals) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(globals, engine);
    WEFT_TRY(const auto done, engine.session(request, SessionId(globals.session)).save());
    WEFT_CHECK(drain(globals, engine, kDrainPatience));
    if (globals.json)
      globals.console->line(to_json(done));
    else if (done.flushed.empty())
      globals.console->line("nothing to save");
    else
      globals.console->print("saved a topic of %zu blocks, %lld tokens\n", done.flushed[0].blocks,
                             static_cast<long long>(done.flushed[0].tokens));
    return {};
  });
}

int search(const Globals& globals, const SearchOptions& options) {
  const auto body = body_of(options);
  const auto what = body.ok() ? search_request(*body, SystemClock().now()) : Result<SearchRequest>(body.error());
  if (!what.ok()) {
    (void)report(globals, what.error());
    return kWrongUse;
  }
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(globals, engine);
    WEFT_TRY(auto result, engine.memory(request).search(*what));
    keep_wanted(*body, result);
    if (!globals.json) return print_hits(globals, engine, request, result, options.originals);
    globals.console->line(to_json(result));
    return {};
  });
}

int queue_status(const Globals& globals) {
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    const EngineStatus status = engine.status();
    if (globals.json)
      globals.console->line(to_json(status));
    else
      globals.console->print("pending %zu, processing %zu, failed %zu\n", status.queue.pending, status.queue.processing,
                             status.queue.failed);
    return {};
  });
}

int queue_list(const Globals& globals) {
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto jobs, engine.upkeep().jobs());
    if (globals.json) {
      globals.console->line(list_json(jobs));
      return {};
    }
    if (jobs.empty()) globals.console->line("no jobs");
    for (const JobInfo& job : jobs) {
      globals.console->print("%-10s %s  %s  attempts %d  %s\n", job.state.c_str(), job.created.c_str(),
                             job.id.str().c_str(), job.attempts, job.reason.c_str());
    }
    return {};
  });
}

int queue_retry(const Globals& globals, const std::string& job, bool all) {
  if (job.empty() != all) {
    (void)report(globals, invalid_argument("queue retry: name a job, or say --all"));
    return kWrongUse;
  }
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    if (all) {
      WEFT_TRY(const std::size_t count, engine.upkeep().retry_failed());
      if (!globals.json) globals.console->print("%zu jobs are tried again\n", count);
    } else {
      WEFT_CHECK(engine.upkeep().retry(JobId(job)));
    }
    WEFT_CHECK(drain(globals, engine, kDrainPatience));
    if (globals.json) globals.console->line(to_json(engine.status()));
    return {};
  });
}

}  // namespace weft::cli
