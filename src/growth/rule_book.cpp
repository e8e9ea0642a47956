// Which rules a task is told, and what people read of them.
#include "growth/rule_book.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/log.h"
#include "growth/growth_files.h"
#include "growth/rule_ledger.h"
#include "growth/rule_words.h"
#include "model/growth_records.h"
#include "text/line_diff.h"
#include "text/record.h"
#include "text/statement.h"
#include "text/utf8.h"
#include "text/yaml_value.h"

namespace weft {

RuleBook::RuleBook(RulePorts with)
    : with_(std::move(with)), ledger_(with_.store, with_.documents, with_.places, with_.clock) {}

std::vector<Rule> RuleBook::active_rules(const ScopeKey& scope) {
  if (const Status seen = ledger_.glance(); !seen.ok()) log_warning("rules.read", seen.error().message);
  std::vector<Rule> active;
  for (Rule& rule : ledger_.live(scope))
    if (rule.stage == LifeStage::kActive && !rule.disabled) active.push_back(std::move(rule));
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
  for (Rule& rule : ledger_.live(scope)) {
    if (rule.stage != LifeStage::kProbation || !is_told(rule)) continue;
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

Result<std::vector<Rule>> RuleBook::rules(const ScopeKey& scope) { return ledger_.rules(scope.str()); }

std::vector<std::string> RuleBook::problems() { return ledger_.problems(); }

Status RuleBook::erase(const ErasedLessons& gone) { return gone.empty() ? Status() : ledger_.erase(gone); }

// From suggestions of reflections to rules.

namespace {

constexpr double kOneMatter = 0.6;   // see `Likeness`
constexpr double kOneAdvice = 0.45;  // the advice alone, where it is on one matter with when it applies
constexpr double kSameDay = 0.5;  // a further reflection of one day counts that much: one bad day may have one cause
constexpr double kSameCase = 0.8;  // two descriptions of when a rule applies say the same
constexpr std::size_t kLongestText = 600, kLongestCases = 400;  // bytes
constexpr std::size_t kMostEvidence = 24, kMostVersions = 20;

std::string text_of(const Rule& rule) {
  return rule.applies_to.empty() ? rule.strategy : rule.strategy + " " + rule.applies_to;
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool share_one(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&b](const std::string& one) { return contains(b, one); });
}

bool same_task(const RuleEvidence& a, const RuleEvidence& b) {
  return share_one(a.reports, b.reports) || Statement(a.task).says_the_same(Statement(b.task));
}

// For each the number of its task: copies and retries of one have the same, also by way of others.
std::vector<std::size_t> tasks_of(std::span<const RuleEvidence> evidence) {
  std::vector<std::size_t> tasks(evidence.size());
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    tasks[i] = i;
    for (std::size_t j = 0; j < i; ++j)
      if (const std::size_t theirs = tasks[j]; theirs != i && same_task(evidence[i], evidence[j]))
        for (std::size_t& task : tasks)
          if (task == theirs) task = i;
  }
  return tasks;
}

Provenance weaker(Provenance a, Provenance b) { return std::max(a, b); }

bool knows(const Rule& rule, const std::string& reflection) { return contains(rule.learned_from, reflection); }

// Refused because it makes things less safe: careful advice on the same matter is another.
bool is_dangerous(const Rule& rule) { return rule.stage == LifeStage::kRefused && loosens_safety(text_of(rule)); }

// Three that are believed; or three of any kind and an own success among them.
bool is_borne_out(const Rule& rule, std::size_t needed) {
  std::vector<RuleEvidence> trusted;
  std::copy_if(rule.evidence.begin(), rule.evidence.end(), std::back_inserter(trusted),
               [](const RuleEvidence& one) { return is_trusted(one.provenance); });
  if (independent(trusted, needed)) return true;
  const bool own_success = std::any_of(trusted.begin(), trusted.end(), [](const RuleEvidence& one) {
    return one.outcome == Outcome::kSuccess && one.provenance == Provenance::kOwnRun;
  });
  return own_success && independent(rule.evidence, needed);
}

// Every field that the draft's reflection adds, but not the texts.
void add_witness(Rule& rule, const Rule& draft) {
  rule.learned_from.insert(rule.learned_from.end(), draft.learned_from.begin(), draft.learned_from.end());
  rule.evidence.insert(rule.evidence.end(), draft.evidence.begin(), draft.evidence.end());
  if (rule.evidence.size() > kMostEvidence) rule.evidence.erase(rule.evidence.begin() + 1);
  rule.confidence = std::max(rule.confidence, draft.confidence);
  rule.severity = std::max(rule.severity, draft.severity);
  rule.provenance = weaker(rule.provenance, draft.provenance);
  rule.updated = draft.updated;
}

struct Match {
  std::optional<std::size_t> like;  // place in the rules
  std::vector<std::size_t> contradicts;  // live ones
};

std::string owner_of(const Reflection& reflection) {
  return reflection.owner.empty() ? std::string(kWorkspaceOwner) : reflection.owner;
}

Rule draft_of(const Reflection& reflection, const Suggestion& suggestion, Time now) {
  Rule draft;
  draft.owner = owner_of(reflection);
  draft.strategy = preview(suggestion.strategy, kLongestText);
  draft.applies_to = preview(suggestion.applies_to, kLongestCases);
  draft.expected = preview(suggestion.expected, kLongestText);
  draft.confidence = suggestion.confidence;
  draft.severity = suggestion.severity;
  // What it says of itself is not enough.
  draft.restricts = suggestion.restricts && only_restricts(suggestion.strategy);
  draft.provenance = reflection.provenance;
  draft.learned_from = {reflection.id};
  const std::string day = format_time(reflection.time.ms == 0 ? now : reflection.time).substr(0, 10);
  draft.evidence = {{reflection.id, reflection.session, preview(reflection.task, kLongestText), reflection.reports, day,
                     reflection.outcome, reflection.provenance}};
  draft.created = draft.updated = now;
  return draft;
}

// The most alike of the same owner that does not contradict; and the live rules that do, also the workspace's.
Match look_up(const Likeness& by, const Rule& draft, const std::vector<Rule>& rules) {
  Match match;
  std::vector<std::string> texts, advice;
  for (const Rule& rule : rules) {
    texts.push_back(text_of(rule));
    advice.push_back(rule.strategy);
  }
  const std::vector<double> likeness = by.to_all(text_of(draft), texts);
  // Another advice for the same case is another rule.
  const std::vector<double> alike = by.to_all(draft.strategy, advice);
  double best = kOneMatter;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool own = rules[i].owner == draft.owner;
    if (likeness[i] < kOneMatter || alike[i] < kOneAdvice || (!own && rules[i].owner != kWorkspaceOwner)) continue;
    if (conflict_between(draft.strategy, rules[i].strategy) != Conflict::kNone) {
      if (is_live(rules[i].stage) && !rules[i].disabled) match.contradicts.push_back(i);
    } else if (own && rules[i].id != draft.id && likeness[i] >= best && !is_dangerous(rules[i])) {
      best = likeness[i];
      match.like = i;
    }
  }
  return match;
}

// `draft` without an id of a reflection: the candidate is new.
RuleEntry added_to_candidate(const EvolutionSettings& settings, Rule candidate, const Rule& draft, bool contradicted) {
  const bool is_new = draft.learned_from.empty();
  if (!is_new) {
    // What a page or a tool said is never told in its own words.
    if (is_trusted(draft.provenance) && !is_trusted(candidate.evidence.front().provenance)) {
      candidate.strategy = draft.strategy;
      candidate.applies_to = draft.applies_to;
      candidate.expected = draft.expected;
      candidate.evidence.insert(candidate.evidence.begin(), draft.evidence.front());
      Rule without = draft;
      without.evidence.clear();
      add_witness(candidate, without);
    } else {
      add_witness(candidate, draft);
    }
    candidate.restricts = candidate.restricts && draft.restricts;
  }
  RuleEntry change{is_new ? "candidate" : "seen_again", "reflection " + candidate.learned_from.back(), "", {}, {}};
  const Rule& newest = is_new ? candidate : draft;
  const bool emergency = newest.restricts && candidate.restricts && newest.severity == Grade::kHigh &&
                         newest.confidence == Grade::kHigh && is_trusted(newest.provenance);
  if (contradicted) {
    candidate.note = "it contradicts a rule: a person decides";
  } else if (emergency) {
    candidate.stage = LifeStage::kActive;
    candidate.note = "grave and sure, and it only restricts: live at once";
    change.action = "emergency";
  } else if (is_borne_out(candidate, static_cast<std::size_t>(settings.reflections))) {
    candidate.stage = LifeStage::kProbation;
    candidate.goal_tasks = settings.trial_tasks;
    candidate.goal_rate = settings.trial_rate;
    candidate.note = "independent reflections bear it out; on trial";
    change.action = "probation";
  } else {
    candidate.note = is_trusted(candidate.provenance)
                         ? "waits for further independent reflections"
                         : "only others bear witness to it: it waits for a person or an own success";
  }
  change.why = candidate.note;
  change.rule = std::move(candidate);
  return change;
}

// A rule that is told changes by what is believed alone. Others note that it was said again, and stay what they are.
std::optional<RuleEntry> merged(const Likeness& likeness, Rule standing, const Rule& draft, const std::string& by,
                                Time now) {
  if (is_live(standing.stage) && !is_trusted(draft.provenance)) return std::nullopt;
  const Rule before = standing;
  add_witness(standing, draft);
  if (!is_live(standing.stage) || standing.pinned) {
    standing.provenance = before.provenance;
    return RuleEntry{
        "seen_again", by, std::string("the rule is ") + std::string(to_string(standing.stage)), {}, standing};
  }
  const bool new_case =
      !draft.applies_to.empty() && standing.applies_to.find(draft.applies_to) == std::string::npos &&
      (standing.applies_to.empty() || likeness.between(standing.applies_to, draft.applies_to) < kSameCase);
  const bool fits = standing.applies_to.size() + draft.applies_to.size() + 2 <= kLongestCases;
  // What holds everywhere is not narrowed down.
  if (!new_case || !fits || standing.applies_to.empty())
    return RuleEntry{"merged", by, "the same advice again; its texts stay", {}, standing};
  standing.applies_to += "; " + draft.applies_to;
  standing.version = before.version + 1;
  Rule old = before;
  old.history.clear();
  old.evidence.clear();
  standing.history.push_back({before.version, now, "merged with " + by, to_json(old)});
  if (standing.history.size() > kMostVersions) standing.history.erase(standing.history.begin());
  return RuleEntry{"merged", by, "it holds for more: " + draft.applies_to, {}, standing};
}

}  // namespace

bool independent(std::span<const RuleEvidence> evidence, std::size_t needed) {
  const std::vector<std::size_t> tasks = tasks_of(evidence);
  std::vector<std::size_t> chosen;
  // An unknown session or day counts as the same one.
  const auto apart = [&](std::size_t a, std::size_t b) {
    return tasks[a] != tasks[b] && evidence[a].session != evidence[b].session;
  };
  const auto weight = [&] {
    std::set<std::string> days;
    for (const std::size_t one : chosen) days.insert(evidence[one].day);
    return static_cast<double>(days.size()) + kSameDay * static_cast<double>(chosen.size() - days.size());
  };
  const std::function<bool(std::size_t)> choose = [&](std::size_t from) {
    const double missing = static_cast<double>(needed) - weight();
    if (missing <= 0) return true;
    for (std::size_t i = from; i < evidence.size() && static_cast<double>(evidence.size() - i) >= missing; ++i) {
      const bool fits = std::all_of(chosen.begin(), chosen.end(), [&](std::size_t one) { return apart(one, i); });
      if (!fits) continue;
      chosen.push_back(i);
      if (choose(i + 1)) return true;
      chosen.pop_back();
    }
    return false;
  };
  return choose(0);
}

Status RuleBook::take(const Reflection& reflection) {
  if (!with_.settings.learn) return {};
  if (reflection.id.empty())
    return invalid_argument("rules: a reflection needs an id", "it is what makes it count once");
  for (const Suggestion& suggestion : reflection.suggestions)
    WEFT_CHECK(
        ledger_.change(owner_of(reflection), [&](RuleWork& work) { return take_one(reflection, suggestion, work); }));
  return {};
}

Status RuleBook::take_one(const Reflection& reflection, const Suggestion& suggestion, RuleWork& work) const {
  if (suggestion.confidence == Grade::kLow) return {};
  Rule draft = draft_of(reflection, suggestion, with_.clock.now());
  if (Statement(draft.strategy).empty()) return {};
  const std::string by = "reflection " + reflection.id;
  if (const auto phrase = loosens_safety(draft.strategy + "\n" + draft.applies_to)) {
    for (const Rule& rule : work.rules)
      if (rule.owner == draft.owner && rule.stage == LifeStage::kRefused && rule.strategy == draft.strategy) return {};
    draft.id = work.new_id;
    draft.stage = LifeStage::kRefused;
    draft.note = "it would make things less safe: \"" + *phrase + "\"";
    work.changes.push_back({"refused", by, draft.note, {}, draft});
    return {};
  }
  const Match match = look_up(with_.likeness, draft, work.rules);
  for (const std::size_t standing : match.contradicts)
    WEFT_CHECK(report_contradiction(reflection.id, draft, work.rules[standing], work.batch));
  const bool contradicted = !match.contradicts.empty();
  if (!match.like) {
    draft.id = work.new_id;
    work.changes.push_back(added_to_candidate(with_.settings, std::move(draft), {}, contradicted));
    return {};
  }
  const Rule& standing = work.rules[*match.like];
  if (knows(standing, reflection.id)) return {};
  if (standing.stage == LifeStage::kCandidate)
    work.changes.push_back(added_to_candidate(with_.settings, standing, draft, contradicted));
  else if (auto change = merged(with_.likeness, standing, draft, by, with_.clock.now()))
    work.changes.push_back(std::move(*change));
  return {};
}

// Once for each reflection and rule.
Status RuleBook::report_contradiction(const std::string& reflection, const Rule& draft, const Rule& standing,
                                      WriteBatch& batch) const {
  const std::string id = reflection + "/" + standing.id;
  WEFT_TRY(const auto known, ledger_.contradictions().find(workspace_scope(), id));
  if (known) return {};
  const bool is_weighty = std::max(draft.severity, standing.severity) == Grade::kHigh || standing.pinned ||
                          standing.restricts || draft.restricts;
  const Time now = with_.clock.now();
  const std::string differs_in(to_string(conflict_between(draft.strategy, standing.strategy)));
  const RuleContradiction made{now,
                               reflection,
                               draft.owner,
                               standing.id,
                               standing.strategy,
                               draft.strategy,
                               differs_in,
                               draft.provenance,
                               standing.uses.succeeded,
                               standing.uses.failed,
                               is_weighty};
  ledger_.contradictions().put(workspace_scope(), id, made, 0, now, batch);
  return {};
}

// How rules do: uses, ends of probations, and what people decide.

namespace {

constexpr double kFollowed = 0.6;  // likeness of a step and what the rule says to do
constexpr std::size_t kMostSteps = 40, kLongestStep = 400;

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
  WEFT_TRY(std::vector<Rule> found, ledger_.rules({}));
  std::erase_if(found, [](const Rule& rule) {
    return rule.stage != LifeStage::kProbation || !is_waiting(rule.gate, rule.version);
  });
  return found;
}

Status RuleBook::settle(const std::string& id, const PromotionGate& gate) {
  return ledger_.change({}, [&](RuleWork& work) -> Status {
    for (Rule rule : work.rules) {
      if (rule.id != id || rule.stage != LifeStage::kProbation || !is_waiting(rule.gate, gate.version)) continue;
      if (rule.version != gate.version) return {};
      rule.gate = gate;
      rule.updated = with_.clock.now();
      if (is_waiting(gate, rule.version)) {
        work.changes.push_back({"awaits_replay", "replay", gate.why, {}, std::move(rule)});
        return {};
      }
      const bool held = is_held_back(gate, rule.version);
      rule.note = rule.note.substr(0, rule.note.find("; ")) + "; " + gate_text(gate);
      if (!held) rule.stage = LifeStage::kActive;
      const std::string why = rule.note;
      work.changes.push_back({held ? "held_back" : "active", "replay", why, {}, std::move(rule)});
      return {};
    }
    return {};
  });
}

Status RuleBook::count(const TaskReport& report) {
  if (report.rules.empty() || !is_trusted(report.provenance)) return {};
  if (report.id.empty()) return invalid_argument("rules: a task report needs an id", "it is what makes it count once");
  const std::string owner = report.owner.empty() ? std::string(kWorkspaceOwner) : report.owner;
  return ledger_.change(owner, [&](RuleWork& work) { return count_in(report, work); });
}

Status RuleBook::count_in(const TaskReport& report, RuleWork& work) const {
  const Outcome outcome = witnessed_outcome(report);
  const std::vector<std::string> deeds = deeds_of(report);
  const Time now = with_.clock.now();
  WEFT_TRY(const auto before, ledger_.counted().find(workspace_scope(), report.id));
  CountedReport counted = before ? before->value : CountedReport{report.owner, {}, {}};
  for (const Rule& rule : work.rules) {
    const bool is_judged = contains(counted.judged, rule.id), is_known = is_judged || contains(counted.told, rule.id);
    if (!contains(report.rules, rule.id) || !is_live(rule.stage) || is_judged) continue;
    if (is_known && outcome == Outcome::kUnknown) continue;
    RuleEntry change{"used", "task report " + report.id, {}, report.id, rule};
    if (!is_known) {
      const std::vector<double> likeness = with_.likeness.to_all(rule.strategy, deeds);
      const bool followed =
          std::any_of(likeness.begin(), likeness.end(), [](double alike) { return alike >= kFollowed; });
      change = with_use(rule, report, followed, now);
    }
    (outcome == Outcome::kUnknown ? counted.told : counted.judged).push_back(rule.id);
    work.changes.push_back(outcome == Outcome::kUnknown ? std::move(change)
                                                        : with_outcome(with_, std::move(change), outcome));
  }
  if (!work.changes.empty())
    ledger_.counted().put(workspace_scope(), report.id, counted, before ? before->version : 0, now, work.batch);
  return {};
}

Result<Rule> RuleBook::change(const ScopeKey& scope, const std::string& id, const RuleChange& change) {
  Rule changed;
  WEFT_CHECK(ledger_.change(scope.str(), [&](RuleWork& work) -> Status {
    const auto at = std::find_if(work.rules.begin(), work.rules.end(), [&](const Rule& rule) { return rule.id == id; });
    if (at == work.rules.end())
      return not_found("rules: there is no rule \"" + id + "\"", "`weft rule list` shows them");
    changed = *at;
    const Status applied = apply(change, changed, with_.clock.now());
    if (applied.ok())
      work.changes.push_back({std::string(to_string(change.action)), change.by, change.why, {}, changed});
    return applied;
  }));
  return changed;
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
