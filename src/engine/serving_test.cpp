#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "base/threads.h"
#include "ports/embedding/embedder.h"
#include "tests/support/engine_fixture.h"

namespace weft::test {
namespace {

// Remembers what it was asked with.
class ListeningEmbedder final : public Embedder {
 public:
  explicit ListeningEmbedder(Sync<std::multiset<std::string>>& asked) : asked_(asked) {}
  std::string name() const override { return "listening"; }
  std::size_t dimensions() const override { return 64; }
  std::string prefix(EmbedUse use) const override { return use == EmbedUse::kQuery ? "query: " : ""; }
  std::int64_t count_tokens(std::string_view text) const override { return inner_.count_tokens(text); }
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override {
    if (use == EmbedUse::kQuery) asked_.lock()->insert(std::string(text));
    return inner_.embed(text, use, deadline);
  }

 private:
  Sync<std::multiset<std::string>>& asked_;
  HashEmbedder inner_{64};
};

class QueryForesightTest : public EngineTest {
 protected:
  void open_listening() {
    EngineParts parts;
    parts.clock = std::make_unique<FakeClock>(clock_);
    parts.embedder = std::make_unique<CachedEmbedder>(std::make_shared<ListeningEmbedder>(asked_), 64);
    auto opened = EngineImpl::open(config_, std::move(parts));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    engine_ = std::move(opened).value();
  }
  std::size_t times(const std::string& text) { return asked_.lock()->count(text); }

  Sync<std::multiset<std::string>> asked_;
};

TEST_F(QueryForesightTest, the_vector_of_what_will_be_asked_is_made_while_it_is_written_down) {
  open_listening();
  const std::vector<Message> history{user("Hello."), assistant("Good day."), user("Where did I put the blue kite?")};
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).sync(history).ok());
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (times("Where did I put the blue kite?") == 0 && std::chrono::steady_clock::now() < patience)
    std::this_thread::yield();
  ContextRequest what;
  what.history = history;
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).context(what).ok());
  EXPECT_EQ(times("Where did I put the blue kite?"), 1U) << "what was foreseen is used";
}

TEST_F(QueryForesightTest, a_history_that_ends_with_an_answer_asks_nothing) {
  open_listening();
  ASSERT_TRUE(
      engine_->session(as("ann"), SessionId("s")).sync(std::vector{user("Hello."), assistant("Good day.")}).ok());
  engine_ = nullptr;
  EXPECT_TRUE(asked_.lock()->empty());
}

}  // namespace
}  // namespace weft::test
