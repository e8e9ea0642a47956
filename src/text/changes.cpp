#include "text/changes.h"

#include <vector>

#include "text/plain_words.h"

namespace weft {
bool tells_of_change(std::string_view text) {
  static const PhraseTable changes = phrase_table("changes", "change"), additions = phrase_table("changes", "addition");
  const std::vector<PlainWord> words = plain_words(text);
  return changes.any_in(words) && !additions.any_in(words);
}

bool tells_of_replacement(std::string_view text) {
  static const PhraseTable table = phrase_table("changes", "replacement");
  if (table.any_in(plain_words(text))) return true;
  const auto no = text.find("不");  // 不学那个了
  return no != std::string_view::npos && text.find("了", no) != std::string_view::npos;
}

bool tells_of_addition(std::string_view text) {
  static const PhraseTable table = phrase_table("changes", "beside");
  return table.any_in(plain_words(text));
}

}  // namespace weft
