#include "flow/context/goal_talk.h"

#include <algorithm>

#include "text/plain_words.h"
#include "text/sentences.h"

namespace weft {
namespace {

enum Talk : int { kState = 1, kEnd };

const PhraseTable& talk_words() {
  static const PhraseTable table = [] {
    PhraseTable phrases;
    phrases.add(
        "my goal is|our goal is|my aim is|our aim is|my mission is|our mission is|my purpose is|our purpose is|"
        "my ambition is|my dream is|our plan is|my plan is|from now on|i swear to|we swear to|i vow to|we vow to|"
        "i promise to|we promise to|i have set out to|we have set out to|i am determined to|we are determined to|"
        "i have decided to|we have decided to|"
        "我的目标是|我们的目标是|我的目的是|我们的目的是|我的使命是|我们的使命是|我的任务是|我们的任务是|我的梦想是|"
        "我的心愿是|我的愿望是|我们的计划是|我的计划是|从现在起|从今以后|从今天起|我发誓|我们发誓|我立誓|我决心|"
        "我下定决心|我们决心|我决定要|我们决定要",
        kState);
    phrases.add(
        "i give up on|we give up on|i abandon|we abandon|i no longer want|we no longer want|my goal is reached|"
        "our goal is reached|my goal is fulfilled|goal reached|goal achieved|we have reached our goal|"
        "i have reached my goal|forget about my goal|forget our goal|"
        "我放弃|我们放弃|我不再|我们不再|目标达成|目标完成|目标实现|目标已经达成|达成了目标|完成了目标|忘掉我的目标",
        kEnd);
    return phrases;
  }();
  return table;
}

}  // namespace

GoalTalk goal_in(std::string_view input) {
  GoalTalk talk;
  for (const std::string_view sentence : sentences(input)) {
    const auto words = plain_words(sentence);
    const bool asks =
        std::any_of(words.begin(), words.end(), [](const PlainWord& word) { return word.kind == WordKind::kQuestion; });
    if (asks) continue;
    for (std::size_t at = 0; at < words.size(); ++at) {
      const auto found = talk_words().longest(words, at);
      // A form without anything behind it sets nothing.
      constexpr std::size_t kLeast = 2;
      if (found.value == kEnd) talk.ended = true;
      if (found.value == kState && at + found.words + kLeast <= words.size()) {
        talk.stated = std::string(sentence);
        break;
      }
    }
  }
  if (!talk.stated.empty()) talk.ended = false;
  return talk;
}

}  // namespace weft
