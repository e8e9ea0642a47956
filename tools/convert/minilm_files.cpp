#include "minilm_files.h"

#include <cstring>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

namespace weft::convert {
namespace {

using nlohmann::json;

constexpr std::string_view kWordStart = "\xE2\x96\x81";  // U+2581

/// Access to the tensors of a safetensors file: u64 header length, a JSON header, then the data.
class SafeTensors {
 public:
  explicit SafeTensors(const std::vector<std::uint8_t>& file) : file_(file) {
    std::uint64_t length = 0;
    if (file.size() < sizeof length) throw std::runtime_error("not a safetensors file");
    std::memcpy(&length, file.data(), sizeof length);
    if (length > file.size() - sizeof length) throw std::runtime_error("not a safetensors file");
    data_ = sizeof length + length;
    header_ = json::parse(file.begin() + sizeof length, file.begin() + static_cast<std::ptrdiff_t>(data_));
  }

  std::span<const float> floats(const std::string& name) const {
    const json& entry = header_.at(name);
    const std::size_t begin = data_ + entry.at("data_offsets").at(0).get<std::size_t>();
    const std::size_t end = data_ + entry.at("data_offsets").at(1).get<std::size_t>();
    if (entry.at("dtype") != "F32" || begin > end || end > file_.size()) {
      throw std::runtime_error("tensor " + name + " is not stored as floats");
    }
    return {reinterpret_cast<const float*>(file_.data() + begin), (end - begin) / sizeof(float)};
  }

 private:
  const std::vector<std::uint8_t>& file_;
  std::size_t data_ = 0;
  json header_;
};

EncoderSizes read_sizes(const json& config) {
  EncoderSizes sizes;
  sizes.hidden = config.at("hidden_size");
  sizes.layers = config.at("num_hidden_layers");
  sizes.heads = config.at("num_attention_heads");
  sizes.feed_forward = config.at("intermediate_size");
  sizes.positions = config.at("max_position_embeddings");
  sizes.token_types = config.at("type_vocab_size");
  sizes.layer_norm_epsilon = config.at("layer_norm_eps");
  return sizes;
}

/// llama.cpp marks the start of a word where BERT marks its continuation.
std::string word_piece(const std::string& token) {
  if (token.starts_with("##")) return token.substr(2);
  return std::string(kWordStart) + token;
}

Tokenizer read_vocabulary(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot open " + path.string());
  Tokenizer tokenizer;
  tokenizer.model = "bert";
  for (std::string token; std::getline(stream, token);) {
    const auto id = static_cast<std::int32_t>(tokenizer.tokens.size());
    const bool special = token.size() > 2 && token.front() == '[' && token.back() == ']';
    TokenType type = TokenType::kNormal;
    if (special) type = token.starts_with("[unused") ? TokenType::kUnused : TokenType::kControl;
    if (token == "[UNK]") {
      tokenizer.unknown = id;
      type = TokenType::kUnknown;
    }
    if (token == "[CLS]") tokenizer.bos = id;
    if (token == "[SEP]") tokenizer.separator = id;
    if (token == "[PAD]") tokenizer.padding = id;
    if (token == "[MASK]") tokenizer.mask = id;
    tokenizer.tokens.push_back(special ? token : word_piece(token));
    tokenizer.types.push_back(static_cast<std::int32_t>(type));
  }
  return tokenizer;
}

/// Adds tensors one after the other from a source to an encoder.
class Adder {
 public:
  Adder(OwnedEncoder& owned, const SafeTensors& source) : owned_(owned), source_(source) {}

  void floats(const std::string& from, const std::string& to, std::int64_t columns, std::int64_t rows = 1) {
    const auto values = checked(from, columns * rows);
    owned_.encoder.tensors.push_back({to, GGML_TYPE_F32, columns, rows, values.data(), values.size_bytes()});
  }

  void matrix(const std::string& from, const std::string& to, std::int64_t columns, std::int64_t rows) {
    const auto& blocks = owned_.quantized.emplace_back(quantize_8bit(checked(from, columns * rows), columns));
    owned_.encoder.tensors.push_back({to, GGML_TYPE_Q8_0, columns, rows, blocks.data(), blocks.size()});
  }

  /// A dense layer: its matrix and its bias.
  void dense(const std::string& from, const std::string& to, std::int64_t columns, std::int64_t rows) {
    matrix(from + ".weight", to + ".weight", columns, rows);
    floats(from + ".bias", to + ".bias", rows);
  }

  void norm(const std::string& from, const std::string& to, std::int64_t columns) {
    floats(from + ".weight", to + ".weight", columns);
    floats(from + ".bias", to + ".bias", columns);
  }

 private:
  std::span<const float> checked(const std::string& name, std::int64_t elements) const {
    const auto values = source_.floats(name);
    if (std::ssize(values) != elements) throw std::runtime_error("tensor " + name + " has an unexpected size");
    return values;
  }

  OwnedEncoder& owned_;
  const SafeTensors& source_;
};

void add_layer(Adder& add, const EncoderSizes& sizes, std::uint32_t layer) {
  const std::string from = "encoder.layer." + std::to_string(layer) + ".";
  const std::string to = "blk." + std::to_string(layer) + ".";
  const std::int64_t hidden = sizes.hidden;
  const std::int64_t wide = sizes.feed_forward;
  add.dense(from + "attention.self.query", to + "attn_q", hidden, hidden);
  add.dense(from + "attention.self.key", to + "attn_k", hidden, hidden);
  add.dense(from + "attention.self.value", to + "attn_v", hidden, hidden);
  add.dense(from + "attention.output.dense", to + "attn_output", hidden, hidden);
  add.norm(from + "attention.output.LayerNorm", to + "attn_output_norm", hidden);
  add.dense(from + "intermediate.dense", to + "ffn_up", hidden, wide);
  add.dense(from + "output.dense", to + "ffn_down", wide, hidden);
  add.norm(from + "output.LayerNorm", to + "layer_output_norm", hidden);
}

}  // namespace

OwnedEncoder read_minilm(const std::filesystem::path& folder) {
  OwnedEncoder owned;
  owned.file = read_file(folder / "model.safetensors");
  const auto config = read_file(folder / "config.json");
  owned.encoder.name = "all-MiniLM-L6-v2";
  owned.encoder.sizes = read_sizes(json::parse(config.begin(), config.end()));
  owned.encoder.tokenizer = read_vocabulary(folder / "vocab.txt");

  const EncoderSizes& sizes = owned.encoder.sizes;
  const std::int64_t hidden = sizes.hidden;
  const SafeTensors source(owned.file);
  Adder add(owned, source);
  add.matrix("embeddings.word_embeddings.weight", "token_embd.weight", hidden,
             std::ssize(owned.encoder.tokenizer.tokens));
  add.floats("embeddings.position_embeddings.weight", "position_embd.weight", hidden, sizes.positions);
  add.floats("embeddings.token_type_embeddings.weight", "token_types.weight", hidden, sizes.token_types);
  add.norm("embeddings.LayerNorm", "token_embd_norm", hidden);
  for (std::uint32_t layer = 0; layer < sizes.layers; ++layer) add_layer(add, sizes, layer);
  return owned;
}

}  // namespace weft::convert
