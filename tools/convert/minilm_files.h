// Reads all-MiniLM-L6-v2 as published: config.json, vocab.txt and model.safetensors in one folder.
//
// Matrices become 8 bit (cosine to the original .997; 4 bit costs too much here: .95), the small position and
// token-type tables and all vectors stay floats. The pooler is left out: sentences are mean-pooled.

#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <vector>

#include "bert_gguf.h"

namespace weft::convert {

/// An encoder together with the bytes its tensors point into.
struct OwnedEncoder {
  Encoder encoder;
  std::vector<std::uint8_t> file;
  std::deque<std::vector<std::uint8_t>> quantized;  // a deque: adding must not move earlier blocks
};

OwnedEncoder read_minilm(const std::filesystem::path& folder);

}  // namespace weft::convert
