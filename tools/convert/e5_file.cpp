#include "e5_file.h"

#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include <gguf.h>

namespace weft::convert {
namespace {

/// Takes numbers from bytes one after the other; throws at the end instead of reading beyond it.
class Cursor {
 public:
  explicit Cursor(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::span<const std::uint8_t> take(std::size_t count) {
    if (count > bytes_.size() - at_) throw std::runtime_error("the model file ends too early");
    const auto taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }

  template <typename Number>
  Number number() {
    static_assert(std::is_arithmetic_v<Number>);
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  template <typename Number>
  std::vector<Number> numbers(std::size_t count) {
    const auto raw = take(count * sizeof(Number));
    std::vector<Number> values(count);
    std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }

  std::string text(std::size_t length) {
    const auto raw = take(length);
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

struct StoredTensor {
  std::uint8_t type = 0;
  std::uint32_t elements = 0;
  std::span<const std::uint8_t> bytes;
};

using StoredTensors = std::unordered_map<std::string, StoredTensor>;

constexpr std::uint8_t kFloats = 0;

void read_header(Cursor& cursor, Encoder& encoder) {
  if (cursor.text(4) != "E5S1") throw std::runtime_error("not an E5S1 model file");
  if (cursor.number<std::uint32_t>() != 1) throw std::runtime_error("unknown version of the E5S1 format");
  EncoderSizes& sizes = encoder.sizes;
  sizes.hidden = cursor.number<std::uint32_t>();
  sizes.layers = cursor.number<std::uint32_t>();
  sizes.heads = cursor.number<std::uint32_t>();
  sizes.feed_forward = cursor.number<std::uint32_t>();
  cursor.number<std::int32_t>();  // rows of the embedding matrix; those beyond the pieces are padding
  sizes.positions = cursor.number<std::uint32_t>();
  sizes.token_types = cursor.number<std::uint32_t>();
  sizes.layer_norm_epsilon = cursor.number<float>();
  if (cursor.number<std::int32_t>() != 32) throw std::runtime_error("unknown quantization block size");
}

void read_pieces(Cursor& cursor, Tokenizer& tokenizer) {
  tokenizer.model = "t5";
  const auto count = cursor.number<std::uint32_t>();
  tokenizer.bos = cursor.number<std::int32_t>();
  tokenizer.eos = cursor.number<std::int32_t>();
  tokenizer.padding = cursor.number<std::int32_t>();
  tokenizer.unknown = cursor.number<std::int32_t>();
  tokenizer.separator = tokenizer.eos;
  tokenizer.mask = static_cast<std::int32_t>(count) - 1;
  const auto blob_bytes = cursor.number<std::uint64_t>();
  const auto offsets = cursor.numbers<std::uint32_t>(count + std::size_t{1});
  tokenizer.scores = cursor.numbers<float>(count);
  const std::string blob = cursor.text(blob_bytes);
  tokenizer.tokens.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    tokenizer.tokens.push_back(blob.substr(offsets[i], offsets[i + 1] - offsets[i]));
  }
}

StoredTensors read_tensors(Cursor& cursor, const std::vector<std::uint8_t>& file) {
  StoredTensors tensors;
  cursor.number<std::int32_t>();                // entries of the container's own normalization map,
  cursor.take(cursor.number<std::uint32_t>());  // which the pre-compiled one replaces
  const auto count = cursor.number<std::int32_t>();
  for (std::int32_t i = 0; i < count; ++i) {
    const std::string name = cursor.text(cursor.number<std::uint16_t>());
    StoredTensor tensor;
    tensor.type = cursor.number<std::uint8_t>();
    tensor.elements = cursor.number<std::uint32_t>();
    const auto offset = cursor.number<std::uint64_t>();
    const auto bytes = cursor.number<std::uint64_t>();
    if (offset > file.size() || bytes > file.size() - offset) {
      throw std::runtime_error("tensor " + name + " lies outside the model file");
    }
    tensor.bytes = std::span(file).subspan(offset, bytes);
    tensors.emplace(name, tensor);
  }
  return tensors;
}

struct FreeGguf {
  void operator()(gguf_context* context) const { gguf_free(context); }
};

std::int64_t require_key(const gguf_context* file, const char* key) {
  const std::int64_t id = gguf_find_key(file, key);
  if (id < 0) throw std::runtime_error(std::string("the vocabulary file lacks ") + key);
  return id;
}

/// Takes token kinds and the character map over, after making sure that both files mean the same pieces.
void complete_tokenizer(Tokenizer& tokenizer, const std::filesystem::path& vocabulary) {
  const gguf_init_params no_tensors{true, nullptr};
  const std::unique_ptr<gguf_context, FreeGguf> file(gguf_init_from_file(vocabulary.c_str(), no_tensors));
  if (!file) throw std::runtime_error("cannot read " + vocabulary.string());

  const auto tokens = require_key(file.get(), "tokenizer.ggml.tokens");
  const auto types = require_key(file.get(), "tokenizer.ggml.token_type");
  const auto map = require_key(file.get(), "tokenizer.ggml.precompiled_charsmap");
  const std::size_t count = tokenizer.tokens.size();
  if (gguf_get_arr_n(file.get(), tokens) < count || gguf_get_arr_n(file.get(), types) < count) {
    throw std::runtime_error("the vocabulary file has fewer pieces than the model");
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (tokenizer.tokens[i] != gguf_get_arr_str(file.get(), tokens, i)) {
      throw std::runtime_error("the vocabulary file differs from the model at piece " + std::to_string(i));
    }
  }
  const auto* kinds = static_cast<const std::int32_t*>(gguf_get_arr_data(file.get(), types));
  tokenizer.types.assign(kinds, kinds + count);
  const auto* bytes = static_cast<const std::int8_t*>(gguf_get_arr_data(file.get(), map));
  tokenizer.normalization.assign(bytes, bytes + gguf_get_arr_n(file.get(), map));
}

/// Adds `from` under llama.cpp's name. `rows` may be fewer than stored: the rest is padding.
void add(Encoder& encoder, const StoredTensors& stored, const std::string& from, const std::string& to,
         std::int64_t columns, std::int64_t rows = 1) {
  const auto found = stored.find(from);
  if (found == stored.end()) throw std::runtime_error("the model file lacks tensor " + from);
  const ggml_type type = found->second.type == kFloats ? GGML_TYPE_F32 : GGML_TYPE_Q4_0;
  const std::size_t bytes = ggml_row_size(type, columns) * static_cast<std::size_t>(rows);
  if (bytes > found->second.bytes.size()) throw std::runtime_error("tensor " + from + " is too small");
  encoder.tensors.push_back({to, type, columns, rows, found->second.bytes.data(), bytes});
}

void add_layer(Encoder& encoder, const StoredTensors& stored, std::uint32_t layer) {
  const std::string from = "l" + std::to_string(layer) + ".";
  const std::string to = "blk." + std::to_string(layer) + ".";
  const std::int64_t hidden = encoder.sizes.hidden;
  const std::int64_t wide = encoder.sizes.feed_forward;
  const std::pair<const char*, const char*> squares[] = {
      {"q", "attn_q"}, {"k", "attn_k"}, {"v", "attn_v"}, {"ao", "attn_output"}};
  for (const auto& [theirs, ours] : squares) {
    add(encoder, stored, from + theirs + ".w", to + ours + ".weight", hidden, hidden);
    add(encoder, stored, from + theirs + ".b", to + ours + ".bias", hidden);
  }
  add(encoder, stored, from + "fi.w", to + "ffn_up.weight", hidden, wide);
  add(encoder, stored, from + "fi.b", to + "ffn_up.bias", wide);
  add(encoder, stored, from + "fo.w", to + "ffn_down.weight", wide, hidden);
  add(encoder, stored, from + "fo.b", to + "ffn_down.bias", hidden);
  add(encoder, stored, from + "aln.w", to + "attn_output_norm.weight", hidden);
  add(encoder, stored, from + "aln.b", to + "attn_output_norm.bias", hidden);
  add(encoder, stored, from + "oln.w", to + "layer_output_norm.weight", hidden);
  add(encoder, stored, from + "oln.b", to + "layer_output_norm.bias", hidden);
}

}  // namespace

Encoder read_e5(const std::vector<std::uint8_t>& file, const std::filesystem::path& vocabulary) {
  Encoder encoder;
  encoder.name = "multilingual-e5-small";
  Cursor cursor(file);
  read_header(cursor, encoder);
  read_pieces(cursor, encoder.tokenizer);
  const StoredTensors stored = read_tensors(cursor, file);
  complete_tokenizer(encoder.tokenizer, vocabulary);

  const std::int64_t hidden = encoder.sizes.hidden;
  add(encoder, stored, "emb.word", "token_embd.weight", hidden,
      static_cast<std::int64_t>(encoder.tokenizer.tokens.size()));
  add(encoder, stored, "emb.pos", "position_embd.weight", hidden, encoder.sizes.positions);
  add(encoder, stored, "emb.type", "token_types.weight", hidden, encoder.sizes.token_types);
  add(encoder, stored, "emb.ln.w", "token_embd_norm.weight", hidden);
  add(encoder, stored, "emb.ln.b", "token_embd_norm.bias", hidden);
  for (std::uint32_t layer = 0; layer < encoder.sizes.layers; ++layer) add_layer(encoder, stored, layer);
  return encoder;
}

}  // namespace weft::convert
