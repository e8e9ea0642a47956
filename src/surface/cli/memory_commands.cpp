#include <cstdio>
#include <fstream>
#include <iostream>

#include "base/clock.h"
#include "ports/files/file.h"
#include "surface/api/json.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"
#include "text/time_bounds.h"
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

Status observe_history(Engine& engine, const RequestContext& request, const SessionId& session) {
  const std::string text((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  WEFT_TRY(const auto messages, parse_messages(text, message_limits(engine.config())));
  WEFT_TRY(const auto report, engine.sync(request, session, messages));
  print_line(to_json(report));
  return {};
}

// One line in, one decision out, so that a program can feed a stream and read along.
Status observe_lines(Engine& engine, const RequestContext& request, const SessionId& session, std::size_t& refused) {
  std::string line;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto messages = parse_message(line, message_limits(engine.config()));
    auto done = messages.ok() ? engine.observe(request, session, *messages) : Result<ObserveReport>(messages.error());
    if (!done.ok()) {
      Error error = done.error();
      error.message = "line " + std::to_string(number) + ": " + error.message;
      (void)report(error, true);
      ++refused;
      continue;
    }
    print_line(to_json(*done));
  }
  return {};
}

Status print_hits(Engine& engine, const RequestContext& request, const SearchResult& result, bool originals) {
  const Style style = style_of_stdout();
  if (result.hits.empty())
    std::puts("nothing found");
  else if (!result.known)
    std::puts("nothing relevant is remembered");
  for (const Hit& hit : result.hits) {
    std::printf("%s%6.3f%s  %s%-9s%s %s  %s\n", style.bold, hit.score, style.plain, style.dim,
                std::string(to_string(hit.item.kind)).c_str(), style.plain, format_time(hit.item.time).c_str(),
                preview(hit.item.text, kPreview).c_str());
    if (!originals) continue;
    WEFT_TRY(const auto messages, engine.originals(request, hit.item.sources));
    for (const StoredMessage& message : messages) {
      std::printf("          %s%s%s: %s\n", style.dim, std::string(to_string(message.message.role)).c_str(),
                  style.plain, message.message.content.c_str());
    }
  }
  std::printf("%sby %s, recipe %s, %.1f ms%s\n", style.dim, result.by.c_str(), result.recipe.c_str(),
              result.embed_ms + result.search_ms, style.plain);
  return {};
}

Result<SearchRequest> search_request(const SearchOptions& options) {
  SearchRequest request;
  request.query = options.query;
  request.top_k = static_cast<std::size_t>(options.top_k);
  request.recipe = options.recipe;
  for (const std::string& name : options.kinds) {
    const auto kind = parse_item_kind(name);
    if (!kind)
      return invalid_argument("--kind " + name + " is no kind of item", "use message, event, narrative or profile");
    request.kinds.push_back(*kind);
  }
  const Time now = SystemClock().now();
  WEFT_TRY(const auto span, read_time_span(options.from, options.to, now));
  request.from = span.from;
  request.to = span.to;
  if (!options.as_of.empty()) {
    WEFT_TRY(const auto moment, read_time_bounds(options.as_of, now));
    request.as_of = moment.to ? moment.to : moment.from;
  }
  return request;
}

}  // namespace

int init(const Globals& globals) {
  const auto path = std::filesystem::path(globals.workspace) / "weft.toml";
  if (auto made = make_folder(globals.workspace); !made.ok()) return report(made.error(), globals.json);
  if (!std::filesystem::exists(path)) {
    if (auto written = write_file(path, kFirstConfig, true); !written.ok())
      return report(written.error(), globals.json);
  }
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    if (globals.json)
      print_line(to_json(engine.status()));
    else
      std::printf("The workspace %s is ready. Its settings are in %s.\n", globals.workspace.c_str(), path.c_str());
    return {};
  });
}

int observe(const Globals& globals, bool history) {
  std::size_t refused = 0;
  const int code = with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(engine);
    const SessionId session(globals.session);
    return history ? observe_history(engine, request, session) : observe_lines(engine, request, session, refused);
  });
  return code == kDone && refused > 0 ? kFailed : code;
}

int save(const Globals& globals) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(engine);
    WEFT_TRY(const auto done, engine.save(request, SessionId(globals.session)));
    WEFT_CHECK(engine.drain(kDrainPatience));
    if (globals.json)
      print_line(to_json(done));
    else if (done.flushed.empty())
      std::puts("nothing to save");
    else
      std::printf("saved a topic of %zu blocks, %lld tokens\n", done.flushed[0].blocks,
                  static_cast<long long>(done.flushed[0].tokens));
    return {};
  });
}

int search(const Globals& globals, const SearchOptions& options) {
  auto what = search_request(options);
  if (!what.ok()) {
    (void)report(what.error(), globals.json);
    return kWrongUse;
  }
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(engine);
    WEFT_TRY(const auto result, engine.search(request, *what));
    if (!globals.json) return print_hits(engine, request, result, options.originals);
    print_line(to_json(result));
    return {};
  });
}

int queue_status(const Globals& globals) {
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    const EngineStatus status = engine.status();
    if (globals.json)
      print_line(to_json(status));
    else
      std::printf("pending %zu, processing %zu, failed %zu\n", status.queue.pending, status.queue.processing,
                  status.queue.failed);
    return {};
  });
}

int queue_list(const Globals& globals) {
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto jobs, engine.jobs());
    if (globals.json) {
      print_line(to_json(std::span(jobs)));
      return {};
    }
    if (jobs.empty()) std::puts("no jobs");
    for (const JobInfo& job : jobs) {
      std::printf("%-10s %s  %s  attempts %d  %s\n", job.state.c_str(), job.created.c_str(), job.id.str().c_str(),
                  job.attempts, job.reason.c_str());
    }
    return {};
  });
}

int queue_retry(const Globals& globals, const std::string& job) {
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_CHECK(engine.retry(JobId(job)));
    return engine.drain(kDrainPatience);
  });
}

}  // namespace weft::cli
