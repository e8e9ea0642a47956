#include "growth/skill_uses.h"

#include "base/strings.h"
#include "growth/rewrite_lines.h"
#include "growth/skill_file.h"
#include "text/json_writer.h"
#include "text/value.h"

namespace weft {
namespace {

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

}  // namespace

Status SkillUses::open() {
  if (log_ != nullptr) return {};
  counted_.clear();
  const auto outcome_of = [](const std::string& word) {
    return word == to_string(Outcome::kSuccess)   ? Outcome::kSuccess
           : word == to_string(Outcome::kFailure) ? Outcome::kFailure
                                                  : Outcome::kUnknown;
  };
  WEFT_TRY(log_, LineLog::open(files_, path_, [&](std::string_view line) {
             if (const auto read = parse_value(line, {.max_bytes = line.size() + 1}, "uses.jsonl"); read.ok())
               counted_[text_in(*read, "report") + "\n" + text_in(*read, "skill")] =
                   outcome_of(text_in(*read, "outcome"));
           }));
  return {};
}

Result<std::optional<Outcome>> SkillUses::counted(const std::string& report, const std::string& skill) {
  WEFT_CHECK(open());
  const auto found = counted_.find(report + "\n" + skill);
  return found == counted_.end() ? std::optional<Outcome>() : std::optional<Outcome>(found->second);
}

Status SkillUses::add(const TaskReport& report, const Skill& skill, bool followed, Outcome outcome) {
  WEFT_CHECK(open());
  WEFT_CHECK(log_->append(use_line(report, skill, followed, outcome, clock_.now())));
  counted_.insert_or_assign(report.id + "\n" + skill.skill_id, outcome);
  return {};
}

Status SkillUses::erase(const std::set<std::string>& skills, const ErasedLessons& gone) {
  log_ = nullptr;
  return rewrite_lines(files_, path_, [&](std::string_view line) {
    const auto read = parse_value(line, {.max_bytes = line.size() + 1}, "uses.jsonl");
    // What was used stays counted; in which task is told no more.
    const bool goes =
        !read.ok() || skills.contains(text_in(*read, "skill")) || gone.reports.contains(text_in(*read, "report"));
    return goes ? std::string() : std::string(line) + "\n";
  });
}

}  // namespace weft
