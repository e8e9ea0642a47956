#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "ports/files/file_system.h"
#include "surface/access/access.h"
#include "surface/api/api.h"
#include "surface/api/openapi.h"
#include "surface/api/operation.h"
#include "surface/api/tools.h"
#include "tests/support/recorded_answer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_engine.h"
#include "text/json.h"

namespace weft {
namespace {

const Access kAnnsKey{.name = "ann's", .right = Right::kWrite, .users = {"ann"}};
const Access kTeamsKey{.name = "team's", .right = Right::kWrite, .users = {}, .groups = {"team"}};

// A field's name in words: "target_user_id" and "targetUserId" are target, user, id.
std::set<std::string> words_of(std::string_view name) {
  std::set<std::string> words;
  std::string word;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if ((upper || c == '_' || c == '?') && !word.empty()) words.insert(std::exchange(word, {}));
    if (c != '_' && c != '?') word += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (!word.empty()) words.insert(word);
  return words;
}

bool sounds_like_somebody(std::string_view name) {
  static const std::set<std::string> kPeople = {
      "user",   "users",   "group",  "groups", "sender", "speaker", "owner",  "owners", "author",   "who",
      "whose",  "whom",    "person", "people", "member", "members", "scope",  "scopes", "entity",   "account",
      "target", "targets", "caller", "asker",  "by",     "for",     "viewer", "agent",  "audience", "recipient"};
  for (const std::string& word : words_of(name))
    if (kPeople.contains(word)) return true;
  return false;
}

/// Every place that a schema describes, as "messages[].sender_id".
class Places {
 public:
  explicit Places(ValueObject known = {}) : known_(std::move(known)) {}

  void walk(const Value& schema, const std::string& at) {
    if (const Value* target = schema.find("$ref")) return refer(*target->text(), at);
    for (const char* several : {"anyOf", "allOf", "oneOf"})
      if (const Value* forms = schema.find(several))
        for (const Value& one : *forms->list()) walk(one, at);
    if (const Value* items = schema.find("items")) walk(*items, at + "[]");
    const Value* properties = schema.find("properties");
    if (properties == nullptr) return;
    for (const auto& [name, one] : *properties->object()) {
      const std::string place = at.empty() ? name : at + "." + name;
      found.insert(place);
      walk(one, place);
    }
  }

  std::set<std::string> found;

 private:
  void refer(const std::string& target, const std::string& at) {
    const std::string name = target.substr(target.rfind('/') + 1);
    if (!open_.insert(name).second) return;
    for (const auto& [known, schema] : known_)
      if (known == name) walk(schema, at);
    open_.erase(name);
  }

  const ValueObject known_;
  std::set<std::string> open_;
};

std::string last_name(const std::string& place) {
  const auto dot = place.rfind('.');
  return dot == std::string::npos ? place : place.substr(dot + 1);
}

std::set<std::string> places_of(const Operation& operation) {
  SchemaBook book;
  const Value body = operation.body ? operation.body(book) : Value();
  Places places(book.take());
  places.walk(body, "");
  for (const Parameter& one : operation.query) places.found.insert("?" + one.name);
  return places.found;
}

bool is_listed(const std::string& call, const std::string& field) {
  for (const NamingField& one : naming_fields())
    if (one.call == call && (one.field == field || one.type == field)) return true;
  return false;
}

TEST(NamedPeople, PF_22_every_field_that_names_somebody_is_in_the_list) {
  for (const Operation& operation : operations()) {
    for (const std::string& place : places_of(operation))
      EXPECT_TRUE(!sounds_like_somebody(last_name(place)) || is_listed(operation.id, place))
          << operation.id << " takes " << place << ": add it to naming_fields() with what is to be checked";
    const auto path = names_in_path(operation.path);
    const bool of_somebody = std::find(path.begin(), path.end(), "type") != path.end();
    EXPECT_TRUE(!of_somebody || is_listed(operation.id, "{id}")) << operation.path;
  }
  for (const ToolDefinition& tool : memory_tools()) {
    Places places;
    places.walk(*parse_value(tool.parameters), "");
    for (const std::string& place : places.found)
      EXPECT_TRUE(!sounds_like_somebody(last_name(place)) || is_listed(tool.name, place))
          << tool.name << " takes " << place << ": add it to naming_fields() with what is to be checked";
  }
}

TEST(NamedPeople, PF_22_the_list_names_no_field_that_is_not_taken) {
  for (const NamingField& one : naming_fields()) {
    // What else a message holds stands in no schema.
    if (last_name(std::string(one.field)) == "sender_id" && one.field != "sender_id") continue;
    bool taken = one.call == "observe";
    for (const Operation& operation : operations()) {
      if (operation.id != one.call) continue;
      const auto places = places_of(operation);
      taken = taken || one.field.starts_with('{') || places.contains(std::string(one.field));
    }
    for (const ToolDefinition& tool : memory_tools())
      taken = taken || (tool.name == one.call && tool.parameters.find(one.field) != std::string::npos);
    EXPECT_TRUE(taken || one.field.starts_with("where.")) << one.call << " " << one.field;
  }
}

// The JSON in which a value stands at a place such as "messages[].sender_id".
std::string body_with(std::string_view place, const std::string& value) {
  if (place.empty()) return "\"" + value + "\"";
  const auto dot = place.find('.');
  std::string_view step = place.substr(0, dot);
  std::string inner = body_with(dot == std::string_view::npos ? std::string_view() : place.substr(dot + 1), value);
  if (step.ends_with("[]")) {
    step.remove_suffix(2);
    inner = "[" + inner + "]";
  }
  return step.empty() ? inner : "{\"" + std::string(step) + "\":" + inner + "}";
}

std::string value_for(const NamingField& field, const std::string& user) {
  return field.as == NamedAs::kOwner ? "user:" + user : user;
}

bool is_checked(const NamingField& field) { return field.as != NamedAs::kFilter && field.as != NamedAs::kLabel; }

// What a key may do with a field that says `user`; `inside`: the body, with its type where the field needs one.
Status check(const Access& access, const Scope& scope, const NamingField& field, const std::string& user,
             const Config& config = {}) {
  std::map<std::string, std::string> path;
  std::string body;
  if (field.field.starts_with('{'))
    path = {{"id", user}, {"type", "user"}};
  else
    body = body_with(field.field, value_for(field, user));
  return check_named(access, scope, config, field.call, path, body);
}

TEST(NamedPeople, PF_22_a_key_names_nobody_for_whom_it_does_not_speak) {
  const Scope ann = *Scope::of_user("ann");
  for (const NamingField& field : naming_fields()) {
    if (!is_checked(field)) {
      EXPECT_TRUE(check(kAnnsKey, ann, field, "bob").ok()) << field.call << " " << field.field;
      continue;
    }
    const Status refused = check(kAnnsKey, ann, field, "bob");
    ASSERT_FALSE(refused.ok()) << field.call << " " << field.field;
    EXPECT_EQ(refused.error().code, ErrorCode::kPermission);
    EXPECT_NE(refused.error().message.find("bob"), std::string::npos) << refused.error().message;
    EXPECT_TRUE(field.as == NamedAs::kGroup || check(kAnnsKey, ann, field, "ann").ok())
        << field.call << " " << field.field;
    EXPECT_TRUE(check({}, ann, field, "bob").ok()) << "a key for everybody may";
  }
  const std::map<std::string, std::string> none;
  for (const char* body :
       {"", "3", "\"{\"", "[", "{\"sender_id\":3", "{\"sender_id\":{}}", "{\"sender_id\":null}", "[3]"})
    EXPECT_TRUE(check_named(kAnnsKey, ann, {}, "end", none, body).ok()) << body;
  for (const char* body :
       {"{\"sender_id\":17}", " {\"sender_id\":\"b\\u006fb\"}", "{\"sender_id\":\"ann\",\"sender_id\":\"bob\"}"})
    EXPECT_FALSE(check_named(kAnnsKey, ann, {}, "end", none, body).ok()) << body;
  const std::string deep = "{\"force\":" + std::string(300, '[') + std::string(300, ']') + ",\"sender_id\":\"bob\"}";
  EXPECT_FALSE(check_named(kAnnsKey, ann, {}, "end", none, deep).ok()) << "however deep the rest is";
}

TEST(NamedPeople, PF_22_a_key_of_a_group_does_not_reach_into_its_members_own_memories) {
  const Scope team = *Scope::of_group("team", "bob");
  Config config;
  EXPECT_TRUE(check_speaker(kTeamsKey, team, "bob", config).ok());
  EXPECT_TRUE(check_named(kTeamsKey, team, config, "end", {}, R"({"sender_id":"carl"})").ok());
  for (bool* carries : {&config.cognitive.sender_view, &config.cognitive.speaker_profiles}) {
    *carries = true;
    EXPECT_FALSE(check_speaker(kTeamsKey, team, "bob", config).ok());
    EXPECT_FALSE(check_named(kTeamsKey, team, config, "end", {}, R"({"sender_id":"carl"})").ok());
    EXPECT_TRUE(check_speaker(kTeamsKey, team, "", config).ok());
    const Access both{.name = "k", .right = Right::kWrite, .users = {"bob"}, .groups = {"team"}};
    EXPECT_TRUE(check_speaker(both, team, "bob", config).ok());
    EXPECT_FALSE(check_speaker(both, team, "carl", config).ok());
    *carries = false;
  }
}

TEST(NamedPeople, PF_22_an_end_without_a_sender_is_of_the_user_of_the_request) {
  Config config;
  const Access ann{.name = "k", .right = Right::kWrite, .users = {"ann"}, .groups = {"team"}};
  const Scope named = *Scope::of_group("team", "ann"), unnamed = *Scope::of_group("team");
  EXPECT_EQ(*speaker_of_call(ann, named, config, ""), "");
  config.cognitive.sender_view = true;
  EXPECT_EQ(*speaker_of_call(ann, named, config, ""), "ann");
  EXPECT_EQ(*speaker_of_call({}, named, config, ""), "") << "whoever wrote the messages";
  EXPECT_EQ(*speaker_of_call(ann, *Scope::of_user("ann"), config, ""), "");
  EXPECT_FALSE(speaker_of_call(kTeamsKey, unnamed, config, "").ok());
}

TEST(NamedPeople, PF_22_every_operation_asks_before_it_works) {
  TestEngine engine;
  for (const NamingField& field : naming_fields()) {
    if (!is_checked(field)) continue;
    for (const Operation& operation : operations()) {
      if (operation.id != field.call) continue;
      http::Request request;
      request.method = operation.method;
      request.path = operation.path;
      request.access = kAnnsKey;
      for (const std::string& name : names_in_path(operation.path)) request.params[name] = "bob";
      if (request.params.contains("type")) request.params["type"] = "user";
      if (!field.field.starts_with('{')) request.body = body_with(field.field, value_for(field, "bob"));
      RecordedAnswer out;
      run_operation(engine, operation, request, out, nullptr);
      EXPECT_EQ(out.status, 403) << operation.id << " " << field.field << " " << out.body;
    }
  }
}

AuditEntry entry(const std::string& act) {
  return {{1'700'000'000'000, 0}, "ci", "127.0.0.1", act, "user:ann", "done", {"rule r1"}};
}

std::vector<AuditEntry> read(const std::filesystem::path& file) {
  const std::string text = *read_file(file);
  std::vector<AuditEntry> all;
  for (const auto line : lines_of(text)) {
    auto one = parse_record<AuditEntry>(line, "a line");
    EXPECT_TRUE(one.ok()) << line;
    if (one.ok()) all.push_back(*one);
  }
  return all;
}

TEST(AuditLog, PF_10_lines_of_many_writers_stand_whole) {
  const test::TemporaryFolder folder;
  const auto file = AuditLog::file_of(folder.path());
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < 4; ++w)
      writers.emplace_back([&file, w] {
        const AuditLog log(file);
        for (int i = 0; i < 20; ++i) log.note(entry("act " + std::to_string(w) + "\n" + std::string(200, 'x')));
      });
  }
  EXPECT_EQ(read(file).size(), 80U);
}

TEST(AuditLog, PF_10_what_a_crash_cut_off_does_not_spoil_the_next_line) {
  const test::TemporaryFolder folder;
  const auto file = AuditLog::file_of(folder.path());
  AuditLog(file).note(entry("first"));
  std::ofstream(file, std::ios::app) << R"({"time":"20)";
  AuditLog(file).note(entry("second"));
  const std::string text = *read_file(file);
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(parse_record<AuditEntry>(lines[2], "a line")->act, "second");
}

}  // namespace
}  // namespace weft
