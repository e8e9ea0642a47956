#pragma once

#include <string>
#include <string_view>

namespace weft {

/// What a model is asked, as it stands in prompts/LANGUAGE/NAME.md. The first line of such a file is "version: N", then
/// a blank line and the text.
struct Prompt {
  std::string_view text;
  std::string id;  ///< "rewrite/en 2": name, language and version, as an event records it
};

/// The prompt of that name, "en" or "zh". Every name that the code asks for is in both languages; of one that is not
/// the text is empty.
Prompt shipped_prompt(std::string_view name, std::string_view language);

/// A file of prompts/, as the build put it into the library.
struct PromptFile {
  std::string_view id, source;  ///< "en/rewrite"
};

/// The first of `prompt_file_count`, sorted by id. Written by cmake/weft_embed.cmake.
extern const PromptFile prompt_file_list[];
extern const unsigned prompt_file_count;

}  // namespace weft
