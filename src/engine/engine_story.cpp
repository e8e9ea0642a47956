// What a narrative game keeps: states, quests, lore.
#include <algorithm>
#include <set>

#include "engine/engine_impl.h"
#include "flow/memory/lore_import.h"
#include "flow/memory/quest_graph.h"
#include "flow/memory/quest_import.h"
#include "model/quest.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr const char* kQuests = "quest";
constexpr const char* kLore = "lore";

Status check_name(const std::string& name) { return check_id(name, "state name"); }

}  // namespace

Result<StateView> EngineImpl::state(const RequestContext& request, const std::string& name, std::int64_t version) {
  WEFT_CHECK(check_name(name));
  return states_->at(request.scope.key(), name, version);
}

Result<StateView> EngineImpl::put_state(const RequestContext& request, const std::string& name, const std::string& json,
                                        const std::string& author) {
  WEFT_CHECK(check_name(name));
  WEFT_TRY(auto tree, parse_value(json, {.max_bytes = static_cast<std::size_t>(config_.state.max_bytes)}, "state"));
  const Value whole(ValueList{Value(ValueList{"SET", "", std::move(tree)})});
  return states_->apply(request.scope.key(), name, {to_json(whole), author, {}}, clock_->now());
}

Result<StateView> EngineImpl::apply_state(const RequestContext& request, const std::string& name,
                                          const StateChange& change) {
  WEFT_CHECK(check_name(name));
  return states_->apply(request.scope.key(), name, change, clock_->now());
}

Result<std::vector<StateVersion>> EngineImpl::state_log(const RequestContext& request, const std::string& name,
                                                        std::size_t limit) {
  WEFT_CHECK(check_name(name));
  return states_->log(request.scope.key(), name, limit);
}

Result<StateView> EngineImpl::roll_back_state(const RequestContext& request, const std::string& name,
                                              std::int64_t version, const std::string& author) {
  WEFT_CHECK(check_name(name));
  return states_->roll_back(request.scope.key(), name, version, author, clock_->now());
}

Result<std::string> EngineImpl::state_schema(const RequestContext& request, const std::string& name) {
  WEFT_CHECK(check_name(name));
  return states_->schema(request.scope.key(), name);
}

Status EngineImpl::put_state_schema(const RequestContext& request, const std::string& name, const std::string& schema,
                                    const std::string& author) {
  WEFT_CHECK(check_name(name));
  return states_->put_schema(request.scope.key(), name, schema, author, clock_->now());
}

Result<QuestGraph> EngineImpl::quest_graph(const std::string& scope, std::map<std::string, std::int64_t>* versions) {
  WEFT_TRY(const auto rows, store_->documents(scope, kQuests));
  std::vector<Quest> quests;
  for (const DocumentRow& row : rows) {
    if (versions != nullptr) (*versions)[row.id] = row.version;
    if (row.body.empty()) continue;
    WEFT_TRY(auto quest, parse_quest(row.body));
    quests.push_back(std::move(quest));
  }
  return QuestGraph::make(std::move(quests));
}

// Every version of a quest is kept. Two who change quests at once are told apart by the version of the one they share.
Result<std::vector<Quest>> EngineImpl::change_quests(
    const RequestContext& request, const std::function<Result<std::vector<Quest>>(QuestGraph&)>& change) {
  const std::string scope = request.scope.key();
  std::map<std::string, std::int64_t> versions;
  WEFT_TRY(auto graph, quest_graph(scope, &versions));
  WEFT_TRY(auto changed, change(graph));
  WriteBatch batch;
  for (const Quest& quest : changed) {
    batch.documents.push_back(
        {scope, kQuests, quest.id, versions[quest.id] + 1, clock_->now(), request.scope.user().str(), to_json(quest)});
  }
  WEFT_CHECK(store_->write(batch));
  return changed;
}

Result<std::vector<Quest>> EngineImpl::quests(const RequestContext& request) {
  WEFT_TRY(const auto graph, quest_graph(request.scope.key(), nullptr));
  return graph.quests();
}

Result<std::vector<Quest>> EngineImpl::import_quests(const RequestContext& request, const std::string& text,
                                                     const std::string& file) {
  WEFT_TRY(const auto quests, weft::import_quests(text, file));
  return change_quests(request, [&](QuestGraph& graph) { return graph.put(quests); });
}

Result<std::vector<Quest>> EngineImpl::move_quest(const RequestContext& request, const std::string& id,
                                                  QuestStatus status, const std::string& note) {
  return change_quests(request, [&](QuestGraph& graph) -> Result<std::vector<Quest>> {
    const Quest* quest = graph.find(id);
    // The same status with a note is progress.
    if (quest != nullptr && quest->status == status && !note.empty()) return graph.set_progress(id, note);
    return graph.set_status(id, status, note);
  });
}

Result<std::vector<LoreEntry>> EngineImpl::lore_entries(const std::string& scope) {
  WEFT_TRY(const auto rows, store_->documents(scope, kLore));
  std::vector<LoreEntry> entries;
  for (const DocumentRow& row : rows) {
    if (row.body.empty()) continue;
    WEFT_TRY(auto entry, parse_lore_entry(row.body));
    entries.push_back(std::move(entry));
  }
  return entries;
}

// Entries become documents, which hold all that their author said of them, and items, which recall finds.
Result<LoreReport> EngineImpl::import_lore(const RequestContext& request, const std::string& bytes,
                                           const std::string& file) {
  WEFT_CHECK(check_id(file, "file"));
  const std::string scope = request.scope.key();
  WEFT_TRY(const LoreImport read, weft::import_lore(bytes, file));
  WEFT_TRY(const auto known, store_->documents(scope, kLore));
  std::map<std::string, const DocumentRow*> before;
  for (const DocumentRow& row : known) before[row.id] = &row;
  WriteBatch batch;
  std::set<std::string> kept;
  const Time now = clock_->now();
  for (const LoreEntry& entry : read.entries) {
    kept.insert(entry.id);
    const std::string body = to_json(entry);
    const auto old = before.find(entry.id);
    if (old != before.end() && old->second->body == body) continue;
    batch.documents.push_back(
        {scope, kLore, entry.id, old == before.end() ? 1 : old->second->version + 1, now, file, body});
    ItemRow row;
    row.row = rows_.next();
    row.scope = scope;
    row.item = lore_item(entry, ItemKind::kLore);
    row.item.time = now;
    row.terms = index_terms(row.item.text);
    batch.items.push_back(std::move(row));
  }
  std::vector<ItemId> gone;
  for (const DocumentRow& row : known) {
    if (row.author != file || kept.contains(row.id)) continue;
    batch.erased_documents.push_back({scope, kLore, row.id});
    gone.emplace_back(row.id);
  }
  WEFT_TRY(const auto gone_rows, store_->rows_of(scope, gone));
  for (const std::int64_t row : gone_rows)
    if (row != 0) batch.erased_items.push_back(row);
  WEFT_CHECK(keep_written(batch));
  story_.forget_lore(scope);
  if (!batch.erased_items.empty()) change_->serving()->memory.forget(scope);
  LoreReport report{read.entries.size(), read.left_out, {}};
  for (const LoreProblem& problem : read.problems) report.problems.push_back(problem.where + ": " + problem.message);
  for (const auto& [name, times] : read.ignored_fields)
    report.problems.push_back(file + ": the field \"" + name + "\" is not used (" + std::to_string(times) + " times)");
  return report;
}

}  // namespace weft
