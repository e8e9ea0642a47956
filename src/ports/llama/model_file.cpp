#include "ports/llama/model_file.h"

#include <gguf.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace weft::llama {
namespace {

struct FreeHead {
  void operator()(gguf_context* head) const { gguf_free(head); }
};

}  // namespace

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
