#include "flow/compaction/summary_patterns.h"

namespace weft {
namespace {

constexpr std::uint32_t kNegation = 1U << 30;

struct Row {
  std::uint32_t signs;
  const char* phrases;
};

// Phrases with no sign of their own stand here only to keep shorter ones inside them from being found.
constexpr Row kEnglish[] = {
    {kSignMust,
     "must|shall|always|mandatory|required to|is required|are required|strictly|at all costs|no matter what"},
    {kSignMust | kNegation,
     "must not|must never|never|may not|shall not|not allowed|not permitted|is forbidden|are forbidden|forbidden|"
     "prohibited|under no circumstances|no exceptions|do not ever|not acceptable|can not be"},
    {kSignShould,
     "should|have to|has to|need to be|needs to be|only|make sure|be sure to|ensure|stick to|rather than|instead of|be "
     "careful|as long as|no need to"},
    {kSignShould | kNegation, "should not|do not|avoid|without|refrain from|not more|stop using|no longer"},
    {kSignLimit,
     "at most|at least|no more than|no less than|not more than|no fewer than|no later than|up "
     "to|maximum|minimum|max|min|"
     "limit|limited to|budget|deadline|within|under|below|less than|more than|fewer than|or less|or more|or fewer|"
     "exceed|not exceed|cap of|capped at|before|due|until|by"},
    {kSignDecision,
     "let us use|let s use|let us go with|we decided|i decided|decided to|decided on|decision is|we will use|i will "
     "use|"
     "we will go with|i will go with|go with|going with|we agreed|agreed to|agreed on|we chose|i chose|i "
     "choose|settled "
     "on|i have chosen|we are going to use|the plan is|switch to|switched to|i will take|instead we|we will keep|"
     "prefer to go with"},
    {kSignDone,
     "has been|have been|successfully|is now|are now|completed|finished|is done|are done|i fixed|i have fixed|fixed "
     "the|"
     "resolved|i added|i have added|i created|i have created|i updated|i have updated|i changed|i have changed|i "
     "removed|i have removed|i wrote|i have written|i implemented|i have implemented|i found|i have found|was created|"
     "was updated|was added|was removed|was booked|was canceled|was cancelled|works now|passes now|all tests pass"},
    {kSignOpen,
     "todo|to do|next step|next steps|still need|still needs|still have to|still has to|remaining|not yet|pending|left "
     "to do|remind me|come back to|outstanding|unresolved|open question|waiting for|will get "
     "back|unfinished|incomplete|"
     "not finished|not done|to be decided|tbd|fixme|later on"},
    {kSignRisk,
     "error|errors|failed|fails|fail|failure|unable to|does not work|did not work|not working|exception|crash|crashes|"
     "crashed|bug|risk|risky|danger|warning|timed out|timeout|denied|broken|wrong|unfortunately|does not exist|not "
     "found|invalid|regression|caution"},
    {kSignPrefers,
     "i prefer|i like|i love|i enjoy|i hate|i dislike|i do not like|i would rather|i d rather|my favorite|my favourite|"
     "we prefer|please call me|call me|i am allergic to|i usually|i am vegetarian|i am vegan|i can not stand|works "
     "best "
     "for me|i tend to|prefer"},
    {kSignPrefers | kSignMust, "i always|i never"},
    {kSignLongTerm,
     "my goal|our goal|my aim|long term|in the long run|i plan to|we plan to|i am planning|this year|next year|i want "
     "to "
     "become|my dream|my project|our project|i am working on|we are working on|i am learning|i am preparing for|i am "
     "training for|ultimately|eventually"},
    {kSignSafety | kNegation,
     "without asking|without my permission|without permission|without approval|without my approval|without "
     "confirmation|without consent|do not share|do not tell|do not send|do not delete|do not disclose|never "
     "share|never "
     "delete|never tell|never send|never disclose"},
    {kSignSafety,
     "ask me before|ask before|ask me first|confirm with me|confirm before|check with me|explicit permission|explicit "
     "confirmation|confidential|keep it secret|keep this secret|keep it private|am allergic"},
    {kSignSensitive,
     "password|passwords|secret|secrets|private key|api key|api keys|credentials|token|tokens|personal data|privacy|"
     "production|medical|credit card|delete|overwrite|force push|drop table|dangerous|unsafe"},
    {kSignRemember,
     "remember that|please remember|remember|keep in mind|note that|do not forget|for the record|from now on|for "
     "future "
     "reference|bear in mind|going forward|in future|in the future"},
    {kSignRequest,
     "can you|could you|would you|will you|please|help me|i need|we need|i want|we want|i would like|i d like|i do not "
     "want|how do i|how can i|how to|let us|show me|tell me|give me|find|i am looking for|i wish|fix|implement|add|"
     "create|write|update|change|check|explain|is there|are there|do you have|is it possible|would it be possible|can "
     "we|could we|can i|could i|may i|"
     "i am hoping|i was hoping|we are hoping|go ahead|proceed"},
    {kNegation, "not|no|nothing|none|neither|nor"},
    {0,
     "i do not know|i do not remember|i do not think|do not worry|i do not have|we do not have|i do not see|i do not "
     "understand|do you not|not only|by the way|all at once|you are always welcome|always happy|by default"},
};

constexpr Row kChinese[] = {
    {kSignMust, "必须|务必|一定要|一律|只能|只许|只准|必需|总是|始终|无论如何"},
    {kSignMust | kNegation,
     "绝不|绝对不|决不|不许|不准|不得|禁止|严禁|千万别|千万不要|永远不要|永远别|不能|不可以|不可|不允许|切勿|切忌|"
     "请勿"},
    {kSignShould, "应该|应当|确保|保证|尽量|只要|只用|仅限|仅|最好|注意|需要先|要先|要求"},
    {kSignShould | kNegation, "不要|别再|别用|不应|避免|不用再|别把|别给|别在|别动|无需|勿"},
    {kSignLimit,
     "最多|至多|至少|最少|不超过|不能超过|不得超过|不要超过|不少于|不多于|以内|之内|之前|以前|以下|以上|上限|下限|预算|"
     "截止|期限|限制|限额|低于|高于|不低于|不高于|小于|大于|不到|为止|最大|最小"},
    {kSignDecision,
     "决定|就用|就选|选定|定下来|敲定|采用|改用|换成|确定用|我们用|那就用|商定|达成一致|说好|方案是|就这么定|就定|"
     "选择了"},
    {kSignDone,
     "已经|已为|已将|已把|已完成|完成了|成功|搞定|修好|修复了|做好了|更新了|创建了|添加了|删除了|写好了|改好了|改成了|"
     "办好了|通过了|解决了|预订了|取消了"},
    {kSignOpen,
     "还没|尚未|待办|待定|待完成|待确认|待处理|待解决|待补|下一步|剩下|稍后|回头再|之后再|等着|未完成|没完成|没做完|"
     "提醒我|有待|"
     "未解决|没有解决|还差|还需要|还要"},
    {kSignRisk,
     "错误|失败|报错|出错|无法|异常|崩溃|风险|超时|拒绝|没成功|不起作用|危险|有问题|遗憾|抱歉|不存在|找不到|无效|警告|"
     "小心"},
    {kSignPrefers,
     "我喜欢|我更喜欢|我不喜欢|我讨厌|我偏好|我偏爱|我习惯|我爱|我最喜欢|我比较喜欢|我一般|我通常|我宁愿|我从不|"
     "我从来不|叫我|"
     "我吃素|我过敏|更喜欢|偏好"},
    {kSignLongTerm,
     "我的目标|我们的目标|目标是|长期|今年要|明年|我打算|我计划|我们计划|我在学|我在准备|我正在准备|最终目标|我的梦想|"
     "我正在做|"
     "我的项目|我们的项目|坚持每"},
    {kSignSafety | kNegation,
     "不要告诉|别告诉|未经|不要删除|别删|不要泄露|别泄露|不要分享|不要外传|别外传|不要发给|别发给|不要公开|"
     "没有我的同意|不得泄露|禁止泄露"},
    {kSignSafety, "先问我|先征得|先确认|经我同意|同意之后|经过我|跟我确认|和我确认|保密|机密|过敏"},
    {kSignSensitive, "密码|密钥|隐私|秘密|个人信息|身份证|银行卡|信用卡|生产环境|删除|覆盖|病历|凭证|令牌"},
    {kSignRemember, "记住|请记|记得|别忘|不要忘|请注意|留意"},
    {kSignRemember | kSignShould, "以后都|从今以后|从现在起|今后|以后请|以后不要|以后别|往后|每次都"},
    {kSignRequest,
     "帮我|请帮|麻烦|我要|我想|我需要|我希望|我想要|给我|能否|可否|能不能|可不可以|怎么|如何|告诉我|请|我们需要|替我|"
     "想请你|能帮|可以帮|是否可以|能不能够|有没有办法|有什么办法|是否能"},
    {kNegation, "不|没|没有|别|勿|未|无"},
    {0,
     "要不要|是不是|不客气|不好意思|特别|别的|别人|区别|分别|级别|性别|差别|类别|个别|不过|不同|不错|不断|对不起|"
     "未来|无论|没关系|没问题|没事|不仅|不但|邀请|申请|请问|请教|不知道|不清楚"},
};

const PhraseTable& table() {
  static const PhraseTable phrases = [] {
    PhraseTable made;
    for (const Row& row : kEnglish) made.add(row.phrases, static_cast<int>(row.signs));
    for (const Row& row : kChinese) made.add(row.phrases, static_cast<int>(row.signs));
    // Questions that are made of a modal verb and its negation are requests, no rules.
    made.add("能不能|可不可以|要不要|该不该|应不应该|需不需要|可以不可以", static_cast<int>(kSignRequest));
    return made;
  }();
  return phrases;
}

// "一个", "两次": numbers that are written out count as numbers too.
bool is_number_word(const PlainWord& word) {
  static const std::unordered_map<std::string_view, int> words = {
      {"one", 1},   {"two", 2},  {"three", 3}, {"four", 4},      {"five", 5},        {"six", 6}, {"seven", 7},
      {"eight", 8}, {"nine", 9}, {"ten", 10},  {"hundred", 100}, {"thousand", 1000}, {"两", 2},  {"二", 2},
      {"三", 3},    {"四", 4},   {"五", 5},    {"六", 6},        {"七", 7},          {"八", 8},  {"九", 9},
      {"十", 10},   {"百", 100}, {"千", 1000}, {"万", 10000}};
  return word.kind == WordKind::kNumber || words.contains(word.text);
}

}  // namespace

Signs find_signs(const std::vector<PlainWord>& words) {
  Signs signs;
  for (std::size_t at = 0; at < words.size();) {
    const PhraseTable::Match match = table().longest(words, at);
    const auto bits = static_cast<std::uint32_t>(match.value);
    signs.bits |= bits & ~kNegation;
    signs.negated = signs.negated || (bits & kNegation) != 0;
    for (std::size_t i = at; i < at + std::max<std::size_t>(match.words, 1); ++i)
      signs.number = signs.number || is_number_word(words[i]);
    at += std::max<std::size_t>(match.words, 1);
  }
  signs.question = !words.empty() && words.back().kind == WordKind::kQuestion;
  if (!signs.number) signs.bits &= ~static_cast<std::uint32_t>(kSignLimit);
  if (signs.any(kSignSensitive) && signs.negated && signs.any(kSignMust | kSignShould)) signs.bits |= kSignSafety;
  return signs;
}

Signs find_signs(std::string_view sentence) { return find_signs(plain_words(sentence)); }

}  // namespace weft
