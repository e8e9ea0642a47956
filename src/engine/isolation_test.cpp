// No path leads from one scope to another: many users and groups at once, every way of reading, while others write.
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/support/engine_fixture.h"
#include "tests/support/large_text.h"

namespace weft::test {
namespace {

constexpr int kUsers = 24, kGroups = 12, kThreads = 4;

// A hundred thousand where it is run by itself; fewer among the unit tests, which also run under sanitizers.
int operations_of_each_thread() {
  const char* all = std::getenv("WEFT_OPERATIONS");
  return (all != nullptr ? std::atoi(all) : test::kSanitized ? 1'600 : 8'000) / kThreads;
}

// Every scope talks of its own secret, a word that stands nowhere else, among words that all scopes share.
std::string secret_of(const Scope& scope) {
  std::string word = "zq";
  const ScopeKey key = scope.key();
  for (const char c : key.str()) word += static_cast<char>('a' + (static_cast<unsigned char>(c) * 7) % 26);
  return word + (scope.is_group() ? "grp" : "usr") + std::to_string(std::hash<ScopeKey>{}(key) % 100000);
}

class Isolation : public EngineTest {
 protected:
  struct Other {
    RequestContext request;
    std::string secret;
  };

  void SetUp() override {
    config_.store = "memory:";
    config_.memory.index_mb = 0;  // one index at a time, so that they come and go
    open();
    for (int i = 0; i < kUsers; ++i) add(as("user" + std::to_string(i)));
    // The same people speak in groups, and a group may be called as a user is.
    for (int i = 0; i < kGroups; ++i) add(in("user" + std::to_string(i), "user" + std::to_string(i + 1)));
  }

  void add(RequestContext request) {
    std::string secret = secret_of(request.scope);
    scopes_.push_back({std::move(request), std::move(secret)});
  }

  void tell(const Other& own, const SessionId& session) {
    const Message pair[] = {weft::test::user("please note the word " + own.secret + " about common matters"),
                            assistant("noted " + own.secret)};
    (void)engine_->session(own.request, session).observe(pair);
  }

  // All that an operation of `own` gives must be free of the others' secrets.
  void check(const Other& own, const std::string& text, const char* path) {
    for (std::size_t at = text.find("zq"); at != std::string::npos; at = text.find("zq", at + 2)) {
      // Previews are cut short; what is left must still be the beginning of its own.
      const std::size_t cut = std::min(text.find("…", at), text.size()) - at;
      if (text.compare(at, std::min(cut, own.secret.size()), own.secret, 0, std::min(cut, own.secret.size())) == 0)
        continue;
      ++leaks_;
      ADD_FAILURE() << path << " of " << own.request.scope.key() << " gave " << text.substr(at, 40);
      return;
    }
  }

  void check(const Other& own, const std::vector<Item>& items, const char* path) {
    for (const Item& item : items) check(own, item.text, path);
  }

  void operate(std::mt19937& random, int step) {
    const Other& own = scopes_[random() % scopes_.size()];
    const Other& other = scopes_[random() % scopes_.size()];
    const SessionId session("s" + std::to_string(random() % 2));
    switch (random() % 40) {
      case 0: {
        tell(own, session);
        break;
      }
      case 1: (void)engine_->session(own.request, session).save(); break;
      case 2: {
        EndRequest end;
        end.new_info = "The word of step " + std::to_string(step) + " is " + own.secret + ".";
        end.request_id = "r" + std::to_string(random() % 1000);
        end.message_ids = {MessageId("m" + std::to_string(random()))};
        (void)engine_->session(own.request, session).end(end);
        break;
      }
      case 3: {
        ContextRequest ask;
        ask.input = "what is the word about common matters " + other.secret.substr(2);
        const auto woven = engine_->session(own.request, session).context(ask);
        if (!woven.ok()) break;
        for (const Message& message : woven->messages) check(own, message.content, "context");
        for (const ReportSection& section : woven->report.sections)
          for (const ReportItem& item : section.items) check(own, item.preview, "report");
        break;
      }
      case 4: check(own, engine_->memory(own.request).items(ItemKind::kEvent, 50).value_or({}), "items"); break;
      case 5: {
        const auto profile =
            engine_->profiles(own.request).read(EntityKey{EntityType::kUser, other.request.scope.user().str()});
        if (profile.ok()) check(own, profile->body, "profile");
        break;
      }
      case 6: {
        const auto profile =
            engine_->profiles(own.request).read(EntityKey{EntityType::kGroup, other.request.scope.group().str()});
        if (profile.ok()) check(own, profile->body, "profile");
        break;
      }
      case 7: {
        const auto history = engine_->session(own.request, session).history(20);
        if (!history.ok()) break;
        for (const StoredMessage& message : *history) check(own, message.message.content, "history");
        break;
      }
      default: search(random, own, other);
    }
  }

  void search(std::mt19937& random, const Other& own, const Other& other) {
    SearchRequest ask;
    // Another's secret is asked for outright, and must not be found.
    ask.query = random() % 2 == 0 ? other.secret : "the word about common matters";
    ask.kinds =
        random() % 3 == 0 ? std::vector<ItemKind>{kItemKinds[random() % kItemKinds.size()]} : std::vector<ItemKind>{};
    ask.recipe = random() % 5 == 0 ? "literal" : "";
    const auto found = engine_->memory(own.request).search(ask);
    if (!found.ok()) return;
    for (const Hit& hit : found->hits) check(own, hit.item.text, "search");
    if (found->hits.empty()) return;
    const auto originals = engine_->memory(own.request).originals(found->hits.front().item.sources);
    if (!originals.ok()) return;
    for (const StoredMessage& message : *originals) check(own, message.message.content, "originals");
  }

  std::vector<Other> scopes_;
  std::atomic<int> leaks_{0};
};

TEST_F(Isolation, PF_3_CM_10_random_operations_of_many_scopes_leak_nothing) {
  for (const Other& own : scopes_) tell(own, SessionId("s0"));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, i] {
      std::mt19937 random(static_cast<unsigned>(i));
      const int operations = operations_of_each_thread();
      for (int step = 0; step < operations && leaks_ == 0; ++step) operate(random, step);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(leaks_, 0);
  // It was no empty exercise: each scope does find its own.
  int found = 0;
  for (const Other& own : scopes_) {
    SearchRequest ask;
    ask.query = own.secret;
    const auto hits = engine_->memory(own.request).search(ask);
    found += hits.ok() && !hits->hits.empty() ? 1 : 0;
  }
  EXPECT_EQ(found, static_cast<int>(scopes_.size()));
}

}  // namespace
}  // namespace weft::test
