// Files, log and reading of the rules.
#include "growth/rule_book.h"

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "model/growth_records.h"
#include "text/line_diff.h"
#include "text/markup.h"
#include "text/yaml_record.h"

namespace weft {
namespace {

std::string rule_line(const Rule& rule) {
  std::string line = "- " + escape_markup(rule.strategy);
  if (!rule.applies_to.empty()) line += " (" + escape_markup(rule.applies_to) + ")";
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + "\n";
}

const std::string kOutcomeOpen(to_string(Outcome::kUnknown));  // why a line counts a use and no outcome

constexpr std::size_t kTasksCompared = 6;

Rule* find(std::vector<Rule>& rules, std::string_view id) {
  const auto at = std::find_if(rules.begin(), rules.end(), [id](const Rule& rule) { return rule.id == id; });
  return at == rules.end() ? nullptr : &*at;
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

RuleBook::RuleBook(RulePorts with)
    : with_(std::move(with)),
      live_file_(with_.files, with_.places.active_rules(), "Rules that are told: active ones and those on probation."),
      other_file_(with_.files, with_.places.other_rules(),
                  "Suggestions that are no rules yet, and rules that are told no more.") {}

Status RuleBook::read_log() {
  if (log_read_) return {};
  known_.clear();
  counted_.clear();
  last_line_ = 0;
  log_ = nullptr;
  // A workspace in which nothing was learnt gets no file.
  if (const auto text = with_.files.read(with_.places.strategy_log());
      !text.ok() && text.error().code == ErrorCode::kNotFound) {
    log_read_ = true;
    return {};
  }
  Status trouble;
  WEFT_TRY(log_, LineLog::open(with_.files, with_.places.strategy_log(),
                               [&](std::string_view line) { take_line(line, trouble); }));
  WEFT_CHECK(trouble);
  log_read_ = true;
  return {};
}

void RuleBook::take_line(std::string_view line, Status& trouble) {
  if (!trouble.ok()) return;
  const std::uint64_t number = last_line_ + 1;
  const auto broken = [&](const std::string& what) {
    trouble = corrupt(with_.places.strategy_log().string() + ": line " + std::to_string(number) + ": " + what,
                      "put the line right or take it and all behind it out");
  };
  if (const Status json = check_json(line, {}, "the line"); !json.ok()) return broken(json.error().message);
  if (json_member(line, "n") != std::to_string(number))
    return broken("its number \"n\" is not " + std::to_string(number));
  Known known;
  known.line = number;
  known.removed = json_member(line, "removed") == "true";
  if (const Status read = record<Rule>().read(json_member(line, "state"), "state", known.rule); !read.ok())
    return broken(read.error().message);
  if (const auto report = json_text(json_member(line, "report")); report.ok())
    note_counted(*report, known.rule.id, json_text(json_member(line, "why")).value_or("") != kOutcomeOpen);
  last_line_ = number;
  known_[known.rule.id] = std::move(known);
}

Status RuleBook::append(const Change& change) {
  if (!log_) {
    WEFT_TRY(log_, LineLog::open(with_.files, with_.places.strategy_log()));
  }
  JsonWriter line;
  line.begin('{');
  const auto text = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    line.name(name);
    line.text(value);
  };
  line.name("n");
  line.count(last_line_ + 1);
  text("time", format_time(with_.clock.now()));
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
  const Status written = log_->append(line.take());
  if (!written.ok()) {
    log_read_ = false;  // what stands there is not known: read it anew
    return written;
  }
  ++last_line_;
  known_[change.rule.id] = {change.rule, last_line_, change.removed};
  if (!change.report.empty()) note_counted(change.report, change.rule.id, change.why != kOutcomeOpen);
  return {};
}

void RuleBook::note_counted(const std::string& report, const std::string& rule, bool with_outcome) {
  counted_[report + " " + rule] = with_outcome ? Counted::kWithOutcome : Counted::kAsTold;
}

// What the log has and a file has not yet.
void RuleBook::redo(const RuleFile& file, bool live, std::vector<Rule>& into) const {
  std::vector<const Known*> newer;
  for (const auto& [id, known] : known_)
    if (known.line > file.through()) newer.push_back(&known);
  std::sort(newer.begin(), newer.end(), [](const Known* a, const Known* b) { return a->line < b->line; });
  for (const Known* known : newer) {
    const bool belongs = !known->removed && is_live(known->rule.stage) == live;
    Rule* standing = find(into, known->rule.id);
    if (standing != nullptr && belongs && standing->stage == known->rule.stage) {
      *standing = known->rule;
      continue;
    }
    std::erase_if(into, [&](const Rule& rule) { return rule.id == known->rule.id; });
    if (belongs) into.push_back(known->rule);
  }
}

Status RuleBook::load() {
  WEFT_CHECK(read_log());
  WEFT_TRY(const bool live_changed, live_file_.refresh());
  WEFT_TRY(const bool others_changed, other_file_.refresh());
  const bool behind = std::min(live_file_.through(), other_file_.through()) < last_line_;
  if (!live_changed && !others_changed && !behind) return {};
  std::vector<Rule> rules = live_file_.rules(), others = other_file_.rules();
  redo(live_file_, true, rules);
  redo(other_file_, false, others);
  for (Rule& rule : others)
    if (find(rules, rule.id) == nullptr) rules.push_back(std::move(rule));
  {
    const std::lock_guard lock(mutex_);
    rules_ = std::move(rules);
    problems_ = live_file_.problems();
    problems_.insert(problems_.end(), other_file_.problems().begin(), other_file_.problems().end());
  }
  for (const RuleFile* file : {&live_file_, &other_file_})
    for (const std::string& problem : file->problems()) log_warning("rules.file", problem);
  WEFT_CHECK(note_edits());
  const bool still_behind = std::min(live_file_.through(), other_file_.through()) < last_line_;
  return still_behind ? write_files() : Status();
}

// What people changed in the files. A rule that is missing while there are entries that cannot be read may be one of
// them.
Status RuleBook::note_edits() {
  std::vector<Change> edits;
  std::set<std::string> seen;
  for (const Rule& rule : snapshot()) {
    seen.insert(rule.id);
    const auto known = known_.find(rule.id);
    if (known != known_.end() && !known->second.removed && to_json(known->second.rule) == to_json(rule)) continue;
    edits.push_back({known == known_.end() ? "added" : "edited", "file", "a person changed the file", {}, rule});
  }
  if (!live_file_.has_bad_entries() && !other_file_.has_bad_entries())
    for (const auto& [id, known] : known_)
      if (!known.removed && !seen.contains(id))
        edits.push_back({"removed", "file", "a person took it out of the file", {}, known.rule, true});
  for (const Change& edit : edits) WEFT_CHECK(append(edit));
  return {};
}

Status RuleBook::write_files() {
  std::vector<Rule> live, others;
  for (const Rule& rule : snapshot()) (is_live(rule.stage) ? live : others).push_back(rule);
  WEFT_CHECK(live_file_.write(live, last_line_));
  return other_file_.write(others, last_line_);
}

// First the log, then what readers see, then the files.
Status RuleBook::commit(std::span<const Change> changes) {
  for (const Change& change : changes) {
    WEFT_CHECK(append(change));
    const std::lock_guard lock(mutex_);
    Rule* standing = find(rules_, change.rule.id);
    if (standing != nullptr && standing->stage == change.rule.stage) {
      *standing = change.rule;
      continue;
    }
    // What becomes active is told behind what was told before.
    std::erase_if(rules_, [&](const Rule& rule) { return rule.id == change.rule.id; });
    rules_.push_back(change.rule);
  }
  return changes.empty() ? Status() : write_files();
}

std::vector<Rule> RuleBook::snapshot() {
  const std::lock_guard lock(mutex_);
  return rules_;
}

std::string RuleBook::new_id() const {
  for (std::uint64_t number = last_line_ + 1;; ++number)
    if (std::string id = "rule_" + std::to_string(number); !known_.contains(id)) return id;
}

std::vector<Rule> RuleBook::active_rules(const ScopeKey& scope) {
  // Who changes something reads the files anyway; only the first time there is nothing yet to go by.
  std::unique_lock lock(changing_, std::defer_lock);
  if (!loaded_)
    lock.lock();
  else
    (void)lock.try_lock();
  if (lock) {
    const Status loaded = load();
    loaded_ = loaded_ || loaded.ok();
    if (!loaded.ok()) log_warning("rules.file", loaded.error().message);
    lock.unlock();
  }
  std::vector<Rule> active;
  for (Rule& rule : snapshot())
    if (rule.stage == LifeStage::kActive && !rule.disabled && is_for(rule.owner, scope))
      active.push_back(std::move(rule));
  const auto most = static_cast<std::size_t>(with_.settings.max_rules);
  if (active.size() <= most) return active;
  // Those stay that a person wants, that keep from harm, and that were there when tasks succeeded.
  const auto worth = [](const Rule& rule) {
    const double uses = static_cast<double>(rule.uses.succeeded + rule.uses.failed);
    return (rule.pinned ? 4.0 : 0.0) + (rule.restricts ? 2.0 : 0.0) +
           (static_cast<double>(rule.uses.succeeded) + 1) / (uses + 2);
  };
  std::vector<std::size_t> order(active.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return worth(active[a]) > worth(active[b]); });
  order.resize(most);
  std::sort(order.begin(), order.end());
  std::vector<Rule> kept;
  for (const std::size_t i : order) kept.push_back(std::move(active[i]));
  return kept;
}

std::vector<Rule> RuleBook::trial_rules(const ScopeKey& scope, std::string_view task) {
  std::vector<Rule> trial;
  std::vector<std::string> texts;
  std::vector<std::size_t> ends;  // of each rule's part of the texts
  for (Rule& rule : snapshot()) {
    if (rule.stage != LifeStage::kProbation || !is_told(rule) || !is_for(rule.owner, scope)) continue;
    for (std::string& text : matters_of(rule)) texts.push_back(std::move(text));
    ends.push_back(texts.size());
    trial.push_back(std::move(rule));
  }
  if (trial.empty() || task.empty()) return {};
  const std::vector<double> likeness = with_.likeness.to_all(task, texts);
  std::vector<std::pair<double, std::size_t>> related;
  auto from = likeness.begin();
  for (std::size_t i = 0; i < trial.size(); ++i) {
    const auto end = likeness.begin() + static_cast<std::ptrdiff_t>(ends[i]);
    const double nearest = *std::max_element(from, end);
    if (nearest >= with_.settings.related) related.emplace_back(-nearest, i);
    from = end;
  }
  std::sort(related.begin(), related.end());
  std::vector<Rule> told;
  for (const auto& [unlike, i] : related)
    if (told.size() < static_cast<std::size_t>(with_.settings.max_trial_rules)) told.push_back(std::move(trial[i]));
  return told;
}

std::vector<Rule> RuleBook::rules_for(const ScopeKey& scope, std::string_view task) {
  std::vector<Rule> rules = active_rules(scope);
  for (Rule& rule : trial_rules(scope, task)) rules.push_back(std::move(rule));
  return rules;
}

Result<std::vector<Rule>> RuleBook::rules(const ScopeKey& scope) {
  const std::lock_guard lock(changing_);
  WEFT_CHECK(load());
  std::vector<Rule> seen;
  for (const bool live : {true, false})
    for (const Rule& rule : snapshot())
      if (is_live(rule.stage) == live && is_for(rule.owner, scope)) seen.push_back(rule);
  return seen;
}

std::vector<std::string> RuleBook::problems() {
  const std::lock_guard changing(changing_);
  const Status loaded = load();
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all = problems_;
  if (!loaded.ok()) all.insert(all.begin(), loaded.error().message);
  return all;
}

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
