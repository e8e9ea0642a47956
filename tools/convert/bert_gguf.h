// A BERT-like encoder in memory, and its way into a GGUF file that llama.cpp loads.
//
// Takes: sizes, a tokenizer, and tensors whose bytes the caller owns until write() has returned.
// Gives: one file, written beside its final name and moved there when complete.
// Fails: by std::runtime_error with a sentence for the user.

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <ggml.h>

namespace weft::convert {

struct EncoderSizes {
  std::uint32_t hidden = 0;
  std::uint32_t layers = 0;
  std::uint32_t heads = 0;
  std::uint32_t feed_forward = 0;
  std::uint32_t positions = 0;
  std::uint32_t token_types = 0;
  float layer_norm_epsilon = 0.0F;
};

/// Numbers of a token's kind as GGUF stores them.
enum class TokenType : std::int32_t { kNormal = 1, kUnknown = 2, kControl = 3, kUnused = 5 };

struct Tokenizer {
  std::string model;  // "t5" (unigram) or "bert" (word pieces)
  std::vector<std::string> tokens;
  std::vector<float> scores;  // empty: none
  std::vector<std::int32_t> types;
  std::vector<std::int8_t> normalization;  // pre-compiled character map; empty: none
  std::int32_t bos = -1, eos = -1, unknown = -1, separator = -1, padding = -1, mask = -1;  // -1: none
};

struct Tensor {
  std::string name;  // llama.cpp's name
  ggml_type type = GGML_TYPE_F32;
  std::int64_t columns = 0;
  std::int64_t rows = 1;       // 1: a vector
  const void* data = nullptr;  // not owned
  std::size_t bytes = 0;
};

struct Encoder {
  std::string name;
  EncoderSizes sizes;
  Tokenizer tokenizer;
  std::vector<Tensor> tensors;
};

/// The whole file's bytes; throws when it cannot be read.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

/// Quantizes a matrix of floats to 8 bit (Q8_0); the columns must be a multiple of 32.
std::vector<std::uint8_t> quantize_8bit(std::span<const float> values, std::int64_t columns);

/// Writes the encoder as architecture "bert" with mean pooling.
void write(const Encoder& encoder, const std::filesystem::path& path);

}  // namespace weft::convert
