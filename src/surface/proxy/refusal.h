#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/message.h"

namespace weft::proxy {

/// What the template of a model wants of the messages that it gets.
struct TemplateNeeds {
  bool system_first = false;  ///< one system message, at the head
  bool no_system = false;     ///< none at all
  bool in_turn = false;       ///< user and assistant by turns

  bool any() const { return system_first || no_system || in_turn; }
};

/// Why a model's server refused a call, as far as Weft can do something about it.
struct Refusal {
  enum class Kind {
    kOther,
    kTooLong,         ///< prompt and answer do not fit the window
    kSystemMessages,  ///< the model's template takes the system messages, or the order of roles, otherwise
  };
  Kind kind = Kind::kOther;
  TemplateNeeds needs;      ///< of `kSystemMessages`
  std::int64_t window = 0;  ///< that the answer names; 0: none
  std::int64_t prompt = 0;  ///< tokens of the prompt as the server counted them; 0: not said
};

/// Reads an answer with an error: the forms of OpenAI, Anthropic, Gemini, Mistral, vLLM, llama.cpp, Ollama, LM Studio
/// and others that speak like them.
Refusal read_refusal(int status, std::string_view body);

/// The messages as a template wants them: system messages joined at the head or put before what the user says first,
/// and neighbours of one role joined. What need not change goes as it came.
std::vector<Message> fitted(const std::vector<Message>& messages, TemplateNeeds needs);

}  // namespace weft::proxy
