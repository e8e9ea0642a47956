#include "growth/agent_files.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "growth/rule_book.h"
#include "growth/skill_folder.h"
#include "ports/files/file_system.h"
#include "text/line_diff.h"
#include "text/record.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLongest = 600;  // bytes of a text of a rule

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

// On one line, and no comment of Markdown begins or ends in it.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : preview(std::string(text), kLongest)) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  replace_all(line, "<!--", "<! --");
  replace_all(line, "-->", "-- >");
  return line;
}

bool is_chinese(const Rule& rule) { return language_of(rule.strategy) == Language::kChinese; }

std::string line_of(const Rule& rule) {
  std::string line = "- " + one_line(rule.strategy);
  if (rule.applies_to.empty()) return line + "\n";
  if (is_chinese(rule)) return line + "（适用：" + one_line(rule.applies_to) + "）\n";
  const std::string when = one_line(rule.applies_to);
  return line + (when.starts_with("when ") ? " (" : " (when: ") + when + ")\n";
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool has_returns(std::string_view text) {
  const auto end = text.find('\n');
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r';
}

Error broken(std::string_view file, std::size_t line, std::string_view what) {
  return conflict(std::string(file) + ", line " + std::to_string(line) + ": " + std::string(what),
                  "put the lines \"" + std::string(kSectionBegin) + "\" and \"" + std::string(kSectionEnd) +
                      "\" right, or take both out");
}

}  // namespace

std::string section_of(std::span<const Rule> rules) {
  std::string active, trial;
  std::size_t chinese = 0;
  for (const Rule& rule : rules) {
    if (!is_told(rule)) continue;
    chinese += is_chinese(rule);
    (rule.stage == LifeStage::kActive ? active : trial) += line_of(rule);
  }
  if (active.empty() && trial.empty()) return {};
  const bool zh = 2 * chinese > rules.size();
  std::string text = zh ? "## 学到的规则\n\n来自以往任务的经验；适用时请遵守。\n"
                        : "## Learnt rules\n\nLearnt from earlier tasks; follow a rule where it applies.\n";
  if (!active.empty()) text += "\n" + active;
  if (!trial.empty())
    text += (zh ? "\n试用中（尚未证实，适用时可以一试）：\n\n"
                : "\nOn trial (not proven yet; try one where it fits):\n\n") +
            trial;
  return text;
}

Result<std::optional<SectionPlace>> find_section(std::string_view text, std::string_view file) {
  SectionPlace place;
  std::size_t at = 0, number = 0, began = 0, ended = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    const std::size_t next = std::min(at + line.size() + 1, text.size());
    if (without_return(line) == kSectionBegin) {
      if (began != 0) return broken(file, number, "a second section of learnt rules begins");
      began = number;
      place.begin = at;
      place.inner_begin = next;
    } else if (without_return(line) == kSectionEnd) {
      if (began == 0 || ended != 0) return broken(file, number, "a section of learnt rules ends that did not begin");
      ended = number;
      place.inner_end = at;
      place.end = next;
    }
    at = next;
  }
  if (began == 0) return std::optional<SectionPlace>();
  if (ended == 0) return broken(file, began, "the section of learnt rules does not end");
  return std::optional<SectionPlace>(place);
}

Result<std::optional<std::string>> section_in(std::string_view text, std::string_view file) {
  WEFT_TRY(const auto place, find_section(text, file));
  if (!place) return std::optional<std::string>();
  std::string inner(text.substr(place->inner_begin, place->inner_end - place->inner_begin));
  if (has_returns(text)) replace_all(inner, "\r\n", "\n");
  return std::optional<std::string>(std::move(inner));
}

Result<std::string> with_section(std::string_view text, std::string_view content, std::string_view file) {
  WEFT_TRY(const auto place, find_section(text, file));
  std::string section;
  if (content.find_first_not_of(" \t\n") != std::string_view::npos) {
    section = std::string(kSectionBegin) + "\n" + std::string(content);
    if (!content.ends_with('\n')) section += "\n";
    section += std::string(kSectionEnd) + "\n";
  }
  std::string before(text.substr(0, place ? place->begin : text.size()));
  const std::string_view after = place ? text.substr(place->end) : std::string_view();
  const bool returns = has_returns(text);
  const std::string_view line_end = returns ? "\r\n" : "\n";
  if (returns) replace_all(section, "\n", "\r\n");
  if (!place && !section.empty() && !before.empty()) {
    if (!before.ends_with('\n')) before += line_end;
    if (!before.ends_with(returns ? "\r\n\r\n" : "\n\n")) before += line_end;
  }
  // A file whose last line was the section's without a line end keeps it so.
  if (place && after.empty() && !text.ends_with('\n') && section.ends_with(line_end))
    section.resize(section.size() - line_end.size());
  return before + section + std::string(after);
}

WEFT_DESCRIBED(FileChange);
WEFT_DESCRIBED(AgentFileChanges);

template <>
const Record<FileChange>& record<FileChange>() {
  static const auto made = Record<FileChange>("FileChange", "What an export does to a file.", RecordUse::kBoth)
                               .field("path", &FileChange::path, "the file", {.required = true})
                               .field("was", &FileChange::was, "it was there before")
                               .field("is", &FileChange::is, "it is there afterwards")
                               .field("before", &FileChange::before, "its content before")
                               .field("after", &FileChange::after, "its content afterwards")
                               .field("made", &FileChange::made, "what was made for it");
  return made;
}

template <>
const Record<AgentFileChanges>& record<AgentFileChanges>() {
  static const auto made =
      Record<AgentFileChanges>("AgentFileChanges", "What one export wrote.", RecordUse::kBoth)
          .field("number", &AgentFileChanges::number, "of the log")
          .field("undoes", &AgentFileChanges::undoes, "number of the changes that these take back; 0: none")
          .field("time", &AgentFileChanges::time, "RFC 3339")
          .field("folder", &AgentFileChanges::folder, "of the project")
          .field("files", &AgentFileChanges::files, "one by one");
  return made;
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = 8 * 1024 * 1024;

// Where a link leads to: the link itself stays.
std::string real_path(const fs::path& path) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(path, failed);
  return (failed ? fs::absolute(path) : whole).string();
}

Result<std::optional<std::string>> content_of(FileSystem& files, const std::string& path) {
  auto text = files.read(path);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
  if (!text.ok()) return text.error();
  // It could not be put back as it was.
  if (find_invalid_utf8(*text) || text->find('\0') != std::string::npos || text->size() > kLargest)
    return invalid_argument(path + ": it is no text in UTF-8, or too large", "name another file");
  return std::optional<std::string>(std::move(*text));
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

fs::path agent_files_log(const fs::path& workspace, const ScopeKey& scope) {
  return scope_folder(workspace, "exports", scope) / "agent_files.jsonl";
}

Result<AgentFiles> AgentFiles::open(FileSystem& files, const fs::path& log, const Clock& clock) {
  AgentFiles made(files, clock);
  WEFT_CHECK(files.make_folder(log.parent_path()));
  const auto take = [&](std::string_view line) {
    auto one = parse_record<AgentFileChanges>(line, "line", {.max_bytes = 256 * 1024 * 1024, .max_depth = 16});
    if (!one.ok()) return;
    made.last_ = one->number;
    if (one->undoes == 0)
      made.done_.push_back(std::move(*one));
    else
      std::erase_if(made.done_, [&](const AgentFileChanges& done) { return done.number == one->undoes; });
  };
  WEFT_TRY(made.log_, LineLog::open(files, log, take));
  return made;
}

// What a crash or a person put back as it was before counts as not written.
const FileChange* AgentFiles::known(const std::string& path, const std::optional<std::string>& now) const {
  for (std::size_t i = done_.size(); i-- > 0;)
    for (const FileChange& file : done_[i].files)
      if (file.path == path) {
        const bool as_before = now.has_value() == file.was && now.value_or("") == file.before;
        const bool as_after = now.has_value() == file.is && now.value_or("") == file.after;
        if (!as_before || as_after) return &file;
      }
  return nullptr;
}

Result<FileChange> AgentFiles::section_change(const fs::path& file, std::span<const Rule> rules) const {
  FileChange change;
  change.path = real_path(file);
  WEFT_TRY(const auto now, content_of(files_, change.path));
  change.was = now.has_value();
  change.before = now.value_or("");
  change.made = section_of(rules);
  WEFT_TRY(const auto standing, section_in(change.before, change.path));
  std::string content = change.made;
  if (standing) {
    const FileChange* last = known(change.path, now);
    if (last == nullptr)
      return conflict(change.path + ": its section of learnt rules was not written from this workspace",
                      "write it from there, or take the section out first");
    content = merge_lines(last->made, *standing, change.made);
  }
  WEFT_TRY(change.after, with_section(change.before, content, change.path));
  change.is = change.was || !change.after.empty();
  return change;
}

Status AgentFiles::plan_skills(const fs::path& folder, std::span<const Skill> skills, AgentFileChanges& into) const {
  std::set<std::string> wanted;
  for (const Skill& skill : skills) {
    if (skill.disabled || skill.stage != LifeStage::kActive || skill.origin == SkillOrigin::kImported) continue;
    const SkillFolder made = folder_from_skill(skill, {});
    FileChange change;
    change.path = real_path(folder / made.name / "SKILL.md");
    if (!wanted.insert(change.path).second) {
      into.notes.push_back(change.path + ": two skills have this name; " + skill.skill_id + " was left out");
      continue;
    }
    change.made = made.files.front().content;
    WEFT_TRY(const auto now, content_of(files_, change.path));
    change.was = now.has_value();
    change.before = now.value_or("");
    const FileChange* last = known(change.path, now);
    if (change.was && last == nullptr && change.before != change.made) {
      into.notes.push_back(change.path + ": it is somebody else's skill, and was left alone");
      continue;
    }
    if (!change.was && last != nullptr && last->is) {
      into.notes.push_back(change.path + ": it was removed by hand, and stays so");
      continue;
    }
    change.after = change.was && last != nullptr ? merge_lines(last->made, change.before, change.made) : change.made;
    if (!change.was || change.after != change.before) into.files.push_back(std::move(change));
  }
  // Those that are told no more.
  const std::string below = real_path(folder) + "/";
  std::set<std::string> looked;
  for (std::size_t i = done_.size(); i-- > 0;)
    for (const FileChange& file : done_[i].files) {
      if (!file.path.starts_with(below) || wanted.contains(file.path) || !looked.insert(file.path).second || !file.is)
        continue;
      WEFT_TRY(const auto now, content_of(files_, file.path));
      if (now && *now == file.made)
        into.files.push_back({file.path, true, false, *now, "", ""});
      else if (now)
        into.notes.push_back(file.path + ": its skill is told no more, but somebody changed the file: it stays");
    }
  return {};
}

Result<AgentFileChanges> AgentFiles::plan(const AgentFilePlaces& places, std::span<const Rule> rules,
                                          std::span<const Skill> skills) const {
  AgentFileChanges changes;
  changes.folder = real_path(places.folder);
  std::set<std::string> seen;  // two names may lead to one file
  for (const fs::path& file : places.rule_files) {
    if (!seen.insert(real_path(file)).second) continue;
    WEFT_TRY(FileChange change, section_change(file, rules));
    if (change.after != change.before) changes.files.push_back(std::move(change));
  }
  for (const fs::path& folder : places.skill_folders)
    if (seen.insert(real_path(folder)).second) WEFT_CHECK(plan_skills(folder, skills, changes));
  return changes;
}

Result<FileChange> AgentFiles::undo_of(const FileChange& done, std::vector<std::string>& notes) const {
  FileChange undo;
  undo.path = done.path;
  undo.made = done.before;
  WEFT_TRY(const auto now, content_of(files_, done.path));
  undo.was = undo.is = now.has_value();
  undo.before = undo.after = now.value_or("");
  if (!now) {
    // What was removed comes back; what a person removed does not.
    undo.is = done.was && !done.is;
    if (undo.is) undo.after = done.before;
    return undo;
  }
  const bool whole = fs::path(done.path).filename() == "SKILL.md";
  if (!done.was && whole && *now != done.after) {
    notes.push_back(done.path + ": somebody changed the file: it stays");
    return undo;
  }
  undo.after = merge_lines(done.after, *now, done.before);
  undo.is = done.was || !is_blank(undo.after);
  if (!undo.is) undo.after.clear();
  return undo;
}

Result<AgentFileChanges> AgentFiles::plan_undo(const fs::path& folder) const {
  const std::string where = real_path(folder);
  const auto newest =
      std::find_if(done_.rbegin(), done_.rend(), [&](const AgentFileChanges& one) { return one.folder == where; });
  if (newest == done_.rend()) return not_found("export: nothing was written to " + where + " that could be undone");
  AgentFileChanges changes;
  changes.folder = where;
  changes.undoes = newest->number;
  for (const FileChange& done : newest->files) {
    WEFT_TRY(FileChange undo, undo_of(done, changes.notes));
    if (undo.was != undo.is || undo.after != undo.before) changes.files.push_back(std::move(undo));
  }
  return changes;
}

Status AgentFiles::check(const AgentFileChanges& changes) const {
  for (const FileChange& file : changes.files) {
    WEFT_TRY(const auto now, content_of(files_, file.path));
    if (now.has_value() != file.was || now.value_or("") != file.before)
      return conflict(file.path + ": somebody changed it just now", "try again");
  }
  return {};
}

Status AgentFiles::put(const FileChange& change) {
  const fs::path path(change.path);
  if (!change.is) {
    WEFT_CHECK(files_.remove(path));
    std::error_code ignored;
    if (path.filename() == "SKILL.md") fs::remove(path.parent_path(), ignored);  // where nothing else is in it
    return {};
  }
  std::error_code unknown;
  const auto rights = fs::status(path, unknown).permissions();
  WEFT_CHECK(files_.make_folder(path.parent_path()));
  WEFT_CHECK(write_file(files_, path, change.after, true));
  if (change.was && !unknown) fs::permissions(path, rights, unknown);
  return {};
}

Status AgentFiles::write(AgentFileChanges changes) {
  WEFT_CHECK(check(changes));
  changes.number = ++last_;
  changes.time = format_time(clock_.now());
  changes.notes.clear();
  WEFT_CHECK(log_->append(to_json(changes)));
  for (const FileChange& file : changes.files) WEFT_CHECK(put(file));
  if (changes.undoes == 0)
    done_.push_back(std::move(changes));
  else
    std::erase_if(done_, [&](const AgentFileChanges& done) { return done.number == changes.undoes; });
  return {};
}

std::string show_changes(const AgentFileChanges& changes) {
  std::string text;
  for (const FileChange& file : changes.files) {
    text += "--- " + (file.was ? file.path : std::string("/dev/null")) + "\n";
    text += "+++ " + (file.is ? file.path : std::string("/dev/null")) + "\n";
    text += show_diff(line_diff(file.before, file.after));
  }
  return text;
}

}  // namespace weft
