// The commands that measure: their words, what each takes, and what it runs. They touch no workspace.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/embedder_model.h"
#include "engine/model_set.h"
#include "eval/absolutize.h"
#include "eval/answers.h"
#include "eval/bench.h"
#include "eval/drift.h"
#include "eval/evolution.h"
#include "eval/facts.h"
#include "eval/features.h"
#include "eval/judged.h"
#include "eval/known.h"
#include "eval/prefix.h"
#include "eval/recall.h"
#include "eval/segment.h"
#include "eval/skills.h"
#include "eval/streams.h"
#include "eval/time_expressions.h"
#include "eval/tools.h"
#include "eval/write_gate.h"
#include "ports/files/file_system.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

struct DriftCommand {
  std::vector<std::string> files;  ///< runs as JSON Lines
  std::string probes;              ///< further golden probes as JSON Lines, for the runs; empty: none
  DriftOptions options;
  bool shipped = true;             ///< evaluate the shipped sessions too
};

Result<DriftReport> run(const DriftCommand& command, const Reduce& reduce, const TokenCounter& tokens,
                        ChatModel* model) {
  std::vector<DriftSession> sessions;
  std::vector<Probe> probes;
  if (!command.probes.empty()) {
    WEFT_TRY(const std::string text, read_file(command.probes));
    WEFT_TRY(probes, parse_probes(text, command.probes));
  }
  std::size_t too_short = 0;
  for (const std::string& file : command.files) {
    WEFT_TRY(TraceFile traces, read_traces(file));
    too_short += traces.too_short;
    for (DriftSession& session : traces.sessions) {
      session.probes = probes;
      sessions.push_back(std::move(session));
    }
  }
  if (command.shipped)
    for (DriftSession& session : shipped_sessions()) sessions.push_back(std::move(session));
  WEFT_TRY(DriftReport report, evaluate_drift(sessions, reduce, tokens, command.options, model));
  report.skipped += static_cast<std::int64_t>(too_short);
  return report;
}

/// `weft eval drift`: compacts every run and every shipped session with `reduce`, prints the report (as JSON where
/// `globals` says so) and gives kFailed, naming each on stderr, where a threshold is missed. `model` may be null.
int eval_drift(const Globals& globals, const DriftCommand& command, const Reduce& reduce, const TokenCounter& tokens,
               ChatModel* model) {
  const auto evaluated = run(command, reduce, tokens, model);
  if (!evaluated.ok()) return report(globals, evaluated.error());
  if (globals.json)
    globals.console->line(to_json(*evaluated));
  else
    globals.console->write(to_text(*evaluated, command.options).c_str());
  const auto thresholds = missed(*evaluated, command.options);
  for (const std::string& threshold : thresholds) globals.console->complain("missed: %s\n", threshold.c_str());
  return thresholds.empty() ? kDone : kFailed;
}

struct EvolutionOptions {
  std::int64_t runs = 200;
  double base = 0.85;
  std::uint64_t seed = 1;
};

struct StreamsOptions {
  std::int64_t streams = 10, tasks = 30;
  std::uint64_t seed = 1;
};

struct SegmentOptions {
  std::vector<std::string> files;
  std::string unit = "block", predictions;
};

struct RecallOptions {
  std::vector<std::string> sets;
  std::string baseline, predictions, replayed, speakers_in_text;
};

struct AnswersCommand {
  std::vector<std::string> sets;
  std::string replayed, details;
  std::string reader, judge;  ///< roles or models of the configuration; empty: none
  std::vector<std::int64_t> budgets;
  std::int64_t questions = 0;
};

struct KnownOptions {
  std::vector<std::string> sets;
  std::int64_t questions = 0;
  std::string vectors;
};

struct ToolsEvalCommand {
  std::vector<std::string> prefixes;
  std::string baseline, predictions;
  int half = 0;
};

struct TimeEvalCommand {
  std::vector<std::string> files;
  std::string predictions;
  int half = 0;
};

struct SkillsEvalCommand {
  std::string file, vectors;
  bool choose = false, states = false;
};

struct JudgedFiles {
  std::vector<std::string> files, explain, readers;
  std::string data;
};

struct FeaturesCommand {
  std::string subject, output, vectors;
  FeatureOptions options;
  bool states = false;
};

struct BenchOptions {
  std::int64_t items = 100'000;
};

constexpr std::chrono::seconds kModelPatience{60};

// The models without a workspace: evaluation keeps nothing.
Result<std::unique_ptr<ModelSet>> load_models(const Config& config) {
  WEFT_TRY(auto models, ModelSet::open(config));
  if (models->embedder() != nullptr) WEFT_CHECK(models->wait_ready(Deadline::after(kModelPatience)));
  return models;
}

// The model of a role, else the model of that name; null where no name is given.
Result<std::unique_ptr<ChatModel>> open_by_name(const Config& config, const std::string& name) {
  if (name.empty()) return std::unique_ptr<ChatModel>();
  const auto role = config.roles.find(name);
  const auto model = config.models.find(role == config.roles.end() ? name : role->second);
  if (model == config.models.end())
    return not_found("eval answers: no role and no model is called \"" + name + "\"",
                     "add a table [models." + name + "] to weft.toml");
  return open_chat(model->first, model->second, model_folder(config), make_http_client());
}

Status run_segment(const Globals& globals, const Config& config, const SegmentOptions& options) {
  WEFT_TRY(const auto models, load_models(config));
  weft::SegmentOptions what;
  what.stream = config.stream;
  what.unit = options.unit == "turn" ? SegmentUnit::kTurn : SegmentUnit::kBlock;
  what.predictions = options.predictions;
  WEFT_TRY(const auto report, eval_segments(options.files, what, models->embedder(), *models->similarity()));
  globals.console->line(to_json(report));
  return {};
}

// By the embedder that is configured, or by the states of the chat model of the role "fast".
Status run_features(const Config& config, const FeaturesCommand& command) {
  WEFT_TRY(const auto models, ModelSet::open(config));
  WEFT_TRY(const TaskEmbedder by, TaskEmbedder::open(config, *models, command.states, command.vectors));
  const auto similarity = by.embedder != nullptr ? by.similarity : std::make_shared<Similarity>(Similarity::raw());
  return write_features(command.subject, config, command.options, by.embedder, *similarity, command.output);
}

Status run_eval_facts(const Globals& globals, const Config& config, const JudgedFiles& judged) {
  WEFT_TRY(const auto models, load_models(config));
  FactOptions what{judged.data, judged.explain, judged.readers, models->embedder(), nullptr};
  if (models->embedder() != nullptr) what.similarity = &*models->similarity();
  WEFT_TRY(const auto report, weft::eval_facts(judged.files, what));
  globals.console->line(to_json(report));
  return {};
}

Status run_bench_command(const Globals& globals, const Config& config, const BenchOptions& options) {
  WEFT_TRY(const auto measured, run_bench(config, options.items));
  if (globals.json)
    globals.console->line(to_json(measured));
  else
    globals.console->write(to_table(measured).c_str());
  return {};
}

template <class Body>
int with_config(const Globals& globals, Body body) {
  const auto config = load(globals);
  if (!config.ok()) return report(globals, config.error());
  const Status done = body(*config);
  return done.ok() ? kDone : report(globals, done.error());
}

int eval_segment(const Globals& globals, const SegmentOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_segment(globals, config, options); });
}

int eval_recall(const Globals& globals, const RecallOptions& options) {
  return with_config(globals, [&](const Config& config) -> Status {
    WEFT_TRY(const auto json,
             run_eval_recall(config, options.sets,
                             {options.baseline, options.predictions, options.replayed, options.speakers_in_text}));
    globals.console->line(json);
    return {};
  });
}

int eval_answers(const Globals& globals, const AnswersCommand& command) {
  return with_config(globals, [&](const Config& config) -> Status {
    AnswersOptions options{command.budgets, command.replayed, command.details,
                           static_cast<std::size_t>(command.questions)};
    const bool same = command.judge == command.reader;  // then it is loaded once
    WEFT_TRY(const auto reader, open_by_name(config, command.reader));
    WEFT_TRY(const auto judge, open_by_name(config, same ? std::string() : command.judge));
    options.reader = reader.get();
    options.judge = same ? reader.get() : judge.get();
    WEFT_TRY(const auto json, run_eval_answers(config, command.sets, options));
    globals.console->line(json);
    return {};
  });
}

int eval_time(const Globals& globals, const TimeEvalCommand& options) {
  return with_config(globals, [&](const Config&) -> Status {
    WEFT_TRY(const auto report, eval_time_expressions(options.files, {options.predictions, options.half}));
    globals.console->line(to_json(report));
    return {};
  });
}

/// `by` is what makes sessions smaller: "compaction", or the baselines "cut" and "nothing".
int eval_drift(const Globals& globals, const DriftCommand& command, const std::string& by) {
  int code = kFailed;
  const int loaded = with_config(globals, [&](const Config& config) -> Status {
    WEFT_TRY(const auto models, ModelSet::open(config));
    const Reduce reduce = by == "cut"       ? cut_baseline(models->tokens())
                          : by == "nothing" ? unchanged_baseline()
                                            : compaction_reduce(config, models->tokens(), models->chat("fast"));
    code = eval_drift(globals, command, reduce, models->tokens(), models->chat("main"));
    return {};
  });
  return loaded == kDone ? code : loaded;
}

/// How much of each prompt goes on from the one before, over runs of agents.
int eval_prefix(const Globals& globals, const std::vector<std::string>& files) {
  return with_config(globals, [&](const Config& config) -> Status {
    WEFT_TRY(const auto report, run_eval_prefix(config, files));
    globals.console->line(report);
    return {};
  });
}

int eval_tools(const Globals& globals, const ToolsEvalCommand& options) {
  return with_config(globals, [&](const Config& config) -> Status {
    WEFT_TRY(const auto models, load_models(config));
    const auto similarity = models->embedder() != nullptr ? *models->similarity() : Similarity::raw();
    WEFT_TRY(const auto report,
             weft::eval_tools(options.prefixes, {options.baseline, options.predictions, options.half},
                              models->embedder(), similarity));
    globals.console->line(to_json(report));
    return {};
  });
}

/// Plays tests of changes of skills whose true success is known.
int eval_evolution(const Globals& globals, const EvolutionOptions& options) {
  return with_config(globals, [&](const Config& config) -> Status {
    EvolutionPlan plan;
    plan.runs = options.runs;
    plan.base = options.base;
    plan.seed = options.seed;
    globals.console->line(to_json(simulate_evolution(plan, config.evolution)));
    return {};
  });
}

/// Plays streams of tasks with growth and without.
int eval_streams(const Globals& globals, const StreamsOptions& options) {
  return with_config(globals, [&](const Config& config) -> Status {
    WEFT_TRY(const auto report, play_streams(config, {options.streams, options.tasks, options.seed}));
    globals.console->line(to_json(report));
    return {};
  });
}

int eval_skill_set(const Globals& globals, const SkillsEvalCommand& options) {
  return with_config(globals, [&](const Config& config) -> Status {
    WEFT_TRY(const auto report,
             run_eval_skills(config, options.file, {options.vectors, options.choose, options.states}));
    globals.console->line(report);
    return {};
  });
}

int eval_gate(const Globals& globals, const std::vector<std::string>& files) {
  return with_config(globals, [&](const Config&) -> Status {
    WEFT_TRY(const auto report, eval_write_gate(files));
    globals.console->line(to_json(report));
    return {};
  });
}

int eval_absolutize(const Globals& globals, const std::vector<std::string>& files) {
  return with_config(globals, [&](const Config&) -> Status {
    WEFT_TRY(const auto report, eval_rewrites(files));
    globals.console->line(to_json(report));
    return {};
  });
}

int eval_judged(const Globals& globals, const JudgedFiles& judged) {
  return with_config(globals, [&](const Config&) -> Status {
    WEFT_TRY(const auto report, weft::eval_judged(judged.files, {judged.data, judged.explain}));
    globals.console->line(to_json(report));
    return {};
  });
}

int eval_facts(const Globals& globals, const JudgedFiles& judged) {
  return with_config(globals, [&](const Config& config) { return run_eval_facts(globals, config, judged); });
}

int eval_known(const Globals& globals, const KnownOptions& options) {
  return with_config(globals, [&](const Config& config) -> Status {
    weft::KnownOptions what;
    what.questions = static_cast<std::size_t>(options.questions);
    what.vectors = options.vectors;
    WEFT_TRY(const auto json, run_eval_known(config, options.sets, what));
    globals.console->line(json);
    return {};
  });
}

int eval_features(const Globals& globals, const FeaturesCommand& command) {
  return with_config(globals, [&](const Config& config) { return run_features(config, command); });
}

int bench(const Globals& globals, const BenchOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_bench_command(globals, config, options); });
}

constexpr const char* kByStates = "by the hidden states of the local chat model of the role 'fast'";

void add_features(CommandLine& line, CLI::App& eval) {
  auto asked = std::make_shared<FeaturesCommand>();
  auto* features = eval.add_subcommand("features", "write the examples that weights are fitted to, see tools/fit");
  features->add_option("subject", asked->subject, "which weights")
      ->required()
      ->check(CLI::IsMember(feature_subjects()));
  FeatureOptions& options = asked->options;
  features->add_option("files", options.files, "labelled data of the subject, see tools/fit/README.md")->required();
  features->add_option("-o,--output", asked->output, "file to write, JSON lines")->required();
  features->add_option("--keep-out", options.keep_out, "families that are measured and not fitted on");
  features->add_option("--vectors", asked->vectors, "file that keeps the vectors of all texts for further runs");
  features->add_option("--check", options.check, "wishes: data that is only measured");
  features->add_option("--data", options.data, "facts: the folder that the sources lie in");
  features->add_option("--talks", options.talks, "topics: conversations to join; runs, or sets as for recall");
  features->add_option("--uncut", options.uncut, "topics: talks of one subject each, to see how often they are cut");
  features->add_option("--questions", options.questions, "known: of each memory at most; 0: all");
  features->add_flag("--states", asked->states, std::string("skills: ") + kByStates);
  line.on(features, Place::kAnywhere, [asked](const Globals& globals) { return eval_features(globals, *asked); });
}

}  // namespace

void add_evaluation(CommandLine& line) {
  CLI::App& app = line.app();
  auto* eval = app.add_subcommand("eval", "measure quality on data");
  eval->require_subcommand(1);
  auto* grown = eval->add_subcommand("growth", "how well it learns, simulated");
  grown->require_subcommand(1);
  auto evolved = std::make_shared<EvolutionOptions>();
  auto* evolution = grown->add_subcommand("evolution", "changes of skills that truly are better, the same or worse");
  evolution->add_option("--runs", evolved->runs, "tests of each kind")->check(CLI::Range(1, 1'000'000));
  evolution->add_option("--base", evolved->base, "success of the original")->check(CLI::Range(0.0, 1.0));
  evolution->add_option("--seed", evolved->seed, "of all draws");
  line.on(evolution, Place::kAnywhere, [evolved](const Globals& globals) { return eval_evolution(globals, *evolved); });
  auto streamed = std::make_shared<StreamsOptions>();
  auto* streams = grown->add_subcommand("streams", "streams of tasks that build on each other, and that do not");
  streams->add_option("--streams", streamed->streams, "of each kind and language")->check(CLI::Range(1, 10'000));
  streams->add_option("--tasks", streamed->tasks, "of a stream")->check(CLI::Range(1, 30));
  streams->add_option("--seed", streamed->seed, "of all draws");
  line.on(streams, Place::kAnywhere, [streamed](const Globals& globals) { return eval_streams(globals, *streamed); });
  auto segmented = std::make_shared<SegmentOptions>();
  auto* segment = eval->add_subcommand("segment", "topic borders against labelled dialogues");
  segment->add_option("files", segmented->files, "JSON lines with id, lang, turns, starts")->required();
  segment->add_option("--unit", segmented->unit, "turn or block")->check(CLI::IsMember({"turn", "block"}));
  segment->add_option("--predictions", segmented->predictions, "write the borders found to this file");
  line.on(segment, Place::kAnywhere, [segmented](const Globals& globals) { return eval_segment(globals, *segmented); });
  auto recalled = std::make_shared<RecallOptions>();
  auto* recall = eval->add_subcommand("recall", "messages found for questions");
  recall->add_option("sets", recalled->sets, "folders or prefixes of NAME.messages.jsonl and NAME.queries.jsonl")
      ->required();
  recall->add_option("--baseline", recalled->baseline, "bm25, vector or recent")
      ->check(CLI::IsMember({"bm25", "vector", "recent"}));
  recall->add_option("--predictions", recalled->predictions, "write the ranked ids to this file");
  recall->add_option("--replayed", recalled->replayed, "keep the replayed messages here, or ask those kept before");
  recall
      ->add_option("--speakers-in-text", recalled->speakers_in_text,
                   "write each speaker into the text in this form (\"NAME: \", \"[NAME] \") and not into the field")
      ->check([](const std::string& form) {
        return form.find("NAME") == std::string::npos ? std::string("the form has no NAME in it") : std::string();
      });
  line.on(recall, Place::kAnywhere, [recalled](const Globals& globals) { return eval_recall(globals, *recalled); });

  auto answered = std::make_shared<AnswersCommand>();
  auto* answers =
      eval->add_subcommand("answers", "questions whose whole evidence stands in the prompt, and at what cost");
  answers->add_option("sets", answered->sets, "as for recall")->required();
  answers->add_option("--budget", answered->budgets, "measure at so many tokens of memory, too")
      ->delimiter(',')
      ->check(CLI::Range(50, 1'000'000));
  answers->add_option("--questions", answered->questions, "of each conversation at most; 0: all")
      ->check(CLI::Range(0, 1'000'000));
  answers->add_option("--replayed", answered->replayed, "keep the replayed messages here, or ask those kept before");
  answers->add_option("--details", answered->details, "write what each question found and was given to this file");
  auto* reader = answers->add_option("--reader", answered->reader,
                                     "a role or model of weft.toml that answers the questions from the prompts");
  answers->add_option("--judge", answered->judge, "a role or model of weft.toml that judges its answers")
      ->needs(reader);
  line.on(answers, Place::kAnywhere, [answered](const Globals& globals) { return eval_answers(globals, *answered); });

  auto asked = std::make_shared<KnownOptions>();
  auto* known = eval->add_subcommand("known", "whether recall says so when nothing is remembered");
  known->add_option("sets", asked->sets, "as for recall, or sets of passages: NAME of NAME.passages.jsonl")->required();
  known->add_option("--questions", asked->questions, "of each memory at most; 0: all")->check(CLI::Range(0, 1'000'000));
  known->add_option("--vectors", asked->vectors, "file that keeps the vectors of all texts for further runs");
  line.on(known, Place::kAnywhere, [asked](const Globals& globals) { return eval_known(globals, *asked); });
  auto timed = std::make_shared<TimeEvalCommand>();
  auto* timing = eval->add_subcommand("time", "time expressions resolved");
  timing->add_option("files", timed->files, "JSON lines with text, reference, expressions")->required();
  timing->add_option("--predictions", timed->predictions, "write what was found to this file");
  timing->add_option("--half", timed->half, "0: all lines, 1 or 2: every other one")->check(CLI::Range(0, 2));
  line.on(timing, Place::kAnywhere, [timed](const Globals& globals) { return eval_time(globals, *timed); });
  auto chosen = std::make_shared<ToolsEvalCommand>();
  auto* choosing = eval->add_subcommand("tools", "tools chosen for requests");
  choosing->add_option("prefixes", chosen->prefixes, "PREFIX of PREFIX.tools.jsonl and PREFIX.queries.jsonl")
      ->required();
  choosing->add_option("--baseline", chosen->baseline, "bm25 or vector")->check(CLI::IsMember({"bm25", "vector"}));
  choosing->add_option("--predictions", chosen->predictions, "write the ranked names to this file");
  choosing->add_option("--half", chosen->half, "0: all requests, 1 or 2: one half of them")->check(CLI::Range(0, 2));
  line.on(choosing, Place::kAnywhere, [chosen](const Globals& globals) { return eval_tools(globals, *chosen); });
  auto judged = std::make_shared<std::vector<std::string>>();
  auto* gating = eval->add_subcommand("gate", "what the write gate lets in and refuses");
  gating->add_option("files", *judged, "JSON lines with id, lang, text, kind")->required();
  line.on(gating, Place::kAnywhere, [judged](const Globals& globals) { return eval_gate(globals, *judged); });
  auto skilled = std::make_shared<SkillsEvalCommand>();
  auto* skills = eval->add_subcommand("skills", "tasks and the skills that are meant for them");
  skills->add_option("file", skilled->file, "JSON lines with skills and their tasks")->required();
  skills->add_option("--vectors", skilled->vectors, "keep vectors in this file");
  skills->add_flag("--choose", skilled->choose, "let the chat model say which of the nearest fit");
  skills->add_flag("--states", skilled->states, kByStates);
  line.on(skills, Place::kAnywhere, [skilled](const Globals& globals) { return eval_skill_set(globals, *skilled); });
  auto drifting = std::make_shared<DriftCommand>();
  auto reduced_by = std::make_shared<std::string>("compaction");
  auto* drift = eval->add_subcommand("drift", "whether constraints, facts and decisions outlast a compaction");
  drift->add_option("files", drifting->files,
                    "JSON lines with messages, as agents' runs are kept; none: the shipped sessions");
  drift->add_option("--probes", drifting->probes, "further questions, JSON lines");
  drift->add_option("--keep", drifting->options.keep, "share of the history's tokens to compact to")
      ->check(CLI::Range(0.01, 1.0));
  drift->add_option("--baseline", *reduced_by, "compaction, cut (the last messages that fit) or nothing")
      ->check(CLI::IsMember({"compaction", "cut", "nothing"}));
  line.on(drift, Place::kAnywhere,
          [drifting, reduced_by](const Globals& globals) { return eval_drift(globals, *drifting, *reduced_by); });
  auto runs = std::make_shared<std::vector<std::string>>();
  auto* prefixes = eval->add_subcommand("prefix", "how much of each prompt goes on from the one before");
  prefixes->add_option("files", *runs, "JSON lines with messages, as agents' runs are kept")->required();
  line.on(prefixes, Place::kAnywhere, [runs](const Globals& globals) { return eval_prefix(globals, *runs); });
  auto turns = std::make_shared<std::vector<std::string>>();
  auto* absolutizing = eval->add_subcommand("absolutize", "turns rewritten so that they need no context");
  absolutizing->add_option("files", *turns, "JSON lines with context, text, rewritten")->required();
  line.on(absolutizing, Place::kAnywhere, [turns](const Globals& globals) { return eval_absolutize(globals, *turns); });
  auto meant = std::make_shared<JudgedFiles>();
  auto* judging = eval->add_subcommand("judged", "words of real messages against what people judged them to mean");
  judging->add_option("files", meant->files, "JSON lines with source, dialogue, turn, spoken, judged")->required();
  judging->add_option("--data", meant->data, "the folder that the sources lie in")->required();
  judging->add_option("--explain", meant->explain, "a set of which each miss is told");
  line.on(judging, Place::kAnywhere, [meant](const Globals& globals) { return eval_judged(globals, *meant); });

  auto stated = std::make_shared<JudgedFiles>();
  auto* stating = eval->add_subcommand("facts", "what is read out of real messages against what people found stated");
  stating->add_option("files", stated->files, "JSON lines with source, dialogue, turn, facts")->required();
  stating->add_option("--data", stated->data, "the folder that the sources lie in")->required();
  stating->add_option("--explain", stated->explain, "a set of which each missed and each wrong fact is told");
  stating->add_option("--reader", stated->readers, "measure what another reader found, by these files, instead");
  line.on(stating, Place::kAnywhere, [stated](const Globals& globals) { return eval_facts(globals, *stated); });

  add_features(line, *eval);
  auto benched = std::make_shared<BenchOptions>();
  auto* benching = app.add_subcommand("bench", "measure latencies, throughput and memory");
  benching->add_option("--items", benched->items, "size of the largest index")->check(CLI::Range(1000, 10'000'000));
  line.on(benching, Place::kAnywhere, [benched](const Globals& globals) { return bench(globals, *benched); });
}

}  // namespace weft::cli
