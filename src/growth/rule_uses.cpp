// How rules do: uses, ends of probations, and what people decide.
#include <algorithm>

#include "growth/rule_book.h"
#include "growth/rule_words.h"
#include "model/growth_records.h"
#include "text/line_diff.h"
#include "text/utf8.h"
#include "text/yaml_record.h"

namespace weft {
namespace {

constexpr double kFollowed = 0.6;  // likeness of a step and what the rule says to do
constexpr std::size_t kMostSteps = 40, kLongestStep = 400, kMostVersions = 20;

// What the agent did and said, without what tools answered.
std::vector<std::string> deeds_of(const TaskReport& report) {
  std::vector<std::string> deeds;
  for (const ReportStep& step : report.steps) {
    if (deeds.size() == kMostSteps) break;
    std::string deed = preview(step.thought, kLongestStep);
    if (!step.tool.empty()) deed += " " + step.tool + " " + preview(step.arguments, kLongestStep);
    deeds.push_back(std::move(deed));
  }
  if (!report.output.empty()) deeds.push_back(preview(report.output, kLongestStep));
  return deeds;
}

void keep_version(Rule& rule, const Rule& before, Time now, std::string note) {
  Rule old = before;
  old.history.clear();
  old.evidence.clear();
  rule.version = before.version + 1;
  rule.history.push_back({before.version, now, std::move(note), to_json(old)});
  if (rule.history.size() > kMostVersions) rule.history.erase(rule.history.begin());
}

Result<Rule> version_of(const Rule& rule, std::int64_t version) {
  if (version == rule.version) {
    Rule now = rule;
    now.history.clear();
    now.evidence.clear();
    return now;
  }
  for (const OldVersion& old : rule.history)
    if (old.version == version) return parse_record<Rule>(old.content, "version " + std::to_string(version));
  return not_found("rule \"" + rule.id + "\" has no version " + std::to_string(version),
                   "`weft rule show` lists them; the newest is " + std::to_string(rule.version));
}

std::int64_t version_before(const Rule& rule) { return rule.history.empty() ? 0 : rule.history.back().version; }

RuleEntry with_use(Rule rule, const TaskReport& report, bool followed, Time now) {
  ++rule.uses.injected;
  rule.uses.followed += followed;
  rule.updated = now;
  return {"used", "task report " + report.id, std::string(to_string(Outcome::kUnknown)), report.id, std::move(rule)};
}

// A person who pinned a rule wants it whatever else is said of it.
void end_trial(const RulePorts& with, RuleEntry& change, bool good) {
  Rule& rule = change.rule;
  if (good && !rule.pinned) rule.gate = gate_of(with.gate, rule.owner, rule.version, with.clock);
  if (good && is_waiting(rule.gate, rule.version)) {
    change.action = "awaits_replay";
  } else {
    rule.stage = good ? LifeStage::kActive : LifeStage::kDeprecated;
    change.action = good ? "active" : "deprecated";
  }
  if (const std::string gate = gate_text(rule.gate); good && !gate.empty()) rule.note += "; " + gate;
  change.why = rule.note;
}

RuleEntry with_outcome(const RulePorts& with, RuleEntry change, Outcome outcome) {
  Rule& rule = change.rule;
  UseCount& uses = rule.uses;
  change.why = to_string(outcome);
  uses.succeeded += outcome == Outcome::kSuccess;
  uses.failed += outcome == Outcome::kFailure;
  uses.ineffective_in_a_row = outcome == Outcome::kSuccess ? 0 : uses.ineffective_in_a_row + 1;
  rule.updated = with.clock.now();
  const std::int64_t known = uses.succeeded + uses.failed;
  if (rule.stage != LifeStage::kProbation || known < rule.goal_tasks) return change;
  const double rate = static_cast<double>(uses.succeeded) / static_cast<double>(known);
  const std::string note = std::to_string(uses.succeeded) + " of " + std::to_string(known) +
                           " tasks succeeded with it, " + (rate >= rule.goal_rate ? "as many as" : "fewer than") +
                           " it needed";
  const bool good = rate >= rule.goal_rate || rule.pinned;
  // What waits, or is held back, goes on being counted; it only ends where it fails after all.
  if (good && !rule.pinned && (is_waiting(rule.gate, rule.version) || is_held_back(rule.gate, rule.version)))
    return change;
  rule.note = note;
  end_trial(with, change, good);
  return change;
}

Status apply(const RuleChange& change, Rule& rule, Time now) {
  const Rule before = rule;
  switch (change.action) {
    case RuleAction::kApprove: rule.stage = LifeStage::kActive; break;
    case RuleAction::kRefuse: rule.stage = LifeStage::kRefused; break;
    case RuleAction::kRetire: rule.stage = LifeStage::kRetired; break;
    case RuleAction::kPin: rule.pinned = true; break;
    case RuleAction::kUnpin: rule.pinned = false; break;
    case RuleAction::kDisable: rule.disabled = true; break;
    case RuleAction::kEnable: rule.disabled = false; break;
    case RuleAction::kRollBack: {
      const std::int64_t version = change.version == 0 ? version_before(rule) : change.version;
      WEFT_TRY(const Rule old, version_of(rule, version));
      rule.strategy = old.strategy;
      rule.applies_to = old.applies_to;
      rule.expected = old.expected;
      rule.restricts = old.restricts;
      keep_version(rule, before, now, "rolled back to " + std::to_string(version) + " by " + change.by);
      break;
    }
    case RuleAction::kEdit: {
      if (!change.strategy.empty()) rule.strategy = change.strategy;
      if (!change.applies_to.empty()) rule.applies_to = change.applies_to;
      if (!change.expected.empty()) rule.expected = change.expected;
      keep_version(rule, before, now, "edited by " + change.by);
      break;
    }
  }
  if (rule.stage != before.stage || !change.why.empty())
    rule.note =
        std::string(to_string(change.action)) + " by " + change.by + (change.why.empty() ? "" : ": " + change.why);
  rule.updated = now;
  return {};
}

}  // namespace

Result<std::vector<Rule>> RuleBook::waiting() {
  const std::lock_guard lock(changing_);
  WEFT_CHECK(ledger_.load());
  std::vector<Rule> found;
  for (Rule& rule : ledger_.rules())
    if (rule.stage == LifeStage::kProbation && is_waiting(rule.gate, rule.version)) found.push_back(std::move(rule));
  return found;
}

Status RuleBook::settle(const std::string& id, const PromotionGate& gate) {
  const std::lock_guard lock(changing_);
  WEFT_CHECK(ledger_.load());
  for (Rule rule : ledger_.rules()) {
    if (rule.id != id || rule.stage != LifeStage::kProbation || !is_waiting(rule.gate, gate.version)) continue;
    if (rule.version != gate.version) return {};
    rule.gate = gate;
    rule.updated = with_.clock.now();
    if (is_waiting(gate, rule.version))
      return ledger_.commit({"awaits_replay", "replay", gate.why, {}, std::move(rule)});
    const bool held = is_held_back(gate, rule.version);
    rule.note = rule.note.substr(0, rule.note.find("; ")) + "; " + gate_text(gate);
    if (!held) rule.stage = LifeStage::kActive;
    const std::string why = rule.note;
    return ledger_.commit({held ? "held_back" : "active", "replay", why, {}, std::move(rule)});
  }
  return {};
}

Status RuleBook::count(const TaskReport& report) {
  if (report.rules.empty() || !is_trusted(report.provenance)) return {};
  if (report.id.empty()) return invalid_argument("rules: a task report needs an id", "it is what makes it count once");
  const Outcome outcome = witnessed_outcome(report);
  const std::vector<std::string> deeds = deeds_of(report);
  const std::lock_guard lock(changing_);
  WEFT_CHECK(ledger_.load());
  std::vector<RuleEntry> changes;
  for (const Rule& rule : ledger_.rules()) {
    const bool told = std::find(report.rules.begin(), report.rules.end(), rule.id) != report.rules.end();
    const RuleLedger::Counted before = ledger_.counted(report.id, rule.id);
    if (!told || !is_live(rule.stage) || before == RuleLedger::Counted::kWithOutcome) continue;
    if (before == RuleLedger::Counted::kAsTold && outcome == Outcome::kUnknown) continue;
    RuleEntry change{"used", "task report " + report.id, {}, report.id, rule};
    if (before == RuleLedger::Counted::kNot) {
      const std::vector<double> likeness = with_.likeness.to_all(rule.strategy, deeds);
      const bool followed =
          std::any_of(likeness.begin(), likeness.end(), [](double alike) { return alike >= kFollowed; });
      change = with_use(rule, report, followed, with_.clock.now());
    }
    changes.push_back(outcome == Outcome::kUnknown ? std::move(change)
                                                   : with_outcome(with_, std::move(change), outcome));
  }
  return ledger_.commit(changes);
}

Result<Rule> RuleBook::change(const ScopeKey& scope, const std::string& id, const RuleChange& change) {
  const std::lock_guard lock(changing_);
  WEFT_CHECK(ledger_.load());
  for (Rule rule : ledger_.rules()) {
    if (rule.id != id || !is_for(rule.owner, scope)) continue;
    WEFT_CHECK(apply(change, rule, with_.clock.now()));
    WEFT_CHECK(ledger_.commit({std::string(to_string(change.action)), change.by, change.why, {}, rule}));
    return rule;
  }
  return not_found("rules: there is no rule \"" + id + "\"", "`weft rule list` shows them");
}

Result<std::string> RuleBook::diff(const ScopeKey& scope, const std::string& id, std::int64_t from, std::int64_t to) {
  WEFT_TRY(const auto all, rules(scope));
  for (const Rule& rule : all) {
    if (rule.id != id) continue;
    const std::int64_t newest = to == 0 ? rule.version : to;
    const std::int64_t older = from == 0 ? version_before(rule) : from;
    if (older == 0) return std::string();
    WEFT_TRY(const Rule before, version_of(rule, older));
    WEFT_TRY(const Rule after, version_of(rule, newest));
    const std::string old_text = to_yaml(before), new_text = to_yaml(after);
    return show_diff(line_diff(old_text, new_text));
  }
  return not_found("rules: there is no rule \"" + id + "\"", "`weft rule list` shows them");
}

}  // namespace weft
