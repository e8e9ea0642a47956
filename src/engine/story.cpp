#include "engine/story.h"

#include <algorithm>
#include <set>

#include "engine/engine_core.h"
#include "flow/memory/lore_import.h"
#include "flow/memory/quest_graph.h"
#include "model/documents.h"
#include "text/words.h"

namespace weft {

// Lore: what an author knows of a world. A scope that plays in a world has its lore and its own over it.

namespace {

constexpr const char* kLore = "lore";
constexpr const char* kNoSuchEntry = "`weft lore list` and GET /v1/lore list the entries";

// Entries that no import has read, or an earlier version.
LoreEntry without_macros(LoreEntry entry) {
  LoreMacros macros;
  entry.text = macros.expanded(entry.text);
  entry.title = macros.expanded(entry.title);
  return entry;
}

}  // namespace

// An own entry without a body hides the world's.
Result<std::vector<LoreEntry>> LoreBook::lore_entries(const StoryScope& scope) {
  std::map<std::string, LoreEntry> all;
  for (const ScopeKey& from : {scope.world, scope.own}) {
    if (from.empty()) continue;
    WEFT_TRY(const auto rows, core_.store->documents().all(from, kLore));
    for (const DocumentRow& row : rows) {
      all.erase(row.id);
      if (row.body.empty()) continue;
      WEFT_TRY(auto entry, parse_lore_entry(row.body));
      all.emplace(row.id, without_macros(std::move(entry)));
    }
  }
  std::vector<LoreEntry> entries;
  for (auto& [id, entry] : all) entries.push_back(std::move(entry));
  return entries;
}

Result<std::vector<LoreEntry>> LoreBook::lore(const RequestContext& request) {
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  return lore_entries(scope);
}

// Entries become documents, which hold all that their author said of them, and items, which recall finds.
void LoreBook::add_lore_entry(const ScopeKey& scope, const LoreEntry& entry, std::int64_t version, WriteBatch& batch) {
  const Time now = core_.clock->now();
  batch.documents.push_back({scope, kLore, entry.id, version, now, entry.source, to_json(entry)});
  ItemRow row;
  row.scope = scope;
  row.item = lore_item(entry, ItemKind::kLore);
  row.item.time = now;
  row.terms = index_terms(row.item.text);
  batch.items.push_back(std::move(row));
}

Status LoreBook::erase_lore(const ScopeKey& scope, const std::vector<std::string>& ids, WriteBatch& batch) {
  std::vector<ItemId> items;
  for (const std::string& id : ids) {
    batch.erased_documents.push_back({scope, kLore, id});
    items.emplace_back(id);
  }
  WEFT_TRY(const auto rows, core_.store->items().rows_of(scope, items));
  for (const std::int64_t row : rows)
    if (row != 0) batch.erased_items.push_back(row);
  return {};
}

Status LoreBook::keep_lore(const ScopeKey& scope, WriteBatch& batch) {
  WEFT_CHECK(core_.keep_written(batch));
  core_.story.forget_lore(scope);
  if (!batch.erased_items.empty()) core_.change->serving()->memory.forget(scope);
  return {};
}

Result<LoreEntry> LoreBook::put_lore(const RequestContext& request, const LoreEntry& given) {
  const LoreEntry entry = without_macros(given);
  WEFT_CHECK(check_id(entry.id, "lore id"));
  if (entry.text.empty()) return invalid_argument("lore: the entry \"" + entry.id + "\" has no text");
  WEFT_TRY(const auto story, story_scope(core_.config, request));
  const ScopeKey& scope = story.own;
  WEFT_TRY(const auto before, core_.store->documents().newest(scope, kLore, entry.id));
  WriteBatch batch;
  add_lore_entry(scope, entry, before ? before->version + 1 : 1, batch);
  WEFT_CHECK(keep_lore(scope, batch));
  return entry;
}

Result<std::size_t> LoreBook::delete_lore(const RequestContext& request, const std::string& id,
                                          const std::string& source) {
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  WEFT_TRY(const auto entries, lore_entries(scope));
  std::vector<std::string> gone;
  for (const LoreEntry& entry : entries)
    if (id.empty() ? entry.source == source : entry.id == id) gone.push_back(entry.id);
  if (gone.empty())
    return not_found(
        id.empty() ? "lore: nothing came from \"" + source + "\"" : "lore: there is no entry \"" + id + "\"",
        kNoSuchEntry);
  WriteBatch batch;
  WEFT_CHECK(erase_lore(scope.own, gone, batch));
  if (!scope.world.empty()) {
    WEFT_TRY(const auto worlds, core_.store->documents().all(scope.world, kLore));
    for (const DocumentRow& row : worlds) {
      if (std::find(gone.begin(), gone.end(), row.id) == gone.end()) continue;
      batch.documents.push_back({scope.own, kLore, row.id, 1, core_.clock->now(), row.author, ""});
    }
  }
  WEFT_CHECK(keep_lore(scope.own, batch));
  return gone.size();
}

Result<LoreReport> LoreBook::import_lore(const RequestContext& request, const std::string& bytes,
                                         const std::string& file) {
  WEFT_CHECK(check_id(file, "file"));
  WEFT_TRY(const auto story, story_scope(core_.config, request));
  const ScopeKey& scope = story.own;
  WEFT_TRY(const LoreImport read, weft::import_lore(bytes, file));
  if (read.entries.empty())
    return invalid_argument(
        file + ": no entry of lore was found" +
            (read.problems.empty() ? "" : "; " + read.problems.front().where + ": " + read.problems.front().message),
        "headings with text below them (.md), paragraphs (.txt), or entries of World Info (.json)");
  WEFT_TRY(const auto known, core_.store->documents().all(scope, kLore));
  std::map<std::string, const DocumentRow*> before;
  for (const DocumentRow& row : known) before[row.id] = &row;
  WriteBatch batch;
  std::set<std::string> kept;
  for (const LoreEntry& entry : read.entries) {
    kept.insert(entry.id);
    const auto old = before.find(entry.id);
    if (old != before.end() && old->second->body == to_json(entry)) continue;
    add_lore_entry(scope, entry, old == before.end() ? 1 : old->second->version + 1, batch);
  }
  std::vector<std::string> gone;
  for (const DocumentRow& row : known)
    if (row.author == file && !kept.contains(row.id)) gone.push_back(row.id);
  WEFT_CHECK(erase_lore(scope, gone, batch));
  WEFT_CHECK(keep_lore(scope, batch));
  LoreReport report{read.entries.size(), read.left_out, {}};
  for (const LoreProblem& problem : read.problems) report.problems.push_back(problem.where + ": " + problem.message);
  for (const auto& [name, times] : read.ignored_fields)
    report.problems.push_back(file + ": the field \"" + name + "\" is not used (" + std::to_string(times) + " times)");
  return report;
}

Result<std::shared_ptr<const LoreShelf>> LoreBook::lore_of(const StoryScope& scope) {
  if (auto known = core_.story.lore(scope)) return known;
  const std::uint64_t ticket = core_.story.ticket();
  WEFT_TRY(auto entries, lore_entries(scope));
  auto shelf = std::make_shared<const LoreShelf>(std::move(entries));
  core_.story.put_lore(scope, shelf, ticket);
  return std::shared_ptr<const LoreShelf>(std::move(shelf));
}

// Quests of a story: those of its world, and over them the scope's own.

namespace {

constexpr const char* kQuests = "quest";

}  // namespace

// The world's quests, and over them the scope's own: changed, added, or gone (without a body).
Result<QuestGraph> Quests::quest_graph(const StoryScope& scope, std::map<std::string, std::int64_t>* versions) {
  std::map<std::string, Quest> all;
  const auto read = [&](const ScopeKey& from, bool own) -> Status {
    WEFT_TRY(const auto rows, core_.store->documents().all(from, kQuests));
    for (const DocumentRow& row : rows) {
      if (own && versions != nullptr) (*versions)[row.id] = row.version;
      all.erase(row.id);
      if (row.body.empty()) continue;
      WEFT_TRY(auto quest, parse_quest(row.body));
      all.emplace(row.id, std::move(quest));
    }
    return {};
  };
  if (!scope.world.empty()) WEFT_CHECK(read(scope.world, false));
  WEFT_CHECK(read(scope.own, true));
  std::vector<Quest> quests;
  for (auto& [id, quest] : all) quests.push_back(std::move(quest));
  // The world may have lost what a player's quest waits for.
  if (!scope.world.empty()) {
    std::set<std::string> known;
    for (const Quest& quest : quests) known.insert(quest.id);
    for (Quest& quest : quests)
      for (auto* edges : {&quest.prerequisites, &quest.successors})
        std::erase_if(*edges, [&](const std::string& id) { return !known.contains(id); });
  }
  return QuestGraph::make(std::move(quests));
}

// Every version of a quest is kept. Two who change quests at once are told apart by the version of the one they share.
Result<std::vector<Quest>> Quests::write_quests(const RequestContext& request,
                                                const std::function<Result<QuestChange>(QuestGraph&)>& change) {
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  std::map<std::string, std::int64_t> versions;
  WEFT_TRY(auto graph, quest_graph(scope, &versions));
  WEFT_TRY(auto made, change(graph));
  WriteBatch batch;
  const auto write = [&](const std::string& id, std::string body) {
    batch.documents.push_back(
        {scope.own, kQuests, id, versions[id] + 1, core_.clock->now(), request.scope.user().str(), std::move(body)});
  };
  for (const Quest& quest : made.changed) write(quest.id, to_json(quest));
  for (const std::string& id : made.gone) write(id, "");
  WEFT_CHECK(core_.store->write(batch));
  return std::move(made.changed);
}

Result<std::vector<Quest>> Quests::change_quests(const RequestContext& request,
                                                 const std::function<Result<std::vector<Quest>>(QuestGraph&)>& change) {
  return write_quests(request, [&](QuestGraph& graph) -> Result<QuestChange> {
    WEFT_TRY(auto changed, change(graph));
    return QuestChange{std::move(changed), {}};
  });
}

Result<std::vector<Quest>> Quests::quests(const RequestContext& request) {
  WEFT_TRY(const auto scope, story_scope(core_.config, request));
  WEFT_TRY(const auto graph, quest_graph(scope, nullptr));
  return graph.quests();
}

Result<std::vector<Quest>> Quests::import_quests(const RequestContext& request, const std::string& text,
                                                 const std::string& file) {
  WEFT_TRY(const auto quests, weft::import_quests(text, file));
  if (quests.empty())
    return invalid_argument(file + ": no quest was found",
                            "a list of quests, each with an id; see examples/quests.yaml");
  return change_quests(request, [&](QuestGraph& graph) { return graph.put(quests); });
}

Result<std::vector<Quest>> Quests::put_quest(const RequestContext& request, const Quest& quest) {
  // Made by a program, it is held to the same bounds as one that is read.
  WEFT_TRY(const Quest checked, parse_quest(to_json(quest)));
  return change_quests(request, [&](QuestGraph& graph) { return graph.put({checked}); });
}

Result<std::vector<Quest>> Quests::delete_quest(const RequestContext& request, const std::string& id) {
  return write_quests(request, [&](QuestGraph& graph) -> Result<QuestChange> {
    WEFT_TRY(auto changed, graph.remove(id));
    std::erase_if(changed, [&](const Quest& quest) { return quest.id == id; });
    return QuestChange{std::move(changed), {id}};
  });
}

Result<std::vector<Quest>> Quests::move_quest(const RequestContext& request, const std::string& id, QuestStatus status,
                                              const std::string& note) {
  return change_quests(request, [&](QuestGraph& graph) -> Result<std::vector<Quest>> {
    const Quest* quest = graph.find(id);
    // The same status with a note is progress.
    if (quest != nullptr && quest->status == status && !note.empty()) return graph.set_progress(id, note);
    return graph.set_status(id, status, note);
  });
}

}  // namespace weft
