#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "surface/imports/foreign_chats.h"
#include "weft/engine.h"

namespace weft {

/// Of whom or what notes of an import are.
struct ForeignPlace {
  std::string name;
  std::size_t notes = 0;
};
WEFT_DESCRIBED(ForeignPlace);

/// What of an import lies ready and is not taken in yet.
struct StagedImport {
  std::string id;      ///< of its content: the same file again is the same import
  std::string source;  ///< see `ForeignFile`
  std::string file;    ///< the name that it came from
  std::string owner;   ///< "user:ann"
  std::size_t chats = 0, messages = 0, notes = 0;
  std::vector<ForeignPlace> places;  ///< whose its notes were there
  std::string stage;  ///< "staged", "accepted"
  std::vector<std::string> problems;   ///< see `ForeignFile`, also those below
  std::vector<ForeignTally> left_out, assumed;
};
WEFT_DESCRIBED(StagedImport);

/// What was taken in.
struct AcceptedImport {
  std::string id;
  std::size_t chats = 0;                ///< conversations that were read
  std::size_t messages = 0, notes = 0;  ///< new ones; what was there already is not counted
  std::vector<std::string> problems;    ///< of the import, and conversations that could not be taken in
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

}  // namespace weft
