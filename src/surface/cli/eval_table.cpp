// The commands that measure: their words, what each takes, and what it runs. They touch no workspace.
#include <CLI/CLI.hpp>

#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/drift_command.h"

namespace weft::cli {

namespace {

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
