#include "growth/rule_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/log.h"
#include "base/strings.h"
#include "growth/growth_files.h"
#include "growth/promotion_gate.h"
#include "model/growth_records.h"
#include "text/markup.h"
#include "text/yaml_value.h"

namespace weft {
namespace {

constexpr const char* kChange = "rule_change";
constexpr std::size_t kAllChanges = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostFollowed = 64;  // changes; after more of them all rules are read again
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // of a file
constexpr std::size_t kKept = 8;  // earlier versions, one of which an editor may hold
const std::string kOutcomeOpen(to_string(Outcome::kUnknown));  // why a row counts a use and no outcome
constexpr const char* kErased = "(erased)";
constexpr const char* kUsed = "used";

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
  if (change.action != kUsed && change.rule.strategy != kErased) {
    line.name("state");
    line.raw(to_json(change.rule));
  }
  line.end('}');
  return line.take();
}

std::string rule_of(std::string_view line) { return json_text(json_member(line, "rule")).value_or(""); }

// Reads the rule of a line, its report and whether it was removed. Lines that count a use have the rule's id only.
Result<RuleEntry> entry_of(std::string_view line) {
  RuleEntry entry;
  WEFT_CHECK(check_json(line, {}, "the line"));
  const std::string_view state = json_member(line, "state");
  if (!state.empty()) WEFT_CHECK(record<Rule>().read(state, "state", entry.rule));
  entry.rule.id = rule_of(line);
  entry.removed = json_member(line, "removed") == "true";
  entry.report = json_text(json_member(line, "report")).value_or("");
  entry.why = json_text(json_member(line, "why")).value_or("");
  return entry;
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

template <>
const Record<KeptRule>& record<KeptRule>() {
  static const auto made = Record<KeptRule>("KeptRule", "", RecordUse::kBoth)
                               .field("place", &KeptRule::place, "among the rules")
                               .field("rule", &KeptRule::rule, "the rule");
  return made;
}

RuleLedger::RuleLedger(Store& store, DocumentFiles& documents, const GrowthFiles& places, const Clock& clock)
    : store_(store),
      documents_(documents),
      places_(places),
      clock_(clock),
      records_(store, "rule"),
      counted_(store, "rule_counted"),
      contradictions_(store, "rule_contradiction"),
      pages_{Page{place_of("rules", places.active_rules()), "Rules that are told: active ones and those on probation."},
             Page{place_of("other_rules", places.other_rules()),
                  "Suggestions that are no rules yet, and rules that are told no more."}} {
  for (Page& page : pages_) page.row.version = 0;
}

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

void RuleLedger::Rules::put(InMemory one) {
  const std::string id = one.kept.rule.id;
  remove(id);
  order[one.kept.rule.owner].emplace(one.kept.place, id);
  all.insert_or_assign(id, std::move(one));
}

void RuleLedger::Rules::remove(const std::string& id) {
  const auto known = all.find(id);
  if (known == all.end()) return;
  const auto owned = order.find(known->second.kept.rule.owner);
  owned->second.erase({known->second.kept.place, id});
  if (owned->second.empty()) order.erase(owned);
  all.erase(known);
}

std::vector<Rule> RuleLedger::Rules::of(std::string_view owner, bool only_live) const {
  std::vector<std::pair<std::int64_t, std::string>> chosen;
  for (const auto& [whose, rules] : order)
    if (owner.empty()) chosen.insert(chosen.end(), rules.begin(), rules.end());
  for (const std::string& whose : std::set<std::string>{std::string(kWorkspaceOwner), std::string(owner)})
    if (const auto rules = order.find(whose); !owner.empty() && rules != order.end())
      chosen.insert(chosen.end(), rules->second.begin(), rules->second.end());
  std::sort(chosen.begin(), chosen.end());
  std::vector<Rule> found;
  for (const bool live : {true, false})
    for (const auto& [place, id] : chosen)
      if (const Rule& rule = all.at(id).kept.rule; is_live(rule.stage) == live && (live || !only_live))
        found.push_back(rule);
  return found;
}

Status RuleLedger::read_all() {
  Rules rules;
  WEFT_TRY(const auto newest, newest_changes(1));
  rules.last = newest.empty() ? 0 : number_of(newest.front());
  if (!newest.empty()) rules.time = newest.front().time;
  WEFT_TRY(auto records, records_.latest(workspace_scope()));
  for (auto& record : records) rules.put({std::move(record.value), record.version});
  auto known = rules_.lock();
  if (known->last < rules.last) *known = std::move(rules);
  return {};
}

// Nobody waits for the store with the lock held. Whoever was overtaken by another thread looks again.
Status RuleLedger::follow() {
  for (;;) {
    const std::int64_t from = rules_.lock()->last;
    if (from < 0) return read_all();
    std::int64_t last = from;
    Time time;
    std::map<std::string, std::optional<KeptRecords<KeptRule>::Kept>> changed;
    for (;;) {
      WEFT_TRY(const auto change, store_.documents().newest(workspace_scope(), kChange, id_of(last + 1)));
      if (!change) break;
      if (++last - from > kMostFollowed) return read_all();
      time = change->time;
      changed[rule_of(change->body)];
    }
    if (last == from) return {};
    for (auto& [id, record] : changed) {
      WEFT_TRY(record, records_.find(workspace_scope(), id));
    }
    auto known = rules_.lock();
    if (known->last != from) continue;
    for (auto& [id, record] : changed)
      if (record)
        known->put({std::move(record->value), record->version});
      else
        known->remove(id);
    known->last = last;
    known->time = time;
    return {};
  }
}

// This program alone writes what files show: they are read only if they have changed.
Status RuleLedger::glance() {
  std::unique_lock changing(changing_, std::defer_lock);
  const bool is_first = rules_.lock()->last < 0;
  if (is_first) changing.lock();
  if (!is_first && (store_.is_shared() || !changing.try_lock())) return follow();
  // A file counts as removed once it has been missing or empty for a moment.
  const auto is_read = [](const Page& page) {
    const auto now = disk().revision(page.place.file);
    return now && now->size > 0 ? now == page.revision : page.row.body.empty();
  };
  const bool is_as_read =
      has_taken_former_ && (store_.is_shared() || std::all_of(pages_.begin(), pages_.end(), is_read));
  return is_as_read ? follow() : load();
}

std::vector<Rule> RuleLedger::live(const ScopeKey& scope) const { return rules_.lock()->of(scope.str(), true); }

std::vector<std::string> RuleLedger::problems() {
  const std::lock_guard lock(changing_);
  std::vector<std::string> all;
  if (const Status loaded = load(); !loaded.ok()) all.push_back(loaded.error().message);
  for (const Page& page : pages_) {
    all.insert(all.end(), page.entries.problems.begin(), page.entries.problems.end());
    if (const auto copy = broken_copy(page.place.file); !store_.is_shared() && disk().revision(copy))
      all.push_back(copy.filename().string() + ": what " + page.place.file.filename().string() +
                    " said when it was not YAML and something was erased; take back what you need, then remove this "
                    "file");
  }
  return all;
}

// In the order of their numbers: the times of rows never go back.
Result<std::vector<DocumentRow>> RuleLedger::newest_changes(std::size_t count) const {
  return store_.documents().latest(workspace_scope(), kChange, count);
}

Status RuleLedger::read(Page& page) {
  page.state = {};
  auto entries = parse(page.row.body, page.place.file.filename().string());
  if (!entries.ok())
    return page.state = invalid_argument(entries.error().message, "mend the file; it is left alone until then");
  for (const std::string& problem : entries->problems)
    if (std::find(page.entries.problems.begin(), page.entries.problems.end(), problem) == page.entries.problems.end())
      log_warning("rules.file", problem);
  page.entries = std::move(entries).value();
  return {};
}

// A file that is no text, or too large, is broken like one that is not YAML.
Status RuleLedger::read_pages() {
  for (Page& page : pages_) {
    page.revision = disk().revision(page.place.file);
    auto row = documents_.read(page.place, clock_.now());
    if (!row.ok() && row.error().code != ErrorCode::kCorrupt && row.error().code != ErrorCode::kTooLarge)
      return row.error();
    if (!row.ok()) page.state = row.error();
    const bool is_new = row.ok() && (row->version != page.row.version || !page.state.ok());
    if (row.ok()) page.row = std::move(row).value();
    if (is_new) (void)read(page);
  }
  return {};
}

// The files first, then the number of the newest change: a change that was made from older rules is refused.
Status RuleLedger::load() {
  WEFT_CHECK(take_former(false));
  if (store_.is_shared()) return follow();
  WEFT_CHECK(read_pages());
  WEFT_CHECK(follow());
  for (const Page& page : pages_) WEFT_CHECK(page.state);
  const bool is_edited = std::any_of(pages_.begin(), pages_.end(), [](const Page& page) {
    return page.row.author == kByPerson && page.row.version != page.noted;
  });
  if (is_edited) {
    const Base from = base("");
    std::map<std::string, const Rule*> known;
    for (const Rule& rule : from.rules) known.emplace(rule.id, &rule);
    const auto found = edits(known);
    WriteBatch batch;
    if (!found.empty()) WEFT_CHECK(stage(from, found, batch));
    if (!found.empty()) WEFT_CHECK(store_.write(batch));
    for (Page& page : pages_) page.noted = page.row.version;
    if (!found.empty()) return load();
  }
  if (const Status shown = show_log(rules_.lock()->last); !shown.ok()) log_warning("rules.log", shown.error().message);
  return {};
}

// What people changed in the files. A rule that is missing while there are entries that cannot be read may be one of
// them. A rule may be moved from one file to the other.
std::vector<RuleEntry> RuleLedger::edits(const std::map<std::string, const Rule*>& known) const {
  std::vector<RuleEntry> edits;
  std::set<std::string> there;
  bool has_unread = false;
  for (const Page& page : pages_) {
    has_unread = has_unread || !page.state.ok() || !page.entries.bad_text.empty();
    for (const Rule& rule : page.entries.rules) {
      if (!there.insert(rule.id).second) continue;
      const auto before = known.find(rule.id);
      const bool is_new = before == known.end();
      if (is_new || to_json(*before->second) != to_json(rule))
        edits.push_back({is_new ? "added" : "edited", "file", "a person changed the file", {}, rule});
    }
  }
  for (const auto& [id, rule] : known)
    if (!has_unread && !there.contains(id))
      edits.push_back({"removed", "file", "a person took it out of the file", {}, *rule, true});
  return edits;
}

RuleLedger::Base RuleLedger::base(std::string_view owner) const {
  auto known = rules_.lock();
  return {known->last, known->time, known->of(owner, false)};
}

// A rule keeps its place until its stage changes: what becomes active is told after what was told before. If another
// thread has taken in changes since `base`, the number of the first change is taken, and the write is refused.
Status RuleLedger::stage(const Base& base, std::span<const RuleEntry> changes, WriteBatch& batch) const {
  const Time now = clock_.now();
  const Time time{std::max(now.ms, base.time.ms), now.offset_minutes};
  std::int64_t number = base.last;
  auto known = rules_.lock();
  std::map<std::string, std::optional<KeptRule>> changed;  // none: removed
  for (const RuleEntry& change : changes) {
    ++number;
    const std::string& id = change.rule.id;
    batch.documents.push_back(change_row(number, time, line_of(number, now, change)));
    const auto before = known->all.find(id);
    const bool is_new = before == known->all.end();
    const std::int64_t version = is_new ? 0 : before->second.version;
    if (change.removed) {
      records_.remove(workspace_scope(), id, batch);
      records_.expect(workspace_scope(), id, version, batch);
      changed[id] = std::nullopt;
      continue;
    }
    const bool stays = !is_new && before->second.kept.rule.stage == change.rule.stage;
    const auto& kept = changed[id] = KeptRule{stays ? before->second.kept.place : number, change.rule};
    records_.put(workspace_scope(), id, *kept, version, time, batch);
  }
  if (store_.is_shared()) return {};
  std::vector<std::pair<std::int64_t, const Rule*>> rules;
  for (const auto& [id, one] : known->all)
    if (!changed.contains(id)) rules.emplace_back(one.kept.place, &one.kept.rule);
  for (const auto& [id, kept] : changed)
    if (kept) rules.emplace_back(kept->place, &kept->rule);
  return stage_pages(std::move(rules), batch);
}

// The files that show these rules.
Status RuleLedger::stage_pages(std::vector<std::pair<std::int64_t, const Rule*>> rules, WriteBatch& batch,
                               bool only_broken) const {
  std::sort(rules.begin(), rules.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second->id) < std::tie(b.first, b.second->id);
  });
  std::array<std::vector<Rule>, 2> split;
  for (const auto& [place, rule] : rules) split[is_live(rule->stage) ? 0 : 1].push_back(*rule);
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    const Page& page = pages_[i];
    if (only_broken && page.state.ok()) continue;
    const bool is_empty = split[i].empty() && page.entries.bad_text.empty() && page.row.body.empty();
    const std::string head = "# " + page.title + "\n# You may edit this file; see `weft rule --help`.\n";
    const std::string text = is_empty ? "" : head + to_yaml_list("rules", split[i], page.entries.bad_text);
    WEFT_CHECK(documents_.change(page.place, page.row, text, clock_.now(), batch));
  }
  batch.log.clear();  // no reader works for this scope
  return {};
}

Result<std::vector<Rule>> RuleLedger::rules(std::string_view owner) {
  const std::lock_guard lock(changing_);
  WEFT_CHECK(load());
  return rules_.lock()->of(owner, false);
}

Status RuleLedger::change(std::string_view owner, const std::function<Status(RuleWork& work)>& make) {
  const std::lock_guard lock(changing_);
  std::int64_t last = 0;
  const auto written = store_.transact([&](WriteBatch& batch) -> Status {
    WEFT_CHECK(load());
    Base from = base(owner);
    std::int64_t number = from.last + 1;  // a person may have given an id that is like ours
    const auto is_taken = [&] { return rules_.lock()->all.contains("rule_" + std::to_string(number)); };
    while (is_taken()) ++number;
    RuleWork work{std::move(from.rules), "rule_" + std::to_string(number), {}, batch};
    WEFT_CHECK(make(work));
    last = from.last + static_cast<std::int64_t>(work.changes.size());
    return work.changes.empty() ? Status() : stage(from, work.changes, batch);
  });
  if (!written.ok()) return written.error();
  if (!written->empty()) show(last);
  return {};
}

// The change is in the store. Files that cannot be written now are written by the next call.
void RuleLedger::show(std::int64_t last) {
  const Status followed = follow();
  const Status shown = store_.is_shared() ? Status() : read_pages();
  const Status log = show_log(last);
  for (Page& page : pages_) page.revision.reset();  // the next look takes in what a person has saved meanwhile
  for (const Status& one : {followed, shown, log})
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

Status RuleLedger::take_former(bool erases) {
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
  WEFT_TRY(const auto records, records_.latest(workspace_scope(), 1));
  if (records.empty()) WEFT_CHECK(take_former_rules(erases));
  has_taken_former_ = true;
  return {};
}

// The two documents become records, in one write. They remain where files show them; there, what a person has changed
// since the newest row of a rule gets a row. An erasure does not wait for a file that is not YAML: the rows have its
// rules.
Status RuleLedger::take_former_rules(bool erases) {
  WriteBatch batch;
  WEFT_TRY(auto rows, newest_changes(kAllChanges));
  const bool has_rows = !rows.empty();
  if (!has_rows) {
    WEFT_TRY(rows, former_changes(batch));
  }
  std::map<std::string, Rule> known;
  for (const DocumentRow& row : rows) {
    auto entry = entry_of(row.body);
    if (!entry.ok()) continue;
    if (entry->removed)
      known.erase(entry->rule.id);
    else if (!entry->rule.strategy.empty())
      known.insert_or_assign(entry->rule.id, std::move(entry->rule));
  }
  if (!store_.is_shared()) WEFT_CHECK(read_pages());
  std::vector<Rule> rules;
  const auto add = [&rules](const Rule& rule) {
    if (find(rules, rule.id) == rules.end()) rules.push_back(rule);
  };
  bool is_broken = false;
  for (Page& page : pages_) {
    if (store_.is_shared()) {
      WEFT_TRY(const auto document, store_.documents().newest(workspace_scope(), page.place.kind, page.place.id));
      page.row.body = document ? document->body : has_rows ? "" : disk().read(page.place.file).value_or("");
      (void)read(page);
      batch.erased_documents.push_back({workspace_scope(), page.place.kind, page.place.id});
    }
    if (!erases) WEFT_CHECK(page.state);
    is_broken = is_broken || !page.state.ok();
    for (const Rule& rule : page.entries.rules) add(rule);
  }
  for (const auto& [id, rule] : known)
    if (is_broken) add(rule);
  const Time now = clock_.now(), last = rows.empty() ? now : rows.back().time;
  const Time time{std::max(now.ms, last.ms), now.offset_minutes};
  for (std::size_t i = 0; i < rules.size(); ++i)
    records_.put(workspace_scope(), rules[i].id,
                 {static_cast<std::int64_t>(i) - static_cast<std::int64_t>(rules.size()), rules[i]}, 0, time, batch);
  if (!store_.is_shared()) {
    std::map<std::string, const Rule*> before;
    for (const auto& [id, rule] : known) before.emplace(id, &rule);
    std::int64_t number = rows.empty() ? 0 : number_of(rows.back());
    for (const RuleEntry& edit : edits(before)) {
      ++number;
      batch.documents.push_back(change_row(number, time, line_of(number, now, edit)));
    }
  }
  if (rules.empty() && batch.documents.empty()) return {};
  const Status written = store_.write(batch);
  return !written.ok() && written.error().code == ErrorCode::kConflict ? Status() : written;  // another was faster
}

// The rows of a log, and what it says of reports.
Result<std::vector<DocumentRow>> RuleLedger::former_changes(WriteBatch& batch) const {
  const auto text = disk().read(places_.strategy_log());
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
  const std::string log = text.value_or("");
  std::map<std::string, CountedReport> counted;
  std::vector<DocumentRow> rows;
  Time time;
  for (const std::string_view line : lines_of(std::string_view(log).substr(0, log.rfind('\n') + 1))) {
    const auto number = static_cast<std::int64_t>(rows.size()) + 1;
    const auto entry = entry_of(line);
    if (!entry.ok() || json_member(line, "n") != std::to_string(number))
      return corrupt(places_.strategy_log().string() + ": line " + std::to_string(number) + ": " +
                         (entry.ok() ? "its number \"n\" is another" : entry.error().message),
                     "put the line right or take it and all behind it out");
    const auto written = parse_time(json_text(json_member(line, "time")).value_or(""));
    if (written.ok() && time.ms < written->ms) time = *written;
    rows.push_back(change_row(number, time, std::string(line)));
    if (entry->report.empty()) continue;
    CountedReport& report = counted[entry->report];
    (entry->why == kOutcomeOpen ? report.told : report.judged).push_back(entry->rule.id);
  }
  for (const auto& [id, report] : counted) counted_.put(workspace_scope(), id, report, 0, time, batch);
  batch.documents.insert(batch.documents.end(), rows.begin(), rows.end());
  return rows;
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

std::filesystem::path RuleLedger::broken_copy(const std::filesystem::path& file) {
  std::filesystem::path copy = file;
  return copy.replace_extension(".broken" + file.extension().string());
}

namespace {

// What an erasure takes out of a file that cannot be parsed.
struct ErasedText {
  std::set<std::string> ids;    // of rules that go whole
  std::vector<std::string> words;  // a line that has one goes

  bool is_in(std::string_view line) const {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& one) { return line.find(one) != std::string_view::npos; });
  }
};

// The entry of a rule begins with a dash, at the indent of the first dash of the file.
std::string without_erased(std::string_view text, const ErasedText& erased, const ErasedLessons& gone) {
  std::string left, entry;
  std::size_t indent = std::string_view::npos;
  bool goes = false;
  const auto end_entry = [&] {
    if (!goes) left += entry;
    entry.clear();
    goes = false;
  };
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = line.find_first_not_of(' ');
    const bool has_dash = at != std::string_view::npos && line[at] == '-';
    if (has_dash && indent == std::string_view::npos) indent = at;
    if (has_dash && at == indent) end_entry();
    const auto names = [&](std::string_view key, const std::string& value) {
      const std::size_t found = line.find(std::string(key) + ": ");
      return found != std::string_view::npos &&
             line.substr(found + key.size() + 2).find(value) != std::string_view::npos;
    };
    goes = goes || (gone.everything && names("owner", gone.owner)) ||
           std::any_of(erased.ids.begin(), erased.ids.end(), [&](const std::string& id) {
             return line.ends_with("id: " + id) || line.ends_with("id: \"" + id + "\"");
           });
    if (!erased.is_in(line) && !gone.repeats(line)) entry += std::string(line) + "\n";
  }
  end_entry();
  return left;
}

}  // namespace

// What the file said is kept beside it; the file shows the rules of the store again. The copy is written first, the
// file last: a file that is missing meanwhile would be taken for one that a person has removed.
Status RuleLedger::replace_broken_files(const ErasedLessons& gone) {
  if (std::all_of(pages_.begin(), pages_.end(), [](const Page& page) { return page.state.ok(); })) return {};
  ErasedText erased;
  for (const auto* words : {&gone.reports, &gone.reflections, &gone.tasks})
    erased.words.insert(erased.words.end(), words->begin(), words->end());
  const Base from = base("");
  for (Rule rule : from.rules) {
    const bool loses = take_out(rule, gone), is_theirs = gone.everything && rule.owner == gone.owner;
    if (!is_theirs && (!loses || is_left(rule, gone))) continue;
    erased.ids.insert(rule.id);
    for (const std::string* text : {&rule.strategy, &rule.applies_to, &rule.expected, &rule.note})
      for (const std::string_view line : lines_of(*text))
        if (!line.empty()) erased.words.emplace_back(line);
  }
  std::erase_if(erased.words, [](const std::string& word) { return word.empty(); });
  std::vector<std::pair<std::int64_t, const Rule*>> rules;
  for (const Rule& rule : from.rules) rules.emplace_back(static_cast<std::int64_t>(rules.size()), &rule);
  for (Page& page : pages_) {
    if (page.state.ok()) continue;
    WEFT_TRY(const std::string text, disk().read(page.place.file));
    const auto copy = broken_copy(page.place.file);
    const std::string before = disk().read(copy).value_or("");
    WEFT_CHECK(write_file(disk(), copy, without_erased(before + text, erased, gone), true));
    log_warning("rules.file", page.place.file.string() +
                                  " is not YAML: it was written again from the store, and is in " + copy.string() +
                                  " without what was erased; take back what you need");
    WEFT_TRY(const auto newest, store_.documents().newest(workspace_scope(), page.place.kind, page.place.id));
    if (newest) page.row = *newest;
    page.entries.bad_text.clear();
  }
  WriteBatch batch;
  WEFT_CHECK(stage_pages(std::move(rules), batch, true));
  if (!batch.empty()) WEFT_CHECK(store_.write(batch));
  for (Page& page : pages_) {
    if (page.state.ok()) continue;
    WEFT_TRY(const auto newest, store_.documents().newest(workspace_scope(), page.place.kind, page.place.id));
    WEFT_CHECK(write_file(disk(), page.place.file, newest ? newest->body : "", true));
  }
  return {};
}

Status RuleLedger::erase(const ErasedLessons& gone) {
  const std::lock_guard lock(changing_);
  WEFT_CHECK(take_former(true));
  if (!store_.is_shared()) {
    WEFT_CHECK(read_pages());
    WEFT_CHECK(follow());
    WEFT_CHECK(replace_broken_files(gone));
  }
  std::int64_t last = 0;
  const auto written = store_.transact([&](WriteBatch& batch) -> Status {
    WEFT_CHECK(load());
    const Base from = base("");
    last = from.last;
    WEFT_CHECK(erase(gone, from, batch));
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
    if (file.ok() ? *file != page.row.body : file.error().code != ErrorCode::kNotFound)
      return unavailable(page.place.file.string() + " still shows what was erased", "try again");
  }
  return {};
}

// Of a rule that loses a part of what it stands on all earlier rows go, and one is added with what is left. A rule that
// goes gets a row, too, so that other programs drop it.
Status RuleLedger::erase(const ErasedLessons& gone, const Base& base, WriteBatch& batch) {
  const auto is_theirs = [&gone](const Rule& rule) { return gone.everything && rule.owner == gone.owner; };
  std::set<std::string> touched, removed;
  WEFT_TRY(const auto rows, newest_changes(kAllChanges));
  for (const DocumentRow& row : rows)
    if (auto entry = entry_of(row.body); entry.ok() && (is_theirs(entry->rule) || take_out(entry->rule, gone)))
      touched.insert(entry->rule.id);
  std::vector<RuleEntry> parts;
  for (Rule rule : base.rules) {
    const bool loses = take_out(rule, gone);
    if (loses || is_theirs(rule)) touched.insert(rule.id);
    if (!touched.contains(rule.id)) continue;
    if (is_theirs(rule) || !is_left(rule, gone)) {
      removed.insert(rule.id);
      Rule empty;
      empty.id = rule.id;
      empty.strategy = kErased;
      parts.push_back({"erased", {}, {}, {}, std::move(empty), true});
    } else {
      parts.push_back({"erased", "erasure", "a part of what it stood on", {}, std::move(rule)});
    }
  }
  const auto rewrite = [&](const DocumentRow& row, std::string line) {
    batch.erased_documents.push_back({workspace_scope(), kChange, row.id});
    batch.documents.push_back(change_row(number_of(row), row.time, std::move(line)));
  };
  for (const DocumentRow& row : rows) {
    const std::string id = rule_of(row.body);
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
  batch.expected_documents.emplace_back(DocumentKey{workspace_scope(), kChange, id_of(base.last + 1)}, 0);
  WEFT_CHECK(stage(base, parts, batch));
  for (const Page& page : pages_) {
    std::int64_t newest = page.row.version;
    for (const DocumentRow& row : batch.documents)
      if (row.kind == page.place.kind) newest = row.version;
    batch.erased_versions.emplace_back(DocumentKey{workspace_scope(), page.place.kind, page.place.id}, newest);
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
