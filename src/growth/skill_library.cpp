#include "growth/skill_library.h"

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "growth/growth_files.h"
#include "growth/owners.h"
#include "growth/rule_words.h"
#include "growth/skill_crystal.h"
#include "growth/skill_folder.h"
#include "growth/skill_lesson.h"
#include "growth/skill_match.h"
#include "model/growth_records.h"
#include "text/line_diff.h"

namespace weft {
namespace {

// Everybody's skills and their uses are documents of one scope, which is nobody's.
const ScopeKey& scope_of_skills() {
  static const ScopeKey scope{std::string(kWorkspaceOwner)};
  return scope;
}

std::string use_id(const std::string& report, const std::string& skill) { return report + "\n" + skill; }

}  // namespace

template <>
const Record<CountedUse>& record<CountedUse>() {
  static const auto made = Record<CountedUse>("CountedUse", "", RecordUse::kBoth)
                               .field("time", &CountedUse::time, "when it was counted")
                               .field("report", &CountedUse::report, "id of the task's report")
                               .field("skill", &CountedUse::skill, "its id")
                               .field("version", &CountedUse::version, "of the skill")
                               .field("followed", &CountedUse::followed, "whether its steps were taken")
                               .field("outcome", &CountedUse::outcome, "of the task");
  return made;
}

namespace fs = std::filesystem;

bool serves(const Skill& skill) {
  return skill.stage != LifeStage::kDeprecated && skill.stage != LifeStage::kRetired &&
         skill.stage != LifeStage::kRefused;
}

Status StoredSkills::refresh_folder(const fs::path& folder, Files& into) {
  auto paths = disk_.list(folder);
  if (!paths.ok()) return paths.error().code == ErrorCode::kNotFound ? Status() : Status(paths.error());
  for (const fs::path& path : *paths) {
    if (path.extension() != ".yaml" && path.extension() != ".yml") continue;
    auto content = disk_.read(path);
    if (!content.ok() && content.error().code == ErrorCode::kNotFound) continue;
    File file{path, content.value_or(""), {}, {}};
    if (const auto known = files_.find(path);
        content.ok() && known != files_.end() && known->second.content == *content) {
      into[path] = known->second;
      continue;
    }
    const std::string name = path.parent_path().filename().string() + "/" + path.filename().string();
    auto skill = content.ok() ? read_skill(*content, name) : Result<Skill>(content.error());
    if (skill.ok()) {
      file.skill = std::move(skill).value();
    } else {
      file.problem = skill.error().message;
      log_warning("skills.file", file.problem);
    }
    into[path] = std::move(file);
  }
  return {};
}

Status StoredSkills::refresh() {
  Files now;
  WEFT_CHECK(refresh_folder(places_.skills(), now));
  WEFT_CHECK(refresh_folder(places_.deprecated_skills(), now));
  std::map<std::string, const File*> ids;
  // What serves counts before what does not: "learned" stands behind "deprecated" in the order of paths.
  for (auto at = now.rbegin(); at != now.rend(); ++at) {
    File& file = at->second;
    if (!file.skill) continue;
    const auto [other, first] = ids.emplace(file.skill->skill_id, &file);
    if (first) continue;
    file.problem = file.path.filename().string() + ": the id \"" + file.skill->skill_id + "\" is that of " +
                   other->second->path.filename().string() + ", too, which counts";
    file.skill.reset();
    file.content.clear();  // looked at again, should the other one go
  }
  files_ = std::move(now);
  return {};
}

const StoredSkills::File* StoredSkills::find(std::string_view id) const {
  for (auto& [path, file] : files_)
    if (file.skill && file.skill->skill_id == id) return &file;
  return nullptr;
}

Result<fs::path> StoredSkills::path_for(const Skill& skill) const {
  const fs::path folder = serves(skill) ? places_.skills() : places_.deprecated_skills();
  fs::path path = folder / (skill_file_name(skill.skill_id) + ".yaml");
  if (const auto other = files_.find(path); other != files_.end() && !other->second.problem.empty())
    return conflict("skills: " + other->second.problem, "mend or remove the file; it is left alone until then");
  return path;
}

Status StoredSkills::write(const Skill& skill, const File* before) {
  WEFT_TRY(fs::path path, path_for(skill));
  const fs::path former = before != nullptr ? before->path : fs::path();
  if (former.parent_path() == path.parent_path()) path = former;
  WEFT_CHECK(disk_.make_folder(path.parent_path()));
  WEFT_CHECK(write_file(disk_, path, write_skill(skill), true));
  if (!former.empty() && former != path) {
    WEFT_CHECK(disk_.remove(former));
    WEFT_CHECK(disk_.sync_folder(former.parent_path()));
  }
  return refresh();
}

Result<Skill> StoredSkills::put(Skill skill, const std::string& note) {
  if (skill.skill_id.empty()) return invalid_argument("skills: a skill needs a skill_id");
  const File* file = find(skill.skill_id);
  if (file != nullptr && file->skill->owner != skill.owner)
    return conflict("skills: the id \"" + skill.skill_id + "\" is taken", "choose another one");
  if (file != nullptr) keep_version(*file->skill, clock_.now(), note, skill);
  skill.last_updated = format_time(clock_.now()).substr(0, 10);
  // As a person's file would have to be, so that it can be read again.
  WEFT_TRY(Skill kept, read_skill(write_skill(skill), skill.skill_id));
  WEFT_CHECK(write(kept, file));
  return kept;
}

Status StoredSkills::remove(const File& file) {
  if (!file.skill->folder.empty()) {
    std::error_code failed;
    fs::remove_all(places_.skill_folders() / fs::path(file.skill->folder).filename(), failed);
    if (failed) return unavailable("skills: " + file.skill->folder + " cannot be removed: " + failed.message());
  }
  WEFT_CHECK(disk_.remove(file.path));
  return disk_.sync_folder(file.path.parent_path());
}

std::string StoredSkills::free_id(const std::string& wanted, const std::string& owner) const {
  std::string id = wanted;
  for (int n = 2;; ++n) {
    const File* file = find(id);
    if (file == nullptr || file->skill->owner == owner) return id;
    id = wanted + "_" + std::to_string(n);
  }
}

namespace {

Error no_skill(const std::string& id) {
  return not_found("skills: there is no skill \"" + id + "\"", "`weft skill list` shows them");
}

Result<Skill> changed(const Skill& before, const SkillChange& change, Time now) {
  Skill after = before;
  const std::string by = " by " + change.by + (change.why.empty() ? "" : ": " + change.why);
  switch (change.action) {
    case SkillAction::kPin: after.pinned = true; return after;
    case SkillAction::kUnpin: after.pinned = false; return after;
    case SkillAction::kDisable: after.disabled = true; return after;
    case SkillAction::kEnable:
      after.disabled = false;
      if (serves(before)) return after;
      after.stage = LifeStage::kActive;
      after.uses.ineffective_in_a_row = 0;
      break;
    case SkillAction::kApprove:
      if (before.stage == LifeStage::kActive) return after;
      after.stage = LifeStage::kActive;
      after.uses.ineffective_in_a_row = 0;
      break;
    case SkillAction::kRetire: after.stage = LifeStage::kRetired; break;
    case SkillAction::kRollBack: {
      const auto& history = before.version_history;
      if (history.empty()) return not_found("skill \"" + before.skill_id + "\" has no earlier version");
      const std::int64_t version = change.version != 0 ? change.version : history.back().version;
      WEFT_TRY(after, skill_version(before, version));
      after.uses = before.uses;
      after.gate = {};
      after.success_rate = before.success_rate;
      after.pinned = before.pinned;
      after.disabled = before.disabled;
      if (!serves(after)) after.stage = LifeStage::kActive;
      keep_version(before, now, "rolled back to " + std::to_string(version) + by, after);
      return after;
    }
    case SkillAction::kRemove: return after;
  }
  keep_version(before, now, std::string(to_string(change.action)) + by, after);
  return after;
}

Result<const StoredSkills::File*> seen_file(StoredSkills& files, const ScopeKey& scope, const std::string& id) {
  WEFT_CHECK(files.refresh());
  const StoredSkills::File* file = files.find(id);
  if (file == nullptr || !is_for(file->skill->owner, scope)) return no_skill(id);
  return file;
}

}  // namespace

bool is_told(const Skill& skill) {
  const bool on_trial = skill.stage == LifeStage::kProbation && !is_held_back(skill.gate, version_of(skill));
  return !skill.disabled && (skill.stage == LifeStage::kActive || on_trial);
}

Result<std::vector<Skill>> SkillLibrary::all() {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  std::vector<Skill> skills;
  for (const auto& [path, file] : files_.files())
    if (file.skill) skills.push_back(*file.skill);
  std::sort(skills.begin(), skills.end(), [](const Skill& a, const Skill& b) {
    return std::pair(!serves(a), a.skill_id) < std::pair(!serves(b), b.skill_id);
  });
  return skills;
}

Result<std::vector<Skill>> SkillLibrary::list(const ScopeKey& scope) {
  WEFT_TRY(auto skills, all());
  std::erase_if(skills, [&](const Skill& skill) { return !is_for(skill.owner, scope); });
  return skills;
}

Result<Skill> SkillLibrary::find(const ScopeKey& scope, const std::string& id) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(const StoredSkills::File* file, seen_file(files_, scope, id));
  return *file->skill;
}

Result<Skill> SkillLibrary::get(const std::string& id) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  const StoredSkills::File* file = files_.find(id);
  if (file == nullptr || !serves(*file->skill)) return no_skill(id);
  return *file->skill;
}

Result<Skill> SkillLibrary::put(Skill skill, const std::string& note) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  return files_.put(std::move(skill), note);
}

Result<Skill> SkillLibrary::change(const ScopeKey& scope, const std::string& id, const SkillChange& change) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(const StoredSkills::File* file, seen_file(files_, scope, id));
  WEFT_TRY(Skill after, changed(*file->skill, change, with_.clock.now()));
  if (change.action == SkillAction::kRemove) {
    WEFT_CHECK(files_.remove(*file));
    WEFT_CHECK(files_.refresh());
    return after;
  }
  after.last_updated = format_time(with_.clock.now()).substr(0, 10);
  WEFT_CHECK(files_.write(after, file));
  return after;
}

Result<std::string> SkillLibrary::diff(const ScopeKey& scope, const std::string& id, std::int64_t from,
                                       std::int64_t to) {
  WEFT_TRY(const Skill skill, find(scope, id));
  const std::int64_t newest = to != 0 ? to : version_of(skill);
  std::int64_t older = from;
  for (const OldVersion& old : skill.version_history)
    if (from == 0 && old.version < newest) older = old.version;
  if (older == 0) return std::string();
  WEFT_TRY(Skill before, skill_version(skill, older));
  WEFT_TRY(Skill after, skill_version(skill, newest));
  for (Skill* one : {&before, &after}) {
    one->uses = {};
    one->success_rate = 0;
    one->last_updated.clear();
  }
  const std::string old_text = write_skill(before), new_text = write_skill(after);
  return show_diff(line_diff(old_text, new_text));
}

Result<Skill> SkillLibrary::teach(const SkillLesson& lesson, const std::string& by) {
  WEFT_TRY(Skill skill, skill_from_lesson(lesson));
  skill.owner = lesson.owner;
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  skill.skill_id = files_.free_id(skill_id_for(skill.name), skill.owner);
  return files_.put(std::move(skill), "taught anew by " + by);
}

Result<std::optional<Skill>> SkillLibrary::take_taught(const SkillLesson& lesson, const std::string& source) {
  if (!with_.evolution.learn) return std::optional<Skill>();
  WEFT_TRY(Skill skill, skill_from_lesson(lesson));
  skill.owner = lesson.owner;
  skill.stage = LifeStage::kProbation;
  skill.learned_from = {source};
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  skill.skill_id = files_.free_id(skill_id_for(skill.name), skill.owner);
  for (const auto& [path, file] : files_.files()) {
    if (!file.skill || file.skill->owner != skill.owner) continue;
    const auto& from = file.skill->learned_from;
    const bool known = std::find(from.begin(), from.end(), source) != from.end();
    if (known || (file.skill->skill_id == skill.skill_id && file.skill->pinned)) return std::optional<Skill>();
  }
  WEFT_TRY(Skill kept, files_.put(std::move(skill), "taught anew in " + source));
  return std::optional<Skill>(std::move(kept));
}

Result<Skill> SkillLibrary::import_folder(const SkillFolder& folder, const std::string& by) {
  WEFT_TRY(Skill skill, skill_from_folder(folder));
  skill.owner = folder.owner;
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  skill.skill_id = files_.free_id(skill.skill_id, skill.owner);
  const std::string name = skill_file_name(skill.skill_id);
  skill.folder = "skills/folders/" + name;
  WEFT_CHECK(files_.path_for(skill));
  WEFT_CHECK(write_skill_folder(with_.files, folder, with_.places.skill_folders() / name));
  return files_.put(std::move(skill), "imported anew by " + by);
}

Result<SkillFolder> SkillLibrary::export_folder(const ScopeKey& scope, const std::string& id) {
  WEFT_TRY(const Skill skill, find(scope, id));
  std::vector<SkillFile> beside;
  for (const std::string& path : resources(skill)) {
    const fs::path folder = with_.places.skill_folders() / fs::path(skill.folder).filename();
    WEFT_TRY(std::string content, with_.files.read(folder / path));
    beside.push_back({path, std::move(content)});
  }
  return folder_from_skill(skill, std::move(beside));
}

std::vector<std::string> SkillLibrary::resources(const Skill& skill) const {
  if (skill.folder.empty()) return {};
  // A person may have written anything there: only the name of the folder counts.
  return skill_resources(with_.places.skill_folders() / fs::path(skill.folder).filename());
}

std::vector<SkillMatch> SkillLibrary::match(const ScopeKey& scope, std::string_view task, std::size_t most) {
  return match_skills(with_.likeness, told(scope), task, most);
}

std::vector<Skill> SkillLibrary::told(const ScopeKey& scope) {
  auto skills = list(scope);
  if (!skills.ok()) {
    log_warning("skills.match", skills.error().message);
    return {};
  }
  std::erase_if(*skills, [](const Skill& skill) { return !is_told(skill); });
  return std::move(*skills);
}

Result<std::optional<Skill>> SkillLibrary::crystallise(const TaskReport& newest, std::span<const TaskReport> all) {
  if (!with_.evolution.learn) return std::optional<Skill>();
  auto made = crystallised(newest, all, with_.likeness, with_.evolution);
  if (!made) return made;
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  for (const auto& [path, file] : files_.files())
    if (file.skill && is_for(file.skill->owner, made->owner) && tools_of(*file.skill) == tools_of(*made) &&
        is_for(*file.skill, newest.task, with_.likeness, with_.evolution.related))
      return std::optional<Skill>();
  for (int n = 1; made->skill_id.empty() || files_.find(made->skill_id) != nullptr; ++n)
    made->skill_id = skill_id_for(made->name) + (n == 1 ? "" : "_" + std::to_string(n));
  WEFT_TRY(Skill kept, files_.put(std::move(*made), {}));
  return std::optional<Skill>(std::move(kept));
}

Result<std::set<std::string>> SkillLibrary::made_of(const ErasedLessons& gone) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  std::set<std::string> ids;
  for (const auto& [path, file] : files_.files()) {
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
  WEFT_CHECK(files_.refresh());
  WEFT_TRY(const auto uses, uses_.latest(scope_of_skills()));
  WriteBatch batch;
  for (const auto& [use, id, version] : uses)
    if (ids.contains(use.skill) || gone.reports.contains(use.report)) uses_.remove(scope_of_skills(), id, batch);
  if (!batch.empty()) WEFT_CHECK(with_.store.write(batch));
  const StoredSkills::Files files = files_.files();
  for (const auto& [path, file] : files)
    if (file.skill && ids.contains(file.skill->skill_id)) WEFT_CHECK(files_.remove(file));
  return files_.refresh();
}

std::vector<std::string> SkillLibrary::problems() {
  const std::lock_guard lock(mutex_);
  if (const Status read = files_.refresh(); !read.ok()) return {read.error().message};
  std::vector<std::string> all;
  for (const auto& [path, file] : files_.files())
    if (!file.problem.empty()) all.push_back(file.problem);
  return all;
}

// How skills do: whether they were followed, what their tasks say of them, and the end of their trials.

namespace {

constexpr std::int64_t kIneffective = 5;

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

void activate(Skill& skill, const std::string& note, Time now) {
  Skill ended = skill;
  ended.stage = LifeStage::kActive;
  keep_version(skill, now, note, ended);
  ended.gate.version = version_of(ended);  // what was tried is what serves now
  skill = std::move(ended);
}

// A person who pinned a skill wants it whatever else is said of it. What waits, or is held back, goes on being counted.
void end_trial(const SkillPorts& with, Skill& skill, const TaskReport& last) {
  const std::int64_t known = skill.uses.succeeded + skill.uses.failed, version = version_of(skill);
  if (skill.stage != LifeStage::kProbation || known < with.evolution.trial_tasks) return;
  const bool good = skill.success_rate >= with.evolution.trial_rate || skill.pinned;
  const std::string figures = std::to_string(skill.uses.succeeded) + " of " + std::to_string(known) +
                              " tasks succeeded with it, the last was " + last.id;
  if (!good) {
    Skill ended = skill;
    ended.stage = LifeStage::kDeprecated;
    keep_version(skill, with.clock.now(), std::string(to_string(ended.stage)) + ": " + figures, ended);
    skill = std::move(ended);
    return;
  }
  if (!skill.pinned) {
    if (is_waiting(skill.gate, version) || is_held_back(skill.gate, version)) return;
    skill.gate = gate_of(with.gate, skill.owner, version, with.clock);
    if (is_waiting(skill.gate, version)) return;
  }
  const std::string gate = gate_text(skill.gate);
  activate(skill, "active: " + figures + (gate.empty() ? "" : "; " + gate), with.clock.now());
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

Status SkillLibrary::count_one(const TaskReport& report, const StoredSkills::File& file,
                               const std::optional<Use>& before) {
  Skill skill = *file.skill;
  const Outcome outcome = witnessed_outcome(report);
  const bool followed = was_followed(skill, report);
  WriteBatch batch;
  uses_.put(scope_of_skills(), use_id(report.id, skill.skill_id),
            {with_.clock.now(), report.id, skill.skill_id, version_of(skill), followed, outcome},
            before ? before->version : 0, with_.clock.now(), batch);
  WEFT_CHECK(with_.store.write(batch));
  UseCount& uses = skill.uses;
  uses.injected += !before;
  uses.followed += !before && followed;
  uses.succeeded += outcome == Outcome::kSuccess;
  uses.failed += outcome == Outcome::kFailure;
  if (outcome != Outcome::kUnknown)
    uses.ineffective_in_a_row = outcome == Outcome::kSuccess ? 0 : uses.ineffective_in_a_row + 1;
  if (const std::int64_t known = uses.succeeded + uses.failed; known > 0)
    skill.success_rate = static_cast<double>(uses.succeeded) / static_cast<double>(known);
  end_trial(with_, skill, report);
  if (uses.ineffective_in_a_row >= kIneffective && !skill.pinned && skill.stage != LifeStage::kDeprecated) {
    Skill ended = skill;
    ended.stage = LifeStage::kDeprecated;
    keep_version(skill, with_.clock.now(),
                 "deprecated: " + std::to_string(uses.ineffective_in_a_row) +
                     " tasks in a row failed with it, the last " + report.id,
                 ended);
    skill = std::move(ended);
  }
  return files_.write(skill, &file);
}

// A use whose outcome became known later is in the log once more: the newest line counts.
Status SkillLibrary::take_former_uses() {
  std::map<std::string, CountedUse> uses;  // by id
  const auto take = [&](std::string_view line) {
    auto use = parse_record<CountedUse>(line, "line");
    if (use.ok()) uses.insert_or_assign(use_id(use->report, use->skill), std::move(use).value());
    return use.ok();
  };
  return take_former_log(with_.files, with_.places.skill_uses(), take, [&]() -> Status {
    WriteBatch batch;
    for (const auto& [id, use] : uses) {
      WEFT_TRY(const auto known, uses_.find(scope_of_skills(), id));
      if (!known) uses_.put(scope_of_skills(), id, use, 0, use.time, batch);
    }
    return batch.empty() ? Status() : with_.store.write(batch);
  });
}

Status SkillLibrary::count(const TaskReport& report) {
  if (report.skills.empty() || report.provenance == Provenance::kImported) return {};
  if (report.id.empty()) return invalid_argument("skills: a task report needs an id", "it is what makes it count once");
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  const bool open = witnessed_outcome(report) == Outcome::kUnknown;
  for (const std::string& id : report.skills) {
    const StoredSkills::File* file = files_.find(id);
    const bool own = file != nullptr && is_for(file->skill->owner, report.owner);
    WEFT_TRY(const auto before, uses_.find(scope_of_skills(), use_id(report.id, id)));
    const bool is_known = before && (before->value.outcome != Outcome::kUnknown || open);
    if (!own || is_known) continue;
    const StoredSkills::File now = *file;  // writing reads all files anew
    WEFT_CHECK(count_one(report, now, before));
  }
  return {};
}

Result<std::vector<Skill>> SkillLibrary::waiting() {
  WEFT_TRY(auto skills, all());
  std::erase_if(skills, [](const Skill& skill) {
    return skill.stage != LifeStage::kProbation || !is_waiting(skill.gate, version_of(skill));
  });
  return skills;
}

Status SkillLibrary::settle(const std::string& id, const PromotionGate& gate) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(files_.refresh());
  const StoredSkills::File* file = files_.find(id);
  if (file == nullptr || file->skill->stage != LifeStage::kProbation) return {};
  Skill skill = *file->skill;
  const std::int64_t version = version_of(skill);
  if (!is_waiting(skill.gate, version) || gate.version != version) return {};
  skill.gate = gate;
  if (!is_waiting(gate, version) && !is_held_back(gate, version))
    activate(skill, "active: " + gate_text(gate), with_.clock.now());
  skill.last_updated = format_time(with_.clock.now()).substr(0, 10);
  const StoredSkills::File now = *file;  // writing reads all files anew
  return files_.write(skill, &now);
}

}  // namespace weft
