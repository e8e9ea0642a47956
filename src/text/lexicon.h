#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace weft {

/// The longest entry of a list of `lexicon` that begins a text, as the list has it; empty where none does.
inline std::string_view longest_entry(std::span<const std::string_view> list, std::string_view text) {
  std::string_view longest;
  for (const std::string_view one : list)
    if (one.size() > longest.size() && text.starts_with(one)) longest = one;
  return longest;
}

/// What people say, as data that can be mended without knowing the code: lists of words and phrases below
/// lexicon/LANGUAGE/, whose README has their form. The build puts the files into the library. Safe from any thread; the
/// first use of a file reads it.

/// The entries of a list, "change" of "en/cues", in the order of the file, for as long as the program runs. Of a list
/// that is not there it is empty; a test sees to it that each list which code names is.
std::span<const std::string_view> lexicon(std::string_view file, std::string_view list);

using LexiconWords = std::unordered_set<std::string_view>;

/// The same as a set.
LexiconWords lexicon_words(std::string_view file, std::string_view list);

/// The list of that name in lexicon/en/FILE.txt and lexicon/zh/FILE.txt, English first: lexicon_both("cues", "change").
/// Of one language where the file says so: "en/cues".
std::vector<std::string_view> lexicon_both(std::string_view file, std::string_view list);
LexiconWords lexicon_both_words(std::string_view file, std::string_view list);

/// Such a list whose entries are "x=y", as y by x, the first where x stands twice; without a sign y is empty.
std::unordered_map<std::string_view, std::string_view> lexicon_pairs(std::string_view file, std::string_view list);

/// A file of lexicon/, as the build put it into the library.
struct LexiconFile {
  std::string_view id, source;  ///< "en/cues"
};

/// The first of `lexicon_file_count`, sorted by id. Written by cmake/weft_embed.cmake.
extern const LexiconFile lexicon_file_list[];
extern const unsigned lexicon_file_count;

}  // namespace weft
