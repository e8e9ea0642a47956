#include "growth/rule_ledger.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/strings.h"
#include "growth/promotion_gate.h"
#include "model/growth_records.h"
#include "text/markup.h"
#include "text/yaml_record.h"

namespace weft {
namespace {

const std::string kOutcomeOpen(to_string(Outcome::kUnknown));  // why a line counts a use and no outcome

Rule* find(std::vector<Rule>& rules, std::string_view id) {
  const auto at = std::find_if(rules.begin(), rules.end(), [id](const Rule& rule) { return rule.id == id; });
  return at == rules.end() ? nullptr : &*at;
}

}  // namespace

RuleLedger::RuleLedger(FileSystem& files, const GrowthFiles& places, const Clock& clock)
    : files_(files),
      places_(places),
      clock_(clock),
      live_file_(files, places.active_rules(), "Rules that are told: active ones and those on probation."),
      other_file_(files, places.other_rules(), "Suggestions that are no rules yet, and rules that are told no more.") {}

Status RuleLedger::read_log() {
  if (log_read_) return {};
  known_.clear();
  counted_.clear();
  last_line_ = 0;
  log_ = nullptr;
  // A workspace in which nothing was learnt gets no file.
  if (const auto text = files_.read(places_.strategy_log()); !text.ok() && text.error().code == ErrorCode::kNotFound) {
    log_read_ = true;
    return {};
  }
  Status trouble;
  WEFT_TRY(log_,
           LineLog::open(files_, places_.strategy_log(), [&](std::string_view line) { take_line(line, trouble); }));
  WEFT_CHECK(trouble);
  log_read_ = true;
  return {};
}

void RuleLedger::take_line(std::string_view line, Status& trouble) {
  if (!trouble.ok()) return;
  const std::uint64_t number = last_line_ + 1;
  const auto broken = [&](const std::string& what) {
    trouble = corrupt(places_.strategy_log().string() + ": line " + std::to_string(number) + ": " + what,
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

Status RuleLedger::append(const RuleEntry& change) {
  if (!log_) {
    WEFT_TRY(log_, LineLog::open(files_, places_.strategy_log()));
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
  text("time", format_time(clock_.now()));
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

void RuleLedger::note_counted(const std::string& report, const std::string& rule, bool with_outcome) {
  counted_[report + " " + rule] = with_outcome ? Counted::kWithOutcome : Counted::kAsTold;
}

// What the log has and a file has not yet.
void RuleLedger::redo(const RuleFile& file, bool live, std::vector<Rule>& into) const {
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

Status RuleLedger::load() {
  WEFT_CHECK(read_log());
  WEFT_TRY(const bool live_changed, live_file_.refresh());
  WEFT_TRY(const bool others_changed, other_file_.refresh());
  const bool behind = std::min(live_file_.through(), other_file_.through()) < last_line_;
  if (!live_changed && !others_changed && !behind) return {};
  std::vector<Rule> live = live_file_.rules(), others = other_file_.rules();
  redo(live_file_, true, live);
  redo(other_file_, false, others);
  for (Rule& rule : others)
    if (find(live, rule.id) == nullptr) live.push_back(std::move(rule));
  {
    const std::lock_guard lock(mutex_);
    rules_ = std::move(live);
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
Status RuleLedger::note_edits() {
  std::vector<RuleEntry> edits;
  std::set<std::string> seen;
  for (const Rule& rule : rules()) {
    seen.insert(rule.id);
    const auto known = known_.find(rule.id);
    if (known != known_.end() && !known->second.removed && to_json(known->second.rule) == to_json(rule)) continue;
    edits.push_back({known == known_.end() ? "added" : "edited", "file", "a person changed the file", {}, rule});
  }
  if (!live_file_.has_bad_entries() && !other_file_.has_bad_entries())
    for (const auto& [id, known] : known_)
      if (!known.removed && !seen.contains(id))
        edits.push_back({"removed", "file", "a person took it out of the file", {}, known.rule, true});
  for (const RuleEntry& edit : edits) WEFT_CHECK(append(edit));
  return {};
}

Status RuleLedger::write_files() {
  std::vector<Rule> live, others;
  for (const Rule& rule : rules()) (is_live(rule.stage) ? live : others).push_back(rule);
  WEFT_CHECK(live_file_.write(live, last_line_));
  return other_file_.write(others, last_line_);
}

// First the log, then what readers see, then the files.
Status RuleLedger::commit(std::span<const RuleEntry> changes) {
  for (const RuleEntry& change : changes) {
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

std::vector<Rule> RuleLedger::rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

std::vector<std::string> RuleLedger::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

RuleLedger::Counted RuleLedger::counted(const std::string& report, const std::string& rule) const {
  const auto found = counted_.find(report + " " + rule);
  return found == counted_.end() ? Counted::kNot : found->second;
}

std::string RuleLedger::new_id() const {
  for (std::uint64_t number = last_line_ + 1;; ++number)
    if (std::string id = "rule_" + std::to_string(number); !known_.contains(id)) return id;
}

namespace {

// Each line of an entry two spaces further in, the first behind a dash.
std::string as_element(const std::string& yaml) {
  std::string out;
  bool first = true;
  for (const std::string_view line : lines_of(yaml)) {
    if (!first && line.empty()) {
      out += '\n';
      continue;
    }
    out += first ? "  - " : "    ";
    out.append(line) += '\n';
    first = false;
  }
  return out;
}

}  // namespace

Result<bool> RuleFile::refresh() {
  auto text = files_.read(path_);
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
  if (known_ && text.value_or("") == content_) {
    if (broken_) return invalid_argument(problems_.front(), "mend the file; it is left alone until then");
    return false;
  }
  known_ = true;
  content_ = std::move(text).value_or("");
  const Status parsed = parse(content_);
  broken_ = !parsed.ok();
  if (!broken_) return true;
  problems_ = {parsed.error().message};
  return parsed.error();
}

Status RuleFile::parse(const std::string& text) {
  const std::string name = path_.filename().string();
  WEFT_TRY(const YamlTree tree, parse_yaml_tree(text, {}, name));
  WEFT_TRY(auto entries, read_yaml_list<Rule>(text, tree, "rules", name));
  const Value* through = tree.value.find("through");
  const std::string digits = through != nullptr && through->text() != nullptr ? *through->text() : "0";
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos)
    return with_yaml_line(invalid_argument("\"through\" must be a whole number"), tree.lines, "", name);
  through_ = std::stoull(digits);
  rules_.clear();
  problems_.clear();
  bad_text_ = std::move(entries.bad_text);
  for (const Error& error : entries.bad) problems_.push_back(error.message);
  std::set<std::string> ids;
  for (Rule& rule : entries.good) {
    if (ids.insert(rule.id).second)
      rules_.push_back(std::move(rule));
    else
      problems_.push_back(name + ": the id \"" + rule.id + "\" stands there twice; the first counts");
  }
  return {};
}

Status RuleFile::write(std::span<const Rule> rules, std::uint64_t through) {
  if (broken_) return invalid_argument(problems_.front(), "mend the file; it is left alone until then");
  std::string text = "# " + title_ +
                     "\n# You may edit this file; see `weft rule --help`.\nthrough: " + std::to_string(through) + "\n" +
                     (rules.empty() && bad_text_.empty() ? "rules: []\n" : "rules:\n");
  for (const Rule& rule : rules) text += as_element(to_yaml(rule));
  // The dash of a list may stand further in than those of this one; then its entries would be none of it.
  for (const std::string& bad : bad_text_) {
    const std::size_t dash = bad.find('-');
    std::size_t outdent = dash == std::string::npos ? 0 : dash;
    for (const std::string_view line : lines_of(bad)) {
      const std::size_t blank = std::min({outdent, line.find_first_not_of(' '), line.size()});
      text += line.size() == blank ? "\n" : "  " + std::string(line.substr(blank)) + "\n";
    }
  }
  WEFT_CHECK(files_.make_folder(path_.parent_path()));
  WEFT_CHECK(write_file(files_, path_, text, true));
  content_ = std::move(text);
  rules_.assign(rules.begin(), rules.end());
  through_ = through;
  known_ = true;
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
