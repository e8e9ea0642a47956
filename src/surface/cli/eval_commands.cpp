#include <filesystem>
#include <nlohmann/json.hpp>

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
#include "ports/files/file.h"
#include "surface/cli/commands.h"
#include "surface/cli/drift_command.h"

namespace weft::cli {
namespace {

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

}  // namespace

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

int fit_known(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_known(globals, config, options); });
}

int fit_tools(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_tools(globals, config, options); });
}

int fit_segment(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_segment(globals, config, options); });
}

int fit_facts(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_facts(globals, config, options); });
}

int fit_recall(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_recall(globals, config, options); });
}

int fit_wishes(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_wishes(globals, config, options); });
}

int fit_skills(const Globals& globals, const FitOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_fit_skills(globals, config, options); });
}

int calibrate(const Globals& globals, const CalibrateOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_calibrate(globals, config, options); });
}

int bench(const Globals& globals, const BenchOptions& options) {
  return with_config(globals, [&](const Config& config) { return run_bench_command(globals, config, options); });
}

}  // namespace weft::cli
