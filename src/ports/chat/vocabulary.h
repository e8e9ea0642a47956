#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "weft/result.h"

namespace weft {

/// The vocabulary that counts exactly for a model of this name, without its ".gguf": "llama-bpe", "qwen2",
/// "deepseek-llm", "phi-3", "gemma-4", "command-r", "gpt-2"; empty where none is known to be the same. Generations with
/// another vocabulary (Llama 2 and 4, Phi 4, DeepSeek V3, OpenAI's models) have none here: an estimate that says so is
/// better than a wrong exact count.
std::string_view vocabulary_of(std::string_view model_name);

/// Counts tokens by the tokenizer of a GGUF file, of which only the vocabulary is read. Loading begins with the first
/// question, in the background. Safe from any thread; destruction waits for a load under way.
class Vocabulary {
 public:
  explicit Vocabulary(std::string path);
  ~Vocabulary();
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  /// Exact number of tokens, without special ones; -1 while it is loading and where it cannot be loaded.
  std::int64_t count(std::string_view text) const;

  /// Begins loading if need be, and waits. The error of the load or of the deadline.
  Status wait_ready(const Deadline& deadline) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft
