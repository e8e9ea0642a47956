#include "base/prompts.h"

#include <algorithm>

namespace weft {

Prompt shipped_prompt(std::string_view name, std::string_view language) {
  const std::string wanted = std::string(language) + "/" + std::string(name);
  const PromptFile* const end = prompt_file_list + prompt_file_count;
  const PromptFile* const file =
      std::find_if(prompt_file_list, end, [&](const PromptFile& one) { return one.id == wanted; });
  if (file == end) return {};
  constexpr std::string_view kVersion = "version: ";
  std::string_view text = file->source;
  const std::size_t line = text.find('\n');
  std::string_view version;
  if (text.starts_with(kVersion) && line != std::string_view::npos) {
    version = text.substr(kVersion.size(), line - kVersion.size());
    text.remove_prefix(std::min(text.size(), text.find_first_not_of('\n', line)));
  }
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return {text, std::string(name) + "/" + std::string(language) + " " + std::string(version)};
}

}  // namespace weft
