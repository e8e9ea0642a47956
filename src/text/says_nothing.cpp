// Confirmations are composed of who does it, what is done, and what it is done with, as grammars list them: the object
// is always a pronoun, since a confirmation that names its object says something.
#include "text/says_nothing.h"

#include <string>
#include <vector>

#include "text/plain_words.h"
#include "text/small_talk.h"

namespace weft {
namespace {

struct Composed {
  std::string_view who, does, what;
  bool blank;  // between them
};

constexpr Composed kConfirmations[] = {
    {"i will|i will be sure to|i will make sure to|i am going to|i can|i shall|let me|will|sure i will",
     "remember|keep|note|make a note of|take a note of|take note of|write down|jot down|save|store|record|memorize|"
     "bear|hold on to|do|look into|get on|get to",
     "|that|it|this|these|those|them|all that|all of that|all of this|it all|that for you|it for you|this for you|"
     "that in mind|it in mind|this in mind|them in mind|these in mind|in mind|that down|it down|this down|that for "
     "later|"
     "it for later|this for later|that for next time|that right away|it right away|that now|it now|"
     "that for future reference|this for future reference|that going forward",
     true},
    {"i have|i have got|i have just|i have now|i|i just|i have already",
     "noted|made a note of|taken a note of|taken note of|took note of|written down|wrote down|saved|stored|recorded|"
     "remembered|memorized|updated|added|kept|noted down|got|logged|registered|done",
     "that|it|this|these|those|them|all that|all of that|all of this|it all|that for you|it for you|this for you|"
     "that down|it down|this down|that in my notes|it in my notes|my notes|that to my notes|it to my notes|"
     "that to memory|it to memory|that for later|it for later|that now|it now",
     true},
    {"",
     "noted|saved|recorded|stored|updated|remembered|duly noted|noted and saved|all set|all noted|consider it done|"
     "it is noted|that is noted|this is noted|your notes are updated|my notes are updated|i am on that|"
     "i will keep you posted|i will let you know|i will get back to you|i will get back to you on that",
     "|for later|for next time|for future reference|for you", true},
    {"我|我会|我已经|我已|我都|已经|已|已为您|已为你|我已为您|我已为你|都|会|我会好好",
     "记住|记下|记下来|记录|记录下来|记好|记着|记得|记在心里|保存|存好|更新|存下来|备注|留意|注意|处理|安排|知悉|知晓",
     "|了|的|啦|好了|下了|下来了|这个|这个了|这件事|这件事了|这些|这些了|这一点|这一点了|这点|这点了|您说的|你说的",
     false},
    {"这个|这一点|这点|这些|这件事|这件事情", "我|我会|我已经|我已|我都",
     "记住了|记下了|会记住的|会记得的|记住的|记得的|知道了|了解了", false},
};

std::vector<std::string_view> parts_of(std::string_view list) {
  auto parts = split_list(list, '|');
  if (list.empty() || list.starts_with('|')) parts.emplace_back();
  return parts;
}

const PhraseTable& confirmations() {
  static const PhraseTable table = [] {
    PhraseTable built;
    for (const Composed& one : kConfirmations) {
      const std::string_view blank = one.blank ? " " : "";
      for (const std::string_view who : parts_of(one.who)) {
        for (const std::string_view does : parts_of(one.does)) {
          for (const std::string_view what : parts_of(one.what)) {
            std::string phrase(who);
            phrase.append(who.empty() ? "" : blank).append(does).append(what.empty() ? "" : blank).append(what);
            built.add(phrase, 1);
          }
        }
      }
    }
    return built;
  }();
  return table;
}

bool ends_clause(const PlainWord& word) {
  return word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.kind == WordKind::kQuestion ||
         word.kind == WordKind::kEmoji || word.text == "and" || word.text == "!";
}

// Confirmations that fill what is left of their clause go; small talk before them ("sure", 好的) may stay.
std::vector<PlainWord> without_confirmations(const std::vector<PlainWord>& words) {
  std::vector<PlainWord> left;
  for (std::size_t i = 0; i < words.size();) {
    std::size_t length = 0;
    confirmations().for_each(words, i, [&](std::size_t count, int) {
      if (length == 0 && (i + count == words.size() || ends_clause(words[i + count]))) length = count;
    });
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
