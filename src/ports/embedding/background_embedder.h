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
/// other failures stay. Safe from any thread. Destruction waits for a load under way.
class BackgroundEmbedder final : public Embedder {
 public:
  /// `name` is what `name()` says from the beginning.
  BackgroundEmbedder(std::string name, EmbedderFactory factory,
                     std::chrono::milliseconds retry_every = std::chrono::seconds(30));
  ~BackgroundEmbedder() override;

  std::string name() const override { return name_; }
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
  void load(const std::stop_token& stop, const EmbedderFactory& factory, std::chrono::milliseconds retry_every);
  Embedder* inner() const;
  void want() const;  // under the lock

  std::string name_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::unique_ptr<Embedder> inner_;  // set once, never taken away
  std::optional<Error> failure_;     // of the last load
  bool over_ = false;                // no further load will be tried
  mutable bool wanted_ = false;      // somebody asked or waits
  std::jthread loader_;
};

}  // namespace weft
