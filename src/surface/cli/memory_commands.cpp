#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "base/clock.h"
#include "base/strings.h"
#include "ports/files/file_system.h"
#include "surface/api/bodies.h"
#include "surface/api/operation.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/console.h"
#include "surface/cli/output.h"
#include "surface/imports/foreign_chats.h"
#include "text/line_diff.h"
#include "text/plain_words.h"
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

// MEMORY.md and days, for people.

namespace {

int show_knowledge(const Globals& globals) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const KnowledgeFile file, engine.memory(request).knowledge());
    if (globals.json)
      globals.console->line(to_json(file));
    else
      globals.console->write(file.text.empty() ? "MEMORY.md is empty; it is " + file.path + "\n" : file.text);
    return {};
  });
}

int add(const Globals& globals, const Words<KnowledgeEntry>& words) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const KnowledgeEntry entry, words.made());
    wait_for_models(globals, engine);
    WEFT_TRY(const KnowledgeAdded added, engine.memory(request).add_knowledge(entry));
    if (globals.json)
      globals.console->line("{\"added\":\"" + std::string(to_string(added)) + "\"}");
    else if (added == KnowledgeAdded::kContradicts)
      globals.console->line("added; it contradicts another entry: `weft memory confirm TEXT` says which one holds");
    else
      globals.console->line(added == KnowledgeAdded::kNew ? "added" : "known already");
    return {};
  });
}

int confirm(const Globals& globals, const std::string& text) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const KnowledgeEntry gone, engine.memory(request).confirm_knowledge(text));
    globals.console->line(globals.json ? to_json(gone) : "gone to the archive: " + gone.text);
    return {};
  });
}

int days(const Globals& globals, const std::string& date) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    if (!date.empty()) {
      WEFT_TRY(const Day day, engine.memory(request).day(date));
      globals.console->write(globals.json ? to_json(day) + "\n" : day.text);
      return {};
    }
    WEFT_TRY(const auto all, engine.memory(request).days());
    for (const std::string& one : all) globals.console->line(globals.json ? "{\"date\":\"" + one + "\"}" : one);
    return {};
  });
}

}  // namespace

void add_knowledge(CommandLine& line) {
  auto* memory = line.app().add_subcommand("memory", "MEMORY.md, what is known beyond single events; and days");
  memory->require_subcommand(1);
  line.on(memory->add_subcommand("show", "print MEMORY.md"), Place::kWorkspace, show_knowledge);
  auto words = std::make_shared<Words<KnowledgeEntry>>();
  auto* adding = memory->add_subcommand("add", "add an entry; what contradicts one is marked below it");
  words->offer(*adding, {"text", "section", "source"});
  line.on(adding, Place::kWorkspace, [words](const Globals& globals) { return add(globals, *words); });
  auto text = std::make_shared<std::string>();
  auto* confirming = memory->add_subcommand("confirm", "say which of two entries that contradict each other holds");
  confirming->add_option("text", *text, "the one that holds, as it stands")->required();
  line.on(confirming, Place::kWorkspace, [text](const Globals& globals) { return confirm(globals, *text); });
  auto date = std::make_shared<std::string>();
  auto* daily = memory->add_subcommand("days", "the days of which something is written, or one of them");
  daily->add_option("date", *date, "such as 2026-11-24");
  line.on(daily, Place::kWorkspace, [date](const Globals& globals) { return days(globals, *date); });
}

// weft profile: what is known of users and groups over the long run.

namespace {

// "user:ann" as the list shows it.
std::optional<EntityKey> read_entity(const std::string& word) {
  const auto colon = word.find(':');
  if (colon == std::string::npos || colon + 1 == word.size()) return std::nullopt;
  const auto type = parse_entity_type(word.substr(0, colon));
  return type ? std::optional(EntityKey{*type, word.substr(colon + 1)}) : std::nullopt;
}

struct ProfileWords {
  std::optional<EntityKey> entity;
  std::uint64_t version = 0;  // 0: none was named
};

Result<ProfileWords> read_words(const ProfileOptions& options) {
  ProfileWords read;
  for (const std::string& word : options.words) {
    const bool number = !word.empty() && word.size() < 19 && word.find_first_not_of("0123456789") == std::string::npos;
    if (number && read.version == 0 && std::stoull(word) > 0) {
      read.version = std::stoull(word);
    } else if (auto entity = read_entity(word); entity && !read.entity && options.id.empty()) {
      read.entity = std::move(entity);
    } else {
      return invalid_argument(
          "profile " + options.what + ": \"" + word + "\" does not fit here",
          "name a profile as `weft profile list` shows it, such as user:ann, and a version by its number");
    }
  }
  const bool wants_version = options.what == "diff" || options.what == "rollback";
  if (read.version == 0 ? wants_version : !wants_version && options.what != "show")
    return invalid_argument("profile " + options.what + (wants_version ? ": which version?" : " takes no version"),
                            "`weft profile history` lists them");
  return read;
}

Result<EntityKey> entity_of(const Globals& globals, const ProfileOptions& options) {
  const auto type = parse_entity_type(options.type);
  if (!type) return invalid_argument("--type " + options.type + " is neither user nor group");
  if (!options.id.empty()) return EntityKey{*type, options.id};
  if (!globals.group.empty()) return EntityKey{EntityType::kGroup, globals.group};
  return EntityKey{EntityType::kUser, globals.user};
}

// The operator of a workspace may read every profile: the scope is that of the profile.
Result<RequestContext> scope_of(const EntityKey& entity) {
  auto scope =
      entity.type == EntityType::kGroup ? Scope::group_of(GroupId(entity.id)) : Scope::private_of(UserId(entity.id));
  if (!scope.ok()) return scope.error();
  return RequestContext{*scope, {}, {}};
}

Status list_profiles(const Globals& globals, Engine& engine) {
  std::vector<ProfileSummary> all;
  for (const EntityType type : {EntityType::kUser, EntityType::kGroup}) {
    WEFT_TRY(const auto some, engine.upkeep().profiles(type));
    all.insert(all.end(), some.begin(), some.end());
  }
  if (globals.json) {
    globals.console->line(list_json(all));
    return {};
  }
  if (all.empty()) globals.console->line("no profiles yet");
  for (const ProfileSummary& one : all)
    globals.console->print("%-30s %-20s %s%s\n", one.entity.str().c_str(), one.name.c_str(),
                           format_time(one.updated_at).c_str(),
                           one.problem.empty() ? "" : ("  cannot be read: " + one.problem).c_str());
  return {};
}

Status show_versions(const Globals& globals, Engine& engine, const RequestContext& scope, const EntityKey& entity) {
  WEFT_TRY(const auto versions, engine.profiles(scope).history(entity));
  if (globals.json) {
    globals.console->line(list_json(versions));
    return {};
  }
  if (versions.empty()) globals.console->line("no kept versions");
  for (const ProfileVersion& one : versions)
    globals.console->print("%6llu  %s  %s\n", static_cast<unsigned long long>(one.version),
                           format_time(one.taken).c_str(),
                           one.origin == "edit" ? "written by a person" : "written by weft");
  return {};
}

Status run_profile(const Globals& globals, Engine& engine, const ProfileOptions& options, const EntityKey& entity,
                   std::uint64_t version) {
  if (options.what == "list") return list_profiles(globals, engine);
  WEFT_TRY(const auto scope, scope_of(entity));
  if (options.what == "history") return show_versions(globals, engine, scope, entity);
  if (options.what == "rollback") {
    WEFT_TRY(const auto now, engine.profiles(scope).roll_back(version, entity));
    globals.json ? globals.console->line(to_json(now))
                 : static_cast<void>(globals.console->print("%s is as in version %llu again\n", entity.str().c_str(),
                                                            static_cast<unsigned long long>(version)));
    return drain(globals, engine, kDrainPatience);
  }
  if (options.what == "diff") {
    WEFT_TRY(const auto before, engine.profiles(scope).version(version, entity));
    WEFT_TRY(const auto now, engine.profiles(scope).read(entity));
    const std::string diff = show_diff(line_diff(before.body, now.body));
    if (globals.json) {
      globals.console->line(nlohmann::json{{"version", version}, {"diff", diff}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace));
      return {};
    }
    globals.console->write(diff.empty() ? "nothing has changed since\n" : diff.c_str());
    return {};
  }
  WEFT_TRY(const auto shown,
           version == 0 ? engine.profiles(scope).read(entity) : engine.profiles(scope).version(version, entity));
  if (globals.json)
    globals.console->line(to_json(shown));
  else
    globals.console->print("%s", shown.body.c_str());
  return {};
}

// The engine is closed while a person edits, so that others can use the workspace; it notices the edit when it opens.
int edit_profile(const Globals& globals, const EntityKey& entity) {
  std::string path;
  const auto find = [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto scope, scope_of(entity));
    WEFT_TRY(const std::string file, engine.profiles(scope).path(entity));
    path = std::filesystem::absolute(file).string();  // a server's folder may be another than the command's
    const auto there = engine.profiles(scope).read(entity);
    if (there.ok() || there.error().code == ErrorCode::kCorrupt) return {};
    WEFT_TRY(const auto made, engine.profiles(scope).write("# Profile\n", entity));
    return {};
  };
  if (const int code = with_engine(globals, find); code != kDone || path.empty())
    return code;  // failed, or handed over
  if (const Status edited = globals.console->edit(path); !edited.ok()) return report(globals, edited.error());
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto scope, scope_of(entity));
    WEFT_TRY(const auto read, engine.profiles(scope).read(entity));
    return drain(globals, engine, kDrainPatience);
  });
}

}  // namespace

int profile(const Globals& globals, const ProfileOptions& options) {
  const auto words = read_words(options);
  if (!words.ok()) {
    (void)report(globals, words.error());
    return kWrongUse;
  }
  const auto entity = words->entity ? Result<EntityKey>(*words->entity) : entity_of(globals, options);
  if (!entity.ok()) return report(globals, entity.error());
  if (options.what == "edit") return edit_profile(globals, *entity);
  return with_engine(globals, [&](Engine& engine, const RequestContext&) {
    return run_profile(globals, engine, options, *entity, words->version);
  });
}

// weft usage: what calls of models have cost.

namespace {

// What a row is told apart by, in one column.
std::string names_of(const UsageRow& row) {
  std::string names;
  for (const std::string* one : {&row.day, &row.scope, &row.key, &row.role, &row.model})
    if (!one->empty()) names += (names.empty() ? "" : "  ") + *one;
  return names.empty() ? "all" : names;
}

void print_rows(const Globals& globals, const std::vector<UsageRow>& rows) {
  if (rows.empty()) return globals.console->line("no model was called");
  globals.console->print("%9s %9s %12s %12s %10s\n", "calls", "failed", "tokens in", "tokens out", "seconds");
  for (const UsageRow& row : rows)
    globals.console->print("%9llu %9llu %12lld %12lld %10.1f  %s%s\n", static_cast<unsigned long long>(row.calls),
                           static_cast<unsigned long long>(row.failed), static_cast<long long>(row.input_tokens),
                           static_cast<long long>(row.output_tokens), row.seconds, names_of(row).c_str(),
                           row.counted > 0 ? "  (partly counted here)" : "");
}

}  // namespace

int usage(const Globals& globals, const UsageOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    UsageQuery query{options.all ? std::string() : request.scope.key().str(), options.from, options.to, {}};
    for (const std::string_view one : split_list(options.by, ','))
      if (const auto name = trimmed(one); !name.empty()) query.by.emplace_back(name);
    WEFT_TRY(const auto rows, engine.upkeep().usage(query));
    if (globals.json)
      globals.console->line(list_json(rows));
    else
      print_rows(globals, rows);
    return {};
  });
}

void add_usage(CommandLine& line) {
  auto asked = std::make_shared<UsageOptions>();
  auto* asking = line.app().add_subcommand("usage", "what calls of models for a user (-u) or a group (-g) have cost");
  asking->add_flag("--all", asked->all, "of the whole workspace");
  asking->add_option("--by", asked->by, "told apart by day, scope, key, role, model; with commas between");
  asking->add_option("--from", asked->from, "first day, in UTC, such as 2026-11-26");
  asking->add_option("--to", asked->to, "last day, in UTC");
  line.on(asking, Place::kWorkspace, [asked](const Globals& globals) { return usage(globals, *asked); });
}

// Commands that bring in what other systems have kept.

namespace {

struct ImportOptions {
  std::string file, id, of;
};

Imports imports_of(const Globals& globals) { return Imports(globals.console->path(globals.workspace)); }

std::string words_of(const ForeignTally& one) {
  std::string text = std::to_string(one.count) + " x " + one.kind;
  for (std::size_t i = 0; i < one.where.size(); ++i) text += (i == 0 ? " (" : ", ") + one.where[i];
  return one.where.empty() ? text : text + (one.count > one.where.size() ? ", …)" : ")");
}

// What is not taken in as it stands in the export.
template <class Import>
void print_losses(const Globals& globals, const Import& one) {
  for (const ForeignTally& some : one.left_out) globals.console->line("  left out: " + words_of(some));
  for (const ForeignTally& some : one.assumed) globals.console->line("  assumed: " + words_of(some));
  for (const std::string& problem : one.problems) globals.console->line("  ! " + problem);
}

void print(const Globals& globals, const StagedImport& one) {
  if (globals.json) return globals.console->line(to_json(one));
  globals.console->print("%s  %-8s %s, for %s: %zu conversations with %zu messages, %zu notes  (%s)\n", one.id.c_str(),
                         one.stage.c_str(), one.source.c_str(), one.owner.c_str(), one.chats, one.messages, one.notes,
                         one.file.c_str());
  if (one.places.size() > 1) {
    globals.console->line("  whose the notes are there (`--of NAME` takes one's alone):");
    for (const ForeignPlace& place : one.places)
      globals.console->print("    %s: %zu\n", place.name.c_str(), place.notes);
  }
  print_losses(globals, one);
}

Status stage(const Globals& globals, const RequestContext& request, const ImportOptions& options) {
  const auto path = globals.console->path(options.file);
  const Imports imports = imports_of(globals);
  const auto staged = [&]() -> Result<StagedImport> {
    if (is_foreign_store(path) || is_foreign_archive(path))
      return imports.stage_path(path, options.file, request.scope, options.of);
    WEFT_TRY(const std::string text, read_file(path));
    return imports.stage(text, options.file, request.scope, options.of);
  };
  WEFT_TRY(const StagedImport made, staged());
  globals.made->push_back("import " + made.id);
  print(globals, made);
  if (!globals.json && made.stage == "staged")
    globals.console->print("nothing is remembered yet: look with `weft import show %s`, then `weft import accept %s`\n",
                           made.id.c_str(), made.id.c_str());
  return {};
}

Status list(const Globals& globals) {
  WEFT_TRY(const auto all, imports_of(globals).list());
  if (all.empty() && !globals.json) globals.console->line("no imports; `weft import stage FILE` reads one");
  for (const StagedImport& one : all) print(globals, one);
  return {};
}

Status show_import(const Globals& globals, const std::string& id) {
  WEFT_TRY(const ForeignFile content, imports_of(globals).show(id));
  if (globals.json) {
    globals.console->line(to_json(content));
    return {};
  }
  for (const ForeignChat& chat : content.chats) {
    globals.console->print("%s  %s\n", chat.id.c_str(), chat.title.c_str());
    for (const ForeignMessage& said : chat.messages)
      globals.console->print("  %-10s %s\n", said.role.c_str(), preview(said.text, 100).c_str());
  }
  for (const ForeignNote& note : content.notes) globals.console->print("- %s\n", preview(note.text, 120).c_str());
  return {};
}

Status accept(const Globals& globals, Engine& engine, const RequestContext& request, const std::string& id) {
  WEFT_TRY(const AcceptedImport taken, imports_of(globals).accept(id, engine, request));
  if (globals.json) {
    globals.console->line(to_json(taken));
  } else {
    globals.console->print("taken in: %zu new messages of %zu conversations, %zu notes\n", taken.messages, taken.chats,
                           taken.notes);
    print_losses(globals, taken);
  }
  finish(globals, engine);
  return {};
}

Status drop(const Globals& globals, const std::string& id) {
  WEFT_CHECK(imports_of(globals).drop(id));
  globals.console->line(globals.json ? "{}" : "removed; what was taken in stays");
  return {};
}

}  // namespace

void add_imports(CommandLine& line) {
  auto asked = std::make_shared<ImportOptions>();
  auto* group = line.app().add_subcommand("import",
                                          "bring in chats of ChatGPT, Claude and SillyTavern, memories of mem0 "
                                          "and Chroma");
  group->require_subcommand(1);
  using Run = std::function<Status(const Globals&, Engine&, const RequestContext&)>;
  const auto add = [&](const char* name, const char* text, const Run& run) {
    auto* sub = group->add_subcommand(name, text);
    line.on(sub, Place::kWorkspace, [run](const Globals& globals) {
      return with_engine(globals,
                         [&](Engine& engine, const RequestContext& request) { return run(globals, engine, request); });
    });
    return sub;
  };
  auto* stages = add("stage", "read an export and lay it ready",
                     [asked](const Globals& globals, Engine&, const RequestContext& request) {
                       return stage(globals, request, *asked);
                     });
  stages
      ->add_option(
          "file", asked->file,
          "the ZIP of an export or the folder it was unpacked to, its conversations.json, a chat as JSON Lines, "
          "memories as JSON, or a store of Chroma, mem0 or Qdrant as it lies on disk")
      ->required();
  stages->add_option("--of", asked->of, "of memories only those of this user, agent or collection there");
  add("list", "imports that lie ready or were taken in",
      [](const Globals& globals, Engine&, const RequestContext&) { return list(globals); });
  auto archive = std::make_shared<std::string>();
  auto* whole =
      group->add_subcommand("archive", "put a whole workspace, of `weft export --archive`, into an empty one");
  whole->add_option("file", *archive, "the .tar.gz")->required();
  line.on(whole, Place::kAnywhere, [archive](const Globals& globals) { return restore(globals, *archive); });
  const auto with_id = [&](CLI::App* sub) { sub->add_option("id", asked->id, "which import")->required(); };
  with_id(add("show", "what one holds", [asked](const Globals& globals, Engine&, const RequestContext&) {
    return show_import(globals, asked->id);
  }));
  with_id(add("accept", "take it into memory",
              [asked](const Globals& globals, Engine& engine, const RequestContext& request) {
                return accept(globals, engine, request, asked->id);
              }));
  with_id(add("drop", "remove one; what was taken in stays",
              [asked](const Globals& globals, Engine&, const RequestContext&) { return drop(globals, asked->id); }));
}

}  // namespace weft::cli
