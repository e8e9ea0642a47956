#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine_impl.h"
#include "tests/support/temporary_folder.h"

namespace weft {

/// An engine for tests of the surfaces: on a workspace of its own, without an embedder, with a clock that stands still.
/// A test can make its writes fail or wait. Safe from any thread.
class TestEngine {
 public:
  /// The workspace and the embedder of `config` are not used.
  explicit TestEngine(Config config = {});
  ~TestEngine();

  operator Engine&() { return *engine_; }
  Engine* operator->() { return engine_.get(); }

  /// From now on every write fails with this error; without one, writes work again.
  void fail_with(std::optional<Error> error);
  /// Sets what is called before messages are written, on the thread that writes them.
  void before_messages(std::function<void()> call);

  /// "role: text" of the active messages of a session, in order.
  std::vector<std::string> said(const Scope& scope, const std::string& session);
  /// The active messages of a session, in order.
  std::vector<Message> messages(const Scope& scope, const std::string& session);
  /// The sessions of a scope.
  std::vector<std::string> sessions(const Scope& scope);
  /// The prompt that was built last in a scope; there must be one.
  PastContext last_prompt(const Scope& scope);

 private:
  struct Writes;  // what its store asks before it writes

  test::TemporaryFolder folder_;
  std::shared_ptr<Writes> writes_;
  std::unique_ptr<EngineImpl> engine_;
};

}  // namespace weft
