#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/choices.h"

namespace weft {

/// The name by which a model is looked up: lower case, without a provider before it ("openai/", "models/"), and without
/// what follows a colon (":latest", ":free").
std::string plain_model_name(std::string_view name);

/// Whether a pattern fits a name, both as they are written; case does not count, '*' stands for any text and '?' for
/// one byte. It is tried on the whole name and on the plain one.
bool fits_model(std::string_view pattern, std::string_view name);

/// The shipped knowledge of a family of models; empty where the name is none of those.
ModelTraits traits_of_family(std::string_view name);

/// The tokens of images, sounds, documents and files in a message's JSON, beside the message's own text, at any depth
/// and in outputs of tools. Servers count them in ways of their own, so it is rough: images
/// by the piece, PDFs by the page, texts as texts, anything else by its bytes. `raw_message` must be JSON that has been
/// checked, or empty.
std::int64_t media_tokens(std::string_view raw_message);

}  // namespace weft
