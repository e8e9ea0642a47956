#pragma once

#include <cstdint>
#include <string>

#include "weft/choices.h"

namespace weft {

/// What is known of a model by its name; 0 and empty where nothing is.
struct ModelTraits {
  std::int64_t window = 0;      ///< tokens of prompt and answer together
  std::int64_t output = 0;      ///< tokens to keep for an answer
  std::string vocabulary;       ///< GGUF file whose tokenizer counts for it
  SystemMessages system_messages = SystemMessages::kUnknown;
};

/// What a model's server says of it, in its list or by refusing a call; 0 and empty where it says nothing.
struct ModelLesson {
  std::int64_t window = 0;      ///< as listed
  std::int64_t output = 0;      ///< as listed
  std::int64_t most_window = 0; ///< that a refusal names: more does not fit, whatever else says so
  SystemMessages system_messages = SystemMessages::kUnknown;  ///< kOne where several were refused
};

}  // namespace weft
