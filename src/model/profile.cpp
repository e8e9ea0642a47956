#include "model/profile.h"

#include <array>
#include <utility>

#include "text/front_matter.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::string_view kType = "entity_type", kId = "entity_id", kName = "name", kTags = "tags",
                           kUpdated = "updated_at", kSource = "source_event_id";

bool is_own(std::string_view key) {
  for (const auto own : {kType, kId, kName, kTags, kUpdated, kSource}) {
    if (key == own) return true;
  }
  return false;
}

Error at_line(const FrontMatterEntry& entry, const std::string& what) {
  return corrupt("line " + std::to_string(entry.line) + ": " + what);
}

Result<std::string> scalar(const FrontMatter& document, std::string_view key) {
  const auto* entry = document.find(key);
  if (entry == nullptr) return std::string();
  if (entry->kind != FrontMatterEntry::Kind::kScalar) return at_line(*entry, entry->key + " must be one text");
  return entry->values.empty() ? std::string() : entry->values.front();
}

Status read_entity(const FrontMatter& document, const EntityKey& expected, Profile& profile) {
  profile.entity = expected;
  WEFT_TRY(const std::string type, scalar(document, kType));
  WEFT_TRY(const std::string id, scalar(document, kId));
  if (!type.empty() && type != to_string(expected.type)) {
    return at_line(*document.find(kType), "entity_type is \"" + type + "\", but the file is the one of a " +
                                              std::string(to_string(expected.type)));
  }
  if (!id.empty() && id != expected.id) {
    return at_line(*document.find(kId),
                   "entity_id is \"" + id + "\", but the file is the one of \"" + expected.id + "\"");
  }
  return {};
}

// Comment lines before and under keys of Weft's are a person's and stay, while the key's own line is written anew.
void keep_comments(std::string_view rest, Profile& profile) {
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end == std::string_view::npos ? rest.size() : end + 1);
    rest.remove_prefix(line.size());
    if (line.front() == '#') profile.extra.push_back({"", std::string(line)});
  }
}

Status check_text(std::string_view text, std::string_view what) {
  const auto byte = find_invalid_utf8(text);
  if (!byte) return {};
  return invalid_argument(std::string(what) + " is not UTF-8 at byte " + std::to_string(*byte));
}

}  // namespace

std::string_view to_string(EntityType type) { return type == EntityType::kUser ? "user" : "group"; }

std::optional<EntityType> parse_entity_type(std::string_view text) {
  if (text == "user") return EntityType::kUser;
  if (text == "group") return EntityType::kGroup;
  return std::nullopt;
}

Result<Profile> parse_profile(std::string_view file, const EntityKey& expected) {
  WEFT_TRY(FrontMatter document, parse_front_matter(file));
  Profile profile;
  WEFT_CHECK(read_entity(document, expected, profile));
  WEFT_TRY(profile.name, scalar(document, kName));
  WEFT_TRY(profile.source_event_id, scalar(document, kSource));
  if (const auto* tags = document.find(kTags)) {
    if (tags->kind == FrontMatterEntry::Kind::kOther) return at_line(*tags, "tags must be a list of texts");
    profile.tags = tags->values;
  }
  WEFT_TRY(const std::string updated, scalar(document, kUpdated));
  if (!updated.empty()) {
    auto time = parse_time(updated);
    if (!time.ok()) return at_line(*document.find(kUpdated), "updated_at: " + time.error().message);
    profile.updated_at = *time;
  }
  keep_comments(document.head, profile);
  for (auto& entry : document.entries) {
    if (is_own(entry.key)) {
      keep_comments(entry.text, profile);
    } else {
      profile.extra.push_back({std::move(entry.key), std::move(entry.text)});
    }
  }
  profile.body = std::move(document.body);
  return profile;
}

Result<std::string> write_profile(const Profile& profile) {
  for (const auto& [text, what] : {std::pair{&profile.entity.id, "entity_id"},
                                   {&profile.name, "name"},
                                   {&profile.source_event_id, "source_event_id"},
                                   {&profile.body, "the body"}}) {
    WEFT_CHECK(check_text(*text, what));
  }
  for (const auto& tag : profile.tags) WEFT_CHECK(check_text(tag, "a tag"));
  FrontMatter document;
  document.entries = {yaml_word(std::string(kType), std::string(to_string(profile.entity.type))),
                      yaml_text(std::string(kId), profile.entity.id),
                      yaml_text(std::string(kName), profile.name),
                      yaml_list(std::string(kTags), profile.tags),
                      yaml_text(std::string(kUpdated), format_time(profile.updated_at)),
                      yaml_text(std::string(kSource), profile.source_event_id)};
  for (const auto& extra : profile.extra) {
    WEFT_CHECK(check_text(extra.text, extra.key.empty() ? "a comment" : extra.key));
    FrontMatterEntry entry;
    entry.key = extra.key;
    entry.text = extra.text;
    document.entries.push_back(std::move(entry));
  }
  document.body = profile.body;
  std::string file = write_front_matter(document);
  // What is written must be readable: extra keys are text from outside and could close the front matter or use a key
  // of Weft's a second time.
  const auto back = parse_profile(file, profile.entity);
  if (!back.ok()) return invalid_argument("the profile cannot be written: " + back.error().message);
  if (back->body != profile.body || back->name != profile.name || back->tags != profile.tags) {
    return invalid_argument("the profile cannot be written: its extra keys are not whole lines of YAML");
  }
  return file;
}

}  // namespace weft
