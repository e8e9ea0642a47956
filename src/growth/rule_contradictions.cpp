#include "growth/rule_contradictions.h"

#include <algorithm>

#include "growth/rewrite_lines.h"
#include "growth/rule_words.h"
#include "model/growth_records.h"
#include "text/record.h"

namespace weft {

Status RuleContradictions::open() {
  if (log_) return {};
  reported_.clear();
  WEFT_TRY(log_, LineLog::open(files_, path_, [this](std::string_view line) {
             if (!check_json(line, {}, "").ok()) return;
             const auto by = json_text(json_member(line, "reflection")), rule = json_text(json_member(line, "rule"));
             if (by.ok() && rule.ok()) reported_.insert(*by + " " + *rule);
           }));
  return {};
}

Status RuleContradictions::report(const std::string& reflection, const Rule& draft, const Rule& standing) {
  WEFT_CHECK(open());
  if (!reported_.insert(reflection + " " + standing.id).second) return {};
  const bool weighty = std::max(draft.severity, standing.severity) == Grade::kHigh || standing.pinned ||
                       standing.restricts || draft.restricts;
  JsonWriter line;
  line.begin('{');
  const auto text = [&](std::string_view name, std::string_view value) {
    line.name(name);
    line.text(value);
  };
  text("time", format_time(clock_.now()));
  text("reflection", reflection);
  text("owner", draft.owner);
  text("rule", standing.id);
  text("says", standing.strategy);
  text("against_it", draft.strategy);
  text("differs_in", to_string(conflict_between(draft.strategy, standing.strategy)));
  text("witness", to_string(draft.provenance));
  line.name("succeeded");
  line.whole(standing.uses.succeeded);
  line.name("failed");
  line.whole(standing.uses.failed);
  line.name("needs_person");
  line.flag(weighty);
  line.end('}');
  const Status written = log_->append(line.take());
  if (!written.ok()) log_ = nullptr;
  return written;
}

Status RuleContradictions::erase(const ErasedLessons& gone) {
  log_ = nullptr;
  return rewrite_lines(files_, path_, [&](std::string_view line) {
    const bool theirs = gone.everything && json_text(json_member(line, "owner")).value_or("") == gone.owner;
    const bool of_it = gone.reflections.contains(json_text(json_member(line, "reflection")).value_or(""));
    return theirs || of_it ? std::string() : std::string(line) + "\n";
  });
}

}  // namespace weft
