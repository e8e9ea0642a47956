#pragma once

#include <cstdint>
#include <string_view>

namespace weft::proxy {

/// Why a model's server refused a call, as far as Weft can do something about it.
struct Refusal {
  enum class Kind {
    kOther,
    kTooLong,         ///< prompt and answer do not fit the window
    kSystemMessages,  ///< a system message stands where the model's template takes none
  };
  Kind kind = Kind::kOther;
  std::int64_t window = 0;  ///< that the answer names; 0: none
  std::int64_t prompt = 0;  ///< tokens of the prompt as the server counted them; 0: not said
};

/// Reads an answer with an error: the forms of OpenAI, Anthropic, Gemini, Mistral, vLLM, llama.cpp, Ollama, LM Studio
/// and others that speak like them.
Refusal read_refusal(int status, std::string_view body);

}  // namespace weft::proxy
