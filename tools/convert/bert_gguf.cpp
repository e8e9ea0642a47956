#include "bert_gguf.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include <gguf.h>

namespace weft::convert {
namespace {

constexpr std::uint32_t kMeanPooling = 1;

struct FreeGguf {
  void operator()(gguf_context* context) const { gguf_free(context); }
};
struct FreeGgml {
  void operator()(ggml_context* context) const { ggml_free(context); }
};

void set_sizes(gguf_context* file, const EncoderSizes& sizes) {
  gguf_set_val_u32(file, "bert.context_length", sizes.positions);
  gguf_set_val_u32(file, "bert.embedding_length", sizes.hidden);
  gguf_set_val_u32(file, "bert.feed_forward_length", sizes.feed_forward);
  gguf_set_val_u32(file, "bert.block_count", sizes.layers);
  gguf_set_val_u32(file, "bert.attention.head_count", sizes.heads);
  gguf_set_val_f32(file, "bert.attention.layer_norm_epsilon", sizes.layer_norm_epsilon);
  gguf_set_val_bool(file, "bert.attention.causal", false);
  gguf_set_val_u32(file, "bert.pooling_type", kMeanPooling);
  gguf_set_val_u32(file, "tokenizer.ggml.token_type_count", sizes.token_types);
}

void set_token_id(gguf_context* file, const char* key, std::int32_t id) {
  if (id >= 0) gguf_set_val_u32(file, key, static_cast<std::uint32_t>(id));
}

void set_tokenizer(gguf_context* file, const Tokenizer& tokenizer) {
  gguf_set_val_str(file, "tokenizer.ggml.model", tokenizer.model.c_str());
  std::vector<const char*> tokens;
  tokens.reserve(tokenizer.tokens.size());
  for (const std::string& token : tokenizer.tokens) tokens.push_back(token.c_str());
  gguf_set_arr_str(file, "tokenizer.ggml.tokens", tokens.data(), tokens.size());
  if (!tokenizer.scores.empty()) {
    gguf_set_arr_data(file, "tokenizer.ggml.scores", GGUF_TYPE_FLOAT32, tokenizer.scores.data(),
                      tokenizer.scores.size());
  }
  gguf_set_arr_data(file, "tokenizer.ggml.token_type", GGUF_TYPE_INT32, tokenizer.types.data(), tokenizer.types.size());
  if (!tokenizer.normalization.empty()) {
    gguf_set_arr_data(file, "tokenizer.ggml.precompiled_charsmap", GGUF_TYPE_INT8, tokenizer.normalization.data(),
                      tokenizer.normalization.size());
  }
  set_token_id(file, "tokenizer.ggml.bos_token_id", tokenizer.bos);
  set_token_id(file, "tokenizer.ggml.eos_token_id", tokenizer.eos);
  set_token_id(file, "tokenizer.ggml.unknown_token_id", tokenizer.unknown);
  // llama.cpp's own spelling of the key.
  set_token_id(file, "tokenizer.ggml.seperator_token_id", tokenizer.separator);
  set_token_id(file, "tokenizer.ggml.padding_token_id", tokenizer.padding);
  set_token_id(file, "tokenizer.ggml.mask_token_id", tokenizer.mask);
  if (tokenizer.model == "t5") {
    gguf_set_val_bool(file, "tokenizer.ggml.add_space_prefix", true);
    gguf_set_val_bool(file, "tokenizer.ggml.remove_extra_whitespaces", true);
    gguf_set_val_bool(file, "tokenizer.ggml.add_bos_token", true);
    gguf_set_val_bool(file, "tokenizer.ggml.add_eos_token", true);
  }
}

void add_tensor(gguf_context* file, ggml_context* names, const Tensor& tensor) {
  ggml_tensor* described = tensor.rows == 1 ? ggml_new_tensor_1d(names, tensor.type, tensor.columns)
                                            : ggml_new_tensor_2d(names, tensor.type, tensor.columns, tensor.rows);
  ggml_set_name(described, tensor.name.c_str());
  if (ggml_nbytes(described) != tensor.bytes) {
    throw std::runtime_error("tensor " + tensor.name + " has " + std::to_string(tensor.bytes) + " bytes, not " +
                             std::to_string(ggml_nbytes(described)));
  }
  gguf_add_tensor(file, described);
  gguf_set_tensor_data(file, tensor.name.c_str(), tensor.data);
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) throw std::runtime_error("cannot open " + path.string());
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(stream.tellg()));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return bytes;
}

std::vector<std::uint8_t> quantize_8bit(std::span<const float> values, std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(values.size()) / columns;
  std::vector<std::uint8_t> blocks(ggml_row_size(GGML_TYPE_Q8_0, columns) * static_cast<std::size_t>(rows));
  ggml_quantize_chunk(GGML_TYPE_Q8_0, values.data(), blocks.data(), 0, rows, columns, nullptr);
  return blocks;
}

void write(const Encoder& encoder, const std::filesystem::path& path) {
  const std::unique_ptr<gguf_context, FreeGguf> file(gguf_init_empty());
  gguf_set_val_str(file.get(), "general.architecture", "bert");
  gguf_set_val_str(file.get(), "general.name", encoder.name.c_str());
  set_sizes(file.get(), encoder.sizes);
  set_tokenizer(file.get(), encoder.tokenizer);

  const ggml_init_params only_names{ggml_tensor_overhead() * (encoder.tensors.size() + 1), nullptr, true};
  const std::unique_ptr<ggml_context, FreeGgml> names(ggml_init(only_names));
  for (const Tensor& tensor : encoder.tensors) add_tensor(file.get(), names.get(), tensor);

  std::filesystem::path unfinished = path;
  unfinished += ".part";
  if (!gguf_write_to_file(file.get(), unfinished.c_str(), false)) {
    throw std::runtime_error("cannot write " + unfinished.string());
  }
  std::filesystem::rename(unfinished, path);
}

}  // namespace weft::convert
