#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/histogram.h"
#include "ports/chat/chat_model.h"

namespace weft {

/// What the calls of one role have cost since the start. Safe from many threads.
struct ModelUse {
  std::atomic<std::uint64_t> answered{0}, failed{0};  ///< calls
  std::atomic<std::uint64_t> prompt_tokens{0}, completion_tokens{0};  ///< as the model's server counts them
  Histogram time;  ///< of calls that were answered
};

/// A chat model in one role, whose calls are counted. The model must outlive it.
class CountedChat final : public ChatModel {
 public:
  explicit CountedChat(ChatModel& model) : model_(model) {}

  std::string name() const override { return model_.name(); }
  std::int64_t window() const override { return model_.window(); }
  std::int64_t count_tokens(std::string_view text) const override { return model_.count_tokens(text); }
  bool weighs_answers() const override { return model_.weighs_answers(); }
  Result<ChatReply> complete(const ChatRequest& request, const Deadline& deadline,
                             const std::function<bool(std::string_view)>& on_text = {}) override;

  const ModelUse& use() const { return use_; }

 private:
  ChatModel& model_;
  ModelUse use_;
};

}  // namespace weft
