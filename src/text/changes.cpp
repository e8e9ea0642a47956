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

constexpr std::string_view kSeveral =
    "total|in total|totals|altogether|in all|overall|combined|together|sum|sum of|all the|all of|all my|list|each "
    "of|every|"
    "average|on average|compare|compared|compared to|comparison|difference|differences|more than|less than|in order|"
    "order|in what order|in which order|chronological|chronologically|sequence|how many times|how often|number of "
    "times|"
    "first or|"
    "总共|一共|总计|合计|共计|累计|加起来|所有|全部|列出|列举|每个|每一|平均|比较|相比|对比|区别|差别|顺序|先后|依次|"
    "多少次|几次|"
    "分别";

constexpr std::string_view kChange =
    "now|nowadays|no longer|not any more|anymore|any more|instead|instead of|rather than|changed|changes to|changed to|"
    "has changed|have changed|moved|moved to|switched|switched to|renamed|replaced|postponed|rescheduled|brought "
    "forward|"
    "put off|pushed back|raised|lowered|increased|reduced|cut to|went up|went down|rose to|fell to|dropped to|"
    "from now on|as of|as from|with effect from|since today|update|updated|correction|corrected|scratch that|"
    "forget what i said|i was wrong|was wrong|turns out|it turned out|actually|no wait|not what i said|new|newly|"
    "cancelled|canceled|became|becomes|took over|takes over|taken over|stopped|quit|gave up|given up|these days|lately|"
    "by now|presently|henceforth|going forward|from here on|in future|after all|ever since|since monday|since "
    "tuesday|since wednesday|since thursday|since friday|since saturday|since sunday|since january|since february|"
    "since march|since april|since may|since june|since july|since august|since september|since october|since "
    "november|since december|since last|since this|this year|this month|next month|left|sold|swapped|swapped for|"
    "traded|traded in|exchanged|upgraded|upgraded to|transferred|transferred to|shifted|shifted to|converted|relocated|"
    "relocated to|settled|settled in|hired|got hired|promoted|retired|resigned|fired|rebooked|reset|bumped|bumped to|"
    "extended|extended to|shortened|delayed|delayed until|went with|ended up|in place of|in its place|renumbered|"
    "has become|have become|turned|until further notice|"
    "pushed|pushed to|shifted to|pulled forward|gone up|gone down|went up to|is up to|are up "
    "to|ditched|scrapped|handed "
    "over|outgrown|grown out of|"
    "现在|如今|目前|改成|改为|改到|改用|改叫|改名|换成|换到|换了|换为|变成|变为|变了|不再|更正|纠正|更新|更新为|调整为|"
    "调整到|调到|调成|推迟|延期|提前|取消|其实|实际上|说错了|搞错了|记错了|搬到|搬去|转到|转为|升到|降到|涨到|提高到|"
    "降低到|增加到|减少到|涨价|"
    "降价|"
    "从今以后|从现在起|新的|接替|辞职|而不是|以后|今后|往后|这阵子|这段时间|眼下|从今天起|从今天开始|从明天起|"
    "从周一起|从周二起|从周三起|从周四起|从周五起|从下周起|从下个月起|从这个月起|这个月起|下个月起|今年起|明年起|接手|"
    "接任|"
    "换人|新来|来了|转学|转学到|转校|转行|跳槽|离职|入职|被录用|录用|升职|退休|搬走|安家|落户|定居|卖了|退了|改住|改订|"
    "改签|"
    "改学|改喝|改吃|改开|改坐|改在|改去|改由|改|换|涨到|涨成|涨了|降到|降了|延到|延后|挪到|移到|调整|还是定在|"
    "到头来|不干了|没了|停了|取代|代替|挪|重新|变了|重订|新定|原来那|原先|刚搬|搬家|搬完|卖掉";

constexpr std::string_view kAddition =
    "also|another|other|as well|additionally|in addition|besides|one more|both|"
    "还有|另外|另一|另一个|也|此外|再加|又一|两个都";

constexpr std::string_view kReplacement =
    "instead|instead of|rather than|no longer|not any more|anymore|any more|switched|switched to|have switched|swapped|"
    "swapped for|traded|replaced|replaced by|gave up|given up|stopped|quit|dropped|changed|changed to|in place of|"
    "converted to|ended|moved on|moved on to|no more|"
    "改学|改喝|改吃|改用|改练|改玩|改看|改成|改为|改做|改|换成|换了|换|不再|取代|代替|放弃|而不是|戒";

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

bool asks_of_several(std::string_view question) {
  static const PhraseTable table = table_of(kSeveral);
  return has_any(table, plain_words(question));
}

bool tells_of_change(std::string_view text) {
  static const PhraseTable changes = table_of(kChange), additions = table_of(kAddition);
  const std::vector<PlainWord> words = plain_words(text);
  return has_any(changes, words) && !has_any(additions, words);
}

bool tells_of_replacement(std::string_view text) {
  static const PhraseTable table = table_of(kReplacement);
  if (has_any(table, plain_words(text))) return true;
  const auto no = text.find("不");  // 不学那个了
  return no != std::string_view::npos && text.find("了", no) != std::string_view::npos;
}

}  // namespace weft
