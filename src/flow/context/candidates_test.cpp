#include "flow/context/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/large_text.h"
#include "text/token_counter.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kNow = 1'772'400'000'000;

Hit hit(std::string id, std::string text, double score, double relevance = 1, std::int64_t days_ago = 0) {
  Hit one;
  one.item.id = ItemId(std::move(id));
  one.item.text = std::move(text);
  one.item.time.ms = kNow - days_ago * kDay;
  one.score = score;
  one.relevance = relevance;
  return one;
}

Quest quest(std::string id, QuestStatus status, std::vector<std::string> prerequisites = {}, std::string title = {}) {
  Quest one;
  one.id = std::move(id);
  one.title = title.empty() ? one.id : std::move(title);
  one.status = status;
  one.prerequisites = std::move(prerequisites);
  return one;
}

/// A memory that answers lore (here: profiles) and narratives by script and keeps what it was asked.
struct Memory {
  std::vector<Hit> lore, narrative;
  std::vector<SearchRequest> asked;

  CandidatePorts ports() {
    CandidatePorts ports;
    ports.recall = [this](const SearchRequest& request, const Deadline&) -> Result<SearchResult> {
      asked.push_back(request);
      SearchResult found;
      const bool of_lore = request.kinds == std::vector<ItemKind>{ItemKind::kProfile};
      found.hits = of_lore ? lore : narrative;
      found.by = of_lore ? MadeBy::kModel : MadeBy::kFloor;
      return found;
    };
    return ports;
  }
};

CandidateOptions options() {
  CandidateOptions options;
  options.lore_kinds = {ItemKind::kProfile};
  return options;
}

CandidateInput input(std::string text, std::vector<std::string> keywords = {}) {
  CandidateInput input;
  input.input = std::move(text);
  input.plan.search_intent.focus_keywords = std::move(keywords);
  input.now.ms = kNow;
  return input;
}

std::vector<std::string> ids(const CandidatePool& pool) {
  std::vector<std::string> ids;
  for (const CurationCandidate& one : pool.items) ids.push_back(one.id);
  return ids;
}

TEST(Candidates, HC_8_query_joins_keywords_and_input_without_repeating) {
  PlanContext plan;
  plan.search_intent.focus_keywords = {"Iron Sword", "Blacksmith", "blacksmith", "village"};
  EXPECT_EQ(curation_query(plan, "Who forged the iron sword?"), "Blacksmith village Who forged the iron sword?");
  plan.search_intent.focus_keywords = {"神庙", "钥匙", ""};
  EXPECT_EQ(curation_query(plan, "那把钥匙是村长的吗？"), "神庙 那把钥匙是村长的吗？");
  plan.search_intent.focus_keywords = {"神庙"};
  EXPECT_EQ(curation_query(plan, ""), "神庙");
  EXPECT_LT(curation_query(plan, std::string(1U << 20U, 'x')).size(), 5000U);
}

TEST(Candidates, HC_8_candidate_has_the_json_of_the_specification) {
  CurationCandidate one;
  one.id = one.ref = "lore_entry_052";
  one.preview = "森林神庙：位于低语森林深处的古代遗迹…";
  one.score = 0.85;
  one.tags = {"location", "ancient"};
  EXPECT_EQ(to_json(std::vector<CurationCandidate>{one}),
            R"([{"id":"lore_entry_052","type":"lore","source":"rag_chain","content_preview":)"
            R"("森林神庙：位于低语森林深处的古代遗迹…","metadata":{"score":0.85,"tags":["location","ancient"]}}])");
  one.preview = "broken \xff";
  EXPECT_TRUE(nlohmann::json::accept(to_json(std::vector<CurationCandidate>{one, one})));
}

TEST(Candidates, HC_8_previews_are_one_line_within_a_hundred_tokens) {
  std::string english, chinese;
  for (int i = 0; i < 200; ++i) {
    english += "The smith forged blade number " + std::to_string(i) + ".\nNobody bought it. ";
    chinese += "铁匠打造了一把新剑，村里没有人买。\n";
  }
  for (const std::string& text : {english, chinese, std::string(4000, 'x'), std::string("short"), std::string("短")}) {
    const std::string cut = preview_tokens(text, 100);
    EXPECT_LE(estimate_tokens(cut, TokenMode::kScript), 100);
    EXPECT_EQ(cut.find('\n'), std::string::npos);
    EXPECT_FALSE(find_invalid_utf8(cut).has_value());
  }
  EXPECT_EQ(preview_tokens("short", 100), "short");
  EXPECT_GT(estimate_tokens(preview_tokens(english, 100), TokenMode::kScript), 75);
  EXPECT_TRUE(preview_tokens(english, 100).ends_with(".…"));
  EXPECT_TRUE(preview_tokens(chinese, 100).ends_with("。…"));
  EXPECT_EQ(preview_tokens("text", 0), "");
  const std::string large(test::kLargeText, '\xff');
  EXPECT_FALSE(find_invalid_utf8(preview_tokens(large, 100)).has_value());
}

TEST(Candidates, HC_8_chains_are_asked_for_what_is_theirs) {
  Memory memory;
  memory.lore = {hit("l1", "the temple", 2)};
  memory.narrative = {hit("n1", "they met", 3)};
  const CandidatePool pool = gather_candidates(memory.ports(), input("temple"), options(), {});
  ASSERT_EQ(memory.asked.size(), 2U);
  EXPECT_EQ(memory.asked[0].recipe, "vectors");
  EXPECT_EQ(memory.asked[1].recipe, "words");
  EXPECT_EQ(memory.asked[1].kinds, (std::vector<ItemKind>{ItemKind::kNarrative, ItemKind::kEvent}));
  EXPECT_EQ(pool.items.size(), 2U);
  EXPECT_EQ(pool.by, MadeBy::kModel);
}

TEST(Candidates, HC_8_weights_of_the_plan_order_the_chains) {
  Memory memory;
  memory.lore = {hit("l1", "the temple", 0.9), hit("l2", "the wood", 0.45)};
  memory.narrative = {hit("n1", "they met at the temple", 40)};
  CandidateInput what = input("temple");
  what.plan.search_intent.domain_weight = {.narrative = 0.2, .lore = 0.8, .event = 0.5};
  EXPECT_EQ(ids(gather_candidates(memory.ports(), what, options(), {})), (std::vector<std::string>{"l1", "l2", "n1"}));
  what.plan.search_intent.domain_weight = {.narrative = 0.8, .lore = 0.2, .event = 0.5};
  EXPECT_EQ(ids(gather_candidates(memory.ports(), what, options(), {})), (std::vector<std::string>{"n1", "l1", "l2"}));
  what.plan.search_intent.domain_weight.narrative = 0;
  memory.asked.clear();
  EXPECT_EQ(ids(gather_candidates(memory.ports(), what, options(), {})), (std::vector<std::string>{"l1", "l2"}));
  EXPECT_EQ(memory.asked.size(), 1U);
}

TEST(Candidates, HC_8_chain_where_nothing_is_relevant_counts_less) {
  Memory memory;
  memory.lore = {hit("l1", "something else", 0.9, 0.02)};
  memory.narrative = {hit("n1", "they met at the temple", 4, 0.95)};
  EXPECT_EQ(ids(gather_candidates(memory.ports(), input("temple"), options(), {}))[0], "n1");
}

TEST(Candidates, HC_8_recent_narratives_come_first_unless_the_plan_looks_back) {
  Memory memory;
  memory.lore = {hit("l1", "a lore", 1)};
  memory.narrative = {hit("old", "很久以前的约定", 10, 1, 400), hit("new", "昨天的约定", 8, 1, 1)};
  CandidateInput what = input("约定");
  EXPECT_EQ(ids(gather_candidates(memory.ports(), what, options(), {})),
            (std::vector<std::string>{"l1", "new", "old"}));
  what.plan.search_intent.temporal_context = "past";
  const CandidatePool past = gather_candidates(memory.ports(), what, options(), {});
  EXPECT_EQ(ids(past), (std::vector<std::string>{"old", "new", "l1"}));
  EXPECT_GT(past.items[0].weighted, 1.5 * past.items[2].weighted);
}

TEST(Candidates, HC_8_quests_are_walked_from_the_active_one) {
  Memory memory;
  CandidateInput what = input("hello");
  what.plan.active_quest_id = "q3";
  what.quests = {quest("q1", QuestStatus::kCompleted),      quest("q2", QuestStatus::kCompleted, {"q1"}),
                 quest("q3", QuestStatus::kActive, {"q2"}), quest("q4", QuestStatus::kLocked, {"q3"}),
                 quest("q5", QuestStatus::kLocked, {"q4"}), quest("q6", QuestStatus::kActive, {"q2"}),
                 quest("far", QuestStatus::kCompleted)};
  const CandidatePool pool = gather_candidates(memory.ports(), what, options(), {});
  EXPECT_EQ(ids(pool), (std::vector<std::string>{"q2", "q4", "q1"}));
  EXPECT_GT(pool.items[1].score, pool.items[2].score);
  EXPECT_EQ(pool.items[0].chain, Chain::kEvent);
  what.input = "far away";  // words find it where the graph does not
  EXPECT_EQ(ids(gather_candidates(memory.ports(), what, options(), {})).size(), 4U);
}

TEST(Candidates, HC_8_walk_survives_cycles_and_loose_ends) {
  std::vector<Quest> quests{quest("a", QuestStatus::kActive, {"b", "nowhere"}), quest("b", QuestStatus::kLocked, {"a"}),
                            quest("c", QuestStatus::kLocked, {"b", "c"}), quest("b", QuestStatus::kLocked)};
  const auto steps = walk_quests(quests, "a", 10);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[2].index, 2U);
  EXPECT_EQ(steps[2].distance, 2U);
  EXPECT_TRUE(walk_quests(quests, "nowhere", 10).empty());
  for (int i = 0; i < 20'000; ++i)
    quests.push_back(
        quest("n" + std::to_string(i), QuestStatus::kCompleted, {i == 0 ? "a" : "n" + std::to_string(i - 1)}));
  EXPECT_EQ(walk_quests(quests, "a", 100'000).size(), 20'003U);
}

TEST(Candidates, HC_8_pool_is_about_fifty_and_every_chain_keeps_some) {
  Memory memory;
  for (int i = 0; i < 50; ++i) {
    memory.lore.push_back(hit("l" + std::to_string(i), "lore", 100 - i));
    memory.narrative.push_back(hit("n" + std::to_string(i), "narrative", 100 - i, 0));
  }
  CandidateInput what = input("x");
  what.plan.search_intent.domain_weight = {.narrative = 0.05, .lore = 1, .event = 0};
  const CandidatePool pool = gather_candidates(memory.ports(), what, options(), {});
  EXPECT_EQ(pool.items.size(), 50U);
  EXPECT_EQ(std::count_if(pool.items.begin(), pool.items.end(),
                          [](const CurationCandidate& one) { return one.chain == Chain::kNarrative; }),
            5);
}

TEST(Candidates, HC_8_ids_are_unique_and_the_history_is_left_out) {
  Memory memory;
  memory.lore = {hit("same", "lore", 2), hit("same", "lore again", 1)};
  memory.narrative = {hit("same", "narrative", 2), hit("shown", "stands in the prompt", 2)};
  memory.narrative[1].item.session = SessionId("s");
  memory.narrative[1].item.position = 7;
  CandidateInput what = input("x");
  what.session = SessionId("s");
  what.history_from = 5;
  const CandidatePool pool = gather_candidates(memory.ports(), what, options(), {});
  ASSERT_EQ(pool.items.size(), 2U);
  EXPECT_EQ(pool.items[0].id, "same");
  EXPECT_EQ(pool.items[1].id, "narrative:same");
  EXPECT_EQ(pool.items[1].ref, "same");
}

TEST(Candidates, HC_8_chain_that_fails_is_noted_and_the_rest_goes_on) {
  CandidatePorts ports;
  ports.recall = [](const SearchRequest&, const Deadline&) -> Result<SearchResult> { return unavailable("disk gone"); };
  CandidateInput what = input("hello", {"broken \xff"});
  what.plan.active_quest_id = "a";
  what.quests = {quest("a", QuestStatus::kActive), quest("b", QuestStatus::kCompleted, {"a"})};
  const CandidatePool pool = gather_candidates(ports, what, options(), {});
  EXPECT_EQ(ids(pool), std::vector<std::string>{"b"});
  ASSERT_FALSE(pool.notes.empty());
  EXPECT_EQ(pool.notes.back(), "narrative: disk gone");
  const CandidatePool none = gather_candidates({}, {}, {}, {});
  EXPECT_TRUE(none.items.empty());
}

}  // namespace
}  // namespace weft
