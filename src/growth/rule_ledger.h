#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/threads.h"
#include "growth/growth_files.h"
#include "model/rows.h"
#include "ports/files/document_files.h"
#include "ports/files/file_system.h"
#include "ports/store/kept_records.h"
#include "weft/growth.h"

namespace weft {

/// What a task is compared with: what the rule says, and the tasks that it was learnt from. A rule on how to use a tool
/// shares no word with what people ask for.
std::vector<std::string> matters_of(const Rule& rule);

/// Whether a rule in this stage is told at all.
bool is_live(LifeStage stage);

/// Whether this rule is told: a live one that nobody has switched off, and that past tasks do not hold back.
bool is_told(const Rule& rule);

/// "ID@VERSION", by which runs name what they were told.
std::string versioned_id(const Rule& rule);

/// Active rules as they stand in a prompt: a line each, the newest last, so that a new one changes nothing before it.
/// Empty where there are none.
std::string rules_text(std::span<const Rule> rules);
/// Rules on probation, marked as such.
std::string trial_rules_text(std::span<const Rule> rules);

/// A change of a rule, as the log keeps it: what was done, by whom and why, and the rule after it.
struct RuleEntry {
  std::string action, by, why;
  std::string report = {};  ///< the task report that it counts
  Rule rule;
  bool removed = false;
};

/// The rules for which a task report was counted: without an outcome, and with one.
struct CountedReport {
  std::string owner;
  std::vector<std::string> told, judged;
};

/// A suggestion of a reflection that contradicts a live rule.
struct RuleContradiction {
  Time time;
  std::string reflection, owner, rule, says, against_it, differs_in;
  Provenance witness = Provenance::kOwnRun;
  std::int64_t succeeded = 0, failed = 0;  ///< tasks of the rule
  bool needs_person = false;
};

/// A rule as the store keeps it.
struct KeptRule {
  std::int64_t place = 0;  ///< among the rules: the change that gave it its stage; below 0: of a former release
  Rule rule;
};

WEFT_DESCRIBED(CountedReport);
WEFT_DESCRIBED(RuleContradiction);
WEFT_DESCRIBED(KeptRule);

/// Input and output of a change of rules.
struct RuleWork {
  const std::vector<Rule> rules;  ///< of the owner and of the workspace: live ones first, each kind in order
  std::string new_id;  ///< an id that no rule has had
  std::vector<RuleEntry> changes;  ///< at most one for a rule
  WriteBatch& batch;  ///< takes rows that are written with the changes
};

/// The strategy rules of a workspace. Each is a record of the store, and each change adds a row, in one transaction.
/// The rows have dense numbers, so of two programs that change rules at the same time one is refused, and does it
/// again. A row keeps the rule after the change; one that only counts a use does not.
///
/// The rules are in memory, too. A look asks the store for the change after the last one that is known, and reads the
/// rules that later changes name.
///
/// On a store that no other program shares, people see three files: two documents, live rules and others, which they
/// may edit, and the log, a copy of the rows. Entries that cannot be read are reported and stay in the document. While
/// a file is not YAML, no rule changes; only an erasure replaces such a file, and keeps it under another name
/// (`broken_copy`) without what is erased. The two documents of a former release, which had no records, and its files
/// are taken in once.
///
/// Safe from many threads. Changes wait for each other; `glance` and `live` do not wait for them.
class RuleLedger {
 public:
  /// All must outlive the ledger.
  RuleLedger(Store& store, DocumentFiles& documents, const GrowthFiles& places, const Clock& clock);

  /// The rules of an owner and of the workspace, or of everybody (empty): live ones first, each kind in order. Writes a
  /// row for each change that a person has made in a file.
  Result<std::vector<Rule>> rules(std::string_view owner);
  /// Takes in what has changed in the store and in files. After an error `live` is as before.
  Status glance();
  /// The live rules that a scope may see, in order, as of the last look.
  std::vector<Rule> live(const ScopeKey& scope) const;
  /// What is wrong in the files, with line and key.
  std::vector<std::string> problems();

  /// Calls `make` with the rules of an owner (empty: of everybody) and writes its changes; does both again if another
  /// program was faster.
  Status change(std::string_view owner, const std::function<Status(RuleWork& work)>& make);
  const KeptRecords<CountedReport>& counted() const { return counted_; }  ///< by report
  const KeptRecords<RuleContradiction>& contradictions() const { return contradictions_; }  ///< "REFLECTION/RULE"

  /// Takes out what was learnt from erased lessons. Rows of changes that said it keep their numbers only.
  Status erase(const ErasedLessons& gone);
  /// Where an erasure keeps a file that was not YAML.
  static std::filesystem::path broken_copy(const std::filesystem::path& file);

 private:
  // The content of a document.
  struct Entries {
    std::vector<Rule> rules;
    std::vector<std::string> problems, bad_text;  // of entries that cannot be read
  };
  struct Page {
    DocumentPlace place;
    std::string title;
    DocumentRow row = {};
    Status state = {};  // an error: the file is not YAML, or cannot be read at all
    Entries entries = {};  // of the last content that was YAML
    std::optional<FileRevision> revision = {};  // of the file at the last look
    std::int64_t noted = 0;  // the version whose edits have rows
  };
  struct InMemory {
    KeptRule kept;
    std::int64_t version = 0;  // of its record
  };
  // The rules in memory, up to a change.
  struct Rules {
    std::int64_t last = -1;  // number of that change; -1: nothing was read yet
    Time time;  // of its row
    std::map<std::string, InMemory> all;  // by id
    std::map<std::string, std::set<std::pair<std::int64_t, std::string>>> order;  // of each owner: place, id

    void put(InMemory one);
    void remove(const std::string& id);
    std::vector<Rule> of(std::string_view owner, bool only_live) const;
  };
  // What a change is made from.
  struct Base {
    std::int64_t last = 0;
    Time time;
    std::vector<Rule> rules;
  };

  Status follow();
  Status read_all();
  Status load();
  Status read_pages();
  Base base(std::string_view owner) const;
  static Result<Entries> parse(std::string_view content, const std::string& name);
  static std::string merge(std::string_view base, std::string_view now, std::string_view wanted);
  static DocumentPlace place_of(const char* kind, std::filesystem::path file);
  static Status read(Page& page);
  Result<std::vector<DocumentRow>> newest_changes(std::size_t count) const;
  std::vector<RuleEntry> edits(const std::map<std::string, const Rule*>& known) const;
  Status stage(const Base& base, std::span<const RuleEntry> changes, WriteBatch& batch) const;
  Status stage_pages(std::vector<std::pair<std::int64_t, const Rule*>> rules, WriteBatch& batch,
                     bool only_broken = false) const;
  void show(std::int64_t last);
  Status show_log(std::int64_t last);
  Status take_former(bool erases);
  Status take_former_rules(bool erases);
  Result<std::vector<DocumentRow>> former_changes(WriteBatch& batch) const;
  Status replace_broken_files(const ErasedLessons& gone);
  Status erase(const ErasedLessons& gone, const Base& base, WriteBatch& batch);

  Store& store_;
  DocumentFiles& documents_;
  const GrowthFiles& places_;
  const Clock& clock_;
  const KeptRecords<KeptRule> records_;
  const KeptRecords<CountedReport> counted_;
  const KeptRecords<RuleContradiction> contradictions_;

  std::mutex changing_;  ///< held by who changes; guards the following
  bool has_taken_former_ = false;
  std::optional<FileRevision> log_shown_;
  std::int64_t log_lines_ = 0;  ///< of the log, as it was last shown
  std::array<Page, 2> pages_;

  mutable Sync<Rules> rules_;
};

}  // namespace weft
