#include "ports/llama/llama_engine.h"

#include <gguf.h>
#include <llama.h>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>

#include "base/log.h"
#include "text/utf8.h"

namespace weft::llama {
namespace {

thread_local std::string last_complaint;  // of the engine, on the thread that loads

void take_log(ggml_log_level level, const char* text, void*) {
  std::string_view line(text);
  while (line.ends_with('\n')) line.remove_suffix(1);
  if (line.empty() || line == ".") return;
  if (level == GGML_LOG_LEVEL_ERROR) last_complaint = line;
  log_debug("llama", line);
}

void start_engine() {
  static std::once_flag once;
  std::call_once(once, [] {
    llama_log_set(&take_log, nullptr);
    llama_backend_init();
  });
}

struct FreeHead {
  void operator()(gguf_context* head) const { gguf_free(head); }
};

}  // namespace

void Free::operator()(llama_model* model) const { llama_model_free(model); }
void Free::operator()(llama_context* context) const { llama_free(context); }

Result<Model> load_model(const std::string& path, Load load, const std::stop_token& stop) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return not_found("there is no model file '" + path + "'",
                     "give the path of a GGUF file, or run the set-up, which fetches the default models");
  }
  start_engine();
  llama_model_params params = llama_model_default_params();
  params.n_gpu_layers = 0;
  params.vocab_only = load == Load::kVocabulary;
  params.progress_callback = [](float, void* wanted) {
    return !static_cast<const std::stop_token*>(wanted)->stop_requested();
  };
  params.progress_callback_user_data = const_cast<std::stop_token*>(&stop);
  last_complaint.clear();
  try {
    Model model(llama_model_load_from_file(path.c_str(), params));
    if (model) return model;
    if (stop.stop_requested()) return cancelled("loading '" + path + "' was given up");
  } catch (const std::exception& e) {
    last_complaint = e.what();
  }
  return corrupt("'" + path + "' cannot be loaded" + (last_complaint.empty() ? "" : ": " + last_complaint),
                 "it must be a GGUF file of a kind that llama.cpp knows");
}

std::vector<std::int32_t> tokenize(const llama_vocab* vocab, std::string_view text, bool special, bool markup) {
  std::string repaired;
  if (find_invalid_utf8(text)) text = repaired = repair_utf8(text);
  const auto size = static_cast<std::int32_t>(text.size());
  std::vector<std::int32_t> tokens(text.size() / 2 + 16);
  std::int32_t count = llama_tokenize(vocab, text.data(), size, tokens.data(), static_cast<std::int32_t>(tokens.size()),
                                      special, markup);
  if (count < 0) {
    tokens.resize(static_cast<std::size_t>(-count));
    count = llama_tokenize(vocab, text.data(), size, tokens.data(), -count, special, markup);
  }
  tokens.resize(static_cast<std::size_t>(count));
  return tokens;
}

std::string piece_of(const llama_vocab* vocab, std::int32_t token) {
  std::string piece(32, '\0');
  std::int32_t size =
      llama_token_to_piece(vocab, token, piece.data(), static_cast<std::int32_t>(piece.size()), 0, false);
  if (size < 0) {
    piece.resize(static_cast<std::size_t>(-size));
    size = llama_token_to_piece(vocab, token, piece.data(), -size, 0, false);
  }
  piece.resize(static_cast<std::size_t>(size < 0 ? 0 : size));
  return piece;
}

std::string metadata(const llama_model* model, const char* key) {
  const std::int32_t size = llama_model_meta_val_str(model, key, nullptr, 0);
  if (size <= 0) return {};
  std::string value(static_cast<std::size_t>(size) + 1, '\0');
  llama_model_meta_val_str(model, key, value.data(), value.size());
  value.resize(static_cast<std::size_t>(size));
  return value;
}

std::string trained_name(const llama_model* model) {
  if (std::string name = metadata(model, "general.name"); !name.empty()) return name;
  return metadata(model, "general.architecture") + " of " + std::to_string(llama_model_n_params(model)) + " parameters";
}

Result<ModelFile> look_at_model_file(const std::string& path) {
  std::error_code code;
  ModelFile file;
  file.bytes = std::filesystem::file_size(path, code);
  if (code || !std::filesystem::is_regular_file(path, code)) return not_found("there is no model file " + path);
  const std::unique_ptr<gguf_context, FreeHead> head(gguf_init_from_file(path.c_str(), {true, nullptr}));
  if (head == nullptr) return corrupt(path + " is no model: its head is none of a GGUF file");
  if (const auto key = gguf_find_key(head.get(), "general.architecture");
      key >= 0 && gguf_get_kv_type(head.get(), key) == GGUF_TYPE_STRING)
    file.kind = gguf_get_val_str(head.get(), key);
  file.tensors = gguf_get_n_tensors(head.get());
  std::uint64_t end = 0;
  for (std::int64_t i = 0; i < file.tensors; ++i)
    end = std::max<std::uint64_t>(end, gguf_get_tensor_offset(head.get(), i) + gguf_get_tensor_size(head.get(), i));
  end += gguf_get_data_offset(head.get());
  if (file.tensors > 0 && end > file.bytes)
    return corrupt(path + " was cut off: it has " + std::to_string(file.bytes) + " bytes and names " +
                   std::to_string(end));
  return file;
}

}  // namespace weft::llama
