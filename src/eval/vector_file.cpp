#include "eval/vector_file.h"

#include <xxhash.h>

#include <filesystem>

namespace weft {

namespace fs = std::filesystem;

Result<std::unique_ptr<VectorFile>> VectorFile::open(const std::string& path, Embedder& inner) {
  std::unique_ptr<VectorFile> cache(new VectorFile(inner));
  const auto bytes = static_cast<std::streamsize>(inner.dimensions() * sizeof(float));
  std::uintmax_t whole = 0;
  if (std::ifstream file(path, std::ios::binary); file) {
    Key key;
    Vector vector(inner.dimensions());
    while (file.read(reinterpret_cast<char*>(&key), sizeof key) &&
           file.read(reinterpret_cast<char*>(vector.data()), bytes)) {
      cache->known_[key] = vector;
      whole += sizeof key + static_cast<std::uintmax_t>(bytes);
    }
  }
  std::error_code ignored;
  if (fs::exists(path, ignored)) fs::resize_file(path, whole, ignored);
  cache->file_.open(path, std::ios::binary | std::ios::app);
  if (!cache->file_) return unavailable("cannot write " + path);
  return cache;
}

Result<Vector> VectorFile::embed(std::string_view text, EmbedUse use, const Deadline& deadline) {
  const std::string said = inner_.name() + "\n" + inner_.prefix(use) + "\n" + std::string(text);
  const XXH128_hash_t hash = XXH3_128bits(said.data(), said.size());
  const Key key{hash.low64, hash.high64};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  WEFT_TRY(Vector vector, inner_.embed(text, use, deadline));
  file_.write(reinterpret_cast<const char*>(&key), sizeof key);
  file_.write(reinterpret_cast<const char*>(vector.data()),
              static_cast<std::streamsize>(vector.size() * sizeof(float)));
  known_[key] = vector;
  return vector;
}

}  // namespace weft
