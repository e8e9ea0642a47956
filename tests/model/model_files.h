#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace weft {

/// The path of a file in the model folder of the cache (${WEFT_CACHE:-~/.cache/weft}/models).
inline std::string model_file(const std::string& name) {
  const char* cache = std::getenv("WEFT_CACHE");
  const char* home = std::getenv("HOME");
  return (cache != nullptr ? std::string(cache) : std::string(home != nullptr ? home : "") + "/.cache/weft") +
         "/models/" + name;
}

}  // namespace weft

/// Skips the test where the set-up has not fetched the file.
#define WEFT_NEED_MODEL(name)                           \
  if (!std::filesystem::exists(weft::model_file(name))) \
  GTEST_SKIP() << "no " << weft::model_file(name) << "; run the set-up first"
