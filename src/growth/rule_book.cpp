// Which rules a task is told, and what people read of them.
#include "growth/rule_book.h"

#include <algorithm>

#include "base/log.h"

namespace weft {
RuleBook::RuleBook(RulePorts with)
    : with_(std::move(with)),
      ledger_(with_.files, with_.places, with_.clock),
      contradictions_(with_.files, with_.places.contradictions(), with_.clock) {}

std::vector<Rule> RuleBook::active_rules(const ScopeKey& scope) {
  // Who changes something reads the files anyway; only the first time there is nothing yet to go by.
  std::unique_lock lock(changing_, std::defer_lock);
  if (!loaded_)
    lock.lock();
  else
    (void)lock.try_lock();
  if (lock) {
    const Status loaded = ledger_.load();
    loaded_ = loaded_ || loaded.ok();
    if (!loaded.ok()) log_warning("rules.file", loaded.error().message);
    lock.unlock();
  }
  std::vector<Rule> active;
  for (Rule& rule : ledger_.rules())
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
  for (Rule& rule : ledger_.rules()) {
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
  WEFT_CHECK(ledger_.load());
  std::vector<Rule> seen;
  for (const bool live : {true, false})
    for (const Rule& rule : ledger_.rules())
      if (is_live(rule.stage) == live && is_for(rule.owner, scope)) seen.push_back(rule);
  return seen;
}

std::vector<std::string> RuleBook::problems() {
  const std::lock_guard lock(changing_);
  const Status loaded = ledger_.load();
  std::vector<std::string> all = ledger_.problems();
  if (!loaded.ok()) all.insert(all.begin(), loaded.error().message);
  return all;
}

Status RuleBook::erase(const ErasedLessons& gone) {
  if (gone.empty()) return {};
  const std::lock_guard lock(changing_);
  WEFT_CHECK(ledger_.load());
  WEFT_CHECK(contradictions_.erase(gone));
  return ledger_.erase(gone);
}

}  // namespace weft
