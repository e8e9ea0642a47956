#pragma once

#include <cstdint>
#include <string>

#include "weft/result.h"

namespace weft::llama {

/// What the head of a model file says.
struct ModelFile {
  std::uint64_t bytes = 0;  ///< of the file
  std::string kind;         ///< the architecture: "bert", "llama", …
  std::int64_t tensors = 0;
};

/// Reads the head of a GGUF file, without its weights, and sees that all that it names is there. kNotFound where there
/// is no such file, kCorrupt where it is none or was cut off.
Result<ModelFile> look_at_model_file(const std::string& path);

}  // namespace weft::llama
