// Quests of a story: those of its world, and over them the scope's own.
#include "engine/quests.h"

#include <set>

#include "engine/engine_core.h"
#include "flow/memory/quest_graph.h"
#include "model/quest.h"

namespace weft {
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
