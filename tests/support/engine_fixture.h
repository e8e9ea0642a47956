#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "engine/engine_impl.h"
#include "tests/support/fake_clock.h"
#include "tests/support/hash_embedder.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace weft::test {

/// An engine on a temporary workspace with an embedder that needs no model and a clock that stands still.
class EngineTest : public testing::Test {
 protected:
  EngineTest() {
    config_.workspace = folder_ / "ws";
    config_.stream.policy = TopicPolicy::kThreshold;
    config_.stream.short_tokens = 0;
    config_.stream.threshold = 0.2;
    config_.stream.calibrated = false;
  }

  /// Opens the engine, or opens it again on the same workspace.
  void open() {
    engine_ = nullptr;
    EngineParts parts;
    parts.clock = std::make_unique<FakeClock>(clock_);
    parts.embedder = std::make_unique<HashEmbedder>();
    parts.historian = std::move(historian_);
    auto opened = EngineImpl::open(config_, std::move(parts));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    engine_ = std::move(opened).value();
  }

  static RequestContext as(const std::string& user) { return {Scope::private_of(UserId(user)).value(), {}, {}}; }
  static RequestContext in(const std::string& group, const std::string& user) {
    return {Scope::group_of(GroupId(group), UserId(user)).value(), {}, {}};
  }

  ObserveReport observe(const std::vector<Message>& messages, const std::string& session = "s",
                        const std::string& user = "ann") {
    auto report = engine_->session(Caller(as(user)).awaiting_decisions(), SessionId(session)).observe(messages);
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.value_or({});
  }

  /// A turn: a question and its answer.
  ObserveReport turn(const std::string& question, const std::string& answer, const std::string& session = "s",
                     const std::string& user = "ann") {
    return observe({weft::test::user(question), assistant(answer)}, session, user);
  }

  std::vector<Hit> search(const std::string& query, const std::string& user = "ann") {
    SearchRequest what;
    what.query = query;
    auto found = engine_->memory(as(user)).search(what);
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found.ok() ? found->hits : std::vector<Hit>();
  }

  bool finds(const std::string& query, const std::string& text, const std::string& user = "ann") {
    for (const Hit& hit : search(query, user)) {
      if (hit.item.text.find(text) != std::string::npos) return true;
    }
    return false;
  }

  void drain() {
    const Status done = engine_->drain(std::chrono::seconds(100));
    ASSERT_TRUE(done.ok()) << done.error().message;
  }

  std::vector<Item> items(ItemKind kind, const std::string& user = "ann") {
    return engine_->memory(as(user)).items(kind, 1000).value();
  }

  TemporaryFolder folder_;
  Config config_;
  FakeClock clock_;
  std::unique_ptr<ChatModel> historian_;  ///< given to the next engine that is opened
  std::unique_ptr<EngineImpl> engine_;
};

}  // namespace weft::test
