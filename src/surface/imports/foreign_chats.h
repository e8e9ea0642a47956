#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "text/record.h"
#include "weft/engine.h"
#include "weft/message.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// One thing that another system remembered, without the conversation it came from.
struct ForeignNote {
  std::string text;
  Time time;          ///< when it was kept; 0: not told
  std::string place;  ///< the other system's id of whom or what it belongs to
};
WEFT_DESCRIBED(ForeignNote);

/// One message of a conversation that was had elsewhere.
struct ForeignMessage {
  std::string id;  ///< as the export has it; where it has none, made from what the message says
  std::string role, name, text;
  Time time;  ///< 0: not known
};
WEFT_DESCRIBED(ForeignMessage);

/// One such conversation.
struct ForeignChat {
  std::string id, title;
  Time time;                             ///< when it began, where the export says so
  std::vector<ForeignMessage> messages;  ///< of the branch that was shown last, oldest first
};
WEFT_DESCRIBED(ForeignChat);

/// How many of a kind there are, and where the first of them are.
struct ForeignTally {
  std::string kind;
  std::size_t count = 0;
  std::vector<std::string> where;
};
WEFT_DESCRIBED(ForeignTally);

/// What a file that another system wrote holds.
struct ForeignFile {
  std::string source;  ///< "chatgpt", "claude", "mem0", "chroma", "qdrant", "sillytavern"
  std::vector<ForeignChat> chats;
  std::vector<ForeignNote> notes;
  std::vector<std::string> problems;    ///< what could not be read, and where
  std::vector<ForeignTally> left_out;   ///< what was read and is not taken in
  std::vector<ForeignTally> assumed;    ///< what the file does not say and was assumed, such as times
};
WEFT_DESCRIBED(ForeignFile);

/// Reads a file; its form shows which system wrote it:
///
///   chatgpt      conversations.json of a data export, and one conversation of it
///   claude       conversations.json, projects.json and memories.json of a data export, and one element of each
///   mem0         what its `get_all` gives: {"results": [{"memory", "user_id", "created_at"}]}, or the list alone
///   chroma       what a collection's `get` gives: {"ids", "documents", "metadatas"}
///   sillytavern  a chat, JSON Lines: {"name", "is_user", "mes", "send_date"}
///
/// Of each conversation the branch that was shown last is taken. Text is taken wherever people saw it: messages, texts
/// of attachments, canvases and artifacts; everything else is counted in `left_out`. A conversation that cannot be read
/// is a problem of its own and stops no other. `name` is that of the file, for errors and for chats without an id.
/// kNotFound where no form is known, kInvalidArgument where none of it can be read.
Result<ForeignFile> read_foreign_file(std::string_view text, std::string_view name);

/// Whether a path is an export as other systems send it: a ZIP, or the folder that it was unpacked to.
bool is_foreign_archive(const std::filesystem::path& path);

/// Reads all files of an export in it that are known, as if they were one; the others are counted in `left_out`.
/// kTooLarge for what no honest export holds.
Result<ForeignFile> read_foreign_archive(const std::filesystem::path& path);

/// Of whom or what notes of an import are.
struct ForeignPlace {
  std::string name;
  std::size_t notes = 0;
};
WEFT_DESCRIBED(ForeignPlace);

/// What of an import lies ready and is not taken in yet.
struct StagedImport {
  std::string id;  ///< of its content: the same file again is the same import
  std::string source;  ///< see `ForeignFile`
  std::string file;  ///< the name that it came from
  std::string owner;  ///< "user:ann"
  std::size_t chats = 0, messages = 0, notes = 0;
  std::vector<ForeignPlace> places;  ///< whose its notes were there
  std::string stage;  ///< "staged", "accepted"
  std::vector<std::string> problems;  ///< see `ForeignFile`, also those below
  std::vector<ForeignTally> left_out, assumed;
};
WEFT_DESCRIBED(StagedImport);

/// What was taken in.
struct AcceptedImport {
  std::string id;
  std::size_t chats = 0;  ///< conversations that were read
  std::size_t messages = 0, notes = 0;  ///< new ones; what was there already is not counted
  std::vector<std::string> problems;  ///< of the import, and conversations that could not be taken in
  std::vector<ForeignTally> left_out, assumed;
};
WEFT_DESCRIBED(AcceptedImport);

/// Imports from other systems in two steps, so that a person sees what it is before it becomes memory: they lie in the
/// workspace's folder `imports/` until they are accepted or dropped. One process at a time.
class Imports {
 public:
  explicit Imports(std::filesystem::path workspace) : folder_(std::move(workspace) / "imports") {}

  /// Reads a file and lays it ready. The same content for the same owner again changes nothing. `of`: only the notes of
  /// this place, for who takes one person's out of many people's; empty: all. kNotFound where there are none of it.
  Result<StagedImport> stage(std::string_view text, const std::string& file, const Scope& owner,
                             const std::string& of = {}) const;
  /// The same for what is more than one file of text: a store of another system as it lies on disk, see
  /// `read_foreign_store`, or an archive, see `read_foreign_archive`.
  Result<StagedImport> stage_path(const std::filesystem::path& path, const std::string& file, const Scope& owner,
                                  const std::string& of = {}) const;
  /// All that lie there, oldest first.
  Result<std::vector<StagedImport>> list() const;
  /// What one holds. kNotFound where there is none.
  Result<ForeignFile> show(const std::string& id) const;
  /// Takes it in, what is older first: each conversation as a session "import:SOURCE:ID" with its times, each note as
  /// an event. What is known already is recognised by its content, so that an interrupted one is simply accepted again;
  /// an answer or a question that is another one now is a branch, and a conversation of a later export goes on. One
  /// that cannot be taken in is a problem and stops no other.
  Result<AcceptedImport> accept(const std::string& id, const Engine& engine, const RequestContext& request) const;
  /// Removes one, accepted or not; what was taken in stays.
  Status drop(const std::string& id) const;

 private:
  Result<StagedImport> lay_ready(const ForeignFile& read, std::string_view text, const std::string& file,
                                 const Scope& owner) const;
  Result<StagedImport> about(const std::string& id) const;
  std::filesystem::path place(const std::string& id, const char* what) const { return folder_ / id / what; }

  std::filesystem::path folder_;
};

/// What Python's pickle holds, as data: dictionaries, lists, texts, numbers. Nothing is run: an object is its state,
/// and what a function would have made is null. Protocols 2 to 5, as far as programs write plain records with them.
/// kCorrupt, with the place, for what is none.
Result<nlohmann::json> read_pickle(std::string_view bytes);

/// Whether a path is a store of another system as it lies on disk, rather than an export of one.
bool is_foreign_store(const std::filesystem::path& path);

/// Reads it; which one it is shows in its tables:
///
///   chroma  the folder of a persistent client, or its chroma.sqlite3: the documents of all collections
///   mem0    history.db, or the folder with it: of each memory what it says last, without those that were deleted
///   qdrant  the folder of a client of Qdrant without a server: what points say in their payload
///
/// Memories that mem0 keeps in Chroma or Qdrant are best read there, since its history does not say whose they are. The
/// store is not changed; its program need not end. kInvalidArgument where nothing in it is known, kCorrupt where it is
/// damaged.
Result<ForeignFile> read_foreign_store(const std::filesystem::path& path);

}  // namespace weft
