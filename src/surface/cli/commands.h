#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "surface/api/bodies.h"
#include "surface/api/search.h"
#include "surface/cli/globals.h"
#include "surface/cli/words.h"

/// One function a command. Each gives the exit code.
namespace weft::cli {

int init(const Globals& globals);

/// Makes the events of the whole workspace anew from their sources and tells what changed.
int repair_events(const Globals& globals, bool dry_run);

/// Prints a shipped prompt, such as "end", in "en" or "zh".
int prompt(const Globals& globals, const std::string& name, const std::string& language);

/// Reads messages as JSON lines from stdin; with `history`, one JSON array that is a client's whole history.
int observe(const Globals& globals, bool history);
int save(const Globals& globals);

struct SearchOptions {
  Words<SearchBody> what;
  std::vector<std::string> where;  ///< "sender_id=ann": metadata that events must have
  bool originals = false;  ///< shows the source messages of each hit
};
int search(const Globals& globals, const SearchOptions& options);

struct ContextOptions {
  Words<ContextRequest> what;
  bool explain = false;
  std::string request;  ///< a file with the body that POST /v1/sessions/{id}/context takes; "-" is stdin
};
int context(const Globals& globals, const ContextOptions& options);

/// `what` is set, show or end: what the session works on.
struct TaskOptions {
  std::string what;
  Words<SessionTask> task;
};
int task(const Globals& globals, const TaskOptions& options);

/// `what` is get, put, apply, log or rollback.
struct StateOptions {
  std::string what, name = "default", text, author = "user";
  std::int64_t version = 0, limit = 20;
  bool drop = false;  ///< the schema
  std::string world;  ///< whose state it is instead of the user's
};
int state(const Globals& globals, const StateOptions& options);

/// `what` is list, import, move or delete.
struct QuestOptions {
  std::string what, file, id, status, note;
  std::string world;  ///< whose quests they are instead of the user's
};
int quest(const Globals& globals, const QuestOptions& options);

/// `what` is list, show, import, set or delete.
struct LoreOptions {
  std::string what;
  std::string path;   ///< a file or a folder to import
  std::string id;     ///< of one entry
  std::string json;   ///< the entry; "@FILE" reads a file
  std::string file;   ///< all that came from it
  std::string world;  ///< whose lore it is instead of the user's
};
int lore(const Globals& globals, const LoreOptions& options);

/// The same request, for the state, quests and lore of a world; as it is where `world` is empty.
RequestContext in_world(RequestContext request, const std::string& world);

struct CompactOptions {
  Words<CompactRequest> how;
  std::string expand;
  bool show = false, undo = false;
};
int compact(const Globals& globals, const CompactOptions& options);

int end(const Globals& globals, const Words<EndRequest>& what);

/// `what` is list, show, history, diff, rollback or edit; `id` empty: that of the scope. Among the words may be an
/// entity as the list shows it ("user:ann") and the number of a version.
struct ProfileOptions {
  std::string what, type = "user", id;
  std::vector<std::string> words;
};
int profile(const Globals& globals, const ProfileOptions& options);

/// Runs a memory tool with arguments as JSON, as a model would.
int tool(const Globals& globals, const std::string& name, const std::string& arguments);

struct EraseOptions {
  std::vector<std::string> messages;
  std::string before, verify;
  bool everything = false;
  bool yes = false;  ///< nobody has to be named, nothing is asked
  bool in_groups = false;  ///< also what of the user stands in the memory of groups
};
int erase(const Globals& globals, const EraseOptions& options);

struct MigrateOptions {
  std::string file;
};
int migrate(const Globals& globals, const MigrateOptions& options);

int queue_show(const Globals& globals, const std::string& job);
/// Takes failed jobs out for good: one, or all.
int queue_purge(const Globals& globals, const std::string& job, bool all);
int queue_status(const Globals& globals);
int queue_list(const Globals& globals);
/// Puts failed jobs back: one, or all.
int queue_retry(const Globals& globals, const std::string& job, bool all);

/// Writes the whole workspace to a folder, while it is used.
int backup(const Globals& globals, const std::string& folder);
/// Puts a backup in the place of an empty workspace.
int restore(const Globals& globals, const std::string& folder);
/// Prints all that is kept of a scope as JSON lines; to a file where one is named.
int export_memory(const Globals& globals, const std::string& file);

struct ServeOptions {
  std::string host;
  std::int64_t port = -1;  ///< below 0: as configured
  std::string upstream;
};
int serve(const Globals& globals, const ServeOptions& options);

int chat(const Globals& globals);
int demo(const Globals& globals);

struct ReembedOptions {
  std::string model;
};
/// Changes the embedding model of the workspace and waits until its vectors are complete, showing progress.
int reembed(const Globals& globals, const ReembedOptions& options);

/// Every setting with its key, default and meaning.
int settings(const Globals& globals);

/// The paths of the server, each with what it does.
int help_http(const Globals& globals);

struct EvolutionOptions {
  std::int64_t runs = 200;
  double base = 0.85;
  std::uint64_t seed = 1;
};
/// Plays tests of changes of skills whose true success is known.
int eval_evolution(const Globals& globals, const EvolutionOptions& options);

struct StreamsOptions {
  std::int64_t streams = 10, tasks = 30;
  std::uint64_t seed = 1;
};
/// Plays streams of tasks with growth and without.
int eval_streams(const Globals& globals, const StreamsOptions& options);

struct SegmentOptions {
  std::vector<std::string> files;
  std::string unit = "block", predictions;
};
int eval_segment(const Globals& globals, const SegmentOptions& options);

struct RecallOptions {
  std::vector<std::string> sets;
  std::string baseline, predictions, replayed, speakers_in_text;
};
int eval_recall(const Globals& globals, const RecallOptions& options);

struct AnswersCommand {
  std::vector<std::string> sets;
  std::string replayed, details;
  std::string reader, judge;  ///< roles or models of the configuration; empty: none
  std::vector<std::int64_t> budgets;
  std::int64_t questions = 0;
};
int eval_answers(const Globals& globals, const AnswersCommand& command);

struct KnownOptions {
  std::vector<std::string> sets;
  std::int64_t questions = 0;
  std::string features, vectors;
};
int eval_known(const Globals& globals, const KnownOptions& options);

struct ToolsEvalCommand {
  std::vector<std::string> prefixes;
  std::string baseline, predictions;
  int half = 0;
};
int eval_tools(const Globals& globals, const ToolsEvalCommand& options);

struct TimeEvalCommand {
  std::vector<std::string> files;
  std::string predictions;
  int half = 0;
};
int eval_time(const Globals& globals, const TimeEvalCommand& options);
struct SkillsEvalCommand {
  std::string file, vectors, features;
  bool choose = false, states = false;
};
int eval_skill_set(const Globals& globals, const SkillsEvalCommand& options);
int eval_gate(const Globals& globals, const std::vector<std::string>& files);
struct DriftCommand;
/// `by` is what makes sessions smaller: "compaction", or the baselines "cut" and "nothing".
int eval_drift(const Globals& globals, const DriftCommand& command, const std::string& by);
/// How much of each prompt goes on from the one before, over runs of agents.
int eval_prefix(const Globals& globals, const std::vector<std::string>& files);
int eval_absolutize(const Globals& globals, const std::vector<std::string>& files);

struct JudgedFiles {
  std::vector<std::string> files, explain, readers;
  std::string data;
};
int eval_judged(const Globals& globals, const JudgedFiles& judged);
int eval_facts(const Globals& globals, const JudgedFiles& judged);

struct CalibrateOptions {
  std::vector<std::string> files;
  std::string output;
};
int calibrate(const Globals& globals, const CalibrateOptions& options);

struct FitOptions {
  std::vector<std::string> files, check, keep_out, talks, uncut;
  std::string output, vectors, data;
  std::size_t thin = 1, questions = 100;
  bool states = false;
};

/// Fits the curves of relevance, prints what they do on sets they have not seen, and writes the source file that ships.
int fit_known(const Globals& globals, const FitOptions& options);

/// Fits the weights by which tools are chosen, prints what they do on sets they have not seen, and writes the source
/// file that ships.
int fit_tools(const Globals& globals, const FitOptions& options);

/// Fits the weights of the topic detector, prints what they do on families they have not seen, and writes the source
/// file that ships.
int fit_segment(const Globals& globals, const FitOptions& options);

/// Fits the weights by which sentences are known for standing wishes, and writes the source file that ships.
int fit_wishes(const Globals& globals, const FitOptions& options);

/// Fits the weights by which skills are chosen, by an embedder or by the states of a chat model, prints what they do on
/// skills that they have not seen, and writes the source file that ships.
int fit_skills(const Globals& globals, const FitOptions& options);

/// Fits the weights by which sentences are known for facts of their speaker, prints what they do on families they have
/// not seen, and writes the source file that ships.
int fit_facts(const Globals& globals, const FitOptions& options);

/// Fits the weights of ranking, prints what they do on families they have not seen, and writes the source file.
int fit_recall(const Globals& globals, const FitOptions& options);

struct BenchOptions {
  std::int64_t items = 100'000;
};
int bench(const Globals& globals, const BenchOptions& options);

}  // namespace weft::cli
