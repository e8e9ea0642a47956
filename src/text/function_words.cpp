// Closed word classes of both grammars. Left out on purpose are words that are also names or nouns ("may", "will",
// "might", "us" as a country is folded away anyway): the weight of a frequent word is small, a name that cannot be
// found is not.
#include "text/function_words.h"

#include <unordered_set>

namespace weft {
namespace {

constexpr std::string_view kEnglish =
    // articles and determiners
    "a an the this that these those each every either neither both all any some such no "
    // pronouns
    "i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we "
    "our "
    "ours ourselves they them their theirs themselves one ones who whom whose which what "
    // prepositions
    "of in on at by to from for with without within into onto about above below over under between among through "
    "during "
    "before after against across along around behind beside near off out up down upon toward towards since until than "
    "as "
    // conjunctions
    "and or but nor so yet if then else because while when where why how whether though although unless "
    // auxiliaries and what is left of them where the apostrophe is gone
    "be am is are was were been being do does did done doing have has had having can could would should shall must "
    "im ive id ill youre youve youll hes shes theyre weve theyve isnt arent wasnt werent dont doesnt didnt hasnt "
    "havent "
    "hadnt cant couldnt wouldnt shouldnt wont thats whats theres lets "
    // adverbs of degree and place without content
    "not very too also just there here only again once more most own same other";

constexpr std::string_view kChinese =
    // particles and prepositions
    "的 地 得 了 着 过 吗 呢 吧 啊 呀 嘛 哦 嗯 么 之 其 所 以 于 在 从 向 往 对 和 与 及 或 跟 把 被 给 让 为 因 由 而 "
    "且 但 "
    "如 若 则 虽 也 都 就 才 又 再 还 很 太 更 最 "
    // pronouns
    "我 你 您 他 她 它 们 咱 这 那 哪 谁 啥 此 该 每 各 某 "
    // auxiliaries, negation, counters
    "是 有 没 不 会 能 要 想 可 应 个 些 请 吧 "
    // pairs
    "我们 你们 您们 他们 她们 它们 咱们 自己 这个 那个 哪个 这些 那些 哪些 这里 那里 哪里 这样 那样 怎样 这么 那么 "
    "什么 怎么 多少 "
    "为什 因为 所以 但是 可是 不过 而且 或者 还是 如果 虽然 然后 并且 以及 关于 对于 由于 一个 一些 一下 没有 不是 "
    "就是 "
    "可以 能够 应该 需要 已经 正在 是否 还有 请问";

std::unordered_set<std::string_view> split_words() {
  std::unordered_set<std::string_view> set;
  for (std::string_view list : {kEnglish, kChinese}) {
    while (!list.empty()) {
      const auto space = list.find(' ');
      if (const std::string_view word = list.substr(0, space); !word.empty()) set.insert(word);
      list = space == std::string_view::npos ? std::string_view() : list.substr(space + 1);
    }
  }
  return set;
}

}  // namespace

bool is_function_word(std::string_view word) {
  static const std::unordered_set<std::string_view> set = split_words();
  // No function word is longer; most words of a text end here.
  constexpr std::size_t kLongest = 10;  // "themselves", "yourselves"
  return word.size() <= kLongest && set.contains(word);
}

}  // namespace weft
