#include "growth/skill_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "model/growth_records.h"
#include "text/words.h"
#include "text/yaml_record.h"

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

}  // namespace weft
