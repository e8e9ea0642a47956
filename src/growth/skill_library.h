#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "flow/memory/likeness.h"
#include "growth/growth_files.h"
#include "growth/promotion_gate.h"
#include "growth/skill_match.h"
#include "growth/skill_shelf.h"
#include "model/rows.h"
#include "ports/files/document_files.h"
#include "ports/files/file_system.h"
#include "ports/store/kept_records.h"
#include "weft/agent.h"
#include "weft/config.h"
#include "weft/growth.h"

namespace weft {

/// A task that had a skill in its prompts, and how it went. Kept once for each report and skill.
struct CountedUse {
  Time time;  ///< when it was counted
  std::string report, skill;
  std::int64_t version = 1;  ///< of the skill
  bool followed = false;
  Outcome outcome = Outcome::kUnknown;
};
WEFT_DESCRIBED(CountedUse);

/// Whether a skill's file lies in skills/learned: it was neither refused, retired nor deprecated.
bool serves(const Skill& skill);

/// The documents of skills, and the files that show them: in skills/learned those that serve, in skills/deprecated the
/// others. A document has the name of its file as its id; if Weft names the file, that is the skill's id. A document
/// that cannot be read is reported and left alone.
///
/// Several files may have one name (in both folders, or ending in .yaml and .yml). The file that showed the document so
/// far counts, else the one with the newest text, else the first; the others are reported. Several documents may have
/// one skill's id; the one that serves counts.
///
/// On a shared store, which has no such files, a document of kind "skill_change" lists in each of its versions the
/// documents that one write has changed. A look at the store reads the versions since the last look, and then only
/// these documents. One thread at a time.
class StoredSkills {
 public:
  struct Kept {
    DocumentRow row;  ///< the newest version; number 0: there is none
    std::filesystem::path file;  ///< empty on a shared store
    std::vector<std::filesystem::path> others = {};  ///< files with the same name, which do not count
    std::optional<FileRevision> revision = {};  ///< of the file when it was read
    std::optional<Skill> skill = {};  ///< none: it was removed, it cannot be read, or another document counts
    std::optional<Skill> hidden = {};  ///< its skill, if another document counts or its file is gone
    std::string problem = {};

    /// The skill, whether it counts or not; null if there is none.
    const Skill* held() const { return skill ? &*skill : hidden ? &*hidden : nullptr; }
  };
  using All = std::map<std::string, Kept>;  ///< by id of the document

  /// All must outlive it.
  StoredSkills(Store& store, DocumentFiles& documents, FileSystem& disk, const GrowthFiles& places, const Clock& clock)
      : store_(store), documents_(documents), disk_(disk), places_(places), clock_(clock), uses_(store, "skill_use") {}

  /// Reads what has changed in the store, and takes in what people have changed in files. Pointers to documents are
  /// good until the next `refresh` or `transact`.
  Status refresh();
  const All& all() const { return all_; }
  /// Null if no document that can be read has this skill.
  const Kept* find(std::string_view id) const;
  /// What cannot be read or does not count, and why.
  std::vector<std::string> problems() const;
  const KeptRecords<CountedUse>& uses() const { return uses_; }  ///< by report and skill

  /// Refreshes, calls `make(batch)`, writes the batch and shows in files what it has changed. If another program has
  /// written in between, all is done again.
  Status transact(const std::function<Status(WriteBatch&)>& make);
  /// Adds the next version of `before` to `batch`, or a new document. kConflict if the name of its file is taken.
  Status write(const Skill& skill, const Kept* before, WriteBatch& batch) const;
  /// The same as a new version of what has its id, after a check that it can be read again. Gives it as it was written.
  /// kConflict where the id is another owner's.
  Result<Skill> put(Skill skill, const std::string& note, WriteBatch& batch) const;
  /// Removes files and imported folders, and adds to `batch` the removal of the documents and of the uses of their
  /// skills: of all for which `is_gone(skill, text)` says so, those that do not count included. `skill` is null where
  /// the text cannot be read. Such a file goes, too, if it has the name of a document that goes.
  using IsGone = std::function<bool(const Skill* skill, const std::string& text)>;
  Status remove(const IsGone& is_gone, WriteBatch& batch) const;
  /// An id that is free, or is one of this owner's own already.
  std::string free_id(const std::string& wanted, const std::string& owner) const;

 private:
  DocumentPlace place_of(const Kept& one) const;
  std::filesystem::path folder_of(const Skill& skill) const;
  Status follow();
  void note_changes(WriteBatch& batch) const;
  Status find_files(const std::filesystem::path& folder, All& into);
  void choose_file(Kept& one);
  void load(const Kept& before, Kept& now);
  bool take_in(Kept& now);
  void move_file(Kept& one);
  void leave_one_of_each_id();
  Status forget_uses(const std::set<std::string>& skills, WriteBatch& batch) const;
  Status end_document(const Kept& one) const;

  Store& store_;
  DocumentFiles& documents_;
  FileSystem& disk_;
  const GrowthFiles& places_;
  const Clock& clock_;
  const KeptRecords<CountedUse> uses_;
  All all_;
  bool knows_rows_ = false;  ///< `all_` has them; if no other program writes them, they are not read again
  std::int64_t followed_ = -1;  ///< on a shared store: the changes that `all_` has; -1: it has no document yet
};

/// What skills stand on. All must outlive the library.
struct SkillPorts {
  Store& store;
  DocumentFiles& documents;
  FileSystem& files;
  GrowthFiles places;
  const Clock& clock;
  const Likeness& likeness;
  EvolutionSettings evolution = {};  ///< what makes a skill of tasks that succeeded, and ends its trial
  GateKeeper gate = {};  ///< asked before a skill on trial becomes active
};

/// The procedures of a workspace: a document of the store each, see `StoredSkills`. People may edit, add and remove
/// files at any time: what changed is read anew with the next call. A file that cannot be read is reported and left
/// alone, the others serve. Programs that share a store have the same skills, and no files of them. `scope` is a
/// scope's key: it sees its own skills and those of the workspace. Safe from any thread; no model is called under its
/// lock.
class SkillLibrary final : public SkillShelf {
 public:
  explicit SkillLibrary(SkillPorts with)
      : with_(std::move(with)), stored_(with_.store, with_.documents, with_.files, with_.places, with_.clock) {}

  /// Takes in the log of uses that former versions wrote, and removes it.
  Status take_former_uses();

  /// Of every owner, those that serve first, each by id.
  Result<std::vector<Skill>> all();
  Result<std::vector<Skill>> list(const ScopeKey& scope);
  /// kNotFound where there is none, or it is somebody else's.
  Result<Skill> find(const ScopeKey& scope, const std::string& id);

  // As `SkillShelf` says.
  Result<Skill> get(const std::string& id) override;
  Result<Skill> put(Skill skill, const std::string& note) override;
  /// What a person does. Gives the skill as it is then; as it was, where it was removed. Whatever else holds a removed
  /// skill goes with it: copies of its file, its folder and its counted uses.
  Result<Skill> change(const ScopeKey& scope, const std::string& id, const SkillChange& change);
  /// Two versions as YAML, compared. 0: the newest, and the one before.
  Result<std::string> diff(const ScopeKey& scope, const std::string& id, std::int64_t from, std::int64_t to);

  /// Takes a procedure in a person's own words. The same name again makes a new version.
  Result<Skill> teach(const SkillLesson& lesson, const std::string& by);
  /// The same from a talk: on trial, since nobody has looked at it as a skill, and once for each source
  /// ("SESSION/MESSAGE"). None where it was taken before, or one of that name is pinned.
  Result<std::optional<Skill>> take_taught(const SkillLesson& lesson, const std::string& source);
  /// Takes an Agent Skill; then its files are copied below skills/folders, and nothing of them is run. If they cannot
  /// be copied, the skill is there without them: import it again.
  Result<Skill> import_folder(const SkillFolder& folder, const std::string& by);
  /// The skill as an Agent Skill, with the files that it came with.
  Result<SkillFolder> export_folder(const ScopeKey& scope, const std::string& id);

  /// Counts a task for each skill that stood in its prompts, once, whether it was followed, and how the task went as
  /// far as a verifier, else the user, else the model says; an outcome that becomes known later is counted then. After
  /// five failures in a row a skill that is not pinned is deprecated, and one on trial when its trial ends badly.
  /// Transcripts of other agents do not count.
  Status count(const TaskReport& report);

  /// Skills that have passed their trial and wait until they were tried on past tasks, of every owner.
  Result<std::vector<Skill>> waiting();
  /// What these say, or why it still waits: a skill that waits in this version becomes active with it, or is held back.
  Status settle(const std::string& id, const PromotionGate& gate);

  /// Makes a skill on trial of what this task and others of its owner had in common, see `crystallised`; none where
  /// there is nothing of the kind, or such a skill was there already, in whatever stage.
  Result<std::optional<Skill>> crystallise(const TaskReport& newest, std::span<const TaskReport> all);

  /// The skills that tasks of a scope may be told of. Never fails: what cannot be read is not among them.
  std::vector<Skill> told(const ScopeKey& scope);
  /// Which skills fit a task, the best first. Never fails: what cannot be read fits nothing.
  std::vector<SkillMatch> match(const ScopeKey& scope, std::string_view task, std::size_t most = 3);
  /// The paths of what came with a skill, for its text in a prompt.
  std::vector<std::string> resources(const Skill& skill) const;

  /// What is wrong in files, each with its name, line and key.
  std::vector<std::string> problems();

  /// Which skills go with erased lessons: all of an owner, or those that were learnt from them and repeat their words.
  Result<std::set<std::string>> made_of(const ErasedLessons& gone);
  /// Removes them, and the counted uses of them and of the erased tasks.
  Status erase(const ErasedLessons& gone);

 private:
  using Use = KeptRecords<CountedUse>::Kept;
  Status count_one(const TaskReport& report, const StoredSkills::Kept& kept, const std::optional<Use>& before,
                   WriteBatch& batch);
  Result<std::vector<Skill>> those(const std::function<bool(const Skill&)>& is_meant);
  template <class Make>
  auto write(const Make& make) -> std::invoke_result_t<const Make&, WriteBatch&>;

  SkillPorts with_;
  std::mutex mutex_;  ///< of what was read
  StoredSkills stored_;
};

/// Whether a task's steps show that a skill was followed: its tools were called in its order, or it was named.
bool was_followed(const Skill& skill, const TaskReport& report);

/// Whether this skill is told where it fits: active or on trial, not switched off, and not held back by past tasks.
bool is_told(const Skill& skill);

}  // namespace weft
