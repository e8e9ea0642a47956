#include "eval/bench_context.h"

#include <random>
#include <thread>

#include "base/clock.h"
#include "flow/compaction/compact.h"
#include "flow/context/curate.h"
#include "flow/context/skeleton.h"
#include "flow/memory/state_tree.h"

namespace weft {
namespace {

Value made_up_state(std::size_t entities) {
  ValueList items;
  for (std::size_t i = 0; i < entities; ++i) {
    items.push_back(ValueObject{{"id", "item_" + std::to_string(i)},
                                {"name", "Thing number " + std::to_string(i)},
                                {"count", static_cast<std::int64_t>(i % 17)},
                                {"worn", i % 3 == 0}});
  }
  return ValueObject{{"health", ValueObject{{"value", 85}, {"description", "hurt"}}},
                     {"bag", ValueObject{{"_anchor", "bag"}, {"items", std::move(items)}}}};
}

Status bench_skeleton(BenchReport& report) {
  constexpr std::size_t kRuns = 100;
  WEFT_TRY(const StateTree tree, StateTree::from(made_up_state(10'000)));
  Skeleton skeleton;
  PlanContext plan;
  plan.template_id = "narrative";
  plan.current_goal = "Find the key";
  std::vector<double> fresh, kept;
  for (std::size_t i = 0; i < kRuns; ++i) {
    Stopwatch clock;
    WEFT_TRY(const std::string yaml, skeleton_state(tree.root()));
    SkeletonInput input;
    input.state = &tree.root();
    input.state_version = 1;
    input.state_yaml = yaml;
    input.plan = &plan;
    WEFT_TRY(const std::string text, skeleton.render(input, plan.template_id));
    fresh.push_back(clock.ms());
    clock.restart();
    WEFT_TRY(const std::string again, skeleton.render(input, plan.template_id));
    kept.push_back(clock.ms());
  }
  report.lines.push_back(summarize("skeleton of 10,000 entities, state changed", fresh));
  report.lines.push_back(summarize("skeleton of 10,000 entities, state as before", kept));
  return {};
}

/// A model that answers long after anybody waits.
class SleepingModel final : public ChatModel {
 public:
  std::string name() const override { return "sleeping"; }
  std::int64_t window() const override { return 8192; }
  Result<ChatReply> complete(const ChatRequest&, const Deadline& deadline,
                             const std::function<bool(std::string_view)>&) override {
    for (int i = 0; i < 200 && !deadline.cancelled(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return timed_out("slept");
  }
  std::int64_t count_tokens(std::string_view) const override { return -1; }
};

void bench_curation(BenchReport& report) {
  constexpr std::size_t kRuns = 1000;
  constexpr std::chrono::milliseconds kTimeout{20};
  SleepingModel model;
  CurateOptions options;
  options.timeout = kTimeout;
  options.candidates.lore_kinds = {ItemKind::kLore};
  Curator curator(options, &model);
  std::vector<double> over;
  for (std::size_t i = 0; i < kRuns; ++i) {
    CurateRequest wish;
    wish.key = {ScopeKey("user:bench"), SessionId("s")};
    wish.what.input = "the silver key of the lighthouse";
    wish.ports.recall = [](const SearchRequest&, const Deadline&) -> Result<SearchResult> { return SearchResult(); };
    wish.what.plan.active_quest_id = "key";
    wish.what.quests = {{"key", "The key", "Find the key", QuestStatus::kActive, "", {"boat"}, {}, {}, ""},
                        {"boat", "The boat", "Mend the boat", QuestStatus::kCompleted, "", {}, {"key"}, {}, ""}};
    wish.fetch = [](const CurationCandidate&) -> Result<CuratedEntry> { return CuratedEntry(); };
    const Stopwatch clock;
    PendingCuration pending = curator.start(std::move(wish));
    (void)pending.wait();
    over.push_back(std::max(0.0, clock.ms() - static_cast<double>(kTimeout.count())));
  }
  report.lines.push_back(summarize("curation beyond its time-out, model asleep", over));
}

Status bench_compaction(BenchReport& report) {
  constexpr std::size_t kRuns = 5;
  std::mt19937_64 random(3);
  CompactInput input;
  input.session = SessionId("s");
  const TokenCounter tokens(TokenMode::kScript);
  std::int64_t count = 0;
  for (std::size_t turn = 0; count < 100'000; ++turn) {
    for (const Role role : {Role::kUser, Role::kAssistant}) {
      Message message;
      message.id = MessageId("m" + std::to_string(input.history.size()));
      message.role = role;
      for (int word = 0; word < 120; ++word) {
        message.content += (word == 0 ? "" : word % 14 == 0 ? ". " : " ");
        for (int letter = 0; letter < 6; ++letter) message.content += static_cast<char>('a' + random() % 20);
      }
      message.content += ". You must keep src/file_" + std::to_string(turn) + ".cpp.";
      count += tokens.count(message.content);
      input.history.push_back(std::move(message));
    }
  }
  input.options.target_tokens = 20'000;
  std::vector<double> times;
  for (std::size_t i = 0; i < kRuns; ++i) {
    int number = 0;
    const CompactPorts ports{tokens, nullptr, [&number] { return std::to_string(++number); }, {}};
    const Stopwatch clock;
    WEFT_TRY(const Compacted made, compact(input, ports, Deadline()));
    times.push_back(clock.ms());
  }
  report.lines.push_back(summarize("compaction of 100,000 tokens, no model", times));
  return {};
}

}  // namespace

Status bench_context_parts(BenchReport& report) {
  WEFT_CHECK(bench_skeleton(report));
  bench_curation(report);
  return bench_compaction(report);
}

}  // namespace weft
