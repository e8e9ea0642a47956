#include "ports/files/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>

#include "ports/files/file_system.h"

namespace weft {

struct Digest::State {
  XXH3_state_t* const hash = XXH3_createState();
};

Digest::Digest() : state_(std::make_unique<State>()) { XXH3_128bits_reset(state_->hash); }
Digest::~Digest() { XXH3_freeState(state_->hash); }

void Digest::add(std::string_view bytes) { XXH3_128bits_update(state_->hash, bytes.data(), bytes.size()); }

std::string Digest::text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->hash);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<std::string> digest_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return file_error("open", path);
  Digest digest;
  std::string part(std::size_t{1} << 20, '\0');
  while (file) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    digest.add(std::string_view(part).substr(0, static_cast<std::size_t>(file.gcount())));
  }
  if (file.bad()) return file_error("read", path);
  return digest.text();
}

}  // namespace weft
