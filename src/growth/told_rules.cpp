#include "growth/told_rules.h"

#include <algorithm>

#include "growth/promotion_gate.h"
#include "text/markup.h"

namespace weft {
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
