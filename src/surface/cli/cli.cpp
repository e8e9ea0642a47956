#include "surface/cli/cli.h"

#include <CLI/CLI.hpp>

#include "surface/cli/commands.h"
#include "surface/cli/drift_command.h"

namespace weft::cli {
namespace {

// The command line is told in tables of commands: each adds itself and says what runs.
void add_globals(CLI::App& app, Globals& globals) {
  app.add_option("-w,--workspace", globals.workspace, "folder that holds everything")->envname("WEFT_WORKSPACE");
  app.add_option("--preset", globals.preset, "balanced (default) or literal");
  app.add_option("--set", globals.settings, "KEY=VALUE: one setting (see `weft settings`)");
  app.add_option("-u,--user", globals.user, "whose memory");
  app.add_option("-g,--group", globals.group, "a group's memory instead");
  app.add_option("-s,--session", globals.session, "the conversation");
  app.add_option("--log", globals.log_level, "debug, info, warning, error or off");
  app.add_flag("--json", globals.json, "JSON on stdout and nothing else");
  app.fallthrough();
}

void add_memory(CLI::App& app, const Globals& globals, int& code) {
  app.add_subcommand("init", "make a workspace")->callback([&] { code = init(globals); });
  auto* observing = app.add_subcommand("observe", "take messages (JSON lines on stdin), one decision a line out");
  static bool history = false;
  observing->add_flag("--history", history,
                      "stdin is a client's whole history as one JSON array; branches are followed");
  observing->callback([&] { code = observe(globals, history); });
  app.add_subcommand("save", "close the session's open topic now")->callback([&] { code = save(globals); });

  static SearchOptions found;
  auto* searching = app.add_subcommand("search", "search the memory");
  searching->add_option("query", found.query, "what to look for")->required();
  searching->add_option("-k,--top", found.top_k, "how many results")->check(CLI::Range(1, 1000));
  searching->add_option("--kind", found.kinds, "message, event, narrative or profile");
  searching->add_option("--from", found.from, "not older than this date, time, or words such as \"last week\"");
  searching->add_option("--to", found.to, "not newer than this");
  searching->add_option("--as-of", found.as_of, "what was known and held then");
  searching->add_option("--recipe", found.recipe, "balanced, literal, words, vectors or recent");
  searching->add_flag("--originals", found.originals, "show the messages that a result was made from");
  searching->callback([&] { code = search(globals, found); });

  static ContextOptions woven;
  auto* weaving = app.add_subcommand("context", "weave the prompt of the next model call");
  weaving->add_option("input", woven.input, "the user's new message");
  weaving->add_option("--request", woven.request, "file with the body of POST /v1/sessions/{id}/context; - is stdin");
  weaving->add_flag("--planned", woven.planned, "plan first: skeleton from state and quests, curated lore");
  weaving->add_option("--state", woven.state, "name of the state to render");
  weaving->add_option("--template", woven.template_id, "template of the skeleton");
  weaving->add_option("--layout", woven.layout, "order of the prompt")->check(CLI::IsMember({"cache", "spec"}));
  weaving->add_flag("--skein", woven.skein, "print the prompt as one text for plain models");
  weaving->add_option("--system", woven.system, "system prompt");
  weaving->add_option("--window", woven.window, "context window of the model in tokens");
  weaving->add_flag("--explain", woven.explain, "show what went in and why");
  weaving->callback([&] { code = context(globals, woven); });
}

void add_story(CLI::App& app, const Globals& globals, int& code) {
  static StateOptions kept;
  auto* states = app.add_subcommand("state", "the exact state of a world: entities, values, versions");
  states->require_subcommand(1);
  const auto add_state = [&](const char* name, const char* text) {
    auto* sub = states->add_subcommand(name, text);
    sub->add_option("--name", kept.name, "which state, \"default\" if left out");
    sub->add_option("--world", kept.world, "the state of that world, which many share");
    sub->callback([&, name] {
      kept.what = name;
      code = state(globals, kept);
    });
    return sub;
  };
  add_state("get", "print it as JSON")->add_option("--version", kept.version, "as it stood after that version");
  const char* source = "JSON; @FILE reads a file, - standard input";
  for (const auto& [name, text] : {std::pair{"put", "put a whole tree in its place"},
                                   std::pair{"apply", "apply operations such as [\"SET\",\"hero.hp\",5]"}}) {
    auto* sub = add_state(name, text);
    sub->add_option("json", kept.text, source)->required();
    sub->add_option("--author", kept.author, "who changes it");
  }
  add_state("log", "its versions")->add_option("--limit", kept.limit, "how many of the newest");
  auto* schema = add_state("schema", "the JSON schema that changes keep to: print it, set it or lift it");
  schema->add_option("json", kept.text, source);
  schema->add_option("--author", kept.author, "who sets it");
  schema->add_flag("--drop", kept.drop, "lift it");
  add_state("rollback", "put a former version back")->add_option("version", kept.version, "which")->required();

  static QuestOptions asked;
  auto* quests = app.add_subcommand("quest", "what is to be reached, and what waits for what");
  quests->require_subcommand(1);
  const auto add_quest = [&](const char* name, const char* text) {
    auto* sub = quests->add_subcommand(name, text);
    sub->add_option("--world", asked.world, "the quests of that world, which many share");
    sub->callback([&, name] {
      asked.what = name;
      code = quest(globals, asked);
    });
    return sub;
  };
  add_quest("list", "all quests");
  add_quest("import", "take quests from a file, YAML or JSON")->add_option("file", asked.file, "the file")->required();
  auto* move = add_quest("move", "move a quest on, or note its progress");
  move->add_option("id", asked.id, "which")->required();
  move->add_option("status", asked.status, "available, in_progress, completed or failed")->required();
  move->add_option("note", asked.note, "how it ended; with the status it has already: how far it is");

  add_quest("delete", "take a quest out")->add_option("id", asked.id, "which")->required();

  static LoreOptions told;
  auto* lores = app.add_subcommand("lore", "knowledge about a world");
  lores->require_subcommand(1);
  const auto add_lore = [&](const char* name, const char* text) {
    auto* sub = lores->add_subcommand(name, text);
    sub->add_option("--world", told.world, "the lore of that world, which many share");
    sub->callback([&, name] {
      told.what = name;
      code = lore(globals, told);
    });
    return sub;
  };
  add_lore("list", "all entries");
  add_lore("show", "one entry")->add_option("id", told.id, "which")->required();
  add_lore("import", "take lore from Markdown, text, JSON or World Info files")
      ->add_option("path", told.path, "a file or a folder")
      ->required();
  auto* setting = add_lore("set", "put one entry, as JSON");
  setting->add_option("id", told.id, "which")->required();
  setting->add_option("json", told.json, "JSON; @FILE reads a file")->required();
  auto* deleting = add_lore("delete", "take entries out");
  deleting->add_option("id", told.id, "which");
  deleting->add_option("--file", told.file, "all that were imported from it");

  static CompactOptions compacted;
  auto* compacting = app.add_subcommand("compact", "put a summary in the place of a session's older turns");
  compacting->add_option("--focus", compacted.focus, "what the summary should keep above all");
  compacting->add_option("--window", compacted.window, "context window of the model in tokens");
  compacting->add_flag("--show", compacted.show, "show what was compacted");
  compacting->add_flag("--undo", compacted.undo, "take the newest compaction back");
  compacting->add_option("--expand", compacted.expand, "show the original words that a compaction stands for: its id");
  compacting->callback([&] { code = compact(globals, compacted); });
}

void add_cognitive(CLI::App& app, const Globals& globals, int& code) {
  static EndOptions ended;
  auto* ending = app.add_subcommand("end", "end an agent's turn: what it did and what it learnt");
  ending->add_option("--action-summary", ended.action_summary, "what was done, in a sentence");
  ending->add_option("--new-info", ended.new_info, "one new thing that the user's message says");
  ending->add_option("--request", ended.request_id, "id of the request; default: the user's last message");
  ending->add_option("--sender", ended.sender, "name of who wrote the message");
  ending->add_option("--agent", ended.agent, "name of the agent");
  ending->add_option("--location", ended.location, "where the message came from");
  ending->add_option("--timezone", ended.timezone, "its time zone");
  ending->add_option("--time", ended.time, "when it was said, RFC 3339");
  ending->add_flag("--force", ended.force, "also while a tool call has no output");
  ending->callback([&] { code = end(globals, ended); });

  static ProfileOptions asked;
  auto* profiles = app.add_subcommand("profile", "what is known of a user or a group over the long run");
  profiles->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, bool entity, bool version, bool needs_version) {
    auto* sub = profiles->add_subcommand(name, text);
    sub->add_option("--type", asked.type, "user or group")->check(CLI::IsMember({"user", "group"}));
    if (entity) sub->add_option("--id", asked.id, "whose; default: the user or group of the command line");
    if (version) {
      auto* option = sub->add_option("version", asked.version, "a kept version, see `weft profile history`");
      if (needs_version) option->required();
    }
    sub->callback([&, name] {
      asked.what = name;
      code = profile(globals, asked);
    });
  };
  add("list", "all profiles", false, false, false);
  add("show", "a profile, or a kept version of it", true, true, false);
  add("history", "the kept versions", true, false, false);
  add("diff", "what changed since a kept version", true, true, true);
  add("rollback", "put a kept version back", true, true, true);
  add("edit", "open it in $EDITOR", true, false, false);

  static std::string tool_name, arguments = "{}";
  auto* tools = app.add_subcommand("tool", "run a memory tool as a model would");
  tools->add_option("name", tool_name, "end, cognitive.search_events, cognitive.get_profile, cognitive.search_profiles")
      ->required();
  tools->add_option("arguments", arguments, "JSON");
  tools->callback([&] { code = tool(globals, tool_name, arguments); });

  static EraseOptions erased;
  auto* erasing =
      app.add_subcommand("erase", "forget messages of a user (-u) or a group (-g) and all that came from them");
  erasing->add_flag("--everything", erased.everything, "all of that user's private memory, or of that group's");
  erasing->add_option("--message", erased.messages, "id of a message; may be repeated");
  erasing->add_option("--before", erased.before, "all that was said before this date or time");
  erasing->add_option("--verify", erased.verify, "check a receipt: its id");
  erasing->callback([&] { code = erase(globals, erased); });

  static MigrateOptions migrated;
  auto* migrating = app.add_subcommand("migrate", "turn an end_summaries.json into events");
  migrating->add_option("file", migrated.file, "the file")->required();
  migrating->callback([&] { code = migrate(globals, migrated); });
}

void add_queue(CLI::App& app, const Globals& globals, int& code) {
  auto* queue = app.add_subcommand("queue", "the historian's jobs");
  queue->require_subcommand(1);
  queue->add_subcommand("status", "how many wait, run, failed")->callback([&] { code = queue_status(globals); });
  queue->add_subcommand("list", "the jobs one by one")->callback([&] { code = queue_list(globals); });
  static std::string job;
  auto* showing = queue->add_subcommand("show", "a job with its payload and reason");
  showing->add_option("job", job, "its id")->required();
  showing->callback([&] { code = queue_show(globals, job); });
  static bool all = false;
  auto* purging = queue->add_subcommand("purge", "take failed jobs out for good");
  purging->add_option("job", job, "its id");
  purging->add_flag("--all", all, "all failed ones");
  purging->callback([&] { code = queue_purge(globals, job, all); });
  auto* again = queue->add_subcommand("retry", "put a failed job back");
  again->add_option("job", job, "its id")->required();
  again->callback([&] { code = queue_retry(globals, job); });
}

void add_surfaces(CLI::App& app, const Globals& globals, int& code) {
  static ServeOptions served;
  auto* serving = app.add_subcommand("serve", "HTTP server: REST interface and OpenAI-compatible proxy");
  serving->add_option("--host", served.host, "address to listen on");
  serving->add_option("--port", served.port, "port to listen on; 0 takes a free one");
  serving->add_option("--upstream", served.upstream, "base URL of the model server, with /v1");
  serving->callback([&] { code = serve(globals, served); });
  app.add_subcommand("chat", "chat in the terminal")->callback([&] { code = chat(globals); });
  app.add_subcommand("demo", "see it work on a conversation that comes with it")->callback([&] {
    code = demo(globals);
  });
  app.add_subcommand("doctor", "check models, workspace and settings")->callback([&] { code = doctor(globals); });
  static ReembedOptions reembedded;
  auto* reembedding = app.add_subcommand("reembed", "change the embedding model; goes on where it was interrupted");
  reembedding->add_option("--model", reembedded.model, "its name: a file in the model folder, or the endpoint's name")
      ->required();
  reembedding->callback([&] { code = reembed(globals, reembedded); });
  app.add_subcommand("settings", "every setting with its default and meaning")->callback([&] {
    code = settings(globals);
  });
}

void add_evaluation(CLI::App& app, const Globals& globals, int& code) {
  auto* eval = app.add_subcommand("eval", "measure quality on data");
  eval->require_subcommand(1);
  static SegmentOptions segmented;
  auto* segment = eval->add_subcommand("segment", "topic borders against labelled dialogues");
  segment->add_option("files", segmented.files, "JSON lines with id, lang, turns, starts")->required();
  segment->add_option("--unit", segmented.unit, "turn or block")->check(CLI::IsMember({"turn", "block"}));
  segment->add_option("--predictions", segmented.predictions, "write the borders found to this file");
  segment->callback([&] { code = eval_segment(globals, segmented); });
  static RecallOptions recalled;
  auto* recall = eval->add_subcommand("recall", "messages found for questions");
  recall->add_option("sets", recalled.sets, "folders or prefixes of NAME.messages.jsonl and NAME.queries.jsonl")
      ->required();
  recall->add_option("--baseline", recalled.baseline, "bm25, vector or recent")
      ->check(CLI::IsMember({"bm25", "vector", "recent"}));
  recall->add_option("--predictions", recalled.predictions, "write the ranked ids to this file");
  recall->callback([&] { code = eval_recall(globals, recalled); });

  static KnownOptions asked;
  auto* known = eval->add_subcommand("known", "whether recall says so when nothing is remembered");
  known->add_option("sets", asked.sets, "as for recall, or sets of passages: NAME of NAME.passages.jsonl")->required();
  known->add_option("--questions", asked.questions, "of each memory at most; 0: all")->check(CLI::Range(0, 1'000'000));
  known->add_option("--features", asked.features, "write what each question found to this file");
  known->add_flag("--fit", asked.fit, "fit the curve of relevance anew on one half and report by it on the other");
  known->callback([&] { code = eval_known(globals, asked); });
  static TimeEvalCommand timed;
  auto* timing = eval->add_subcommand("time", "time expressions resolved");
  timing->add_option("files", timed.files, "JSON lines with text, reference, expressions")->required();
  timing->add_option("--predictions", timed.predictions, "write what was found to this file");
  timing->add_option("--half", timed.half, "0: all lines, 1 or 2: every other one")->check(CLI::Range(0, 2));
  timing->callback([&] { code = eval_time(globals, timed); });
  static ToolsEvalCommand chosen;
  auto* choosing = eval->add_subcommand("tools", "tools chosen for requests");
  choosing->add_option("prefixes", chosen.prefixes, "PREFIX of PREFIX.tools.jsonl and PREFIX.queries.jsonl")
      ->required();
  choosing->add_option("--baseline", chosen.baseline, "bm25 or vector")->check(CLI::IsMember({"bm25", "vector"}));
  choosing->add_option("--predictions", chosen.predictions, "write the ranked names to this file");
  choosing->add_option("--half", chosen.half, "0: all requests, 1 or 2: one half of them")->check(CLI::Range(0, 2));
  choosing->callback([&] { code = eval_tools(globals, chosen); });
  static std::vector<std::string> judged;
  auto* gating = eval->add_subcommand("gate", "what the write gate lets in and refuses");
  gating->add_option("files", judged, "JSON lines with id, lang, text, kind")->required();
  gating->callback([&] { code = eval_gate(globals, judged); });
  static DriftCommand drifting;
  static std::string reduced_by = "compaction";
  auto* drift = eval->add_subcommand("drift", "whether constraints, facts and decisions outlast a compaction");
  drift->add_option("files", drifting.files,
                    "JSON lines with messages, as agents' runs are kept; none: the shipped sessions");
  drift->add_option("--probes", drifting.probes, "further questions, JSON lines");
  drift->add_option("--keep", drifting.options.keep, "share of the history's tokens to compact to")
      ->check(CLI::Range(0.01, 1.0));
  drift->add_option("--baseline", reduced_by, "compaction, cut (the last messages that fit) or nothing")
      ->check(CLI::IsMember({"compaction", "cut", "nothing"}));
  drift->callback([&] { code = eval_drift(globals, drifting, reduced_by); });
  static std::vector<std::string> runs;
  auto* prefixes = eval->add_subcommand("prefix", "how much of each prompt goes on from the one before");
  prefixes->add_option("files", runs, "JSON lines with messages, as agents' runs are kept")->required();
  prefixes->callback([&] { code = eval_prefix(globals, runs); });
  static std::vector<std::string> turns;
  auto* absolutizing = eval->add_subcommand("absolutize", "turns rewritten so that they need no context");
  absolutizing->add_option("files", turns, "JSON lines with context, text, rewritten")->required();
  absolutizing->callback([&] { code = eval_absolutize(globals, turns); });

  static CalibrateOptions calibrated;
  auto* calibrating =
      app.add_subcommand("calibrate", "fit the similarity of the configured embedder on labelled dialogues");
  calibrating->add_option("files", calibrated.files, "JSON lines with id, lang, turns, starts")->required();
  calibrating->add_option("-o,--output", calibrated.output, "file to write; default: beside the model");
  calibrating->callback([&] { code = calibrate(globals, calibrated); });
  static BenchOptions benched;
  auto* benching = app.add_subcommand("bench", "measure latencies, throughput and memory");
  benching->add_option("--items", benched.items, "size of the largest index")->check(CLI::Range(1000, 10'000'000));
  benching->callback([&] { code = bench(globals, benched); });
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app("Weft: memory and context for LLM agents");
  app.set_version_flag("--version", WEFT_VERSION);
  app.require_subcommand(1);
  Globals globals;
  int code = kDone;
  add_globals(app, globals);
  add_memory(app, globals, code);
  add_story(app, globals, code);
  add_cognitive(app, globals, code);
  add_queue(app, globals, code);
  add_surfaces(app, globals, code);
  add_evaluation(app, globals, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongUse;
  }
  return code;
}

}  // namespace weft::cli
