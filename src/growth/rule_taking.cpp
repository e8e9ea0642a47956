// From suggestions of reflections to rules.
#include <algorithm>
#include <functional>
#include <set>

#include "growth/rule_book.h"
#include "growth/rule_words.h"
#include "model/growth_records.h"
#include "text/statement.h"
#include "text/utf8.h"

namespace weft {
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

bool share_one(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&b](const std::string& one) { return std::find(b.begin(), b.end(), one) != b.end(); });
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

bool knows(const Rule& rule, const std::string& reflection) {
  return std::find(rule.learned_from.begin(), rule.learned_from.end(), reflection) != rule.learned_from.end();
}

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

Rule draft_of(const Reflection& reflection, const Suggestion& suggestion, Time now) {
  Rule draft;
  draft.owner = reflection.owner.empty() ? std::string(kWorkspaceOwner) : reflection.owner;
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
  const std::lock_guard lock(changing_);
  WEFT_CHECK(ledger_.load());
  for (const Suggestion& suggestion : reflection.suggestions) WEFT_CHECK(take_one(reflection, suggestion));
  return {};
}

Status RuleBook::take_one(const Reflection& reflection, const Suggestion& suggestion) {
  if (suggestion.confidence == Grade::kLow) return {};
  Rule draft = draft_of(reflection, suggestion, with_.clock.now());
  if (Statement(draft.strategy).empty()) return {};
  const std::string by = "reflection " + reflection.id;
  const std::vector<Rule> rules = ledger_.rules();
  if (const auto phrase = loosens_safety(draft.strategy + "\n" + draft.applies_to)) {
    for (const Rule& rule : rules)
      if (rule.owner == draft.owner && rule.stage == LifeStage::kRefused && rule.strategy == draft.strategy) return {};
    draft.id = ledger_.new_id();
    draft.stage = LifeStage::kRefused;
    draft.note = "it would make things less safe: \"" + *phrase + "\"";
    return ledger_.commit({"refused", by, draft.note, {}, draft});
  }
  const Match match = look_up(with_.likeness, draft, rules);
  for (const std::size_t standing : match.contradicts)
    WEFT_CHECK(contradictions_.report(reflection.id, draft, rules[standing]));
  const bool contradicted = !match.contradicts.empty();
  if (!match.like) {
    draft.id = ledger_.new_id();
    return ledger_.commit(added_to_candidate(with_.settings, std::move(draft), {}, contradicted));
  }
  const Rule& standing = rules[*match.like];
  if (knows(standing, reflection.id)) return {};
  if (standing.stage == LifeStage::kCandidate)
    return ledger_.commit(added_to_candidate(with_.settings, standing, draft, contradicted));
  if (auto change = merged(with_.likeness, standing, draft, by, with_.clock.now()))
    return ledger_.commit(std::move(*change));
  return {};
}

}  // namespace weft
