#pragma once

#include <string>
#include <string_view>

#include "weft/message.h"

namespace weft {

/// A message's JSON with `text` before its own text. String content grows at its beginning; in an array of parts the
/// first part of text does, and where there is none a part of text is put first. Every other byte stays: images, names,
/// cache_control, fields that Weft does not know. Content that is null or missing becomes the text. `raw_message` must
/// be JSON that has been checked; what is no object comes back as it is.
std::string with_text_before(std::string_view raw_message, std::string_view text);

/// The same at the end: string content grows there, or the last part of text, or a part is put last.
std::string with_text_after(std::string_view raw_message, std::string_view text);

/// The same for a message, in its content and, where it has one, in its JSON.
Message with_text_before(Message message, std::string_view text);
Message with_text_after(Message message, std::string_view text);

}  // namespace weft
