// States, quests and lore.
#include "model/documents.h"
#include "surface/api/bodies.h"
#include "surface/api/operation.h"

namespace weft {
namespace {

struct PutState {
  std::string state, author;
};
struct PutSchema {
  std::string schema, author;
};
struct SchemaAnswer {
  std::string name, schema;
};
struct RollBack {
  std::optional<std::int64_t> version;
  std::string author;
};
struct MoveQuest {
  std::string status, note;
};
struct Deleted {
  std::size_t deleted = 0;
};

// "locked" follows from what has to come before, and is nobody's to set.
Value quest_statuses(SchemaBook&) {
  return ValueObject{{"type", "string"}, {"enum", ValueList{"available", "in_progress", "completed", "failed"}}};
}

}  // namespace

WEFT_DESCRIBED(PutState);
WEFT_DESCRIBED(PutSchema);
WEFT_DESCRIBED(SchemaAnswer);
WEFT_DESCRIBED(RollBack);
WEFT_DESCRIBED(MoveQuest);
WEFT_DESCRIBED(Deleted);

template <>
const Record<PutState>& record<PutState>() {
  static const auto made = Record<PutState>("PutState", "A whole tree in the place of a state.", RecordUse::kAsked)
                               .json("state", &PutState::state, "the tree", {.required = true, .wanted = "the tree"},
                                     ValueObject{{"type", "object"}})
                               .field("author", &PutState::author, "who changes it");
  return made;
}

template <>
const Record<PutSchema>& record<PutSchema>() {
  const auto object_or_null = [](SchemaBook&) {
    return Value(ValueObject{{"type", ValueList{"object", "boolean", "null"}}});
  };
  static const auto made =
      Record<PutSchema>("PutSchema", "The schema that changes of a state keep to.", RecordUse::kAsked)
          .custom(
              "schema", "a JSON schema, or null to lift it", object_or_null,
              [](std::string_view json, const std::string&, PutSchema& into) {
                into.schema = compact_json(json);
                return Status();
              },
              nullptr)
          .field("author", &PutSchema::author, "who sets it");
  return made;
}

template <>
const Record<SchemaAnswer>& record<SchemaAnswer>() {
  static const auto made = Record<SchemaAnswer>("StateSchema", "The schema of a state.", RecordUse::kTold)
                               .field("name", &SchemaAnswer::name, "of the state")
                               .json("schema", &SchemaAnswer::schema, "null: there is none");
  return made;
}

template <>
const Record<RollBack>& record<RollBack>() {
  static const auto made = Record<RollBack>("RollBack", "Which version is put back.", RecordUse::kAsked)
                               .field("version", &RollBack::version, "its number", {.required = true, .least = 0})
                               .field("author", &RollBack::author, "who does it");
  return made;
}

template <>
const Record<MoveQuest>& record<MoveQuest>() {
  static const auto made =
      Record<MoveQuest>("MoveQuest", "How far a quest is now.", RecordUse::kAsked)
          .custom(
              "status", "what it is from now on", quest_statuses,
              [](std::string_view json, const std::string& place, MoveQuest& into) {
                return JsonForm<std::string>::read(json, place, {}, into.status);
              },
              nullptr, {.required = true}, [](const MoveQuest& from) { return from.status.empty(); })
          .field("note", &MoveQuest::note, "how it ended; with the status it has already: how far it is");
  return made;
}

template <>
const Record<Deleted>& record<Deleted>() {
  static const auto made = Record<Deleted>("Deleted", "What was taken out.", RecordUse::kTold)
                               .field("deleted", &Deleted::deleted, "how many");
  return made;
}

namespace {

Result<StateView> get_state(const Call& call) {
  WEFT_TRY(const auto version, call.number("version", 0));
  return call.engine.state(call.context, call.path("name")).read(version);
}

Result<StateView> put_state(const Call& call, PutState body) {
  return call.engine.state(call.context, call.path("name")).put_json(body.state, body.author);
}

Result<StateView> apply_state(const Call& call, StateChange change) {
  if (change.request_id.empty()) change.request_id = std::string(call.request.header("idempotency-key"));
  return call.engine.state(call.context, call.path("name")).apply(change);
}

Result<Paged<List<StateVersion>>> state_log(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(const auto before, wanted.number());
  WEFT_TRY(auto versions, call.engine.state(call.context, call.path("name")).log(wanted.limit + 1, before));
  return newest_page(std::move(versions), wanted,
                     [](const StateVersion& first) { return std::to_string(first.version); });
}

Result<StateView> roll_back_state(const Call& call, RollBack body) {
  return call.engine.state(call.context, call.path("name")).roll_back(*body.version, body.author);
}

Result<SchemaAnswer> get_schema(const Call& call) {
  WEFT_TRY(auto schema, call.engine.state(call.context, call.path("name")).schema());
  return SchemaAnswer{call.path("name"), std::move(schema)};
}

// Null lifts it, so it is not the same as a field that is missing.
Result<SchemaAnswer> put_schema(const Call& call, PutSchema body) {
  if (json_member(call.request.body, "schema").empty())
    return wrong_field("schema", "a JSON schema, or null to lift it");
  WEFT_CHECK(call.engine.state(call.context, call.path("name")).set_schema_json(body.schema, body.author));
  return SchemaAnswer{call.path("name"), std::move(body.schema)};
}

Result<List<Quest>> told(Result<std::vector<Quest>> quests) {
  if (!quests.ok()) return quests.error();
  return List<Quest>{std::move(quests).value()};
}

Result<std::vector<Quest>> get_quests(const Call& call) { return call.engine.story(call.context).quests(); }

std::string key_of(const Quest& one) { return one.id; }

Result<List<Quest>> import_quests(const Call& call, FileBody body) {
  return told(call.engine.story(call.context).import_quests(body.bytes, "the body"));
}

Result<List<Quest>> move_quest(const Call& call, MoveQuest body) {
  const auto status = parse_quest_status(body.status);
  if (!status) return wrong_field("status", "one of: available, in_progress, completed, failed");
  return told(call.engine.story(call.context).move_quest(call.path("id"), *status, body.note));
}

// The body is one quest; the id in the path counts.
Result<List<Quest>> put_quest(const Call& call, AnyJson body) {
  WEFT_TRY(Value quest, parse_value(body.json, {.max_bytes = body.json.size() + 1}, "the body"));
  ValueObject* members = quest.object();
  if (members == nullptr) return invalid_argument("the body must be a JSON object");
  std::erase_if(*members, [](const auto& member) { return member.first == "id"; });
  members->insert(members->begin(), {"id", Value(call.path("id"))});
  WEFT_TRY(const Quest given, parse_quest(to_json(quest)));
  return told(call.engine.story(call.context).put_quest(given));
}

Result<List<Quest>> delete_quest(const Call& call) {
  return told(call.engine.story(call.context).remove_quest(call.path("id")));
}

Result<LoreReport> import_lore(const Call& call, FileBody body) {
  const std::string file = call.text("file");
  if (file.empty()) return invalid_argument("which file is it?", "add ?file=NAME.md (or .txt, .json)");
  return call.engine.story(call.context).import_lore(body.bytes, file);
}

Result<std::vector<LoreEntry>> get_lore(const Call& call) { return call.engine.story(call.context).lore(); }

std::string key_of(const LoreEntry& one) { return one.id; }

Result<LoreEntry> get_lore_entry(const Call& call) {
  WEFT_TRY(auto lore, call.engine.story(call.context).lore());
  const std::string& id = call.path("id");
  for (LoreEntry& entry : lore)
    if (entry.id == id) return std::move(entry);
  return not_found("lore: there is no entry \"" + id + "\"", "GET /v1/lore lists the entries");
}

// The body is the whole entry, as GET gives it or as a file of World Info has it.
Result<LoreEntry> put_lore_entry(const Call& call, AnyJson body) {
  WEFT_TRY(auto entry, parse_lore_entry(body.json));
  entry.id = call.path("id");
  return call.engine.story(call.context).put_lore(entry);
}

Result<Deleted> delete_lore_entry(const Call& call) {
  WEFT_TRY(const auto gone, call.engine.story(call.context).remove_lore(call.path("id")));
  return Deleted{gone};
}

Result<Deleted> delete_lore_file(const Call& call) {
  const std::string file = call.text("file");
  if (file.empty())
    return invalid_argument("which lore is to be deleted?",
                            "DELETE /v1/lore/ID, or /v1/lore?file=NAME for a whole file");
  WEFT_TRY(const auto gone, call.engine.story(call.context).remove_lore_file(file));
  return Deleted{gone};
}

}  // namespace

std::vector<Operation> story_operations() {
  constexpr Whose kStory = Whose::kStory;
  const Parameter file = id_parameter("file", "its name", IdNeed::kNeeded);
  const Parameter typed_file = {"file", "its name; the ending tells the kind: .md, .txt, .json",
                                ValueObject{{"type", "string"},
                                            {"minLength", 1},
                                            {"maxLength", 256},
                                            {"pattern", "^[^\\u0000-\\u001F\\u007F-\\u009F]+\\.(md|txt|json)$"}}};
  return {
      operation("state", "GET /v1/state/{name}", "a state, the newest or as it stood after a version", kStory,
                get_state, {number_parameter("version", "0: the newest", 0)}),
      operation("put_state", "PUT /v1/state/{name}", "put a whole tree in its place", kStory, put_state),
      operation("apply_state", "POST /v1/state/{name}", "apply operations, all or none", kStory, apply_state),
      list_operation("state_log", "GET /v1/state/{name}/log",
                     "its newest versions, oldest first; the next page are those before them", kStory, state_log),
      operation("state_schema", "GET /v1/state/{name}/schema", "the JSON schema that changes keep to", kStory,
                get_schema),
      operation("put_state_schema", "PUT /v1/state/{name}/schema", "set it", kStory, put_schema),
      operation("roll_back_state", "POST /v1/state/{name}/rollback", "put a former version back", kStory,
                roll_back_state),
      list_operation<Quest>("quests", "GET /v1/quests", "all quests", kStory, ListOrder::kAsGiven, get_quests, key_of),
      operation("import_quests", "POST /v1/quests", "take quests from YAML or JSON", kStory, import_quests),
      operation("move_quest", "POST /v1/quests/{id}", "move a quest on", kStory, move_quest),
      operation("put_quest", "PUT /v1/quests/{id}", "put one quest", kStory, put_quest),
      operation("delete_quest", "DELETE /v1/quests/{id}", "take it out", kStory, delete_quest),
      list_operation<LoreEntry>("lore", "GET /v1/lore", "all entries of lore", kStory, ListOrder::kByKey, get_lore,
                                key_of),
      operation("import_lore", "POST /v1/lore", "take lore from a file's bytes", kStory, import_lore, {typed_file}),
      operation("delete_lore", "DELETE /v1/lore", "take out all that came from a file", kStory, delete_lore_file,
                {file}),
      operation("lore_entry", "GET /v1/lore/{id}", "one entry", kStory, get_lore_entry),
      operation("put_lore", "PUT /v1/lore/{id}", "put one entry", kStory, put_lore_entry),
      operation("delete_lore_entry", "DELETE /v1/lore/{id}", "take it out", kStory, delete_lore_entry),
  };
}

}  // namespace weft
