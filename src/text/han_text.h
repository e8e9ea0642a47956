#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Where the Chinese words of a text begin and end, by the dictionary of ICU's word breaker. Outside of Chinese every
/// place is a border. Immutable; safe from any thread.
class HanBreaks {
 public:
  /// Linear in the text. Broken UTF-8 is passed over.
  explicit HanBreaks(std::string_view text);

  /// Whether a word goes on over this byte: 饭前 over the byte before 前.
  bool inside_word(std::size_t at) const;

  /// The word that begins at this byte; empty where none does.
  std::string_view word_at(std::size_t at) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_, ends_;  // of words with a Chinese character, ascending
};

/// The character under which a Chinese character is compared: the simplified form, one form for variants. Other code
/// points come back as they are. The first call reads OpenCC's dictionary (some milliseconds); where its files are
/// missing, only a few variants are folded, and the log says so once. Safe from any thread, without a lock for
/// characters seen before.
char32_t fold_han(char32_t c);

/// The text with `fold_han` applied to every Chinese character. Needs valid UTF-8.
std::string fold_han(std::string_view text);

}  // namespace weft
