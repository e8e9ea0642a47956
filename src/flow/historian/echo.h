#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// The share of what a text says, 0 to 1 by content words, that stands in the recalled memories: runs of three words
/// (four Chinese characters) that one memory holds in the same order. Pronouns count as each other ("I" comes back as
/// "you"), verb endings of the third person as none. 0 for a text without content. Linear in text and memories.
double echo_share(std::string_view text, const std::vector<std::string>& recalled);

/// The text without the sentences that only quote a memory. A sentence only quotes where each of its clauses stands
/// completely in one sentence of a memory, apart from words about remembering ("as you told me", 根据记忆): one other
/// name, number or negation is news and keeps it. Kept sentences stay as they are, joined by their own spacing or,
/// where something between them went, by one blank. Empty if nothing is new.
std::string without_echo(std::string_view text, const std::vector<std::string>& recalled);

}  // namespace weft
