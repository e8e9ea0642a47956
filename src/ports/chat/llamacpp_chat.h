#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ports/chat/chat_model.h"
#include "weft/result.h"

namespace weft {

struct LlamaChatOptions {
  std::string path;             ///< GGUF file
  std::string name;             ///< empty: the file's name without ".gguf"
  std::int64_t window = 0;      ///< tokens of prompt and answer; 0: what the model was trained with, at most 8192
  std::int64_t threads = 0;     ///< 0: half of the machine's
  std::int64_t retries = 1;     ///< further attempts where an answer breaks the schema, drawn with some chance
};

/// Opens a GGUF chat model, on the CPU. One answer is made at a time; further callers wait, up to their deadline. The
/// prompt follows the template in the file; the beginning that it shares with the last one is not computed again.
/// Answers with a schema are bound to it by a grammar and checked afterwards. Tools are not offered to local models: a
/// request with tools is kInvalidArgument. It weighs answers. A prompt that leaves no room in the window is kTooLarge.
/// A model without a template is kInvalidArgument when it is opened.
Result<std::unique_ptr<ChatModel>> open_llamacpp_chat(const LlamaChatOptions& options);

}  // namespace weft
