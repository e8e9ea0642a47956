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
#include "engine/open_chat.h"
#include "eval/absolutize.h"
#include "eval/answers.h"
#include "eval/bench.h"
#include "eval/calibrate.h"
#include "eval/drift.h"
#include "eval/evolution.h"
#include "eval/facts.h"
#include "eval/judged.h"
#include "eval/known.h"
#include "eval/prefix.h"
#include "eval/recall.h"
#include "eval/recall_fit.h"
#include "eval/relevance_fit.h"
#include "eval/segment.h"
#include "eval/skill_fit.h"
#include "eval/skills.h"
#include "eval/streams.h"
#include "eval/time_expressions.h"
#include "eval/tools.h"
#include "eval/wish_fit.h"
#include "eval/write_gate.h"
#include "ports/embedding/vector_file.h"
#include "ports/files/file_system.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/globals.h"

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
  std::string features, vectors;
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
  std::string file, vectors, features;
  bool choose = false, states = false;
};

struct JudgedFiles {
  std::vector<std::string> files, explain, readers;
  std::string data;
};

struct CalibrateOptions {
  std::vector<std::string> files;
  std::string output;
};

struct FitOptions {
  std::vector<std::string> files, check, keep_out, talks, uncut;
  std::string output, vectors, data;
  std::size_t thin = 1, questions = 100;
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

Status run_fit_wishes(const Globals& globals, const Config& config, const FitOptions& options) {
  WEFT_TRY(const auto models, load_models(config));
  if (models->embedder() == nullptr) return unavailable("fit: no embedder", "`weft doctor` says why");
  WEFT_TRY(const auto data, read_wishes(options.files));
  WEFT_TRY(const auto check, read_wishes(options.check));
  WEFT_TRY(const auto fitted, weft::fit_wishes(data, check, *models->embedder(), *models->similarity()));
  if (!options.output.empty()) WEFT_CHECK(write_file(options.output, fitted.source, true));
  globals.console->line(R"({"fitted": )" + to_json(fitted.fitted) + R"(, "checked": )" + to_json(fitted.checked) + "}");
  return {};
}

/// Puts the file that keeps vectors, where one is named, before the embedder.
Result<std::unique_ptr<VectorFile>> open_vectors(const FitOptions& options, Embedder*& embedder) {
  std::unique_ptr<VectorFile> kept;
  if (embedder == nullptr || options.vectors.empty()) return kept;
  WEFT_TRY(kept, VectorFile::open(options.vectors, *embedder));
  embedder = kept.get();
  return kept;
}

Status run_fit_skills(const Globals& globals, const Config& config, const FitOptions& options) {
  WEFT_TRY(const auto models, ModelSet::open(config));
  WEFT_TRY(const TaskEmbedder by, TaskEmbedder::open(config, *models, options.states, options.vectors));
  if (by.embedder == nullptr) return unavailable("fit: no embedder", "`weft doctor` says why");
  WEFT_TRY(const SkillSet set, read_skill_sets(options.files));
  WEFT_TRY(const auto fitted, weft::fit_skills(set, *by.embedder, *by.similarity));
  if (!options.output.empty()) WEFT_CHECK(write_file(options.output, fitted.source, true));
  globals.console->line(to_json(fitted));
  return {};
}

Status run_fit_segment(const Globals& globals, const Config& config, const FitOptions& options) {
  WEFT_TRY(const auto models, load_models(config));
  if (models->embedder() == nullptr) return unavailable("fit: no embedder", "`weft doctor` says why");
  Embedder* embedder = models->embedder();
  WEFT_TRY(const auto kept, open_vectors(options, embedder));
  weft::SegmentFitOptions what;
  what.labelled = options.files;
  what.talks = options.talks;
  what.uncut = options.uncut;
  what.keep_out = options.keep_out;
  WEFT_TRY(const auto fitted, weft::fit_segments(what, *embedder, *models->similarity()));
  if (!options.output.empty()) WEFT_CHECK(write_file(options.output, fitted.source, true));
  globals.console->line(to_json(fitted));
  return {};
}

Status run_fit_facts(const Globals& globals, const Config& config, const FitOptions& options) {
  WEFT_TRY(const auto models, load_models(config));
  if (models->embedder() == nullptr) return unavailable("fit: no embedder", "`weft doctor` says why");
  Embedder* embedder = models->embedder();
  WEFT_TRY(const auto kept, open_vectors(options, embedder));
  const FactFitOptions what{options.files, options.data, options.keep_out};
  WEFT_TRY(const auto fitted, weft::fit_facts(what, *embedder, *models->similarity()));
  if (!options.output.empty()) WEFT_CHECK(write_file(options.output, fitted.source, true));
  globals.console->line(to_json(fitted));
  return {};
}

Status run_eval_facts(const Globals& globals, const Config& config, const JudgedFiles& judged) {
  WEFT_TRY(const auto models, load_models(config));
  FactOptions what{judged.data, judged.explain, judged.readers, models->embedder(), nullptr};
  if (models->embedder() != nullptr) what.similarity = &*models->similarity();
  WEFT_TRY(const auto report, weft::eval_facts(judged.files, what));
  globals.console->line(to_json(report));
  return {};
}

Status run_fit_known(const Globals& globals, const Config& config, const FitOptions& options) {
  WEFT_TRY(const auto models, load_models(config));
  if (models->embedder() == nullptr) return unavailable("fit: no embedder", "`weft doctor` says why");
  Embedder* embedder = models->embedder();
  WEFT_TRY(const auto kept, open_vectors(options, embedder));
  RelevanceFitOptions what;
  what.sets = options.files;
  what.keep_out = options.keep_out;
  what.questions = options.questions;
  WEFT_TRY(const auto fitted, weft::fit_known(config, what, *embedder, means_of(*models->similarity())));
  if (!options.output.empty()) WEFT_CHECK(write_file(options.output, fitted.source, true));
  globals.console->line(to_json(fitted));
  return {};
}

Status run_fit_tools(const Globals& globals, const Config& config, const FitOptions& options) {
  WEFT_TRY(const auto models, load_models(config));
  Embedder* embedder = models->embedder();
  WEFT_TRY(const auto kept, open_vectors(options, embedder));
  WEFT_TRY(const auto fitted, weft::fit_tools(options.files, options.thin, embedder, *models->similarity()));
  if (!options.output.empty()) WEFT_CHECK(write_file(options.output, fitted.source, true));
  globals.console->line(to_json(fitted));
  return {};
}

Status run_fit_recall(const Globals& globals, const Config& config, const FitOptions& options) {
  WEFT_TRY(const auto models, load_models(config));
  const RecallFitOptions what{options.files, options.keep_out, options.thin};
  Embedder* embedder = models->embedder();
  WEFT_TRY(const auto kept, open_vectors(options, embedder));
  WEFT_TRY(const auto fitted, weft::fit_recall(config, what, embedder, means_of(*models->similarity())));
  if (!options.output.empty()) WEFT_CHECK(write_file(options.output, fitted.source, true));
  globals.console->line(to_json(fitted));
  return {};
}

Status run_calibrate(const Globals& globals, const Config& config, const CalibrateOptions& options) {
  WEFT_TRY(const auto models, load_models(config));
  if (models->embedder() == nullptr) return unavailable("calibrate: no embedder", "`weft doctor` says why");
  WEFT_TRY(const auto fitted, calibrate_similarity(options.files, *models->embedder(), {}));
  const std::string path = options.output.empty()
                               ? model_folder(config) + "/" + embedder_name(config) + ".calibration.json"
                               : options.output;
  WEFT_CHECK(write_file(path, fitted.similarity.to_json(), true));
  if (globals.json) {
    globals.console->line(nlohmann::ordered_json{{"file", path},
                                                 {"texts", fitted.texts},
                                                 {"pairs", fitted.pairs},
                                                 {"best_cosine", fitted.best_cosine},
                                                 {"balanced_accuracy", fitted.balanced_accuracy}}
                              .dump());
    return {};
  }
  globals.console->print("%s: %lld texts, %lld pairs, best cut at a centred cosine of %.3f, balanced accuracy %.3f\n",
                         path.c_str(), static_cast<long long>(fitted.texts), static_cast<long long>(fitted.pairs),
                         fitted.best_cosine, fitted.balanced_accuracy);
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
    WEFT_TRY(const auto report, run_eval_skills(config, options.file,
                                                {options.vectors, options.features, options.choose, options.states}));
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
    what.features = options.features;
    what.vectors = options.vectors;
    WEFT_TRY(const auto json, run_eval_known(config, options.sets, what));
    globals.console->line(json);
    return {};
  });
}

/// Fits the curves of relevance, prints what they do on sets they have not seen, and writes the source file that ships.
int fit_known(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_known(globals, config, options); });
}

/// Fits the weights by which tools are chosen, prints what they do on sets they have not seen, and writes the source
/// file that ships.
int fit_tools(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_tools(globals, config, options); });
}

/// Fits the weights of the topic detector, prints what they do on families they have not seen, and writes the source
/// file that ships.
int fit_segment(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_segment(globals, config, options); });
}

/// Fits the weights by which sentences are known for facts of their speaker, prints what they do on families they have
/// not seen, and writes the source file that ships.
int fit_facts(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_facts(globals, config, options); });
}

/// Fits the weights of ranking, prints what they do on families they have not seen, and writes the source file.
int fit_recall(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_recall(globals, config, options); });
}

/// Fits the weights by which sentences are known for standing wishes, and writes the source file that ships.
int fit_wishes(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_wishes(globals, config, options); });
}

/// Fits the weights by which skills are chosen, by an embedder or by the states of a chat model, prints what they do on
/// skills that they have not seen, and writes the source file that ships.
int fit_skills(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_skills(globals, config, options); });
}

int calibrate(const Globals& globals, const CalibrateOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_calibrate(globals, config, options); });
}

int bench(const Globals& globals, const BenchOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_bench_command(globals, config, options); });
}

constexpr const char* kByStates = "by the hidden states of the local chat model of the role 'fast'";

void add_fitting(CommandLine& line) {
  auto* fit = line.app().add_subcommand("fit", "fit the weights that ship");
  fit->require_subcommand(1);
  auto asked = std::make_shared<FitOptions>();
  auto* segment = fit->add_subcommand("segment", "by which a new topic is recognised");
  segment->add_option("files", asked->files, "labelled dialogues, JSON lines with id, turns, starts")->required();
  segment->add_option("--talks", asked->talks, "conversations to join: runs, or sets as for recall");
  segment->add_option("--keep-out", asked->keep_out, "of the talks, those that are measured and not fitted on");
  segment->add_option("--uncut", asked->uncut, "talks of one subject each, to see how often they are torn");
  auto* wishes = fit->add_subcommand("wishes", "by which sentences are known for standing wishes");
  wishes->add_option("files", asked->files, "JSON lines with text, wish")->required();
  wishes->add_option("--check", asked->check, "data that is only measured");
  auto* facts = fit->add_subcommand("facts", "by which sentences are known for facts of their speaker");
  facts->add_option("files", asked->files, "as for eval facts, or JSON lines with text, fact")->required();
  facts->add_option("--data", asked->data, "the folder that the sources lie in")->required();
  facts->add_option("--keep-out", asked->keep_out, "families that are measured and not fitted on");
  auto* recall = fit->add_subcommand("recall", "by which remembered messages are ranked");
  recall->add_option("sets", asked->files, "folders or beginnings of NAME.messages.jsonl, NAME.queries.jsonl")
      ->required();
  recall->add_option("--thin", asked->thin, "keep every so manyth of the messages that answer nothing");
  auto* known = fit->add_subcommand("known", "how sure it is that a hit has to do with the question");
  known->add_option("sets", asked->files, "as for eval known")->required();
  known->add_option("--questions", asked->questions, "of each memory at most; 0: all");
  auto* tools = fit->add_subcommand("tools", "by which tools are chosen for a request");
  tools->add_option("prefixes", asked->files, "as for eval tools")->required();
  tools->add_option("--thin", asked->thin, "fit on every so manyth request");
  auto* skills = fit->add_subcommand("skills", "by which skills are chosen for a task");
  skills->add_option("files", asked->files, "as for eval skills; the tasks that are not held count")->required();
  skills->add_flag("--states", asked->states, kByStates);
  for (auto* one : {recall, known})
    one->add_option("--keep-out", asked->keep_out, "sets that are measured and not fitted on");
  for (auto* one : {segment, facts, recall, known, tools, skills})
    one->add_option("--vectors", asked->vectors, "file that keeps the vectors of all texts for further runs");
  for (auto* one : {segment, wishes, facts, recall, known, tools, skills})
    one->add_option("-o,--output", asked->output, "file of weights/ to write; default: none");
  line.on(known, Place::kAnywhere, [asked](const Globals& globals) { return fit_known(globals, *asked); });
  line.on(skills, Place::kAnywhere, [asked](const Globals& globals) { return fit_skills(globals, *asked); });
  line.on(tools, Place::kAnywhere, [asked](const Globals& globals) { return fit_tools(globals, *asked); });
  line.on(segment, Place::kAnywhere, [asked](const Globals& globals) { return fit_segment(globals, *asked); });
  line.on(facts, Place::kAnywhere, [asked](const Globals& globals) { return fit_facts(globals, *asked); });
  line.on(wishes, Place::kAnywhere, [asked](const Globals& globals) { return fit_wishes(globals, *asked); });
  line.on(recall, Place::kAnywhere, [asked](const Globals& globals) { return fit_recall(globals, *asked); });
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
  known->add_option("--features", asked->features, "write what each question found to this file");
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
  skills->add_option("--features", skilled->features, "write what each task and skill have in common to this file");
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

  auto calibrated = std::make_shared<CalibrateOptions>();
  auto* calibrating =
      app.add_subcommand("calibrate", "fit the similarity of the configured embedder on labelled dialogues");
  calibrating->add_option("files", calibrated->files, "JSON lines with id, lang, turns, starts")->required();
  calibrating->add_option("-o,--output", calibrated->output, "file to write; default: beside the model");
  line.on(calibrating, Place::kAnywhere,
          [calibrated](const Globals& globals) { return calibrate(globals, *calibrated); });
  add_fitting(line);
  auto benched = std::make_shared<BenchOptions>();
  auto* benching = app.add_subcommand("bench", "measure latencies, throughput and memory");
  benching->add_option("--items", benched->items, "size of the largest index")->check(CLI::Range(1000, 10'000'000));
  line.on(benching, Place::kAnywhere, [benched](const Globals& globals) { return bench(globals, *benched); });
}

}  // namespace weft::cli
