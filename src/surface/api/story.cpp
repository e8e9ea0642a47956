#include "surface/api/story.h"

#include <nlohmann/json.hpp>

#include "surface/api/fields.h"
#include "surface/api/handlers.h"
#include "surface/api/world_of_request.h"
#include "text/json.h"

namespace weft {
namespace {

using http::Request;
using http::ResponseWriter;
using namespace fields;  // NOLINT: the parts of this very thing

Result<std::string> get_state(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto version, number_of(request, "version", 0));
  WEFT_TRY(const auto state, engine.state(context, request.params.at("name"), version));
  return to_json(state);
}

// {"state": {…}, "author"}
Result<std::string> put_state(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto json, parse_object(request.body));
  WEFT_CHECK(check_names(json, {"state", "author"}));
  if (!present(json, "state")) return wrong("state", "the tree");
  std::string author;
  WEFT_CHECK(read(json, "author", author));
  const std::string tree(json_member(request.body, "state"));
  WEFT_TRY(const auto state, engine.put_state(context, request.params.at("name"), tree, author));
  return to_json(state);
}

Result<std::string> apply_state(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(auto change, parse_state_change(request.body));
  if (change.request_id.empty()) change.request_id = std::string(request.header("idempotency-key"));
  WEFT_TRY(const auto state, engine.apply_state(context, request.params.at("name"), change));
  return to_json(state);
}

Result<std::string> state_log(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto limit, limit_of(request));
  WEFT_TRY(const auto versions, engine.state_log(context, request.params.at("name"), limit));
  return to_json(std::span(versions));
}

// {"version", "author"}
Result<std::string> roll_back_state(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto json, parse_object(request.body));
  WEFT_CHECK(check_names(json, {"version", "author"}));
  if (!present(json, "version") || !json["version"].is_number_unsigned()) return wrong("version", "a whole number");
  std::string author;
  WEFT_CHECK(read(json, "author", author));
  WEFT_TRY(const auto state,
           engine.roll_back_state(context, request.params.at("name"), json["version"].get<std::int64_t>(), author));
  return to_json(state);
}

Result<std::string> get_schema(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  const std::string& name = request.params.at("name");
  WEFT_TRY(const auto schema, engine.state_schema(context, name));
  return schema_json(name, schema);
}

// {"schema": {…}, "author"}; null lifts it.
Result<std::string> put_schema(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto json, parse_object(request.body));
  WEFT_CHECK(check_names(json, {"schema", "author"}));
  if (!json.contains("schema")) return wrong("schema", "a JSON schema, or null to lift it");
  std::string author;
  WEFT_CHECK(read(json, "author", author));
  const std::string schema = json["schema"].is_null() ? "" : std::string(json_member(request.body, "schema"));
  const std::string& name = request.params.at("name");
  WEFT_CHECK(engine.put_state_schema(context, name, schema, author));
  return schema_json(name, schema);
}

Result<std::string> get_quests(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto quests, engine.quests(context));
  return quests_json(quests);
}

// The body is an author's file as it stands, YAML or JSON.
Result<std::string> import_quests(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto quests, engine.import_quests(context, request.body, "the body"));
  return quests_json(quests);
}

// {"status", "note"}
Result<std::string> move_quest(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto json, parse_object(request.body));
  WEFT_CHECK(check_names(json, {"status", "note"}));
  std::string word, note;
  WEFT_CHECK(read(json, "status", word));
  WEFT_CHECK(read(json, "note", note));
  const auto status = parse_quest_status(word);
  if (!status) return wrong("status", "one of: available, in_progress, completed, failed");
  WEFT_TRY(const auto quests, engine.move_quest(context, request.params.at("id"), *status, note));
  return quests_json(quests);
}

// ?file=NAME tells the kind of the body: .md, .txt, .json.
Result<std::string> import_lore(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  const auto file = request.query.find("file");
  if (file == request.query.end()) return invalid_argument("which file is it?", "add ?file=NAME.md (or .txt, .json)");
  WEFT_TRY(const auto report, engine.import_lore(context, request.body, file->second));
  return to_json(report);
}

Result<std::string> get_lore(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto lore, engine.lore(context));
  return lore_json(lore);
}

Result<std::string> get_lore_entry(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto lore, engine.lore(context));
  const std::string& id = request.params.at("id");
  for (const LoreEntry& entry : lore)
    if (entry.id == id) return to_json(entry);
  return not_found("lore: there is no entry \"" + id + "\"", "GET /v1/lore lists the entries");
}

// The body is the whole entry, as GET gives it or as a file of World Info has it.
Result<std::string> put_lore_entry(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(auto entry, parse_lore_entry(request.body));
  entry.id = request.params.at("id");
  WEFT_TRY(const auto kept, engine.put_lore(context, entry));
  return to_json(kept);
}

Result<std::string> delete_lore_entry(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto gone, engine.delete_lore(context, request.params.at("id"), ""));
  return "{\"deleted\":" + std::to_string(gone) + "}";
}

// ?file=NAME: all that was imported from it.
Result<std::string> delete_lore_file(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  const auto file = request.query.find("file");
  if (file == request.query.end() || file->second.empty())
    return invalid_argument("which lore is to be deleted?",
                            "DELETE /v1/lore/ID, or /v1/lore?file=NAME for a whole file");
  WEFT_TRY(const auto gone, engine.delete_lore(context, "", file->second));
  return "{\"deleted\":" + std::to_string(gone) + "}";
}

// The body is one quest; the id in the path counts.
Result<std::string> put_quest(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(auto json, parse_object(request.body));
  json["id"] = request.params.at("id");
  WEFT_TRY(const auto quests, engine.put_quest(context, write_json(json)));
  return quests_json(quests);
}

Result<std::string> delete_quest(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, story_of(engine, request, out));
  WEFT_TRY(const auto quests, engine.delete_quest(context, request.params.at("id")));
  return quests_json(quests);
}

// {"focus", "window"}, or nothing
Result<std::string> compact(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  CompactRequest what;
  if (!request.body.empty()) {
    WEFT_TRY(const auto json, parse_object(request.body));
    WEFT_CHECK(check_names(json, {"focus", "window"}));
    WEFT_CHECK(read(json, "focus", what.focus));
    if (present(json, "window")) {
      if (!json["window"].is_number_unsigned()) return wrong("window", "a whole number of tokens");
      what.window = json["window"].get<std::int64_t>();
    }
  }
  WEFT_TRY(const auto done, engine.compact(context, session, what));
  return to_json(done);
}

Result<std::string> compactions(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  WEFT_TRY(const auto all, engine.compactions(context, session));
  return to_json(std::span(all));
}

Result<std::string> undo_compaction(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  WEFT_CHECK(check_no_fields(request.body));
  WEFT_TRY(const auto undone, engine.undo_compaction(context, session));
  return to_json(undone);
}

}  // namespace

void add_story_api(http::Router& router, Engine& engine) {
  const auto add = [&](std::string_view method, std::string_view path, auto work) {
    add_handler(router, engine, method, path, work);
  };
  add("GET", "/v1/state/{name}", get_state);
  add("PUT", "/v1/state/{name}", put_state);
  add("POST", "/v1/state/{name}", apply_state);
  add("GET", "/v1/state/{name}/log", state_log);
  add("GET", "/v1/state/{name}/schema", get_schema);
  add("PUT", "/v1/state/{name}/schema", put_schema);
  add("POST", "/v1/state/{name}/rollback", roll_back_state);
  add("GET", "/v1/quests", get_quests);
  add("POST", "/v1/quests", import_quests);
  add("POST", "/v1/quests/{id}", move_quest);
  add("PUT", "/v1/quests/{id}", put_quest);
  add("DELETE", "/v1/quests/{id}", delete_quest);
  add("GET", "/v1/lore", get_lore);
  add("POST", "/v1/lore", import_lore);
  add("DELETE", "/v1/lore", delete_lore_file);
  add("GET", "/v1/lore/{id}", get_lore_entry);
  add("PUT", "/v1/lore/{id}", put_lore_entry);
  add("DELETE", "/v1/lore/{id}", delete_lore_entry);
  add("POST", "/v1/sessions/{id}/compact", compact);
  add("GET", "/v1/sessions/{id}/compactions", compactions);
  add("POST", "/v1/sessions/{id}/compact/undo", undo_compaction);
}

}  // namespace weft
