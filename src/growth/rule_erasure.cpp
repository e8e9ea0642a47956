// Forgetting in the rules: whole rules, or a part of what one stands on.
#include <algorithm>

#include "growth/rewrite_lines.h"
#include "growth/rule_ledger.h"
#include "model/growth_records.h"

namespace weft {
namespace {

constexpr const char* kErased = "(erased)";

bool stands_on(const RuleEvidence& evidence, const ErasedLessons& gone) {
  return gone.reflections.contains(evidence.reflection) ||
         std::any_of(evidence.reports.begin(), evidence.reports.end(),
                     [&](const std::string& report) { return gone.reports.contains(report); });
}

// Takes out what comes of the erased. Gives whether there was any.
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
  return out.take() + "\n";
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
  return out.take() + "\n";
}

}  // namespace

// The files first: a rule that stood there and in no line would pass for one that a person wrote. What is left of a
// rule gets a line of its own behind those that said more.
Status RuleLedger::erase(const ErasedLessons& gone) {
  std::set<std::string> touched;
  for (const auto& [id, known] : known_) {
    Rule rule = known.rule;
    if ((gone.everything && rule.owner == gone.owner) || take_out(rule, gone)) touched.insert(id);
  }
  std::vector<Rule> kept;
  {
    const std::lock_guard lock(mutex_);
    for (Rule& rule : rules_)
      if (take_out(rule, gone)) {
        touched.insert(rule.id);
        if (is_left(rule, gone)) kept.push_back(rule);
      }
    std::erase_if(rules_, [&](const Rule& rule) {
      if (gone.everything && rule.owner == gone.owner) return true;
      const bool left = std::any_of(kept.begin(), kept.end(), [&](const Rule& one) { return one.id == rule.id; });
      return touched.contains(rule.id) && !left;
    });
    std::erase_if(kept, [&](const Rule& rule) { return gone.everything && rule.owner == gone.owner; });
  }
  if (!touched.empty()) WEFT_CHECK(write_files());
  WEFT_CHECK(erase_lines(touched, gone));
  if (kept.empty()) return {};
  WEFT_CHECK(read_log());
  for (const Rule& rule : kept) WEFT_CHECK(append({"erased", "erasure", "a part of what it stood on", {}, rule}));
  return write_files();
}

Status RuleLedger::erase_lines(const std::set<std::string>& rules, const ErasedLessons& gone) {
  log_ = nullptr;
  log_read_ = false;
  return rewrite_lines(files_, places_.strategy_log(), [&](std::string_view line) {
    const std::string id = json_text(json_member(line, "rule")).value_or("");
    if (rules.contains(id)) return erased_line(json_member(line, "n"), id);
    if (gone.reports.contains(json_text(json_member(line, "report")).value_or(""))) return without_report(line);
    return std::string(line) + "\n";
  });
}

}  // namespace weft
