#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "surface/api/bodies.h"
#include "surface/cli/command_line.h"

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

/// Writes the whole workspace to one file, without what opens doors.
int export_archive(const Globals& globals, const std::string& file);

struct DoctorOptions {
  bool repair = false;  ///< makes the index anew where it is wrong
  bool online = false;  ///< asks the servers of models, too
  /// Seconds that a lock, a model and a server are waited for, each; nothing: as long as each of them takes mostly.
  std::optional<double> patience = {};
};

/// Looks at everything that Weft stands on. The exit code says whether all is well.
int doctor(const Globals& globals, const DoctorOptions& options);

/// What calls of models have cost.
struct UsageOptions {
  std::string from, to, by = "role,model";
  bool all = false;  ///< of the whole workspace, instead of the scope
};
int usage(const Globals& globals, const UsageOptions& options);

/// A server of the Model Context Protocol on standard input and output. `tools` is "few", "all", or names with commas
/// between.
int mcp(const Globals& globals, const std::string& tools);

struct McpInstall {
  std::string client;  ///< claude, codex, cursor or vscode
  std::string tools = "few";
  bool project = false;  ///< the file of the project in this folder instead of the user's own
  bool write = false;    ///< false: only shows what would change
};
/// Writes `weft mcp` into a client's configuration.
int mcp_install(const Globals& globals, const McpInstall& options);

}  // namespace weft::cli
