#include "text/changes.h"

namespace weft {
namespace {

// "Where did I live before?", but not "What do I need before the flight?".
bool ends_with_before(const std::vector<PlainWord>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text != "before") continue;
    const bool last = i + 1 == words.size();
    if (last || words[i + 1].kind == WordKind::kStop || words[i + 1].kind == WordKind::kQuestion) return true;
  }
  return false;
}

}  // namespace

bool asks_of_the_past(const std::vector<PlainWord>& question) {
  static const PhraseTable table = phrase_table("changes", "past");
  return table.any_in(question) || ends_with_before(question);
}

bool asks_of_several(const std::vector<PlainWord>& question) {
  static const PhraseTable table = phrase_table("changes", "several");
  return table.any_in(question);
}

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

}  // namespace weft
