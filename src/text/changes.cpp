#include "text/changes.h"

#include <vector>

#include "text/plain_words.h"

namespace weft {
namespace {

constexpr std::string_view kPast =
    "previously|previous|used to|earlier|originally|original|formerly|former|initially|initial|at first|in the past|"
    "back then|history|over time|no longer|changed|changes|at the beginning|in the beginning|until when|"
    "以前|之前|从前|原来|原先|原本|曾经|过去|当初|最初|起初|一开始|刚开始|早先|先前|历史|变化|变过|改过|换过|变更|旧的|"
    "老的|历次";

constexpr std::string_view kChange =
    "now|nowadays|no longer|not any more|anymore|any more|instead|instead of|rather than|changed|changes to|changed to|"
    "has changed|have changed|moved|moved to|switched|switched to|renamed|replaced|postponed|rescheduled|brought "
    "forward|"
    "put off|pushed back|raised|lowered|increased|reduced|cut to|went up|went down|rose to|fell to|dropped to|"
    "from now on|as of|as from|with effect from|since today|update|updated|correction|corrected|scratch that|"
    "forget what i said|i was wrong|was wrong|turns out|it turned out|actually|no wait|not what i said|new|newly|"
    "cancelled|canceled|became|becomes|took over|takes over|stopped|quit|gave up|"
    "现在|如今|目前|改成|改为|改到|改用|改叫|改名|换成|换到|换了|换为|变成|变为|变了|不再|更正|纠正|更新|更新为|调整为|"
    "调整到|调到|调成|推迟|延期|提前|取消|其实|实际上|说错了|搞错了|记错了|搬到|搬去|转到|转为|升到|降到|涨到|提高到|"
    "降低到|增加到|减少到|涨价|"
    "降价|"
    "从今以后|从现在起|新的|接替|辞职|而不是";

constexpr std::string_view kAddition =
    "also|another|other|as well|additionally|in addition|besides|one more|both|"
    "还有|另外|另一|另一个|也|此外|再加|又一|两个都";

PhraseTable table_of(std::string_view phrases) {
  PhraseTable table;
  table.add(phrases, 1);
  return table;
}

bool has_any(const PhraseTable& table, const std::vector<PlainWord>& words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (table.longest(words, i).words > 0) return true;
  return false;
}

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

bool asks_of_the_past(std::string_view question) {
  static const PhraseTable table = table_of(kPast);
  const std::vector<PlainWord> words = plain_words(question);
  return has_any(table, words) || ends_with_before(words);
}

bool tells_of_change(std::string_view text) {
  static const PhraseTable changes = table_of(kChange), additions = table_of(kAddition);
  const std::vector<PlainWord> words = plain_words(text);
  return has_any(changes, words) && !has_any(additions, words);
}

}  // namespace weft
