#include "growth/rule_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>

#include "base/log.h"
#include "base/strings.h"
#include "growth/owners.h"
#include "growth/promotion_gate.h"
#include "model/growth_records.h"
#include "text/markup.h"
#include "text/yaml_value.h"

namespace weft {
namespace {

constexpr const char* kChange = "rule_change";
constexpr std::size_t kAllChanges = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // of a document
constexpr std::size_t kKept = 8;  // earlier versions, one of which an editor may hold
const std::string kOutcomeOpen(to_string(Outcome::kUnknown));  // why a row counts a use and no outcome
constexpr const char* kErased = "(erased)";

template <class Rules>
auto find(Rules& rules, std::string_view id) {
  return std::find_if(rules.begin(), rules.end(), [id](const Rule& rule) { return rule.id == id; });
}

// Sorts by number.
std::string id_of(std::int64_t number) { return fmt::format("{:012}", number); }

std::int64_t number_of(const DocumentRow& row) {
  std::int64_t number = 0;
  std::from_chars(row.id.data(), row.id.data() + row.id.size(), number);
  return number;
}

DocumentRow change_row(std::int64_t number, Time time, std::string line) {
  return {workspace_scope(), kChange, id_of(number), 1, time, kByWeft, std::move(line)};
}

std::string line_of(std::int64_t number, Time now, const RuleEntry& change) {
  JsonWriter line;
  line.begin('{');
  const auto text = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    line.name(name);
    line.text(value);
  };
  line.name("n");
  line.whole(number);
  text("time", format_time(now));
  text("action", change.action);
  text("rule", change.rule.id);
  text("by", change.by);
  text("why", change.why);
  text("report", change.report);
  if (change.removed) {
    line.name("removed");
    line.flag(true);
  }
  line.name("state");
  line.raw(to_json(change.rule));
  line.end('}');
  return line.take();
}

// Reads the rule of a line, its report and whether it was removed.
Result<RuleEntry> entry_of(std::string_view line) {
  RuleEntry entry;
  WEFT_CHECK(check_json(line, {}, "the line"));
  WEFT_CHECK(record<Rule>().read(json_member(line, "state"), "state", entry.rule));
  entry.removed = json_member(line, "removed") == "true";
  entry.report = json_text(json_member(line, "report")).value_or("");
  entry.why = json_text(json_member(line, "why")).value_or("");
  return entry;
}

// A change of the stage puts a rule behind the others: what becomes active is told behind what was told before.
void apply(const RuleEntry& change, std::vector<Rule>& rules) {
  const auto known = find(rules, change.rule.id);
  if (known != rules.end() && !change.removed && known->stage == change.rule.stage) {
    *known = change.rule;
    return;
  }
  if (known != rules.end()) rules.erase(known);
  if (!change.removed) rules.push_back(change.rule);
}

}  // namespace

template <>
const Record<CountedReport>& record<CountedReport>() {
  static const auto made = Record<CountedReport>("CountedReport", "", RecordUse::kBoth)
                               .field("owner", &CountedReport::owner, "of the report")
                               .field("told", &CountedReport::told, "rules without an outcome")
                               .field("judged", &CountedReport::judged, "rules with one");
  return made;
}

template <>
const Record<RuleContradiction>& record<RuleContradiction>() {
  static const auto made = Record<RuleContradiction>("RuleContradiction", "", RecordUse::kBoth)
                               .field("time", &RuleContradiction::time, "when")
                               .field("reflection", &RuleContradiction::reflection, "its id")
                               .field("owner", &RuleContradiction::owner, "whose it is")
                               .field("rule", &RuleContradiction::rule, "its id")
                               .field("says", &RuleContradiction::says, "the rule")
                               .field("against_it", &RuleContradiction::against_it, "the suggestion")
                               .field("differs_in", &RuleContradiction::differs_in, "how they differ")
                               .field("witness", &RuleContradiction::witness, "who bears witness to it")
                               .field("succeeded", &RuleContradiction::succeeded, "tasks with the rule")
                               .field("failed", &RuleContradiction::failed, "tasks with the rule")
                               .field("needs_person", &RuleContradiction::needs_person, "too weighty for a trial");
  return made;
}

RuleLedger::RuleLedger(Store& store, DocumentFiles& documents, const GrowthFiles& places, const Clock& clock)
    : store_(store),
      documents_(documents),
      places_(places),
      clock_(clock),
      counted_(store, "rule_counted"),
      contradictions_(store, "rule_contradiction"),
      pages_{Page{place_of("rules", places.active_rules()), "Rules that are told: active ones and those on probation."},
             Page{place_of("other_rules", places.other_rules()),
                  "Suggestions that are no rules yet, and rules that are told no more."}} {}

DocumentPlace RuleLedger::place_of(const char* kind, std::filesystem::path file) {
  return {workspace_scope(), kind, kind, std::move(file), {}, kKept, merge, false, kMostBytes};
}

Result<RuleLedger::Entries> RuleLedger::parse(std::string_view content, const std::string& name) {
  WEFT_TRY(const YamlTree tree, parse_yaml_tree(content, {}, name));
  WEFT_TRY(auto read, read_yaml_list<Rule>(content, tree, "rules", name));
  Entries entries{{}, {}, std::move(read.bad_text)};
  for (const Error& error : read.bad) entries.problems.push_back(error.message);
  for (Rule& rule : read.good) {
    if (find(entries.rules, rule.id) == entries.rules.end())
      entries.rules.push_back(std::move(rule));
    else
      entries.problems.push_back(name + ": the id \"" + rule.id +
                                 "\" is there twice; only the first counts, so remove one");
  }
  return entries;
}

// Merges rule by rule. Of a rule that both have changed, and of one that was moved to the other document, the edit is
// dropped.
std::string RuleLedger::merge(std::string_view base, std::string_view now, std::string_view wanted) {
  const auto before = parse(base, ""), newest = parse(now, ""), edited = parse(wanted, "");
  if (!before.ok() || !newest.ok() || !edited.ok()) return std::string(wanted);
  std::vector<Rule> merged;
  for (const Rule& rule : newest->rules) {
    const auto known = find(before->rules, rule.id), edit = find(edited->rules, rule.id);
    const bool is_unchanged = known != before->rules.end() && to_json(*known) == to_json(rule);
    if (!is_unchanged)
      merged.push_back(rule);
    else if (edit != edited->rules.end())
      merged.push_back(*edit);
  }
  for (const Rule& rule : edited->rules)
    if (find(before->rules, rule.id) == before->rules.end() && find(merged, rule.id) == merged.end())
      merged.push_back(rule);
  const std::string_view head = now.substr(0, now.find("\nrules:") + 1);
  return std::string(head) + to_yaml_list("rules", merged, edited->bad_text);
}

// With the lock of the pages held.
Status RuleLedger::read(Page& page, const std::string& content) {
  if (page.content == content) return page.state;
  page.content = content;
  page.state = {};
  auto entries = parse(content, page.place.file.filename().string());
  if (entries.ok()) {
    page.entries = std::move(entries).value();
    for (const std::string& problem : page.entries.problems) log_warning("rules.file", problem);
  } else {
    page.state = invalid_argument(entries.error().message, "mend the file; it is left alone until then");
  }
  return page.state;
}

// A reader parses a document only if its file has changed. This program alone writes what files show, and parses that
// itself. On a shared store there are no files, and nobody but `change` moves a rule to the live ones.
Status RuleLedger::glance() {
  const bool is_shared = store_.is_shared();
  for (Page& page : std::span(pages_).first(is_shared ? 1 : pages_.size())) {
    const auto revision = is_shared ? std::nullopt : disk().revision(page.place.file);
    if (revision) {
      const std::lock_guard lock(mutex_);
      if (page.revision == revision) {
        WEFT_CHECK(page.state);
        continue;
      }
    }
    WEFT_TRY(const std::string text, documents_.glance(page.place));
    const std::lock_guard lock(mutex_);
    page.revision = revision;
    WEFT_CHECK(read(page, text));
  }
  return {};
}

// A person may have made a rule live in the file of the others.
std::vector<Rule> RuleLedger::live() const {
  const std::lock_guard lock(mutex_);
  std::vector<Rule> live;
  for (const Page& page : pages_)
    for (const Rule& rule : page.entries.rules)
      if (is_live(rule.stage) && find(live, rule.id) == live.end()) live.push_back(rule);
  return live;
}

std::vector<std::string> RuleLedger::problems() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all = pages_[0].entries.problems;
  all.insert(all.end(), pages_[1].entries.problems.begin(), pages_[1].entries.problems.end());
  return all;
}

// In the order of their numbers: the times of rows never go back.
Result<std::vector<DocumentRow>> RuleLedger::newest_changes(std::size_t count) const {
  return store_.documents().latest(workspace_scope(), kChange, count);
}

// The number first: a change that was made from older documents is refused.
Result<RuleLedger::Seen> RuleLedger::load() {
  WEFT_CHECK(take_former_files());
  Seen seen;
  WEFT_TRY(const auto newest, newest_changes(1));
  if (!newest.empty()) seen.last = number_of(newest.front());
  if (!newest.empty()) seen.time = newest.front().time;
  bool is_edited = false;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    WEFT_TRY(seen.documents[i], documents_.read(pages_[i].place, clock_.now()));
    is_edited = is_edited || (seen.documents[i].author == kByPerson && seen.documents[i].version != noted_[i]);
  }
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      WEFT_CHECK(read(pages_[i], seen.documents[i].body));
      seen.bad_text[i] = pages_[i].entries.bad_text;
      for (const Rule& rule : pages_[i].entries.rules)
        if (find(seen.rules, rule.id) == seen.rules.end()) seen.rules.push_back(rule);
    }
  }
  if (is_edited) {
    WEFT_TRY(const auto edits, this->edits(seen));
    WriteBatch batch;
    if (!edits.empty()) WEFT_CHECK(stage(seen, seen.rules, edits, batch));
    if (!edits.empty()) WEFT_CHECK(store_.write(batch));
    for (std::size_t i = 0; i < pages_.size(); ++i) noted_[i] = seen.documents[i].version;
    if (!edits.empty()) return load();
  }
  if (const Status shown = show_log(seen.last); !shown.ok()) log_warning("rules.log", shown.error().message);
  return seen;
}

// What people changed in the files since the last row of each rule. A rule that is missing while there are entries that
// cannot be read may be one of them.
Result<std::vector<RuleEntry>> RuleLedger::edits(const Seen& seen) const {
  WEFT_TRY(const auto rows, newest_changes(kAllChanges));
  std::map<std::string, RuleEntry> known;
  for (const DocumentRow& row : rows)
    if (auto entry = entry_of(row.body); entry.ok()) known[entry->rule.id] = std::move(entry).value();
  std::vector<RuleEntry> edits;
  for (const Rule& rule : seen.rules) {
    const auto before = known.find(rule.id);
    const bool is_new = before == known.end();
    if (is_new || before->second.removed || to_json(before->second.rule) != to_json(rule))
      edits.push_back({is_new ? "added" : "edited", "file", "a person changed the file", {}, rule});
  }
  if (!seen.bad_text[0].empty() || !seen.bad_text[1].empty()) return edits;
  for (const auto& [id, entry] : known)
    if (!entry.removed && find(seen.rules, id) == seen.rules.end())
      edits.push_back({"removed", "file", "a person took it out of the file", {}, entry.rule, true});
  return edits;
}

Status RuleLedger::stage(const Seen& seen, std::vector<Rule> rules, std::span<const RuleEntry> changes,
                         WriteBatch& batch) const {
  const Time now = clock_.now();
  const Time time{std::max(now.ms, seen.time.ms), now.offset_minutes};
  std::int64_t number = seen.last;
  for (const RuleEntry& change : changes) {
    ++number;
    batch.documents.push_back(change_row(number, time, line_of(number, now, change)));
    apply(change, rules);
  }
  std::array<std::vector<Rule>, 2> split;
  for (Rule& rule : rules) split[is_live(rule.stage) ? 0 : 1].push_back(std::move(rule));
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    const bool is_empty = split[i].empty() && seen.bad_text[i].empty() && seen.documents[i].body.empty();
    const std::string head = "# " + pages_[i].title + "\n# You may edit this file; see `weft rule --help`.\n";
    const std::string text = is_empty ? "" : head + to_yaml_list("rules", split[i], seen.bad_text[i]);
    WEFT_CHECK(documents_.change(pages_[i].place, seen.documents[i], text, now, batch));
  }
  batch.log.clear();  // no reader works for this scope
  return {};
}

Result<std::vector<Rule>> RuleLedger::rules() {
  WEFT_TRY(Seen seen, load());
  return std::move(seen.rules);
}

Status RuleLedger::change(const std::function<Status(RuleWork& work)>& make) {
  std::int64_t last = 0;
  const auto written = store_.transact([&](WriteBatch& batch) -> Status {
    WEFT_TRY(const Seen seen, load());
    std::int64_t number = seen.last + 1;  // a person may have given an id that is like ours
    while (find(seen.rules, "rule_" + std::to_string(number)) != seen.rules.end()) ++number;
    RuleWork work{seen.rules, "rule_" + std::to_string(number), {}, batch};
    WEFT_CHECK(make(work));
    last = seen.last + static_cast<std::int64_t>(work.changes.size());
    return work.changes.empty() ? Status() : stage(seen, seen.rules, work.changes, batch);
  });
  if (!written.ok()) return written.error();
  if (!written->empty()) show(last);
  return {};
}

// The change is in the store. Files that cannot be written now are written by the next call.
void RuleLedger::show(std::int64_t last) {
  Status shown;
  for (Page& page : pages_) {
    const auto row = documents_.read(page.place, clock_.now());
    const std::lock_guard lock(mutex_);
    if (shown.ok()) shown = row.ok() ? read(page, row->body) : Status(row.error());
  }
  const Status log = show_log(last);
  for (const Status& one : {shown, log})
    if (!one.ok()) log_warning("rules.show", one.error().message);
}

// The log that people read is a copy of the rows. It is not flushed: lines that a crash cuts off are written again.
Status RuleLedger::show_log(std::int64_t last) {
  if (store_.is_shared()) return {};
  const std::filesystem::path path = places_.strategy_log();
  const auto there = disk().revision(path);
  const bool is_as_left = there && there == log_shown_;
  if (log_lines_ == last && (is_as_left || last == 0)) return {};
  std::string text;
  std::int64_t lines = is_as_left ? log_lines_ : 0;
  std::uint64_t end = is_as_left ? there->size : 0;
  if (there && !is_as_left) {
    WEFT_TRY(text, disk().read(path));
    text.resize(text.rfind('\n') + 1);  // without a part of a line
    lines = std::count(text.begin(), text.end(), '\n');
    const auto all = lines_of(text);
    const bool is_ours =
        lines == 0 || (check_json(all.back(), {}, "").ok() && json_member(all.back(), "n") == std::to_string(lines));
    if (lines > last || !is_ours) lines = 0;
    if (lines == 0) text.clear();
    end = text.size();
  }
  std::string added;
  if (lines < last) {
    WEFT_TRY(const auto rows, newest_changes(static_cast<std::size_t>(last - lines)));
    for (const DocumentRow& row : rows) added += row.body + "\n";
  }
  if (!there || end != there->size) {
    WEFT_CHECK(disk().make_folder(path.parent_path()));
    WEFT_CHECK(write_file(disk(), path, text + added, false));
  } else if (!added.empty()) {
    WEFT_TRY(const auto file, disk().open(path));
    WEFT_CHECK(file->write_at(added, end));
  }
  log_shown_ = disk().revision(path);
  log_lines_ = last;
  return {};
}

// The documents of a former release are taken in as edits, since they have no rows. On a shared store, where nobody
// edits files, the first program takes over its own.
Status RuleLedger::take_former_files() {
  if (has_taken_former_) return {};
  std::vector<RuleContradiction> contradictions;
  const auto take = [&](std::string_view line) {
    auto read = parse_record<RuleContradiction>(line, "line");
    if (read.ok()) contradictions.push_back(std::move(read).value());
    return read.ok();
  };
  const auto keep = [&]() -> Status {
    WriteBatch batch;
    std::set<std::string> ids;
    for (const RuleContradiction& one : contradictions) {
      const std::string id = one.reflection + "/" + one.rule;
      WEFT_TRY(const auto known, contradictions_.find(workspace_scope(), id));
      if (!known && ids.insert(id).second) contradictions_.put(workspace_scope(), id, one, 0, one.time, batch);
    }
    return batch.empty() ? Status() : store_.write(batch);
  };
  WEFT_CHECK(take_former_log(disk(), places_.contradictions(), take, keep));
  WEFT_TRY(const auto newest, newest_changes(1));
  if (newest.empty()) WEFT_CHECK(take_former_changes());
  has_taken_former_ = true;
  return {};
}

Status RuleLedger::take_former_changes() {
  const auto text = disk().read(places_.strategy_log());
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
  const std::string log = text.value_or("");
  WriteBatch batch;
  std::map<std::string, CountedReport> counted;
  std::int64_t number = 0;
  Time time;
  for (const std::string_view line : lines_of(std::string_view(log).substr(0, log.rfind('\n') + 1))) {
    ++number;
    const auto entry = entry_of(line);
    if (!entry.ok() || json_member(line, "n") != std::to_string(number))
      return corrupt(places_.strategy_log().string() + ": line " + std::to_string(number) + ": " +
                         (entry.ok() ? "its number \"n\" is another" : entry.error().message),
                     "put the line right or take it and all behind it out");
    const auto written = parse_time(json_text(json_member(line, "time")).value_or(""));
    if (written.ok() && time.ms < written->ms) time = *written;
    batch.documents.push_back(change_row(number, time, std::string(line)));
    if (entry->report.empty()) continue;
    CountedReport& report = counted[entry->report];
    (entry->why == kOutcomeOpen ? report.told : report.judged).push_back(entry->rule.id);
  }
  for (const auto& [id, report] : counted) counted_.put(workspace_scope(), id, report, 0, time, batch);
  DocumentRow nothing;
  nothing.version = 0;
  for (const Page& page : std::span(pages_).first(store_.is_shared() ? pages_.size() : 0)) {
    const auto document = disk().read(page.place.file);
    if (document.ok()) WEFT_CHECK(documents_.change(page.place, nothing, *document, time, batch));
  }
  if (batch.empty()) return {};
  const Status written = store_.write(batch);
  return !written.ok() && written.error().code == ErrorCode::kConflict ? Status() : written;  // another was faster
}

namespace {

bool stands_on(const RuleEvidence& evidence, const ErasedLessons& gone) {
  return gone.reflections.contains(evidence.reflection) ||
         std::any_of(evidence.reports.begin(), evidence.reports.end(),
                     [&](const std::string& report) { return gone.reports.contains(report); });
}

// Removes the evidence that erased lessons gave. Returns whether there was any.
bool take_out(Rule& rule, const ErasedLessons& gone) {
  std::size_t out = std::erase_if(rule.evidence, [&](const RuleEvidence& one) { return stands_on(one, gone); });
  out += std::erase_if(rule.learned_from, [&](const std::string& one) { return gone.reflections.contains(one); });
  if (out > 0) std::erase_if(rule.history, [&](const OldVersion& old) { return gone.repeats(old.content); });
  return out > 0;
}

bool is_left(const Rule& rule, const ErasedLessons& gone) {
  const bool by_person = rule.pinned;
  const std::string texts = rule.strategy + "\n" + rule.applies_to + "\n" + rule.expected + "\n" + rule.note;
  return (by_person || !rule.evidence.empty()) && !gone.repeats(texts);
}

std::string erased_line(std::string_view number, const std::string& id) {
  JsonWriter out;
  out.begin('{');
  out.name("n");
  out.raw(number);
  out.name("action");
  out.text("erased");
  out.name("rule");
  out.text(id);
  out.name("removed");
  out.flag(true);
  out.name("state");
  Rule empty;
  empty.id = id;
  empty.strategy = kErased;
  out.raw(to_json(empty));
  out.end('}');
  return out.take();
}

// A use is told by the report of its task: what was used stays, where it was does not.
std::string without_report(std::string_view line) {
  JsonWriter out;
  out.begin('{');
  for (const auto& [name, value] : json_members(line)) {
    if (name == "report") continue;
    out.name(name);
    if (name == "by")
      out.text(kErased);
    else
      out.raw(value);
  }
  out.end('}');
  return out.take();
}

}  // namespace

Status RuleLedger::erase(const ErasedLessons& gone) {
  std::int64_t last = 0;
  const auto written = store_.transact([&](WriteBatch& batch) -> Status {
    WEFT_TRY(const Seen seen, load());
    WEFT_CHECK(erase(gone, seen, batch));
    last = seen.last;
    for (const DocumentRow& row : batch.documents)
      if (row.kind == kChange) last = std::max(last, number_of(row));
    // Before the rows: a log that had the erased lines still would pass for a copy of them.
    return batch.empty() || store_.is_shared() ? Status() : disk().remove(places_.strategy_log());
  });
  if (!written.ok()) return written.error();
  if (!written->empty()) show(last);
  if (store_.is_shared()) return {};
  for (const Page& page : pages_) {
    const auto file = disk().read(page.place.file);
    const std::lock_guard lock(mutex_);
    if (file.ok() ? *file != page.content : file.error().code != ErrorCode::kNotFound)
      return unavailable(page.place.file.string() + " still shows what was erased", "try again");
  }
  return {};
}

// Of a rule that loses a part of what it stands on all earlier rows go, and one is added with what is left.
Status RuleLedger::erase(const ErasedLessons& gone, const Seen& seen, WriteBatch& batch) {
  const auto is_theirs = [&gone](const Rule& rule) { return gone.everything && rule.owner == gone.owner; };
  std::set<std::string> touched, removed;
  WEFT_TRY(const auto rows, newest_changes(kAllChanges));
  for (const DocumentRow& row : rows)
    if (auto entry = entry_of(row.body); entry.ok() && (is_theirs(entry->rule) || take_out(entry->rule, gone)))
      touched.insert(entry->rule.id);
  std::vector<Rule> kept;
  std::vector<RuleEntry> parts;
  for (Rule rule : seen.rules) {
    const bool loses = take_out(rule, gone);
    if (loses || is_theirs(rule)) touched.insert(rule.id);
    const bool is_touched = touched.contains(rule.id);
    if (is_touched && (is_theirs(rule) || !is_left(rule, gone))) {
      removed.insert(rule.id);
      continue;
    }
    if (is_touched) parts.push_back({"erased", "erasure", "a part of what it stood on", {}, rule});
    kept.push_back(std::move(rule));
  }
  const auto rewrite = [&](const DocumentRow& row, std::string line) {
    batch.erased_documents.push_back({workspace_scope(), kChange, row.id});
    batch.documents.push_back(change_row(number_of(row), row.time, std::move(line)));
  };
  for (const DocumentRow& row : rows) {
    const std::string id = json_text(json_member(row.body, "rule")).value_or("");
    const std::string report = json_text(json_member(row.body, "report")).value_or("");
    const std::string erased = touched.contains(id) ? erased_line(json_member(row.body, "n"), id) : "";
    if (!erased.empty() && erased != row.body)
      rewrite(row, erased);
    else if (gone.reports.contains(report))
      rewrite(row, without_report(row.body));
  }
  WEFT_TRY(const auto counted, counted_.latest(workspace_scope()));
  for (const auto& [report, id, version] : counted)
    if (gone.reports.contains(id) || (gone.everything && report.owner == gone.owner))
      counted_.remove(workspace_scope(), id, batch);
  WEFT_TRY(const auto contradictions, contradictions_.latest(workspace_scope()));
  for (const auto& [one, id, version] : contradictions)
    if ((gone.everything && one.owner == gone.owner) || gone.reflections.contains(one.reflection) ||
        removed.contains(one.rule) || gone.repeats(one.says + "\n" + one.against_it))
      contradictions_.remove(workspace_scope(), id, batch);
  if (touched.empty() && batch.empty()) return {};
  // Nobody has changed a rule since.
  batch.expected_documents.emplace_back(DocumentKey{workspace_scope(), kChange, id_of(seen.last + 1)}, 0);
  WEFT_CHECK(stage(seen, std::move(kept), parts, batch));
  for (const DocumentRow& document : seen.documents) {
    std::int64_t newest = document.version;
    for (const DocumentRow& row : batch.documents)
      if (row.kind == document.kind) newest = row.version;
    batch.erased_versions.emplace_back(DocumentKey{workspace_scope(), document.kind, document.id}, newest);
  }
  return {};
}

namespace {

constexpr std::size_t kTasksCompared = 6;

std::string rule_line(const Rule& rule) {
  std::string line = "- " + escape_markup(rule.strategy);
  if (!rule.applies_to.empty()) line += " (" + escape_markup(rule.applies_to) + ")";
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + "\n";
}

}  // namespace

std::vector<std::string> matters_of(const Rule& rule) {
  std::vector<std::string> matters{rule.applies_to.empty() ? rule.strategy : rule.applies_to + " " + rule.strategy};
  for (auto at = rule.evidence.rbegin(); at != rule.evidence.rend() && matters.size() <= kTasksCompared; ++at)
    if (!at->task.empty()) matters.push_back(at->task);
  return matters;
}

bool is_live(LifeStage stage) { return stage == LifeStage::kProbation || stage == LifeStage::kActive; }

bool is_told(const Rule& rule) {
  return is_live(rule.stage) && !rule.disabled && !is_held_back(rule.gate, rule.version);
}

std::string versioned_id(const Rule& rule) { return rule.id + "@" + std::to_string(rule.version); }

std::string rules_text(std::span<const Rule> rules) {
  if (rules.empty()) return {};
  std::string text = "<strategy_rules>\nWhat was learnt from earlier tasks; follow it where it applies.\n";
  for (const Rule& rule : rules) text += rule_line(rule);
  return text + "</strategy_rules>";
}

std::string trial_rules_text(std::span<const Rule> rules) {
  if (rules.empty()) return {};
  std::string text = "<strategy_rules_on_trial>\nNot proven yet: try it in this task if it fits.\n";
  for (const Rule& rule : rules) text += rule_line(rule);
  return text + "</strategy_rules_on_trial>";
}

}  // namespace weft
