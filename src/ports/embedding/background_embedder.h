#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ports/embedding/embedder.h"

namespace weft {

/// Opens an embedder; may take seconds. Called on the loading thread, again where it failed with something that may
/// pass.
using EmbedderFactory = std::function<Result<std::unique_ptr<Embedder>>()>;

/// An embedder that loads in the background, so that a program answers (by words) at once. Until it is ready `embed`
/// gives kUnavailable and nothing waits. Loading begins when somebody asks or waits for it, else a moment later: what
/// ends at once needs no model. A load that failed with kUnavailable or kTimeout is tried again every `retry_every`;
/// other failures stay. Safe from any thread. Destruction waits for a load under way, or a moment only where threads
/// may be left behind (base/left_threads.h): a busy machine takes many seconds for the vocabulary of a model.
class BackgroundEmbedder final : public Embedder {
 public:
  /// `name` is what `name()` says from the beginning.
  BackgroundEmbedder(std::string name, EmbedderFactory factory,
                     std::chrono::milliseconds retry_every = std::chrono::seconds(30));
  ~BackgroundEmbedder() override;

  std::string name() const override { return shared_->name; }
  std::size_t dimensions() const override;  ///< 0 until it is ready
  std::string prefix(EmbedUse use) const override;
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override;
  std::int64_t count_tokens(std::string_view text) const override;  ///< -1 until it is ready

  void clear_cache() override {
    if (Embedder* model = inner()) model->clear_cache();
  }

  /// Waits until the model is loaded. The error of a load that failed for good, or of a deadline that passes.
  Status wait_ready(const Deadline& deadline) const;

  bool ready() const { return inner() != nullptr; }

  /// For people: "loading", "ready", "failed: …" or "waiting to try again: …".
  std::string state() const;

 private:
  /// What a loading thread may outlive its owner with.
  struct Shared {
    explicit Shared(std::string called) : name(std::move(called)) {}
    void load(const std::stop_token& stop, const EmbedderFactory& factory, std::chrono::milliseconds retry_every);
    void want();  // under the lock

    const std::string name;
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_ptr<Embedder> inner;  // set once, never taken away
    std::optional<Error> failure;     // of the last load
    bool over = false;                // no further load will be tried
    bool wanted = false;              // somebody asked or waits
    bool ended = false;               // the thread has nothing left to do
  };

  Embedder* inner() const;

  std::shared_ptr<Shared> shared_;
  std::jthread loader_;
};

}  // namespace weft
