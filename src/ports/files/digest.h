#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft {

/// The XXH3 checksum of bytes that come in pieces, as 32 hexadecimal digits. One thread uses it.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(Digest&&) = delete;
  Digest& operator=(Digest&&) = delete;

  void add(std::string_view bytes);
  std::string text() const;  ///< of all that was added

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// That of a whole file.
Result<std::string> digest_of_file(const std::filesystem::path& path);

}  // namespace weft
