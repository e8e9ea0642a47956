#include "flow/memory/quest_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "model/documents.h"
#include "tests/support/large_text.h"

namespace weft {
namespace {

constexpr const char* kLighthouse = R"(# The lamp of Grey Point
quests:
  - id: q_oil
    title: Lamp oil
    objective: Buy three jars of lamp oil at the harbour
    tags: [harbour, errand]
  - id: q_lens
    title: 灯塔透镜
    objective: 从沉船里取回透镜
    status: in_progress
    progress: 已下潜一次
  - id: q_light
    name: The lamp burns again
    description: Light the lamp before the fleet returns
    requires: [q_oil, q_lens]
    unlocks: q_fleet
  - id: q_fleet
    objective: 迎接归航的船队
)";

QuestGraph lighthouse(QuestGraph::Options options = {}) {
  const auto quests = import_quests(kLighthouse, "grey_point.yaml");
  EXPECT_TRUE(quests.ok()) << quests.error().message;
  auto graph = QuestGraph::make(*quests, options);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return *graph;
}

std::vector<std::string> ids(const std::vector<Quest>& quests) {
  std::vector<std::string> names;
  for (const Quest& quest : quests) names.push_back(quest.id);
  return names;
}

Quest quest(const std::string& id, std::vector<std::string> prerequisites = {}) {
  Quest made;
  made.id = id;
  made.prerequisites = std::move(prerequisites);
  return made;
}

using Names = std::vector<std::string>;

TEST(QuestGraph, HC_3_a_file_of_quests_becomes_a_graph) {
  const QuestGraph graph = lighthouse();
  ASSERT_EQ(graph.quests().size(), 4u);
  EXPECT_EQ(graph.find("q_oil")->status, QuestStatus::kAvailable);
  EXPECT_EQ(graph.find("q_lens")->status, QuestStatus::kActive);
  EXPECT_EQ(graph.find("q_lens")->progress, "已下潜一次");
  EXPECT_EQ(graph.find("q_light")->status, QuestStatus::kLocked);
  EXPECT_EQ(graph.find("q_light")->title, "The lamp burns again");
  EXPECT_EQ(graph.find("q_light")->objective, "Light the lamp before the fleet returns");
  EXPECT_EQ(graph.find("q_oil")->successors, Names{"q_light"});
  EXPECT_EQ(graph.find("q_fleet")->prerequisites, Names{"q_light"});
  for (const Quest& one : graph.quests()) EXPECT_EQ(one.status == QuestStatus::kActive, one.id == "q_lens") << one.id;
  EXPECT_EQ(graph.find("q_nowhere"), nullptr);
}

TEST(QuestGraph, HC_3_yaml_and_json_say_the_same) {
  const auto yaml = import_quests(kLighthouse, "a.yaml");
  ASSERT_TRUE(yaml.ok());
  const auto json = import_quests(to_json(*yaml), "a.json");
  ASSERT_TRUE(json.ok()) << json.error().message;
  EXPECT_EQ(to_json(*json), to_json(*yaml));
  const auto by_id = import_quests("quests:\n  a: {title: One}\n  b: {requires: a}\n", "b.yaml");
  ASSERT_TRUE(by_id.ok()) << by_id.error().message;
  EXPECT_EQ(ids(*by_id), (Names{"a", "b"}));
  EXPECT_EQ((*by_id)[1].prerequisites, Names{"a"});
  EXPECT_EQ(import_quests("[{id: 7, status: active}]", "flow.yaml")->front().id, "7");
  EXPECT_TRUE(import_quests("", "empty.yaml")->empty());
  const auto one = parse_quest(to_json(yaml->front()));
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(to_json(*one), to_json(yaml->front()));
}

TEST(QuestGraph, HC_3_completing_one_activates_what_waited_for_it) {
  QuestGraph graph = lighthouse();
  auto changed = graph.set_status("q_oil", QuestStatus::kCompleted, "paid with a pearl");
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(ids(*changed), Names{"q_oil"});  // the lens is missing still
  EXPECT_EQ(changed->front().outcome, "paid with a pearl");
  changed = graph.set_status("q_lens", QuestStatus::kCompleted);
  EXPECT_EQ(ids(*changed), (Names{"q_lens", "q_light"}));
  EXPECT_EQ(graph.find("q_light")->status, QuestStatus::kActive);
  EXPECT_EQ(graph.find("q_fleet")->status, QuestStatus::kLocked);
  EXPECT_TRUE(graph.set_status("q_lens", QuestStatus::kCompleted)->empty());

  QuestGraph quiet = lighthouse({.activate_unlocked = false});
  ASSERT_TRUE(quiet.set_status("q_oil", QuestStatus::kCompleted).ok());
  ASSERT_TRUE(quiet.set_status("q_lens", QuestStatus::kCompleted).ok());
  EXPECT_EQ(quiet.find("q_light")->status, QuestStatus::kAvailable);
}

TEST(QuestGraph, HC_3_undoing_locks_again_and_failing_leaves_the_rest) {
  QuestGraph graph = lighthouse();
  ASSERT_TRUE(graph.set_status("q_oil", QuestStatus::kCompleted, "done").ok());
  ASSERT_TRUE(graph.set_status("q_lens", QuestStatus::kCompleted).ok());
  auto changed = graph.set_status("q_oil", QuestStatus::kActive);
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(ids(*changed), (Names{"q_oil", "q_light"}));
  EXPECT_EQ(graph.find("q_light")->status, QuestStatus::kLocked);
  EXPECT_EQ(graph.find("q_oil")->outcome, "");
  changed = graph.set_status("q_oil", QuestStatus::kFailed, "the shop burned down");
  EXPECT_EQ(ids(*changed), Names{"q_oil"});
  EXPECT_EQ(graph.find("q_light")->status, QuestStatus::kLocked);
  ASSERT_TRUE(graph.set_status("q_oil", QuestStatus::kAvailable).ok());
  changed = graph.set_status("q_oil", QuestStatus::kCompleted);
  EXPECT_EQ(ids(*changed), (Names{"q_oil", "q_light"}));
}

TEST(QuestGraph, HC_3_moves_that_make_no_sense_are_refused_and_change_nothing) {
  QuestGraph graph = lighthouse();
  const std::string before = to_json(graph.quests());
  const auto locked = graph.set_status("q_light", QuestStatus::kCompleted);
  ASSERT_FALSE(locked.ok());
  EXPECT_EQ(locked.error().code, ErrorCode::kConflict);
  EXPECT_NE(locked.error().message.find("\"q_oil\", \"q_lens\""), std::string::npos) << locked.error().message;
  EXPECT_FALSE(graph.set_status("q_light", QuestStatus::kActive).ok());
  EXPECT_FALSE(graph.set_status("q_oil", QuestStatus::kLocked).ok());
  EXPECT_EQ(graph.set_status("q_none", QuestStatus::kActive).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(graph.set_status("q_oil", QuestStatus::kFailed, "\xFF").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(to_json(graph.quests()), before);
  ASSERT_TRUE(graph.set_status("q_fleet", QuestStatus::kFailed).ok());  // a chance that is gone
  EXPECT_FALSE(graph.set_status("q_fleet", QuestStatus::kCompleted).ok());
  ASSERT_TRUE(graph.set_status("q_fleet", QuestStatus::kAvailable).ok());
  EXPECT_EQ(graph.find("q_fleet")->status, QuestStatus::kLocked);
}

TEST(QuestGraph, HC_3_graphs_that_do_not_hold_together_are_refused_by_name) {
  const auto message = [](std::vector<Quest> quests) {
    const auto graph = QuestGraph::make(std::move(quests));
    return graph.ok() ? std::string("ok") : graph.error().message;
  };
  EXPECT_NE(message({quest("a"), quest("b"), quest("a")}).find("twice: \"a\""), std::string::npos);
  EXPECT_NE(message({quest("a", {"ghost"})}).find("\"a\" has the unknown prerequisite \"ghost\""), std::string::npos);
  Quest before = quest("b");
  before.successors = {"nobody"};
  EXPECT_NE(message({before}).find("unknown successor \"nobody\""), std::string::npos);
  EXPECT_NE(message({quest("a", {"a"})}).find("\"a\" → \"a\""), std::string::npos);
  const std::string circle =
      message({quest("x"), quest("a", {"x", "c"}), quest("b", {"a"}), quest("c", {"b"}), quest("d", {"c"})});
  EXPECT_NE(circle.find("circle"), std::string::npos) << circle;
  for (const char* name : {"\"a\"", "\"b\"", "\"c\""}) EXPECT_NE(circle.find(name), std::string::npos) << circle;
  EXPECT_EQ(circle.find("\"d\""), std::string::npos) << circle;
  EXPECT_EQ(circle.find("\"x\""), std::string::npos) << circle;
}

TEST(QuestGraph, HC_3_broken_files_are_errors_that_name_file_and_quest) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"- id: a\n  prerequistes: [b]\n", "quest 1 (a): \"prerequistes\" is no field"},
      {"- title: x\n", "\"id\" must not be empty"},
      {"- id: a\n- id: b\n  status: almost\n", "quest 2 (b): \"status\" must be"},
      {"- id: a\n  tags: {x: y}\n", "\"tags\" must be text"},
      {"just words", "must be a list"},
      {"- a\n", "quest 1: must be an object"},
      {"[{\"id\": \"a\"}", "bad.yaml"},
      {"a: &a [x]\nb: [*a, *a]\n", "anchors"},
      {"{\"quests\": {\"a\": {\"id\": \"b\"}}}", "another id"},
      {"- id: \"a\\nb\"\n", "control characters"},
  };
  for (const auto& [file, message] : cases) {
    const auto quests = import_quests(file, "bad.yaml");
    ASSERT_FALSE(quests.ok()) << file;
    EXPECT_EQ(quests.error().message.rfind("bad.yaml", 0), 0u) << quests.error().message;
    EXPECT_NE(quests.error().message.find(message), std::string::npos) << quests.error().message;
  }
}

TEST(QuestGraph, HC_3_a_file_read_again_keeps_how_far_the_players_are) {
  QuestGraph graph = lighthouse();
  ASSERT_TRUE(graph.set_status("q_oil", QuestStatus::kCompleted, "paid").ok());
  ASSERT_TRUE(graph.set_progress("q_lens", "已下潜两次").ok());
  auto again = import_quests(kLighthouse, "grey_point.yaml");
  again->push_back(quest("q_feast", {"q_fleet"}));
  (*again)[1].status = QuestStatus::kLocked;
  (*again)[1].progress.clear();
  const auto changed = graph.put(*again);
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  EXPECT_EQ(ids(*changed), (Names{"q_fleet", "q_feast"}));
  EXPECT_EQ(graph.find("q_oil")->status, QuestStatus::kCompleted);
  EXPECT_EQ(graph.find("q_oil")->outcome, "paid");
  EXPECT_EQ(graph.find("q_lens")->progress, "已下潜两次");
  const std::string before = to_json(graph.quests());
  EXPECT_FALSE(graph.put({quest("q_oil", {"q_feast"})}).ok());  // a circle
  EXPECT_EQ(to_json(graph.quests()), before);
  EXPECT_EQ(graph.remove("q_fleet").error().code, ErrorCode::kConflict);
  EXPECT_EQ(ids(*graph.remove("q_feast")), Names{"q_fleet"});
  EXPECT_TRUE(graph.find("q_fleet")->successors.empty());
}

// Whatever is done, both directions say the same and nothing unbegun is open too early.
TEST(QuestGraph, HC_8_random_moves_keep_the_graph_in_step) {
  std::mt19937 random(11);
  for (int round = 0; round < (test::kSanitized ? 8 : 100); ++round) {
    std::vector<Quest> quests;
    for (std::size_t i = 0; i < 12; ++i) {
      quests.push_back(quest("q" + std::to_string(i)));
      for (std::size_t j = 0; j < i; ++j) {
        if (random() % 4 != 0) continue;
        if (random() % 2 == 0)
          quests[i].prerequisites.push_back("q" + std::to_string(j));
        else
          quests[j].successors.push_back("q" + std::to_string(i));
      }
    }
    std::shuffle(quests.begin(), quests.end(), random);
    auto graph = QuestGraph::make(quests, {.activate_unlocked = round % 2 == 0});
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    for (int step = 0; step < 60; ++step) {
      const auto status = static_cast<QuestStatus>(random() % 5);
      const std::string before = to_json(graph->quests());
      const auto changed = graph->set_status("q" + std::to_string(random() % 12), status);
      const bool none = !changed.ok() || changed->empty();
      ASSERT_EQ(to_json(graph->quests()) == before, none);
      for (const Quest& one : graph->quests()) {
        bool open = true;
        for (const std::string& id : one.prerequisites) {
          const Quest* other = graph->find(id);
          open = open && other->status == QuestStatus::kCompleted;
          ASSERT_EQ(std::count(other->successors.begin(), other->successors.end(), one.id), 1);
        }
        const bool ended = one.status == QuestStatus::kCompleted || one.status == QuestStatus::kFailed;
        ASSERT_TRUE(ended || open == (one.status != QuestStatus::kLocked));
      }
    }
  }
}

TEST(QuestGraph, HC_8_a_chain_of_fifty_thousand_is_no_trouble) {
  std::vector<Quest> quests{quest("q0")};
  for (int i = 1; i < 50'000; ++i) quests.push_back(quest("q" + std::to_string(i), {"q" + std::to_string(i - 1)}));
  auto graph = QuestGraph::make(quests);
  ASSERT_TRUE(graph.ok());
  quests[0].prerequisites = {"q49999"};
  const auto circle = QuestGraph::make(quests);
  ASSERT_FALSE(circle.ok());
  EXPECT_LT(circle.error().message.size(), 400u);
}

TEST(QuestGraph, HC_3_random_files_never_harm) {
  std::mt19937 random(3);
  for (int round = 0; round < 2'000; ++round) {
    std::string file =
        round % 2 == 0 ? std::string(kLighthouse) : R"({"quests":[{"id":"a","requires":["b"]},{"id":"b"}]})";
    for (int edits = 1 + static_cast<int>(random() % 6); edits > 0; --edits) {
      file[random() % file.size()] = static_cast<char>(random() % 256);
    }
    const auto quests = import_quests(file, "f");
    if (!quests.ok()) continue;
    const auto graph = QuestGraph::make(*quests);
    EXPECT_TRUE(graph.ok() || !graph.error().message.empty());
  }
}

}  // namespace
}  // namespace weft
