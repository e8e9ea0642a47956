// Confirmations are composed of who does it, what is done, and what it is done with, as grammars list them: the object
// is always a pronoun, since a confirmation that names its object says something.
#include "text/says_nothing.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "text/plain_words.h"
#include "text/small_talk.h"

namespace weft {
namespace {

// A clause is one phrase of each list in turn; a list that begins or ends with '|' may be left out.
struct Pattern {
  std::string_view who, does, what;
};

constexpr Pattern kPatterns[] = {
    {"i will|i will be sure to|i will make sure to|i am going to|i can|i shall|let me|will|i will gladly",
     "remember|keep|note|make a note of|take a note of|take note of|write down|jot down|save|store|record|memorize|"
     "bear|hold on to|do|look into|get on|get to",
     "|that|it|this|these|those|them|all that|all of that|all of this|it all|that for you|it for you|this for you|"
     "that in mind|it in mind|this in mind|them in mind|these in mind|in mind|that down|it down|this down|"
     "that for later|it for later|this for later|that for next time|that right away|it right away|that now|it now|"
     "that for future reference|this for future reference|that going forward"},
    {"i have|i have got|i have just|i have now|i|i just|i have already",
     "noted|made a note of|taken a note of|taken note of|took note of|written down|wrote down|saved|stored|recorded|"
     "remembered|memorized|updated|added|kept|noted down|got|logged|registered|done",
     "that|it|this|these|those|them|all that|all of that|all of this|it all|that for you|it for you|this for you|"
     "that down|it down|this down|that in my notes|it in my notes|my notes|that to my notes|it to my notes|"
     "that to memory|it to memory|that for later|it for later|this for later|that now|it now"},
    {"|duly|all|it is|that is|this is",
     "noted|saved|recorded|stored|updated|remembered|set|noted and saved|consider it done|your notes are updated|"
     "my notes are updated|i am on that|i will keep you posted|i will let you know|i will get back to you|"
     "i will get back to you on that",
     "|for later|for next time|for future reference|for you"},
    {"|我|我会|我已经|我已|我都|已经|已|已为您|已为你|我已为您|我已为你|都|会|我会好好",
     "记住|记下|记下来|记录|记录下来|记好|记着|记得|记在心里|保存|存好|更新|存下来|备注|留意|注意|处理|安排|知悉|知晓",
     "|了|的|啦|好了|下了|下来了|这个|这个了|这件事|这件事了|这些|这些了|这一点|这一点了|这点|这点了|您说的|你说的"},
    {"这个|这一点|这点|这些|这件事|这件事情", "我|我会|我已经|我已|我都",
     "记住了|记下了|会记住的|会记得的|记住的|记得的|知道了|了解了"},
};

/// One list of phrases.
struct Part {
  explicit Part(std::string_view list) : optional(list.starts_with('|') || list.ends_with('|')) { table.add(list, 1); }

  /// Calls `found(words)` for each way in which the list can be met at that place.
  template <class Found>
  void at(const std::vector<PlainWord>& words, std::size_t place, Found found) const {
    if (place < words.size()) table.for_each(words, place, [&](std::size_t count, int) { found(count); });
    if (optional) found(std::size_t{0});
  }

  PhraseTable table;
  bool optional;
};

struct Confirmation {
  explicit Confirmation(const Pattern& pattern) : who(pattern.who), does(pattern.does), what(pattern.what) {}
  Part who, does, what;
};

const std::vector<Confirmation>& confirmations() {
  static const std::vector<Confirmation> all(std::begin(kPatterns), std::end(kPatterns));
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

}  // namespace weft
