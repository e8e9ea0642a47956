#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "growth/growth_files.h"
#include "model/erased_messages.h"
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

WEFT_DESCRIBED(CountedReport);
WEFT_DESCRIBED(RuleContradiction);

/// Input and output of a change of rules.
struct RuleWork {
  const std::vector<Rule>& rules;  ///< every rule: live ones first, each kind in order
  std::string new_id;  ///< an id that no rule has had
  std::vector<RuleEntry> changes;
  WriteBatch& batch;  ///< takes rows that are written with the changes
};

/// The strategy rules of a workspace. They are two documents of the store, live rules and others, and a row for each
/// change. A change writes its row and the documents in one transaction. Its number is the next one, so of two programs
/// that change rules at the same time one is refused, and does it again.
///
/// On a store that no other program shares, people see three files: the documents, which they may edit, and the log, a
/// copy of the rows. Entries that cannot be read are reported and stay in the document; one that is not YAML is never
/// written over. Files of a former release, which has no rows, are taken in once.
///
/// One thread at a time; only `glance`, `live` and `problems` may be called beside others.
class RuleLedger {
 public:
  /// All must outlive the ledger.
  RuleLedger(Store& store, DocumentFiles& documents, const GrowthFiles& places, const Clock& clock);

  /// Every rule: live ones first, each kind in order. Writes a row for each change that a person has made in a file.
  Result<std::vector<Rule>> rules();
  /// Reads the live rules again if they have changed. Writes nothing. After an error `live` is as before.
  Status glance();
  /// The live rules, as last read.
  std::vector<Rule> live() const;
  /// What is wrong in the documents, as last read, with line and key.
  std::vector<std::string> problems() const;

  /// Calls `make` and writes its changes; does both again if another program was faster.
  Status change(const std::function<Status(RuleWork& work)>& make);
  const KeptRecords<CountedReport>& counted() const { return counted_; }  ///< by report
  const KeptRecords<RuleContradiction>& contradictions() const { return contradictions_; }  ///< "REFLECTION/RULE"

  /// Takes out what was learnt from erased lessons. Rows of changes that said it keep their numbers only.
  Status erase(const ErasedLessons& gone);

 private:
  // The content of a document.
  struct Entries {
    std::vector<Rule> rules;
    std::vector<std::string> problems, bad_text;  // of entries that cannot be read
  };
  struct Page {
    DocumentPlace place;
    std::string title, content = {};
    Status state = {};  // an error: `content` is not YAML
    Entries entries = {};  // of the last content that was YAML
    std::optional<FileRevision> revision = {};  // of the file, when a reader last looked
  };
  // The rows that a change is made from.
  struct Seen {
    std::int64_t last = 0;  // number of the newest change
    Time time;  // of its row
    std::array<DocumentRow, 2> documents;
    std::array<std::vector<std::string>, 2> bad_text;
    std::vector<Rule> rules;
  };

  Result<Seen> load();
  static Result<Entries> parse(std::string_view content, const std::string& name);
  static std::string merge(std::string_view base, std::string_view now, std::string_view wanted);
  static DocumentPlace place_of(const char* kind, std::filesystem::path file);
  Status read(Page& page, const std::string& content);
  Result<std::vector<DocumentRow>> newest_changes(std::size_t count) const;
  Result<std::vector<RuleEntry>> edits(const Seen& seen) const;
  Status stage(const Seen& seen, std::vector<Rule> rules, std::span<const RuleEntry> changes, WriteBatch& batch) const;
  void show(std::int64_t last);
  Status show_log(std::int64_t last);
  Status take_former_files();
  Status take_former_changes();
  Status erase(const ErasedLessons& gone, const Seen& seen, WriteBatch& batch);

  Store& store_;
  DocumentFiles& documents_;
  const GrowthFiles& places_;
  const Clock& clock_;
  const KeptRecords<CountedReport> counted_;
  const KeptRecords<RuleContradiction> contradictions_;
  bool has_taken_former_ = false;
  std::array<std::int64_t, 2> noted_{};  ///< versions whose edits have rows
  std::optional<FileRevision> log_shown_;
  std::int64_t log_lines_ = 0;  ///< of the log, as it was last shown

  mutable std::mutex mutex_;  ///< of the pages
  std::array<Page, 2> pages_;
};

}  // namespace weft
