// A change of the embedding model while the engine is in use.
#include <atomic>
#include <map>
#include <thread>

#include "tests/support/engine_fixture.h"

namespace weft::test {
namespace {

constexpr std::chrono::seconds kPatience{30};

// A hash embedder whose work can be held back: what it embeds as a passage waits until there is an allowance for it.
// Shared by every engine that asks for the model, so that a test can look at it from outside.
struct Lever {
  explicit Lever(std::size_t length) : dimensions(length) {}
  std::size_t dimensions;
  std::atomic<std::int64_t> allowed = 1'000'000;
  std::atomic<std::int64_t> passages = 0;
  std::atomic<std::int64_t> queries = 0;
  std::atomic<bool> missing = false;
};

class HeldEmbedder final : public Embedder {
 public:
  HeldEmbedder(std::string name, std::shared_ptr<Lever> lever)
      : inner_(lever->dimensions, std::move(name)), lever_(std::move(lever)) {}
  std::string name() const override { return inner_.name(); }
  std::size_t dimensions() const override { return inner_.dimensions(); }
  std::int64_t count_tokens(std::string_view text) const override { return inner_.count_tokens(text); }
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override {
    if (use == EmbedUse::kQuery) ++lever_->queries;
    if (use == EmbedUse::kPassage) {
      while (lever_->allowed.load() <= 0) {
        if (deadline.passed()) return deadline_error(deadline, "held");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      --lever_->allowed;
      ++lever_->passages;
    }
    return inner_.embed(text, use, deadline);
  }

 private:
  HashEmbedder inner_;
  std::shared_ptr<Lever> lever_;
};

class Reembed : public EngineTest {
 protected:
  Reembed() {
    levers_["a"] = std::make_shared<Lever>(256);
    levers_["b"] = std::make_shared<Lever>(128);
    levers_["c"] = std::make_shared<Lever>(256);
  }

  void open_with(const std::string& model) {
    engine_ = nullptr;
    config_.embedding.model = model;
    EngineParts parts;
    parts.clock = std::make_unique<FakeClock>(clock_);
    parts.embedders = [this](const std::string& name) -> std::unique_ptr<Embedder> {
      const auto& lever = levers_.at(name);
      if (lever->missing) return nullptr;
      return std::make_unique<HeldEmbedder>(name, lever);
    };
    auto opened = EngineImpl::open(config_, std::move(parts));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    engine_ = std::move(opened).value();
  }

  // Twenty turns with vectors of model a.
  void fill() {
    open_with("a");
    for (int i = 0; i < 20; ++i) turn("question about thing" + std::to_string(i), "it is kept");
    drain();
  }

  bool wait_until(const std::function<bool()>& reached) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!reached()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  void wait_for_change() {
    ASSERT_TRUE(wait_until([&] { return engine_->status().next_embedder.empty(); }));
  }

  // The similarity signal is there only where query and index are of one model.
  SearchResult by_vectors(const std::string& query) {
    SearchRequest what;
    what.query = query;
    what.recipe = "vectors";
    return engine_->memory(as("ann")).search(what).value_or({});
  }
  static double best(const SearchResult& found, const std::string& text) {
    for (const Hit& hit : found.hits) {
      if (hit.item.text.find(text) != std::string::npos) return hit.score;
    }
    return -1;
  }

  Lever& lever(const std::string& name) { return *levers_.at(name); }
  std::map<std::string, std::shared_ptr<Lever>> levers_;
};

TEST_F(Reembed, PF_13_the_old_index_serves_until_the_new_one_is_complete) {
  fill();
  lever("b").allowed = 5;
  open_with("b");
  ASSERT_TRUE(wait_until([&] { return lever("b").passages == 5; }));
  EngineStatus status = engine_->status();
  EXPECT_EQ(status.embedder, "a");
  EXPECT_EQ(status.embedder_state, "ready");
  EXPECT_EQ(status.next_embedder, "b");
  const std::uint64_t all = status.next_all;
  EXPECT_GE(all, 40u);
  const std::int64_t asked = lever("a").queries;
  const SearchResult during = by_vectors("question about thing7");
  EXPECT_EQ(during.by, MadeBy::kModel);
  EXPECT_EQ(lever("a").queries, asked + 1);
  EXPECT_EQ(lever("b").queries, 0);
  ASSERT_FALSE(during.hits.empty());
  EXPECT_NE(during.hits[0].item.text.find("thing7"), std::string::npos);

  // What is written meanwhile is in the index that serves, with a vector.
  turn("a word about the newest zebra", "yes");
  drain();
  const SearchResult newest = by_vectors("a word about the newest zebra");
  ASSERT_FALSE(newest.hits.empty());
  EXPECT_NE(newest.hits[0].item.text.find("zebra"), std::string::npos);

  lever("b").allowed = 1'000'000;
  wait_for_change();
  drain();
  status = engine_->status();
  EXPECT_EQ(status.embedder, "b");
  EXPECT_EQ(status.unembedded, 0u);
  const std::int64_t before = lever("a").queries;
  for (const char* text : {"question about thing7", "a word about the newest zebra"}) {
    const SearchResult after = by_vectors(text);
    EXPECT_EQ(after.by, MadeBy::kModel);
    ASSERT_FALSE(after.hits.empty());
    EXPECT_NE(after.hits[0].item.text.find(text), std::string::npos);
  }
  EXPECT_EQ(lever("a").queries, before);
  EXPECT_GE(lever("b").queries, 2);
}

TEST_F(Reembed, PF_13_what_is_written_after_the_change_and_after_a_restart_is_of_the_new_model) {
  fill();
  open_with("b");
  wait_for_change();
  turn("a late walrus swims", "it does");
  drain();
  EXPECT_NE(by_vectors("a late walrus swims").hits.at(0).item.text.find("walrus"), std::string::npos);
  const std::int64_t made = lever("b").passages;
  open_with("b");
  drain();
  EXPECT_TRUE(engine_->status().next_embedder.empty());
  EXPECT_EQ(engine_->status().embedder, "b");
  EXPECT_NE(by_vectors("question about thing3").hits.at(0).item.text.find("thing3"), std::string::npos);
  EXPECT_EQ(lever("b").passages, made);
}

TEST_F(Reembed, PF_13_an_interrupted_change_goes_on_where_it_was) {
  fill();
  std::uint64_t all = 0;
  for (int run = 0; run < 3; ++run) {
    lever("b").allowed = 18;
    open_with("b");
    all = engine_->status().next_all;
    const std::int64_t target = 18 * (run + 1);
    if (all > static_cast<std::uint64_t>(target)) {
      ASSERT_TRUE(wait_until([&] { return lever("b").passages >= target; }));
    }
    engine_ = nullptr;
  }
  lever("b").allowed = 1'000'000;
  open_with("b");
  wait_for_change();
  EXPECT_EQ(engine_->status().embedder, "b");
  // At most a batch of sixteen was made twice at each of the interruptions.
  EXPECT_LE(lever("b").passages, static_cast<std::int64_t>(all) + 3 * 16);
  EXPECT_NE(by_vectors("question about thing11").hits.at(0).item.text.find("thing11"), std::string::npos);
}

TEST_F(Reembed, PF_13_going_back_before_the_end_discards_what_was_made) {
  fill();
  const std::int64_t made = lever("a").passages;
  lever("b").allowed = 20;
  open_with("b");
  ASSERT_TRUE(wait_until([&] { return engine_->status().next_done >= 16; }));
  open_with("a");
  drain();
  EXPECT_TRUE(engine_->status().next_embedder.empty());
  EXPECT_EQ(engine_->status().embedder, "a");
  EXPECT_EQ(lever("a").passages, made);
  EXPECT_NE(by_vectors("question about thing5").hits.at(0).item.text.find("thing5"), std::string::npos);
  lever("b").allowed = 0;
  open_with("b");
  EXPECT_EQ(engine_->status().next_done, 0u);
}

TEST_F(Reembed, PF_13_another_third_model_begins_anew_and_the_old_one_serves) {
  fill();
  lever("b").allowed = 20;
  open_with("b");
  ASSERT_TRUE(wait_until([&] { return engine_->status().next_done >= 16; }));
  lever("c").allowed = 0;
  open_with("c");
  EXPECT_EQ(engine_->status().embedder, "a");
  EXPECT_EQ(engine_->status().next_embedder, "c");
  EXPECT_EQ(engine_->status().next_done, 0u);
  EXPECT_EQ(by_vectors("question about thing5").by, MadeBy::kModel);
  lever("c").allowed = 1'000'000;
  wait_for_change();
  EXPECT_NE(by_vectors("question about thing5").hits.at(0).item.text.find("thing5"), std::string::npos);
}

TEST_F(Reembed, PF_13_without_the_old_model_words_serve_until_the_new_one_is_complete) {
  fill();
  lever("a").missing = true;
  lever("b").allowed = 3;
  open_with("b");
  EXPECT_EQ(engine_->status().embedder, "none");
  EXPECT_EQ(engine_->status().next_embedder, "b");
  SearchRequest what;
  what.query = "thing7";
  const auto words = engine_->memory(as("ann")).search(what).value();
  EXPECT_EQ(words.by, MadeBy::kFloor);
  ASSERT_FALSE(words.hits.empty());
  EXPECT_NE(words.hits[0].item.text.find("thing7"), std::string::npos);
  lever("b").allowed = 1'000'000;
  wait_for_change();
  EXPECT_EQ(by_vectors("question about thing7").by, MadeBy::kModel);
  EXPECT_NE(by_vectors("question about thing7").hits.at(0).item.text.find("thing7"), std::string::npos);
}

TEST_F(Reembed, PF_13_a_new_model_that_is_missing_leaves_the_old_one_serving) {
  fill();
  lever("b").missing = true;
  open_with("b");
  const EngineStatus status = engine_->status();
  EXPECT_EQ(status.embedder, "a");
  EXPECT_EQ(status.next_embedder, "b");
  EXPECT_EQ(status.next_embedder_state.rfind("failed: ", 0), 0u);
  EXPECT_EQ(by_vectors("question about thing7").by, MadeBy::kModel);
}

TEST_F(Reembed, PF_13_an_erased_item_does_not_come_back_with_the_new_model) {
  fill();
  engine_ = nullptr;
  const std::string secret = "thing7";
  lever("b").allowed = 1'000'000;
  const std::string url = "sqlite:" + config_.workspace + "/weft.db";
  {
    auto store = open_store(url).value();
    WriteBatch batch;
    std::vector<NextVector> next;
    const auto items = store->next_vectors().missing("b", 0, 1000);
    for (const NextItem& item : items.value()) {
      if (item.text.find(secret) == std::string::npos) continue;
      batch.erased_items.push_back(item.row);
      next.push_back({item.row, item.text, Vector(128, 0.0884F)});
    }
    ASSERT_FALSE(next.empty());
    ASSERT_TRUE(store->next_vectors().keep("b", next).ok());
    ASSERT_TRUE(store->write(batch).ok());
    // The thread that had read the item before it was erased comes too late.
    ASSERT_TRUE(store->next_vectors().keep("b", next).ok());
    EXPECT_EQ(store->next_vectors().count("b")->done, 0u);
  }
  open_with("b");
  wait_for_change();
  drain();
  for (const Hit& hit : by_vectors("question about " + secret).hits)
    EXPECT_EQ(hit.item.text.find("about " + secret), std::string::npos);
}

TEST_F(Reembed, PF_13_the_open_topic_goes_on_through_the_change) {
  open_with("a");
  turn("the red boat sails on the lake", "a boat on a lake");
  lever("b").allowed = 0;
  open_with("b");
  turn("does the red boat sail on the lake again", "a boat on a lake");
  lever("b").allowed = 1'000'000;
  wait_for_change();
  const ObserveReport joined = turn("is the red boat still on the lake", "a boat on a lake");
  EXPECT_TRUE(joined.flushed.empty());
  ASSERT_TRUE(joined.observations.back().decision);
  EXPECT_EQ(joined.observations.back().decision->verdict, Verdict::kAdsorb);
  EXPECT_EQ(joined.observations.back().decision->by, MadeBy::kModel);
  EXPECT_EQ(turn("python compilers parse grammar rules quickly", "indeed they do").flushed.size(), 1u);
}

TEST_F(Reembed, PF_13_the_change_happens_while_four_threads_search_and_write) {
  fill();
  lever("b").allowed = 0;
  open_with("b");
  std::atomic<bool> over = false;
  std::atomic<int> wrong = 0, written = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; !over; ++i) {
        const std::string text = "note" + std::to_string(t) + "x" + std::to_string(i) + " of a worker";
        const auto kept = engine_->session(as("ann"), SessionId("t" + std::to_string(t)))
                              .observe(std::vector<Message>{weft::test::user(text), assistant("kept")});
        if (!kept.ok()) ++wrong;
        ++written;
        SearchRequest what;
        what.query = text;
        const auto own = engine_->memory(as("ann")).search(what);
        if (!own.ok() || best(*own, text) < 0) ++wrong;
        const SearchResult old = by_vectors("question about thing" + std::to_string(i % 20));
        if (old.by != MadeBy::kModel || best(old, "thing" + std::to_string(i % 20)) < 0.9) ++wrong;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  }
  ASSERT_TRUE(wait_until([&] { return written > 40; }));
  lever("b").allowed = 1'000'000;
  EXPECT_TRUE(wait_until([&] { return engine_->status().next_embedder.empty(); }));
  const int at_change = written;
  EXPECT_TRUE(wait_until([&] { return written > at_change + 20; }));
  over = true;
  threads.clear();
  EXPECT_EQ(wrong, 0);
  drain();
  EXPECT_EQ(engine_->status().embedder, "b");
  // Every item is found by its vector, in the index that was kept up and in one that is read anew.
  for (const bool again : {false, true}) {
    if (again) open_with("b");
    for (int t = 0; t < 4; ++t) {
      const std::string text = "note" + std::to_string(t) + "x0 of a worker";
      EXPECT_GE(best(by_vectors(text), text), 0.9) << text << again;
    }
  }
}

}  // namespace
}  // namespace weft::test
