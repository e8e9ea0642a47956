#include "surface/cli/cli.h"

#include <CLI/CLI.hpp>

#include "surface/cli/commands.h"

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
  searching->add_option("--kind", found.kinds, "message, event or narrative");
  searching->add_option("--from", found.from, "not older than this date or time");
  searching->add_option("--to", found.to, "not newer than this date or time");
  searching->add_option("--recipe", found.recipe, "balanced, literal, words, vectors or recent");
  searching->add_flag("--originals", found.originals, "show the messages that a result was made from");
  searching->callback([&] { code = search(globals, found); });

  static ContextOptions woven;
  auto* weaving = app.add_subcommand("context", "weave the prompt of the next model call");
  weaving->add_option("input", woven.input, "the user's new message")->required();
  weaving->add_option("--system", woven.system, "system prompt");
  weaving->add_option("--window", woven.window, "context window of the model in tokens");
  weaving->add_flag("--explain", woven.explain, "show what went in and why");
  weaving->callback([&] { code = context(globals, woven); });
}

void add_queue(CLI::App& app, const Globals& globals, int& code) {
  auto* queue = app.add_subcommand("queue", "the historian's jobs");
  queue->require_subcommand(1);
  queue->add_subcommand("status", "how many wait, run, failed")->callback([&] { code = queue_status(globals); });
  queue->add_subcommand("list", "the jobs one by one")->callback([&] { code = queue_list(globals); });
  static std::string job;
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
