#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/// The tokens of images, sounds, documents and files in a message's JSON, beside the message's own text, at any depth
/// and in outputs of tools. Servers count them in ways of their own, so it is rough: images
/// by the piece, PDFs by the page, texts as texts, anything else by its bytes. `raw_message` must be JSON that has been
/// checked, or empty.
std::int64_t media_tokens(std::string_view raw_message);

}  // namespace weft
