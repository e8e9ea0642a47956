#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weft/message.h"
#include "weft/result.h"

namespace weft::llama {

/// A stretch of a prompt. What came from messages is marked, so that "<|im_end|>" in it stays text and cannot end a
/// turn.
struct PromptPart {
  std::string text;
  bool is_input = false;
};

/// A model's own chat template, in Jinja. Safe from any thread.
class ChatTemplate {
 public:
  /// `bos` and `eos` are the texts of those tokens. kInvalidArgument where the template cannot be read.
  static Result<ChatTemplate> compile(const std::string& source, std::string bos, std::string eos);

  /// The prompt that asks for the next message of the assistant. kInvalidArgument with the template's own words where
  /// it refuses, for instance two messages of the same role in a row.
  Result<std::vector<PromptPart>> render(const std::vector<Message>& messages) const;

 private:
  struct State;
  explicit ChatTemplate(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace weft::llama
