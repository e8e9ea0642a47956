#include "tests/support/test_engine.h"

#include "tests/support/fake_clock.h"
#include "tests/support/other_store.h"

namespace weft {

struct TestEngine::Writes {
  std::mutex mutex;
  std::optional<Error> failure;
  std::function<void()> before_messages;
};

namespace {

constexpr std::size_t kMostMessages = 10'000;

}  // namespace

TestEngine::TestEngine(Config config) : writes_(std::make_shared<Writes>()) {
  class WatchedStore final : public test::OtherStore {
   public:
    WatchedStore(std::unique_ptr<Store> rows, std::shared_ptr<Writes> writes)
        : OtherStore(*rows, false), rows_(std::move(rows)), writes_(std::move(writes)) {}

   private:
    Status put(const WriteBatch& batch) override {
      std::function<void()> before;
      {
        const std::lock_guard lock(writes_->mutex);
        if (writes_->failure) return *writes_->failure;
        if (!batch.messages.empty()) before = writes_->before_messages;
      }
      if (before) before();
      return rows_->write(batch);
    }

    const std::unique_ptr<Store> rows_;
    const std::shared_ptr<Writes> writes_;
  };

  config.workspace = folder_ / "workspace";
  config.embedding.provider = EmbeddingProvider::kNone;
  EngineParts parts;
  parts.clock = std::make_unique<test::FakeClock>();
  parts.store = [this](std::unique_ptr<Store> opened) {
    return std::make_unique<WatchedStore>(std::move(opened), writes_);
  };
  auto engine = EngineImpl::open(config, std::move(parts));
  if (!engine.ok()) throw std::runtime_error(engine.error().message);
  engine_ = std::move(engine).value();
}

TestEngine::~TestEngine() = default;

void TestEngine::fail_with(std::optional<Error> error) {
  const std::lock_guard lock(writes_->mutex);
  writes_->failure = std::move(error);
}

void TestEngine::before_messages(std::function<void()> call) {
  const std::lock_guard lock(writes_->mutex);
  writes_->before_messages = std::move(call);
}

std::vector<Message> TestEngine::messages(const Scope& scope, const std::string& session) {
  std::vector<Message> out;
  auto history = engine_->session(scope, session).history(kMostMessages).value();
  for (StoredMessage& stored : history) out.push_back(std::move(stored.message));
  return out;
}

std::vector<std::string> TestEngine::said(const Scope& scope, const std::string& session) {
  std::vector<std::string> out;
  for (const Message& message : messages(scope, session))
    out.push_back(std::string(to_string(message.role)) + ": " + message.content);
  return out;
}

std::vector<std::string> TestEngine::sessions(const Scope& scope) {
  std::vector<std::string> out;
  const auto sessions = engine_->watch(scope).sessions(kMostMessages).value();
  for (const SessionSummary& session : sessions) out.push_back(session.session.str());
  return out;
}

PastContext TestEngine::last_prompt(const Scope& scope) { return engine_->watch(scope).contexts({}, 1).value().at(0); }

}  // namespace weft
