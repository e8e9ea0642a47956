#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft {

/// What a text says that it goes back to, in its first words and in so many words: "the trip" of "OK, back to the
/// trip: …", 旅行 of 说回旅行的事. Empty where it names nothing ("where were we?", 话说回来); nothing where it does not
/// say so. The words alone cannot tell a talk from a place ("back to Berlin"): whether anything of that kind was spoken
/// of is for the caller to see. English and Chinese. Pure; safe from any thread.
std::optional<std::string> goes_back_to(std::string_view text);

/// Whether a text says in its first words, and so that nothing else can be meant, that it speaks of something else now:
/// "on a different note", "something else: …", 换个话题. "By the way" and 对了 are no such words. Pure; safe from any
/// thread.
bool changes_subject(std::string_view text);

}  // namespace weft
