#pragma once

#include <string>

#include "ports/chat/chat_model.h"

namespace weft {

/// Stands where a model has to, and none is asked: every call is kUnavailable.
class NoModel final : public ChatModel {
 public:
  std::string name() const override { return "none"; }
  std::int64_t window() const override { return 0; }
  Result<ChatReply> complete(const ChatRequest&, const Deadline&,
                             const std::function<bool(std::string_view)>&) override {
    return unavailable("no chat model is configured", "name one under [models] and [roles] in weft.toml");
  }
  std::int64_t count_tokens(std::string_view) const override { return -1; }
};

}  // namespace weft
