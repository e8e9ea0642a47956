#include "model/documents.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/records.h"
#include "text/front_matter.h"
#include "text/utf8.h"
#include "weft/state.h"

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

namespace {

constexpr std::size_t kMaxQuests = 100'000;
constexpr std::size_t kMaxIdBytes = 256;
constexpr std::size_t kMaxTextBytes = 64 * 1024;
constexpr std::size_t kMaxListed = 1'000;  // names in one list of a quest
constexpr JsonLimits kLimits{16 * 1024 * 1024, 16};

constexpr std::array kStatusWords{
    std::pair{QuestStatus::kLocked, std::string_view("locked")},
    std::pair{QuestStatus::kAvailable, std::string_view("available")},
    std::pair{QuestStatus::kActive, std::string_view("in_progress")},
    std::pair{QuestStatus::kCompleted, std::string_view("completed")},
    std::pair{QuestStatus::kFailed, std::string_view("failed")},
};

struct TextField {
  std::string_view name;
  std::string Quest::* member;
};
constexpr TextField kTextFields[] = {
    {"title", &Quest::title},           {"name", &Quest::title},        {"objective", &Quest::objective},
    {"description", &Quest::objective}, {"progress", &Quest::progress}, {"outcome", &Quest::outcome},
};

struct ListField {
  std::string_view name;
  std::vector<std::string> Quest::* member;
};
constexpr ListField kListFields[] = {
    {"prerequisites", &Quest::prerequisites}, {"requires", &Quest::prerequisites},
    {"depends_on", &Quest::prerequisites},    {"successors", &Quest::successors},
    {"unlocks", &Quest::successors},          {"tags", &Quest::tags},
};

Error wrong(std::string_view where, std::string_view field, std::string_view what) {
  return invalid_argument(std::string(where) + ": \"" + preview(field, 60) + "\" " + std::string(what));
}

// Ids in files are often bare numbers.
Result<std::string> read_text(const Value& value, std::string_view where, std::string_view field, std::size_t most) {
  std::string text;
  if (const std::string* held = value.text()) {
    text = *held;
  } else if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
    text = std::to_string(*number);
  } else if (!value.is_null()) {
    return wrong(where, field, "must be text");
  }
  if (text.size() > most) return wrong(where, field, "is longer than " + std::to_string(most) + " bytes");
  if (find_invalid_utf8(text)) return wrong(where, field, "is not UTF-8");
  return text;
}

Status check_name(std::string_view id, std::string_view where, std::string_view field) {
  if (id.empty()) return wrong(where, field, "must not be empty");
  const bool control =
      std::any_of(id.begin(), id.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  return control ? wrong(where, field, "must not hold control characters") : Status();
}

Status read_list(const Value& value, std::string_view where, std::string_view field, std::vector<std::string>& into) {
  if (value.is_null()) return {};
  const ValueList one{value};
  const ValueList& names = value.list() != nullptr ? *value.list() : one;
  if (names.size() > kMaxListed) return wrong(where, field, "has more than " + std::to_string(kMaxListed) + " entries");
  for (const Value& element : names) {
    WEFT_TRY(std::string name, read_text(element, where, field, kMaxIdBytes));
    WEFT_CHECK(check_name(name, where, field));
    if (std::find(into.begin(), into.end(), name) == into.end()) into.push_back(std::move(name));
  }
  return {};
}

Status read_member(const std::string& name, const Value& value, std::string_view where, Quest& quest) {
  for (const TextField& field : kTextFields) {
    if (field.name != name) continue;
    WEFT_TRY(quest.*field.member, read_text(value, where, name, kMaxTextBytes));
    return {};
  }
  for (const ListField& field : kListFields) {
    if (field.name == name) return read_list(value, where, name, quest.*field.member);
  }
  if (name == "id") {
    WEFT_TRY(quest.id, read_text(value, where, name, kMaxIdBytes));
    return {};
  }
  if (name != "status") return wrong(where, name, "is no field of a quest");
  WEFT_TRY(const std::string word, read_text(value, where, name, kMaxIdBytes));
  const auto status = parse_quest_status(word);
  if (!status) return wrong(where, name, "must be locked, available, in_progress, completed or failed");
  quest.status = *status;
  return {};
}

// `{id: {…}, id: {…}}` as the list it stands for.
Result<ValueList> with_ids(const ValueObject& by_id) {
  ValueList quests;
  for (const auto& [id, value] : by_id) {
    if (value.object() == nullptr) return wrong("quests", id, "must be an object");
    Value quest = value;
    if (const Value* own = quest.find("id"); own == nullptr) {
      quest.object()->insert(quest.object()->begin(), {"id", Value(id)});
    } else if (own->text() == nullptr || *own->text() != id) {
      return wrong("quests", id, "holds a quest with another id");
    }
    quests.push_back(std::move(quest));
  }
  return quests;
}

Result<std::vector<Quest>> read_elements(const ValueList& elements) {
  if (elements.size() > kMaxQuests) return too_large("quests: more than " + std::to_string(kMaxQuests));
  std::vector<Quest> quests;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    WEFT_TRY(Quest quest, read_quest(elements[i], "quest " + std::to_string(i + 1)));
    quests.push_back(std::move(quest));
  }
  return quests;
}

}  // namespace

std::string_view to_string(QuestStatus status) {
  for (const auto& [value, word] : kStatusWords) {
    if (value == status) return word;
  }
  return "locked";
}

std::optional<QuestStatus> parse_quest_status(std::string_view text) {
  if (text == "active") return QuestStatus::kActive;
  for (const auto& [value, word] : kStatusWords) {
    if (word == text) return value;
  }
  return std::nullopt;
}

Result<Quest> read_quest(const Value& value, std::string_view where) {
  if (value.object() == nullptr) return invalid_argument(std::string(where) + ": must be an object");
  Quest quest;
  std::string name(where);
  if (const Value* id = value.find("id"); id != nullptr && id->text() != nullptr) {
    name += " (" + preview(*id->text(), 60) + ")";
  }
  for (const auto& [field, member] : *value.object()) WEFT_CHECK(read_member(field, member, name, quest));
  WEFT_CHECK(check_name(quest.id, name, "id"));
  return quest;
}

Result<std::vector<Quest>> read_quests(const Value& value) {
  if (value.is_null()) return std::vector<Quest>{};
  const Value* inner = value.find("quests");
  const Value& quests = inner != nullptr ? *inner : value;
  if (const ValueList* list = quests.list()) return read_elements(*list);
  if (quests.object() == nullptr) return invalid_argument("quests: must be a list, or an object of quests by id");
  WEFT_TRY(const ValueList list, with_ids(*quests.object()));
  return read_elements(list);
}

std::string to_json(const Quest& quest) { return to_json<Quest>(quest); }

std::string to_json(const std::vector<Quest>& quests) {
  JsonWriter out;
  JsonForm<std::vector<Quest>>::write(quests, out);
  return out.take();
}

Result<Quest> parse_quest(std::string_view json) {
  WEFT_TRY(const Value value, parse_value(json, kLimits, "quest"));
  return read_quest(value, "quest");
}

StateOps& StateOps::set(std::string_view path, Value value) {
  operations_.emplace_back(ValueList{"SET", std::string(path), std::move(value)});
  return *this;
}

StateOps& StateOps::add(std::string_view path, Value amount) {
  operations_.emplace_back(ValueList{"ADD", std::string(path), std::move(amount)});
  return *this;
}

StateOps& StateOps::push(std::string_view anchor, Value value) {
  operations_.emplace_back(ValueList{"PUSH", std::string(anchor), std::move(value)});
  return *this;
}

StateOps& StateOps::pop(std::string_view anchor) {
  operations_.emplace_back(ValueList{"POP", std::string(anchor)});
  return *this;
}

StateOps& StateOps::pop(std::string_view anchor, Value which) {
  operations_.emplace_back(ValueList{"POP", std::string(anchor), std::move(which)});
  return *this;
}

StateOps& StateOps::remove(std::string_view path) {
  operations_.emplace_back(ValueList{"DELETE", std::string(path)});
  return *this;
}

StateOps& StateOps::by(std::string_view author) {
  author_ = author;
  return *this;
}

StateOps& StateOps::if_version(std::int64_t version) {
  expected_version_ = version;
  return *this;
}

StateOps& StateOps::once(std::string_view request_id) {
  request_id_ = request_id;
  return *this;
}

StateChange StateOps::change() const {
  return {to_json(Value(operations_)), author_, expected_version_, request_id_, {}};
}

}  // namespace weft
