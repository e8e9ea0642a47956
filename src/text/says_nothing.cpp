// Confirmations are composed of who does it, what is done, and what it is done with, as grammars list them: the object
// is always a pronoun, since a confirmation that names its object says something.
#include "text/says_nothing.h"

#include <algorithm>
#include <string>
#include <vector>

#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/small_talk.h"

namespace weft {
namespace {

/// One list of phrases, which a clause may lack where it is optional.
struct Part {
  /// Calls `found(words)` for each way in which the list can be met at that place.
  template <class Found>
  void at(const std::vector<PlainWord>& words, std::size_t place, Found found) const {
    if (place < words.size()) table.for_each(words, place, [&](std::size_t count, int) { found(count); });
    if (optional) found(std::size_t{0});
  }

  PhraseTable table;
  bool optional;
};

/// A clause is one phrase of each list in turn.
struct Confirmation {
  Confirmation(std::string_view file, const std::string& name, bool bare, bool needs_object)
      : who{part(file, name + " who"), bare},
        does{part(file, name + " does"), false},
        what{part(file, name + " what"), !needs_object} {}

  static PhraseTable part(std::string_view file, const std::string& list) {
    PhraseTable table;
    for (const std::string_view phrase : lexicon(file, list)) table.add(phrase, 1);
    return table;
  }

  Part who, does, what;
};

const std::vector<Confirmation>& confirmations() {
  static const std::vector<Confirmation> all{{"en/small_talk", "promise", false, false},
                                             {"en/small_talk", "report", false, true},
                                             {"en/small_talk", "note", true, false},
                                             {"zh/small_talk", "note", true, false},
                                             {"zh/small_talk", "topic", false, true}};
  return all;
}

bool ends_clause(const PlainWord& word) {
  return word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.kind == WordKind::kQuestion ||
         word.kind == WordKind::kEmoji || word.text == "and" || word.text == "!";
}

// Words of the confirmation that begins here and fills the rest of its clause; 0: none does.
std::size_t confirmation_at(const std::vector<PlainWord>& words, std::size_t begin) {
  std::size_t length = 0;
  for (const Confirmation& one : confirmations()) {
    one.who.at(words, begin, [&](std::size_t who) {
      one.does.at(words, begin + who, [&](std::size_t does) {
        one.what.at(words, begin + who + does, [&](std::size_t what) {
          const std::size_t end = begin + who + does + what;
          if (end == words.size() || ends_clause(words[end])) length = std::max(length, end - begin);
        });
      });
    });
  }
  return length;
}

// Small talk before a confirmation ("sure", 好的) stays, and is judged by itself.
std::vector<PlainWord> without_confirmations(const std::vector<PlainWord>& words) {
  std::vector<PlainWord> left;
  for (std::size_t i = 0; i < words.size();) {
    const std::size_t length = confirmation_at(words, i);
    if (length == 0) left.push_back(words[i]);
    i += length == 0 ? 1 : length;
  }
  return left;
}

}  // namespace

bool says_nothing(std::string_view text) {
  const std::vector<PlainWord> words = plain_words(text);
  const CapitalWords capitals = capital_words(text);
  if (is_empty_talk(words, 0, words.size(), capitals)) return true;
  const std::vector<PlainWord> left = without_confirmations(words);
  return left.size() < words.size() && is_empty_talk(left, 0, left.size(), capitals);
}

bool is_receipt(std::string_view output) {
  constexpr std::size_t kLongest = 160;
  if (output.empty() || output.size() > kLongest) return false;
  static const LexiconWords words = lexicon_words("en/small_talk", "receipts");
  const auto chinese = lexicon("zh/small_talk", "receipts");
  bool done = false;
  for (const PlainWord& word : plain_words(output)) {
    if (words.contains(word.text)) {
      done = true;
      continue;
    }
    const bool mark = word.text.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos &&
                      static_cast<unsigned char>(word.text.empty() ? ' ' : word.text.front()) < 0x80;
    if (mark) continue;
    const bool in_chinese = std::any_of(chinese.begin(), chinese.end(),
                                        [&](std::string_view one) { return one.find(word.text) != one.npos; });
    if (!in_chinese) return false;
    done = true;
  }
  return done;
}

}  // namespace weft
