#pragma once

#include <string_view>

namespace weft {

/// Whether a clause that says how something is to be told also names what: "explain black holes in one sentence" is
/// about black holes and asked once, "explain things in one sentence" about all that is to come; 用一句话讲讲黑洞,
/// 讲得简单一点. Known by what is left of it without the words for asking, answering and manner, and those of grammar.
/// Both languages; linear; safe from any thread.
bool names_matter(std::string_view clause);

}  // namespace weft
