// How skills do: uses, and their end after failures.
#include <algorithm>

#include "base/lowered.h"
#include "base/strings.h"
#include "growth/owners.h"
#include "growth/rule_words.h"
#include "growth/skill_crystal.h"
#include "growth/skill_file.h"
#include "growth/skill_library.h"
#include "model/growth_records.h"
#include "text/json.h"
#include "text/value.h"

namespace weft {
namespace {

constexpr std::int64_t kIneffective = 5;

std::string use_line(const TaskReport& report, const Skill& skill, bool followed, Outcome outcome, Time now) {
  JsonWriter line;
  line.begin('{');
  line.name("time");
  line.text(format_time(now));
  line.name("report");
  line.text(report.id);
  line.name("skill");
  line.text(skill.skill_id);
  line.name("version");
  line.raw(std::to_string(version_of(skill)));
  line.name("followed");
  line.raw(followed ? "true" : "false");
  line.name("outcome");
  line.text(to_string(outcome));
  line.end('}');
  return line.take();
}

std::string text_in(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found != nullptr && found->text() != nullptr ? *found->text() : std::string();
}

// Tools in their order, with whatever else between them.
bool tools_in_order(const Skill& skill, const TaskReport& report) {
  auto at = report.steps.begin();
  bool any = false;
  for (const SkillStep& step : skill.steps) {
    if (step.tools.empty()) continue;
    any = true;
    at = std::find_if(at, report.steps.end(), [&](const ReportStep& done) {
      return std::find(step.tools.begin(), step.tools.end(), done.tool) != step.tools.end();
    });
    if (at == report.steps.end()) return false;
    ++at;
  }
  return any;
}

}  // namespace

bool was_followed(const Skill& skill, const TaskReport& report) {
  if (tools_in_order(skill, report)) return true;
  const std::string name = lowered(skill.name), id = lowered(skill.skill_id);
  const auto names = [&](const std::string& text) {
    const std::string low = lowered(text);
    return low.find(name) != std::string::npos || low.find(id) != std::string::npos;
  };
  return names(report.output) ||
         std::any_of(report.steps.begin(), report.steps.end(), [&](const auto& step) { return names(step.thought); });
}

Status SkillLibrary::open_log() {
  if (log_ != nullptr) return {};
  counted_.clear();
  const auto outcome_of = [](const std::string& word) {
    return word == to_string(Outcome::kSuccess)   ? Outcome::kSuccess
           : word == to_string(Outcome::kFailure) ? Outcome::kFailure
                                                  : Outcome::kUnknown;
  };
  WEFT_TRY(log_, LineLog::open(with_.files, with_.places.skill_uses(), [&](std::string_view line) {
             if (const auto read = parse_value(line, {.max_bytes = line.size() + 1}, "uses.jsonl"); read.ok())
               counted_[text_in(*read, "report") + "\n" + text_in(*read, "skill")] =
                   outcome_of(text_in(*read, "outcome"));
           }));
  return {};
}

// The line first: a crash between the two loses a count in the file, which the log still has.
Status SkillLibrary::count_one(const TaskReport& report, const File& file) {
  Skill skill = *file.skill;
  const Outcome outcome = witnessed_outcome(report);
  const bool followed = was_followed(skill, report);
  WEFT_CHECK(log_->append(use_line(report, skill, followed, outcome, with_.clock.now())));
  UseCount& uses = skill.uses;
  const bool is_new = counted_.insert_or_assign(report.id + "\n" + skill.skill_id, outcome).second;
  uses.injected += is_new;
  uses.followed += is_new && followed;
  uses.succeeded += outcome == Outcome::kSuccess;
  uses.failed += outcome == Outcome::kFailure;
  if (outcome != Outcome::kUnknown)
    uses.ineffective_in_a_row = outcome == Outcome::kSuccess ? 0 : uses.ineffective_in_a_row + 1;
  if (const std::int64_t known = uses.succeeded + uses.failed; known > 0)
    skill.success_rate = static_cast<double>(uses.succeeded) / static_cast<double>(known);
  end_trial(skill, report);
  if (uses.ineffective_in_a_row >= kIneffective && !skill.pinned && skill.stage != LifeStage::kDeprecated) {
    Skill ended = skill;
    ended.stage = LifeStage::kDeprecated;
    keep_version(skill, with_.clock.now(),
                 "deprecated: " + std::to_string(uses.ineffective_in_a_row) +
                     " tasks in a row failed with it, the last " + report.id,
                 ended);
    skill = std::move(ended);
  }
  return write(skill, &file);
}

Status SkillLibrary::count(const TaskReport& report) {
  if (report.skills.empty() || report.provenance == Provenance::kImported) return {};
  if (report.id.empty()) return invalid_argument("skills: a task report needs an id", "it is what makes it count once");
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(refresh());
  WEFT_CHECK(open_log());
  const bool open = witnessed_outcome(report) == Outcome::kUnknown;
  for (const std::string& id : report.skills) {
    const File* file = file_of(id);
    const bool own = file != nullptr && is_for(file->skill->owner, report.owner);
    const auto before = counted_.find(report.id + "\n" + id);
    const bool is_known = before != counted_.end() && (before->second != Outcome::kUnknown || open);
    if (!own || is_known) continue;
    const File now = *file;  // writing reads all files anew
    WEFT_CHECK(count_one(report, now));
  }
  return {};
}

Result<std::optional<Skill>> SkillLibrary::crystallise(const TaskReport& newest, std::span<const TaskReport> all) {
  if (!with_.evolution.learn) return std::optional<Skill>();
  auto made = crystallised(newest, all, with_.likeness, with_.evolution);
  if (!made) return made;
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(refresh());
  for (const auto& [path, file] : files_)
    if (file.skill && is_for(file.skill->owner, made->owner) && tools_of(*file.skill) == tools_of(*made) &&
        is_for(*file.skill, newest.task, with_.likeness, with_.evolution.related))
      return std::optional<Skill>();
  for (int n = 1; made->skill_id.empty() || file_of(made->skill_id) != nullptr; ++n)
    made->skill_id = skill_id_for(made->name) + (n == 1 ? "" : "_" + std::to_string(n));
  WEFT_TRY(Skill kept, put_locked(std::move(*made), {}));
  return std::optional<Skill>(std::move(kept));
}

Result<std::set<std::string>> SkillLibrary::made_of(const ErasedLessons& gone) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(refresh());
  std::set<std::string> ids;
  for (const auto& [path, file] : files_) {
    if (!file.skill) continue;
    const Skill& skill = *file.skill;
    const bool learnt = std::any_of(skill.learned_from.begin(), skill.learned_from.end(), [&](const std::string& from) {
      return gone.reflections.contains(from) || gone.reports.contains(from);
    });
    if ((gone.everything && skill.owner == gone.owner) || (learnt && gone.repeats(file.content)))
      ids.insert(skill.skill_id);
  }
  return ids;
}

Status SkillLibrary::erase(const ErasedLessons& gone) {
  if (gone.empty()) return {};
  WEFT_TRY(const auto ids, made_of(gone));
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(refresh());
  const auto log = with_.files.read(with_.places.skill_uses());
  if (!log.ok() && log.error().code != ErrorCode::kNotFound) return log.error();
  const std::string before = log.value_or("");
  std::string kept;
  for (const std::string_view line : lines_of(before)) {
    const auto read = parse_value(line, {.max_bytes = line.size() + 1}, "uses.jsonl");
    if (!read.ok() || ids.contains(text_in(*read, "skill"))) continue;
    // What was used stays counted; in which task is told no more.
    if (gone.reports.contains(text_in(*read, "report"))) continue;
    kept.append(line) += '\n';
  }
  if (kept != before) {
    log_.reset();
    WEFT_CHECK(write_file(with_.files, with_.places.skill_uses(), kept, true));
  }
  const auto files = files_;
  for (const auto& [path, file] : files)
    if (file.skill && ids.contains(file.skill->skill_id)) WEFT_CHECK(remove_files(file));
  return refresh();
}

}  // namespace weft
