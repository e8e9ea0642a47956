#include "growth/skill_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "model/growth_records.h"
#include "text/front_matter.h"
#include "text/utf8.h"
#include "text/words.h"
#include "text/yaml_value.h"

namespace weft {
namespace {

constexpr std::size_t kMostVersions = 50, kLongestId = 48;

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// `v2: "text"` as the fields of an old version; anything else stays for the record to judge.
void spell_out(Value& entry) {
  const ValueObject* members = entry.object();
  if (members == nullptr || members->size() != 1) return;
  const auto& [key, note] = members->front();
  if (!key.starts_with('v') || !all_digits(std::string_view(key).substr(1))) return;
  if (note.text() == nullptr) return;
  ValueObject whole{{"version", key.substr(1)}, {"note", *note.text()}};
  entry = Value(std::move(whole));
}

Status check(const Skill& skill, const YamlTree& tree, std::string_view file) {
  if (skill.skill_id.size() > 100)
    return with_yaml_line(invalid_argument("\"skill_id\" must be at most 100 bytes long"), tree.lines, "", file);
  if (skill.steps.empty() && skill.body.empty())
    return with_yaml_line(invalid_argument("\"steps\" must hold a step, or \"body\" a text"), tree.lines, "", file);
  return {};
}

}  // namespace

Result<Skill> read_skill(std::string_view yaml, std::string_view file) {
  WEFT_TRY(YamlTree tree, parse_yaml_tree(yaml, {}, file));
  if (ValueObject* members = tree.value.object())
    for (auto& [name, value] : *members)
      if (ValueList* entries = name == "version_history" ? value.list() : nullptr)
        std::for_each(entries->begin(), entries->end(), spell_out);
  WEFT_TRY(Skill skill, read_yaml_value<Skill>(tree.value, tree.lines, "", file));
  WEFT_CHECK(check(skill, tree, file));
  return skill;
}

std::string write_skill(const Skill& skill) { return to_yaml(skill); }

std::string versioned_id(const Skill& skill) { return skill.skill_id + "@" + std::to_string(version_of(skill)); }

std::int64_t version_of(const Skill& skill) {
  if (skill.version_history.empty()) return 1;
  const OldVersion& last = skill.version_history.back();
  return last.content.empty() ? last.version : last.version + 1;
}

void keep_version(const Skill& before, Time now, const std::string& note, Skill& after) {
  after.version_history = before.version_history;
  std::vector<OldVersion>& history = after.version_history;
  Skill old = before;
  old.version_history.clear();
  // What the short form notes of this version is what it brought, so it stays.
  if (history.empty() || !history.back().content.empty()) history.push_back({version_of(before), {}, {}, {}});
  OldVersion& kept = history.back();
  kept.time = now;
  kept.note += (kept.note.empty() ? "" : "; then ") + note;
  kept.content = to_json(old);
  if (history.size() > kMostVersions) history.erase(history.begin());
}

Result<Skill> skill_version(const Skill& skill, std::int64_t version) {
  if (version == version_of(skill)) {
    Skill now = skill;
    now.version_history.clear();
    return now;
  }
  for (const OldVersion& old : skill.version_history)
    if (old.version == version && !old.content.empty())
      return parse_record<Skill>(old.content, "version " + std::to_string(version));
  return not_found("skill \"" + skill.skill_id + "\" has nothing kept of version " + std::to_string(version),
                   "`weft skill show` lists them; the newest is " + std::to_string(version_of(skill)));
}

std::string skill_file_name(std::string_view id) {
  std::string name;
  for (const char c : id) {
    if (is_letter(c) || is_digit(c) || c == '-' || c == '_')
      name += c;
    else
      name += fmt::format(".{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string skill_id_for(std::string_view name, char joint) {
  std::string id;
  bool other = false;  // letters that are not ASCII would be lost: the digest tells such names apart
  for (const char c : name) {
    if (is_letter(c) || is_digit(c))
      id += to_lower(c);
    else if (!id.empty() && id.back() != joint)
      id += joint;
    other = other || static_cast<unsigned char>(c) >= 0x80;
  }
  if (id.size() > kLongestId) id.resize(kLongestId);
  while (!id.empty() && id.back() == joint) id.pop_back();
  if (!other && !id.empty()) return id;
  return (id.empty() ? "skill" : id) + joint + fmt::format("{:08x}", term_of(name));
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMain = "SKILL.md";
constexpr std::size_t kLongestName = 64, kLongestDescription = 1024, kLongestCompatibility = 500;

Error wrong(const FrontMatterEntry* entry, std::string_view what) {
  const std::size_t line = entry != nullptr ? entry->line : 1;
  return invalid_argument("SKILL.md: line " + std::to_string(line) + ": " + std::string(what),
                          "see the format of Agent Skills");
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) next_code_point(text, at);
  return count;
}

bool is_skill_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || name.front() == '-' || name.back() == '-') return false;
  if (name.find("--") != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

// The text of a scalar; an error where it is something else.
Result<std::string> text_of(const FrontMatter& document, std::string_view key, bool needed, std::size_t longest) {
  const FrontMatterEntry* entry = document.find(key);
  const std::string name(key);
  if (entry == nullptr) {
    if (needed) return wrong(nullptr, "\"" + name + "\" is missing");
    return std::string();
  }
  if (entry->kind != FrontMatterEntry::Kind::kScalar) return wrong(entry, "\"" + name + "\" must be a text");
  std::string text = entry->values.empty() ? "" : std::string(trimmed(entry->values.front()));
  if (text.empty() && needed) return wrong(entry, "\"" + name + "\" must not be empty");
  if (characters(text) > longest)
    return wrong(entry, "\"" + name + "\" must have at most " + std::to_string(longest) + " characters");
  return text;
}

Status check_paths(const SkillFolder& folder, const SkillFolderLimits& limits) {
  std::set<std::string> seen;
  std::size_t bytes = 0;
  for (const SkillFile& file : folder.files) {
    const fs::path path(file.path);
    const bool leaves = path.is_absolute() || file.path.find('\\') != std::string::npos ||
                        file.path.find('\0') != std::string::npos ||
                        std::any_of(path.begin(), path.end(),
                                    [](const fs::path& part) { return part == ".." || part == "." || part.empty(); });
    if (file.path.empty() || leaves)
      return invalid_argument("skill folder: \"" + preview(file.path, 80) + "\" is no path inside it",
                              "write paths as references/notes.md");
    if (!seen.insert(file.path).second)
      return invalid_argument("skill folder: \"" + preview(file.path, 80) + "\" is there twice");
    bytes += file.content.size();
  }
  if (folder.files.size() > limits.files || bytes > limits.bytes)
    return too_large(
        "skill folder: " + std::to_string(folder.files.size()) + " files with " + std::to_string(bytes) +
            " bytes are too much",
        "at most " + std::to_string(limits.files) + " files and " + std::to_string(limits.bytes) + " bytes");
  return {};
}

bool is_chinese(const Skill& skill) { return language_of(skill.name + skill.description) == Language::kChinese; }

std::string body_of(const Skill& skill) {
  const bool chinese = is_chinese(skill);
  std::string body = "# " + skill.name + "\n";
  if (!skill.trigger_conditions.empty()) {
    body += chinese ? "\n## 适用情形\n\n" : "\n## When to use\n\n";
    for (const std::string& when : skill.trigger_conditions) body += "- " + when + "\n";
  }
  body += chinese ? "\n## 步骤\n\n" : "\n## Steps\n\n";
  for (std::size_t i = 0; i < skill.steps.size(); ++i) {
    const SkillStep& step = skill.steps[i];
    body += std::to_string(i + 1) + ". **" + step.action + "**";
    for (std::size_t t = 0; t < step.tools.size(); ++t) body += (t == 0 ? " (`" : ", `") + step.tools[t] + "`";
    if (!step.tools.empty()) body += ")";
    body += "\n";
    for (const std::string_view line : lines_of(step.details)) body += "   " + std::string(line) + "\n";
  }
  return body;
}

std::string description_of(const Skill& skill) {
  std::string text = skill.description;
  for (std::size_t i = 0; i < skill.trigger_conditions.size(); ++i) {
    const std::string& when = skill.trigger_conditions[i];
    if (text.find(when) != std::string::npos) continue;
    text += (is_chinese(skill) ? "；" : "; ") + when;
  }
  if (characters(text) > kLongestDescription) text = preview(text, kLongestDescription - 8);
  return text;
}

}  // namespace

Result<Skill> skill_from_folder(const SkillFolder& folder, const SkillFolderLimits& limits) {
  WEFT_CHECK(check_paths(folder, limits));
  const auto main =
      std::find_if(folder.files.begin(), folder.files.end(), [](const SkillFile& file) { return file.path == kMain; });
  if (main == folder.files.end())
    return invalid_argument("skill folder \"" + preview(folder.name, 80) + "\" has no SKILL.md");
  auto document = parse_front_matter(main->content);
  if (!document.ok()) return invalid_argument("SKILL.md: " + document.error().message, document.error().hint);
  if (document->entries.empty()) return wrong(nullptr, "a front matter between two lines --- is missing");
  Skill skill;
  WEFT_TRY(skill.name, text_of(*document, "name", true, kLongestName));
  if (!is_skill_name(skill.name))
    return wrong(document->find("name"), "\"name\" must be lower-case letters, digits and single hyphens between them");
  if (skill.name != folder.name)
    return wrong(document->find("name"),
                 "\"name\" must be the name of the folder, \"" + preview(folder.name, 80) + "\"");
  WEFT_TRY(skill.description, text_of(*document, "description", true, kLongestDescription));
  WEFT_CHECK(text_of(*document, "license", false, kLongestDescription));
  WEFT_CHECK(text_of(*document, "compatibility", false, kLongestCompatibility));
  if (const auto* more = document->find("metadata"); more != nullptr && more->kind != FrontMatterEntry::Kind::kOther)
    return wrong(more, "\"metadata\" must be a map");
  skill.body = trimmed(document->body);
  if (skill.body.empty())
    return invalid_argument("SKILL.md: it says nothing below its front matter", "write there what is to be done");
  skill.skill_id = skill.name;
  skill.origin = SkillOrigin::kImported;
  return skill;
}

SkillFolder folder_from_skill(const Skill& skill, std::vector<SkillFile> beside) {
  SkillFolder folder;
  folder.name = is_skill_name(skill.name) ? skill.name : skill_id_for(skill.skill_id, '-');
  FrontMatter document;
  document.entries.push_back(yaml_text("name", folder.name));
  document.entries.push_back(yaml_text("description", description_of(skill)));
  document.body = "\n" + (skill.steps.empty() ? skill.body + "\n" : body_of(skill));
  folder.files = std::move(beside);
  std::erase_if(folder.files, [](const SkillFile& file) { return file.path == kMain; });
  folder.files.insert(folder.files.begin(), {std::string(kMain), write_front_matter(document)});
  return folder;
}

Result<SkillFolder> read_skill_folder(FileSystem& files, const fs::path& folder, const SkillFolderLimits& limits) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(folder, failed);
  if (failed || !fs::is_directory(whole, failed))
    return not_found("skill folder: there is no folder " + folder.string(), "name the folder that holds SKILL.md");
  SkillFolder made;
  made.name = whole.filename().string();
  std::size_t bytes = 0;
  for (auto at = fs::recursive_directory_iterator(whole, failed); !failed && at != fs::recursive_directory_iterator();
       at.increment(failed)) {
    const std::string path = at->path().lexically_relative(whole).generic_string();
    if (at->is_symlink())
      return invalid_argument("skill folder: \"" + path + "\" is a link", "put the file itself there");
    if (at->is_directory()) continue;
    if (!at->is_regular_file()) return invalid_argument("skill folder: \"" + path + "\" is no file");
    bytes += at->file_size(failed);
    if (bytes > limits.bytes || made.files.size() >= limits.files)
      return too_large(
          "skill folder: " + folder.string() + " holds too much",
          "at most " + std::to_string(limits.files) + " files and " + std::to_string(limits.bytes) + " bytes");
    WEFT_TRY(std::string content, files.read(at->path()));
    made.files.push_back({path, std::move(content)});
  }
  if (failed) return invalid_argument("skill folder: " + folder.string() + " cannot be read: " + failed.message());
  std::sort(made.files.begin(), made.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return made;
}

Status write_skill_folder(FileSystem& files, const SkillFolder& folder, const fs::path& into) {
  WEFT_CHECK(check_paths(folder, {}));
  for (const SkillFile& file : folder.files) {
    const fs::path path = into / file.path;
    WEFT_CHECK(files.make_folder(path.parent_path()));
    WEFT_CHECK(write_file(files, path, file.content, true));
  }
  return {};
}

std::vector<std::string> skill_resources(const fs::path& folder) {
  std::vector<std::string> paths;
  std::error_code failed;
  for (auto at = fs::recursive_directory_iterator(folder, failed); !failed && at != fs::recursive_directory_iterator();
       at.increment(failed))
    if (at->is_regular_file() && at->path().filename() != kMain)
      paths.push_back(at->path().lexically_relative(folder).generic_string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace weft
