#include "growth/skill_library.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "growth/growth_files.h"
#include "growth/rule_words.h"
#include "growth/skill_folder.h"
#include "growth/skill_lesson.h"
#include "growth/skill_match.h"
#include "model/growth_records.h"
#include "text/line_diff.h"

namespace weft {
namespace {

constexpr const char* kKind = "skill";
constexpr const char *kChanges = "skill_change", *kNewest = "newest";
constexpr std::int64_t kKeptChanges = 200;  // a program that has missed more reads all skills

std::string name_of(const std::filesystem::path& file) {
  return file.parent_path().filename().string() + "/" + file.filename().string();
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

namespace {

// An edit of an older text. Counts, stage and history that the edit has not changed are those of the newest text.
std::string merge_edit(std::string_view edited, std::string_view newest, std::string_view edit) {
  const auto before = read_skill(edited, ""), now = read_skill(newest, ""), wanted = read_skill(edit, "");
  if (!before.ok() || !now.ok() || !wanted.ok()) return std::string(edit);
  const auto counts = [](const Skill& skill) {
    const UseCount& uses = skill.uses;
    return std::tuple(uses.injected, uses.followed, uses.succeeded, uses.failed, uses.ineffective_in_a_row,
                      skill.success_rate);
  };
  const auto gate = [](const Skill& skill) { return std::tuple(skill.gate.stage, skill.gate.version); };
  Skill merged = *wanted;
  if (counts(merged) == counts(*before)) {
    merged.uses = now->uses;
    merged.success_rate = now->success_rate;
  }
  if (gate(merged) == gate(*before)) merged.gate = now->gate;
  if (merged.stage == before->stage) merged.stage = now->stage;
  if (merged.version_history.size() == before->version_history.size()) merged.version_history = now->version_history;
  return write_skill(merged);
}

}  // namespace

DocumentPlace StoredSkills::place_of(const Kept& one) const {
  constexpr std::uint64_t kMostBytes = 4 << 20;  // a skill comes with its history
  constexpr std::size_t kKept = 8;               // earlier versions, one of which an editor may hold
  return {one.row.scope, one.row.kind, one.row.id, one.file, {}, kKept, merge_edit, false, kMostBytes};
}

fs::path StoredSkills::folder_of(const Skill& skill) const {
  return serves(skill) ? places_.skills() : places_.deprecated_skills();
}

Status StoredSkills::find_files(const fs::path& folder, All& into) {
  auto paths = disk_.list(folder);
  if (!paths.ok()) return paths.error().code == ErrorCode::kNotFound ? Status() : Status(paths.error());
  std::sort(paths->begin(), paths->end());
  for (const fs::path& path : *paths)
    if (path.extension() == ".yaml" || path.extension() == ".yml") into[path.stem().string()].others.push_back(path);
  return {};
}

void StoredSkills::choose_file(Kept& one) {
  auto& paths = one.others;
  if (paths.empty()) return;
  auto counts = paths.begin();
  if (paths.size() > 1) {
    const auto before = all_.find(one.row.id);
    const auto last = before == all_.end() ? paths.end() : std::find(paths.begin(), paths.end(), before->second.file);
    const auto newest = std::find_if(paths.begin(), paths.end(), [&](const fs::path& path) {
      const auto text = disk_.read(path);
      return one.row.version > 0 && text.ok() && *text == one.row.body;
    });
    counts = last != paths.end() ? last : newest != paths.end() ? newest : counts;
  }
  one.file = *counts;
  paths.erase(counts);
}

Status StoredSkills::refresh() {
  if (store_.is_shared()) return follow();
  All now;
  if (!knows_rows_) {
    WEFT_TRY(auto rows, store_.documents().all(workspace_scope(), kKind));
    for (DocumentRow& row : rows) now[row.id].row = std::move(row);
  } else {
    for (const auto& [id, one] : all_)
      if (one.row.version > 0) now[id].row = one.row;
  }
  WEFT_CHECK(find_files(places_.skills(), now));
  WEFT_CHECK(find_files(places_.deprecated_skills(), now));
  for (auto& [id, one] : now) {
    if (one.row.id.empty()) one.row = {workspace_scope(), kKind, id, 0, {}, {}, {}};
    choose_file(one);
    load(all_[id], one);
  }
  all_ = std::move(now);
  knows_rows_ = true;
  leave_one_of_each_id();
  return {};
}

// A change without names is a removal: it names nothing that was erased, and all is read again.
Status StoredSkills::follow() {
  DocumentRows& rows = store_.documents();
  std::int64_t newest = 0;
  std::set<std::string> names;
  bool reads_all = followed_ < 0;
  if (!reads_all) {
    WEFT_TRY(const auto changes, rows.versions(workspace_scope(), kChanges, kNewest, followed_ + 1, kKeptChanges));
    if (changes.empty()) return {};
    reads_all = changes.front().version != followed_ + 1;
    for (const DocumentRow& change : changes) {
      reads_all = reads_all || change.body.empty();
      for (const std::string_view name : lines_of(change.body)) names.emplace(name);
    }
    newest = changes.back().version;
  }
  All now;
  if (reads_all) {
    WEFT_TRY(const auto change, rows.newest(workspace_scope(), kChanges, kNewest));
    newest = change ? change->version : 0;
    WEFT_TRY(auto all, rows.all(workspace_scope(), kKind));
    for (DocumentRow& row : all) now[row.id].row = std::move(row);
  }
  for (const std::string& name : reads_all ? std::set<std::string>() : names) {
    WEFT_TRY(auto row, rows.newest(workspace_scope(), kKind, name));
    if (row) now[name].row = std::move(*row);
  }
  for (auto& [name, one] : now) load(all_[name], one);
  if (!reads_all) {
    for (const std::string& name : names) all_.erase(name);
    now.merge(all_);
  }
  all_ = std::move(now);
  followed_ = newest;
  leave_one_of_each_id();
  return {};
}

void StoredSkills::note_changes(WriteBatch& batch) const {
  if (!store_.is_shared()) return;
  std::string names;
  for (const DocumentRow& row : batch.documents)
    if (row.kind == kKind) names += row.id + "\n";
  const bool removes = std::any_of(batch.erased_documents.begin(), batch.erased_documents.end(),
                                   [](const DocumentKey& key) { return key.kind == kKind; });
  if (names.empty() && !removes) return;
  const DocumentKey key{workspace_scope(), kChanges, kNewest};
  const std::int64_t version = followed_ + 1;
  batch.expected_documents.emplace_back(key, followed_);
  batch.erased_versions.emplace_back(key, removes ? version : version - kKeptChanges);
  batch.documents.push_back(
      {key.scope, key.kind, key.id, version, clock_.now(), kByWeft, removes ? std::string() : std::move(names)});
}

// Reads a document again if its row or its file has changed.
void StoredSkills::load(const Kept& before, Kept& now) {
  if (!now.file.empty()) now.revision = disk_.revision(now.file);
  if (now.row.version == before.row.version && now.row.body == before.row.body && now.file == before.file &&
      now.revision == before.revision) {
    now.skill = before.skill;
    now.hidden = before.hidden;
    now.problem = before.problem;
    return;
  }
  if (!store_.is_shared() && !take_in(now)) {
    // An erasure that was cut off after its files is done again.
    auto skill = read_skill(now.row.body, "");
    if (now.row.version > 0 && skill.ok()) now.hidden = std::move(skill).value();
    return;
  }
  if (now.problem.empty()) {
    auto skill = read_skill(now.row.body, now.file.empty() ? now.row.id : name_of(now.file));
    if (skill.ok()) now.skill = std::move(skill).value();
    if (!skill.ok()) now.problem = skill.error().message;
  }
  if (!now.problem.empty() && now.problem != before.problem) log_warning("skills.file", now.problem);
  if (now.skill && !now.file.empty()) move_file(now);
}

// False: a person has removed the file.
bool StoredSkills::take_in(Kept& now) {
  const bool had_file = !now.file.empty();
  if (!had_file) {
    const auto skill = read_skill(now.row.body, now.row.id);
    now.file = (skill.ok() ? folder_of(*skill) : places_.skills()) / (now.row.id + ".yaml");
  }
  auto newest = documents_.read(place_of(now), clock_.now());
  // The next call reads the file again if it could not be read, or if an editor has emptied it.
  if (!newest.ok() || (now.revision && now.revision->size == 0)) now.revision.reset();
  if (!newest.ok()) {
    now.problem = newest.error().message;
    return true;
  }
  now.row = std::move(newest).value();
  if (now.row.version > 0 && now.row.body.empty()) {
    if (const Status ended = end_document(now); !ended.ok()) log_warning("skills.file", ended.error().message);
    now.row.version = 0;
    return false;
  }
  return had_file || disk_.revision(now.file);  // the document ends when the file has been missing for a moment
}

// The uses of its skill go with it, unless another document has the same skill.
Status StoredSkills::end_document(const Kept& one) const {
  WriteBatch batch;
  batch.erased_documents = {{workspace_scope(), kKind, one.row.id},
                            {workspace_scope(), kShownDocument, std::string(kKind) + "/" + one.row.id}};
  WEFT_TRY(const auto earlier, documents_.earlier(place_of(one)));
  const auto last = earlier.empty() ? read_skill("", "") : read_skill(earlier.back().body, "");
  const auto has_it = [&](const auto& other) {
    const Skill* held = other.second.held();
    return other.first != one.row.id && held != nullptr && held->skill_id == last->skill_id;
  };
  if (last.ok() && std::none_of(all_.begin(), all_.end(), has_it)) WEFT_CHECK(forget_uses({last->skill_id}, batch));
  return store_.write(batch);
}

Status StoredSkills::forget_uses(const std::set<std::string>& skills, WriteBatch& batch) const {
  if (skills.empty()) return {};
  WEFT_TRY(const auto uses, uses_.latest(workspace_scope()));
  for (const auto& [use, id, version] : uses)
    if (skills.contains(use.skill)) uses_.remove(workspace_scope(), id, batch);
  return {};
}

// A skill that has begun or ceased to serve has its file in another folder.
void StoredSkills::move_file(Kept& one) {
  const fs::path to = folder_of(*one.skill) / one.file.filename();
  if (one.file == to || disk_.revision(to)) return;
  if (const Status moved = documents_.move(place_of(one), to, clock_.now()); !moved.ok())
    return log_warning("skills.file", moved.error().message);
  one.file = to;
  one.revision.reset();
}

// If several documents have one id, the skill is the one that serves.
void StoredSkills::leave_one_of_each_id() {
  for (auto& [name, one] : all_) {
    if (!one.hidden || one.problem.empty()) continue;
    one.skill = std::exchange(one.hidden, std::nullopt);
    one.problem.clear();
  }
  std::map<std::string, const Kept*> ids;
  for (const bool serving : {true, false})
    for (auto& [name, one] : all_) {
      if (!one.skill || serves(*one.skill) != serving) continue;
      const auto [other, is_first] = ids.emplace(one.skill->skill_id, &one);
      if (is_first) continue;
      one.problem = one.file.filename().string() + ": the id \"" + one.skill->skill_id + "\" is that of " +
                    other->second->file.filename().string() + ", too, which counts";
      one.hidden = std::exchange(one.skill, std::nullopt);
    }
}

const StoredSkills::Kept* StoredSkills::find(std::string_view id) const {
  for (const auto& [name, one] : all_)
    if (one.skill && one.skill->skill_id == id) return &one;
  return nullptr;
}

std::vector<std::string> StoredSkills::problems() const {
  std::vector<std::string> problems;
  for (const auto& [name, one] : all_) {
    if (!one.problem.empty()) problems.push_back(one.problem);
    for (const fs::path& other : one.others)
      problems.push_back(name_of(other) + ": " + name_of(one.file) +
                         " has the same name and counts; rename or remove this file");
  }
  return problems;
}

Status StoredSkills::transact(const std::function<Status(WriteBatch&)>& make) {
  const auto written = store_.transact([&](WriteBatch& batch) -> Status {
    knows_rows_ = false;
    WEFT_CHECK(refresh());
    WEFT_CHECK(make(batch));
    note_changes(batch);
    return {};
  });
  knows_rows_ = written.ok() && written->empty();
  if (!written.ok()) return written.error();
  // The next call shows what this one cannot show.
  if (!written->empty() && !store_.is_shared())
    if (const Status shown = refresh(); !shown.ok()) log_warning("skills.show", shown.error().message);
  return {};
}

Status StoredSkills::write(const Skill& skill, const Kept* before, WriteBatch& batch) const {
  const std::string name = skill_file_name(skill.skill_id);
  Kept made{{workspace_scope(), kKind, name, 0, {}, {}, {}}, folder_of(skill) / (name + ".yaml")};
  const auto other = before == nullptr ? all_.find(name) : all_.end();
  if (other != all_.end()) {
    if (!other->second.problem.empty())
      return conflict("skills: " + other->second.problem, "mend or remove the file; it is left alone until then");
    if (other->second.skill)
      return conflict("skills: the file of \"" + other->second.skill->skill_id + "\" has this name", "rename it");
    made.row = other->second.row;
  }
  const Kept& known = before != nullptr ? *before : made;
  WEFT_CHECK(documents_.change(place_of(known), known.row, write_skill(skill), clock_.now(), batch));
  // No reader follows skills, and an entry of the log would keep the name of a skill that is erased.
  std::erase_if(batch.log, [](const LogEntry& entry) { return is_change_of(entry, kKind); });
  return {};
}

Result<Skill> StoredSkills::put(Skill skill, const std::string& note, WriteBatch& batch) const {
  if (skill.skill_id.empty()) return invalid_argument("skills: a skill needs a skill_id");
  const Kept* before = find(skill.skill_id);
  if (before != nullptr && before->skill->owner != skill.owner)
    return conflict("skills: the id \"" + skill.skill_id + "\" is taken", "choose another one");
  if (before != nullptr) keep_version(*before->skill, clock_.now(), note, skill);
  skill.last_updated = format_time(clock_.now()).substr(0, 10);
  // As a person's file would have to be, so that it can be read again.
  WEFT_TRY(Skill kept, read_skill(write_skill(skill), skill.skill_id));
  WEFT_CHECK(write(kept, before, batch));
  return kept;
}

// Files first: a file whose document is gone would become one again.
Status StoredSkills::remove(const IsGone& is_gone, WriteBatch& batch) const {
  std::set<std::string> skills;
  const auto remove_file = [&](const fs::path& path) -> Status {
    WEFT_CHECK(disk_.remove(path));
    return disk_.sync_folder(path.parent_path());
  };
  for (const auto& [name, one] : all_) {
    const Skill* skill = one.held();
    const bool goes = is_gone(skill, one.row.body);
    for (const fs::path& path : one.others) {
      WEFT_TRY(const std::string text, disk_.read(path));
      const auto other = read_skill(text, "");
      if (is_gone(other.ok() ? &*other : nullptr, text) || (goes && !other.ok())) WEFT_CHECK(remove_file(path));
    }
    if (!goes) continue;
    if (skill != nullptr) skills.insert(skill->skill_id);
    if (skill != nullptr && !skill->folder.empty()) {
      std::error_code failed;
      fs::remove_all(places_.skill_folders() / fs::path(skill->folder).filename(), failed);
      if (failed) return unavailable("skills: " + skill->folder + " cannot be removed: " + failed.message());
    }
    if (one.revision || disk_.revision(one.file)) WEFT_CHECK(remove_file(one.file));
    batch.erased_documents.push_back({workspace_scope(), kKind, name});
    batch.erased_documents.push_back({workspace_scope(), kShownDocument, std::string(kKind) + "/" + name});
  }
  return forget_uses(skills, batch);
}

std::string StoredSkills::free_id(const std::string& wanted, const std::string& owner) const {
  std::string id = wanted;
  for (int n = 2;; ++n) {
    const Kept* one = find(id);
    if (one == nullptr || one->skill->owner == owner) return id;
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

Result<const StoredSkills::Kept*> seen_skill(const StoredSkills& stored, const ScopeKey& scope, const std::string& id) {
  const StoredSkills::Kept* one = stored.find(id);
  if (one == nullptr || !is_for(one->skill->owner, scope)) return no_skill(id);
  return one;
}

}  // namespace

bool is_told(const Skill& skill) {
  const bool on_trial = skill.stage == LifeStage::kProbation && !is_held_back(skill.gate, version_of(skill));
  return !skill.disabled && (skill.stage == LifeStage::kActive || on_trial);
}

// Writes what `make(batch)`, which gives a result, adds to a batch.
template <class Make>
auto SkillLibrary::write(const Make& make) -> std::invoke_result_t<const Make&, WriteBatch&> {
  const std::lock_guard lock(mutex_);
  std::optional<std::invoke_result_t<const Make&, WriteBatch&>> made;
  WEFT_CHECK(stored_.transact([&](WriteBatch& batch) -> Status {
    made.emplace(make(batch));
    return made->ok() ? Status() : Status(made->error());
  }));
  return std::move(*made);
}

Result<std::vector<Skill>> SkillLibrary::those(const std::function<bool(const Skill&)>& is_meant) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(stored_.refresh());
  std::vector<Skill> skills;
  for (const auto& [name, one] : stored_.all())
    if (one.skill && is_meant(*one.skill)) skills.push_back(*one.skill);
  std::sort(skills.begin(), skills.end(), [](const Skill& a, const Skill& b) {
    return std::pair(!serves(a), a.skill_id) < std::pair(!serves(b), b.skill_id);
  });
  return skills;
}

Result<std::vector<Skill>> SkillLibrary::all() {
  return those([](const Skill&) { return true; });
}

Result<std::vector<Skill>> SkillLibrary::list(const ScopeKey& scope) {
  return those([&](const Skill& skill) { return is_for(skill.owner, scope); });
}

Result<Skill> SkillLibrary::find(const ScopeKey& scope, const std::string& id) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(stored_.refresh());
  WEFT_TRY(const StoredSkills::Kept* one, seen_skill(stored_, scope, id));
  return *one->skill;
}

Result<Skill> SkillLibrary::get(const std::string& id) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(stored_.refresh());
  const StoredSkills::Kept* one = stored_.find(id);
  if (one == nullptr || !serves(*one->skill)) return no_skill(id);
  return *one->skill;
}

Result<Skill> SkillLibrary::put(Skill skill, const std::string& note) {
  return write([&](WriteBatch& batch) { return stored_.put(skill, note, batch); });
}

Result<Skill> SkillLibrary::change(const ScopeKey& scope, const std::string& id, const SkillChange& change) {
  if (change.action == SkillAction::kRemove) {
    return write([&](WriteBatch& batch) -> Result<Skill> {
      WEFT_TRY(const StoredSkills::Kept* one, seen_skill(stored_, scope, id));
      const Skill removed = *one->skill;
      WEFT_CHECK(stored_.remove(
          [&](const Skill* skill, const std::string&) {
            return skill != nullptr && skill->skill_id == removed.skill_id && skill->owner == removed.owner;
          },
          batch));
      return removed;
    });
  }
  return write([&](WriteBatch& batch) -> Result<Skill> {
    WEFT_TRY(const StoredSkills::Kept* before, seen_skill(stored_, scope, id));
    WEFT_TRY(Skill after, changed(*before->skill, change, with_.clock.now()));
    after.last_updated = format_time(with_.clock.now()).substr(0, 10);
    WEFT_CHECK(stored_.write(after, before, batch));
    return after;
  });
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
  return write([&](WriteBatch& batch) {
    skill.skill_id = stored_.free_id(skill_id_for(skill.name), skill.owner);
    return stored_.put(skill, "taught anew by " + by, batch);
  });
}

Result<std::optional<Skill>> SkillLibrary::take_taught(const SkillLesson& lesson, const std::string& source) {
  if (!with_.evolution.learn) return std::optional<Skill>();
  WEFT_TRY(Skill skill, skill_from_lesson(lesson));
  skill.owner = lesson.owner;
  skill.stage = LifeStage::kProbation;
  skill.learned_from = {source};
  return write([&](WriteBatch& batch) -> Result<std::optional<Skill>> {
    skill.skill_id = stored_.free_id(skill_id_for(skill.name), skill.owner);
    for (const auto& [name, one] : stored_.all()) {
      if (!one.skill || one.skill->owner != skill.owner) continue;
      const auto& from = one.skill->learned_from;
      const bool known = std::find(from.begin(), from.end(), source) != from.end();
      if (known || (one.skill->skill_id == skill.skill_id && one.skill->pinned)) return std::optional<Skill>();
    }
    WEFT_TRY(Skill kept, stored_.put(skill, "taught anew in " + source, batch));
    return std::optional<Skill>(std::move(kept));
  });
}

Result<Skill> SkillLibrary::import_folder(const SkillFolder& folder, const std::string& by) {
  WEFT_TRY(Skill skill, skill_from_folder(folder));
  skill.owner = folder.owner;
  WEFT_TRY(Skill kept, write([&](WriteBatch& batch) {
             Skill own = skill;
             own.skill_id = stored_.free_id(skill.skill_id, skill.owner);
             own.folder = "skills/folders/" + skill_file_name(own.skill_id);
             return stored_.put(std::move(own), "imported anew by " + by, batch);
           }));
  WEFT_CHECK(write_skill_folder(with_.files, folder, with_.places.skill_folders() / skill_file_name(kept.skill_id)));
  return kept;
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
  auto skills = those([&](const Skill& skill) { return is_for(skill.owner, scope) && is_told(skill); });
  if (!skills.ok()) log_warning("skills.match", skills.error().message);
  return skills.ok() ? std::move(*skills) : std::vector<Skill>();
}

Result<std::optional<Skill>> SkillLibrary::crystallise(const TaskReport& newest, std::span<const TaskReport> all) {
  if (!with_.evolution.learn) return std::optional<Skill>();
  auto made = crystallised(newest, all, with_.likeness, with_.evolution);
  if (!made) return made;
  return write([&](WriteBatch& batch) -> Result<std::optional<Skill>> {
    for (const auto& [name, one] : stored_.all())
      if (one.skill && is_for(one.skill->owner, made->owner) && tools_of(*one.skill) == tools_of(*made) &&
          is_for(*one.skill, newest.task, with_.likeness, with_.evolution.related))
        return std::optional<Skill>();
    for (int n = 1; made->skill_id.empty() || stored_.find(made->skill_id) != nullptr; ++n)
      made->skill_id = skill_id_for(made->name) + (n == 1 ? "" : "_" + std::to_string(n));
    WEFT_TRY(Skill kept, stored_.put(*made, {}, batch));
    return std::optional<Skill>(std::move(kept));
  });
}

namespace {

// A document that cannot be read names no source, so its words decide.
bool goes(const Skill* skill, const std::string& text, const ErasedLessons& gone) {
  if (skill == nullptr) return gone.repeats(text);
  if (gone.everything && skill->owner == gone.owner) return true;
  const auto& from = skill->learned_from;
  return gone.repeats(text) && std::any_of(from.begin(), from.end(), [&](const std::string& lesson) {
           return gone.reflections.contains(lesson) || gone.reports.contains(lesson);
         });
}

}  // namespace

Result<std::set<std::string>> SkillLibrary::made_of(const ErasedLessons& gone) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(stored_.refresh());
  std::set<std::string> ids;
  for (const auto& [name, one] : stored_.all())
    if (const Skill* held = one.held(); held != nullptr && goes(held, one.row.body, gone)) ids.insert(held->skill_id);
  return ids;
}

// A copy of a skill that goes is removed with it, although the copy may not repeat the erased words.
Status SkillLibrary::erase(const ErasedLessons& gone) {
  if (gone.empty()) return {};
  const std::lock_guard lock(mutex_);
  return stored_.transact([&](WriteBatch& batch) -> Status {
    std::set<std::pair<std::string, std::string>> erased;  // id and owner
    for (const auto& [name, one] : stored_.all())
      if (const Skill* held = one.held(); held != nullptr && goes(held, one.row.body, gone))
        erased.emplace(held->skill_id, held->owner);
    WEFT_CHECK(stored_.remove(
        [&](const Skill* skill, const std::string& text) {
          return goes(skill, text, gone) || (skill != nullptr && erased.contains({skill->skill_id, skill->owner}));
        },
        batch));
    WEFT_TRY(const auto uses, stored_.uses().latest(workspace_scope()));
    for (const auto& [use, id, version] : uses)
      if (gone.reports.contains(use.report)) stored_.uses().remove(workspace_scope(), id, batch);
    return {};
  });
}

std::vector<std::string> SkillLibrary::problems() {
  const std::lock_guard lock(mutex_);
  if (const Status read = stored_.refresh(); !read.ok()) return {read.error().message};
  return stored_.problems();
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

Status SkillLibrary::count_one(const TaskReport& report, const StoredSkills::Kept& kept,
                               const std::optional<Use>& before, WriteBatch& batch) {
  Skill skill = *kept.skill;
  const Outcome outcome = witnessed_outcome(report);
  const bool followed = was_followed(skill, report);
  const CountedUse use{with_.clock.now(), report.id, skill.skill_id, version_of(skill), followed, outcome};
  stored_.uses().put(workspace_scope(), use_id(report.id, skill.skill_id), use, before ? before->version : 0, use.time,
                     batch);
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
  return stored_.write(skill, &kept, batch);
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
      WEFT_TRY(const auto known, stored_.uses().find(workspace_scope(), id));
      if (!known) stored_.uses().put(workspace_scope(), id, use, 0, use.time, batch);
    }
    return batch.empty() ? Status() : with_.store.write(batch);
  });
}

Status SkillLibrary::count(const TaskReport& report) {
  if (report.skills.empty() || report.provenance == Provenance::kImported) return {};
  if (report.id.empty()) return invalid_argument("skills: a task report needs an id", "it is what makes it count once");
  const bool open = witnessed_outcome(report) == Outcome::kUnknown;
  const std::set<std::string> ids(report.skills.begin(), report.skills.end());
  const std::lock_guard lock(mutex_);
  return stored_.transact([&](WriteBatch& batch) -> Status {
    for (const std::string& id : ids) {
      const StoredSkills::Kept* kept = stored_.find(id);
      if (kept == nullptr || !is_for(kept->skill->owner, report.owner)) continue;
      WEFT_TRY(const auto before, stored_.uses().find(workspace_scope(), use_id(report.id, id)));
      const bool is_known = before && (before->value.outcome != Outcome::kUnknown || open);
      if (!is_known) WEFT_CHECK(count_one(report, *kept, before, batch));
    }
    return {};
  });
}

Result<std::vector<Skill>> SkillLibrary::waiting() {
  return those([](const Skill& skill) {
    return skill.stage == LifeStage::kProbation && is_waiting(skill.gate, version_of(skill));
  });
}

Status SkillLibrary::settle(const std::string& id, const PromotionGate& gate) {
  const std::lock_guard lock(mutex_);
  return stored_.transact([&](WriteBatch& batch) -> Status {
    const StoredSkills::Kept* kept = stored_.find(id);
    if (kept == nullptr || kept->skill->stage != LifeStage::kProbation) return {};
    Skill skill = *kept->skill;
    const std::int64_t version = version_of(skill);
    if (!is_waiting(skill.gate, version) || gate.version != version) return {};
    skill.gate = gate;
    if (!is_waiting(gate, version) && !is_held_back(gate, version))
      activate(skill, "active: " + gate_text(gate), with_.clock.now());
    skill.last_updated = format_time(with_.clock.now()).substr(0, 10);
    return stored_.write(skill, kept, batch);
  });
}

}  // namespace weft
