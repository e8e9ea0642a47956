#pragma once

#include <functional>
#include <string>

#include "ports/chat/chat_model.h"
#include "weft/usage.h"

namespace weft {

/// A chat model in one role, whose calls are accounted for: to whom `AccountedTo` says. The model must outlive it. Safe
/// from many threads.
class CountedChat final : public ChatModel {
 public:
  /// Is told of each call when it is over, on the calling thread.
  using Tell = std::function<void(const ModelCall& call)>;

  /// `tell` may be empty: then nothing is told.
  CountedChat(ChatModel& model, std::string role, Tell tell)
      : model_(model), role_(std::move(role)), tell_(std::move(tell)) {}

  std::string name() const override { return model_.name(); }
  std::int64_t window() const override { return model_.window(); }
  std::int64_t count_tokens(std::string_view text) const override { return model_.count_tokens(text); }
  StateSpace state_space() const override { return model_.state_space(); }
  Result<ChatReply> complete(const ChatRequest& request, const Deadline& deadline,
                             const std::function<bool(std::string_view)>& on_text = {}) override;

 private:
  void account(const ChatRequest& request, const Result<ChatReply>& reply, double seconds, double first) const;

  ChatModel& model_;
  const std::string role_;
  const Tell tell_;
};

}  // namespace weft
