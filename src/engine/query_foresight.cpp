#include "engine/query_foresight.h"

#include <chrono>
#include <optional>
#include <utility>

#include "base/guarded.h"
#include "flow/recall/query.h"

namespace weft {
namespace {

constexpr std::size_t kMostWaiting = 8;  // more are asked for themselves before their turn comes
constexpr std::chrono::milliseconds kPatience{2000};

}  // namespace

QueryForesight::QueryForesight()
    : worker_(
          "foresee", waker_,
          [this](std::stop_token stop) -> std::optional<std::chrono::milliseconds> {
            make_vectors(stop);
            return std::nullopt;
          },
          Background::Waits::kCall) {
  // Without a thread nothing is foreseen: who asks makes the vector.
  guarded_or_logged("foresee", [this] { worker_.start(); });
}

QueryForesight::~QueryForesight() = default;

void QueryForesight::expect(std::shared_ptr<Serving> serving, ScopeKey scope, std::string text) {
  if (serving->embedder() == nullptr || text.empty()) return;
  {
    auto waiting = waiting_.lock();
    if (waiting->size() >= kMostWaiting) return;
    waiting->push_back({std::move(serving), std::move(scope), std::move(text)});
  }
  waker_.wake();
}

void QueryForesight::make_vectors(std::stop_token stop) {
  while (!stop.stop_requested()) {
    Expected next;
    {
      auto waiting = waiting_.lock();
      if (waiting->empty()) return;
      next = std::move(waiting->front());
      waiting->pop_front();
    }
    const auto index = next.serving->memory.index_of(next.scope);
    if (!index.ok()) continue;
    const std::string asked = text_to_embed(next.text, (*index)->speakers());
    const Deadline deadline = Deadline({}, stop).within(kPatience);
    // Only the cache is wanted; who asks hears of errors.
    static_cast<void>(next.serving->embedder()->embed(asked, EmbedUse::kQuery, deadline).ok());
  }
}

}  // namespace weft
