#include "flow/memory/general_wish.h"

#include <algorithm>
#include <string>

#include "flow/memory/standing_wish.h"
#include "text/han_fold.h"
#include "text/plain_words.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

// Whatever it is about, it holds on.
constexpr View kLasting =
    "from now on|from here on|from today on|from this point on|from today|going forward|in future|in the future|"
    "henceforth|for good|ever again|anymore|any more|always|never|every time|each time|whenever|as a rule|by default|"
    "your default|my default|at all times|without exception|for next time|now and later|no matter what|permanently|"
    "once and for all|as standard|in all your|all your|every answer|every reply|every response|every message|each "
    "answer|"
    "each reply|anything you|everything you|whatever you|things you|every single|in our chats|in our conversations|in "
    "our "
    "talks|when we chat|when we talk|we ever|we talk about|you ever|you write for me|you send me|you show me|you give "
    "me|you tell me|you make|you recommend|you suggest|your answers|your replies|your responses|your messages|your "
    "explanations|your suggestions|your tone|when i ask|if i ask|when you answer|when you reply|when you explain|when "
    "you write|when you talk|when talking to me|when answering me|when you give|when you suggest|when you recommend|"
    "keep giving|keep doing|keep using|in general|generally|stop using|stop saying|"
    "stop calling|stop adding|stop ending|stop starting|quit using|quit saying|quit calling|i'd rather you|i would "
    "rather "
    "you|i like it when you|i love it when you|i hate it when you|i don't like it when you|i prefer it when you|i like "
    "that you";
// It may; what it is about decides.
constexpr View kWithMe =
    "with me|to me|for me|at me|me|my|no more|your language|your style|your writing|your english|you keep|you always|"
    "only|please";
// Beginnings of an instruction besides those of the clause grammar.
constexpr View kInstructs =
    "keep|use|write|answer|reply|respond|speak|talk|give|be|call|address|avoid|stop|don't|do "
    "not|dont|never|always|format|"
    "include|add|skip|explain|show|put|list|start|end|begin|finish|assume|convert|refer|treat|spell|stick|limit|drop|"
    "leave|no|ask|mention|tell|send|quote|cite|translate|round|sort|structure|summarise|summarize|default|provide|"
    "offer|"
    "suggest|recommend|remind|warn|greet|sign|omit|switch|make|quit|cut|spare|save|hold|lay|go|do|let|feel|read|check|"
    "double-check|think|mark|label|number|only|just|stay|sound|split|break|bold|wait|point|correct|challenge|refrain|"
    "cool it|ease|rely|write out|work|get|take";
constexpr View kLikes =
    "i'd rather|i would rather|i'd prefer|i would prefer|i prefer|i like|i love|i'd like|i would like|i want|i don't "
    "want|i "
    "do not want|i hate|i can't stand|i cannot stand|i dislike|i don't like|i appreciate|i'd appreciate|i would "
    "appreciate|i'd be grateful|i would be grateful|i'd be happier|i'm happier|i'm happiest|suit me|suits me|easier "
    "for "
    "me|make my life easier|makes my life easier|nicer when|nicer if|works best for me|work best for me|helps me|help "
    "me "
    "if you|i need you|i'm not comfortable|i am not comfortable|bothers me|annoys me|i only think in|i think in|i only "
    "use|i read better|i'm fine with|for me no|only for me|no need to|no need for|you don't need|you don't have to|you "
    "can "
    "skip|you needn't|you can drop|there's no need|i find it|i get on better|drives me mad|drives me crazy";
constexpr View kRequests =
    "could you|can you|would you|will you|can we|could we|would you mind|mind if|is it ok if you";
constexpr View kSpeaksOfAnswers =
    "you|your|answers|replies|responses|reply|answer|explanations|suggestions|messages|me|our chats";

// One task, other people, other times, something supposed.
constexpr View kOther =
    "this time|for now|just once|this once|right now|for the moment|for today|today only|tonight|tomorrow|used to|says|"
    "said|told me|tells me|asked me|asks me|taught "
    "me|he|she|his|her|prefers|likes|wants|hates|insists|recommends|grandmother|"
    "grandma|grandfather|according to|wish me|remind me|should i|do i|did "
    "i|i always|i never|i keep|would be nice if|if only|wish i|imagine|pretend|suppose|in the poem|in the story|in "
    "this|"
    "for this|never mind|never say never|write to me at|this one|this recipe|this email|this letter|this essay|this "
    "text|this paragraph|this story|the letter|the "
    "email|the essay|the poem|the story|the summary|the paragraph|the script|the speech|the report|the slides|write a|"
    "write me a|make me a|next story|next chapter|next poem";
constexpr View kQuestion =
    "how|why|what|when did|where|who|which|is|are|was|were|does|did|do|have|has|should|am|isn't|aren't|doesn't|don't "
    "you";

constexpr View kLastingChinese =
    "以后|今后|往后|从此|从今|从现在|从今天|每次|每回|凡是|但凡|一律|一概|永远|始终|总是|一直|长期|默认|再也|别再|"
    "不要再|"
    "不用再|甭再|平常都|平时都|照这个来|都照|只认|任何时候|所有的|一直这样|就这样定|当成习惯|都给我|统统|通通|全都|"
    "固定|"
    "我跟你说话|咱们聊|咱们说话|跟我说话|跟我聊天|和我聊天|对我说话|回我消息|给我推荐|给我讲|给我写的|给我出|我问你|"
    "的时候你|聊天时|说话时|"
    "的时候，你|的时候给我|这俩字";
constexpr View kWithMeChinese =
    "给我|跟我|对我|回我|和我|我看不惯|我不爱|我不喜欢|我讨厌|我喜欢|我习惯|我不想|我更喜欢|你老|你总|你每次|怪烦的|"
    "省了吧|免了|"
    "就好|你就|你不用|你不必|你别|你可以|请你|麻烦你|希望你";
constexpr View kInstructsChinese =
    "别|不要|不用|不必|甭|请|要|用|给我|控制|回我|写|说|讲|标|列|叫我|称呼|直接|省了|免了|排除|避免|先|按|能不能|能否|"
    "成不成|"
    "行不行|好吗|可以吗|希望你|我喜欢|我不喜欢|我讨厌|我不爱|我习惯|我只认|少|多|告诉我|默认|一点|改用|换成";
constexpr View kOtherChinese =
    "这次|这一次|这回|这个|这篇|这段|这封|这份|这首|那个|那篇|下面|以下|明天提醒|提醒我|小时候|以前|当年|从前|那时|"
    "上学|上次|说过|"
    "老板|老师说|医生说|我妈|我爸|她让|他让|她说|他说|说明书|据说|听说|如果|要是|假如|万一|为什么|怎么|什么|哪里|哪个|"
    "多少|"
    "是不是|有没有|该不该|要不要|我总是|我老是|我从来|我每次|我一直|人家|客户|同事|领导|他们|她们|下一个|下一章|今天|"
    "今晚|暂时|"
    "先这样";

// Phrases of a list that is split once; of an English one with a blank around each.
class Phrases {
 public:
  explicit Phrases(View list) {
    for (const View one : split_list(list, '|')) all_.push_back(" " + std::string(one) + " ");
  }
  /// Whether one stands in a clause, as whole words.
  bool in(View padded) const {
    return std::any_of(all_.begin(), all_.end(), [&](const auto& one) { return padded.find(one) != View::npos; });
  }
  bool begin(View padded) const { return size_of_begin(padded) > 0; }
  /// Bytes of the first that begins a clause, with its blanks; 0 where none does.
  std::size_t size_of_begin(View padded) const {
    const auto one = std::find_if(all_.begin(), all_.end(), [&](const auto& all) { return padded.starts_with(all); });
    return one == all_.end() ? 0 : one->size();
  }
  /// Whether one stands anywhere, words or not.
  bool within(View text) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const auto& one) { return text.find(View(one).substr(1, one.size() - 2)) != View::npos; });
  }

 private:
  std::vector<std::string> all_;
};

struct EnglishSigns {
  Phrases lasting{kLasting}, with_me{kWithMe}, instructs{kInstructs}, likes{kLikes}, requests{kRequests},
      speaks{kSpeaksOfAnswers}, other{kOther}, question{kQuestion},
      answers{"answers|replies|responses|explanations|introductions|messages|paragraphs"},
      said_to_me{"with me|at me|to me|for me|no more|you keep"};
};
const EnglishSigns& english() {
  static const EnglishSigns signs;
  return signs;
}

struct ChineseSigns {
  Phrases lasting{kLastingChinese}, with_me{kWithMeChinese}, instructs{kInstructsChinese}, other{kOtherChinese},
      asks_kindly{"能不能|能否|成不成|行不行|好吗|可以吗|好不好|行吗|可不可以"},
      speaks{"你|回答|回复|推荐|讲|聊|都用|都写|都按|都标|都给|都告诉"}, likes{"我喜欢|我更喜欢|我爱看"},
      answers{"回答|回复|答案|解释"}, forbids{"别|不要|不用|不必|甭|你就|给我|我习惯|我不爱|我看不惯|免了|省了|跟我讲"};
};
const ChineseSigns& chinese() {
  static const ChineseSigns signs;
  return signs;
}

// Marks beyond ASCII as their kin in it.
std::string straight(std::string text) {
  for (const auto& [mark, by] : {std::pair<View, View>{"’", "'"}, {"–", ","}, {"—", ","}})
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, mark.size(), by);
  return text;
}

// What politeness and time put before the clause proper.
const Phrases& openings() {
  static const Phrases all(
      "oh|and|so|but|please|also|btw|honestly|ok|okay|well|then|hey|anyway|just|maybe|could you|can you|would you|will "
      "you|right|thanks|from now on|from here on|from today on|going forward|in future|in the future|as a rule|by "
      "default|in general|for the future|henceforth|i'd appreciate it if you");
  return all;
}

// Lower case, one blank between words and around them; a comma ends a clause.
std::vector<std::string> clauses_of(View sentence) {
  std::vector<std::string> clauses(1, " ");
  for (const char byte : straight(normalize(sentence))) {
    if (std::string_view(",;:").find(byte) != View::npos && clauses.back().size() > 1) {
      clauses.emplace_back(" ");
      continue;
    }
    const bool mark = std::string_view("\t\r\n.!?\"()").find(byte) != View::npos;
    const char c = mark ? ' ' : byte;
    if (c != ' ' || clauses.back().back() != ' ') clauses.back() += c;
  }
  for (std::string& clause : clauses) {
    if (clause.back() != ' ') clause += ' ';
    for (std::size_t size = openings().size_of_begin(clause); size > 0 && size < clause.size();
         size = openings().size_of_begin(clause))
      clause.erase(0, size - 1);
  }
  std::erase_if(clauses, [](const std::string& clause) { return clause.size() < 3; });
  return clauses;
}

bool is_of_answers(View sentence) { return !wish_aspect(sentence).starts_with("of "); }

bool is_general_english(View sentence) {
  const EnglishSigns& signs = english();
  std::string all = " ";
  const auto clauses = clauses_of(sentence);
  for (const std::string& clause : clauses) all += clause.substr(1);
  if (clauses.empty() || signs.other.in(all)) return false;
  const bool requests = signs.requests.within(straight(normalize(sentence)));
  if (!requests && (sentence.ends_with('?') || signs.question.begin(all))) return false;
  const bool known = is_of_answers(sentence), speaks = signs.speaks.in(all);
  const bool likes = signs.likes.in(all) && (speaks || known);
  const bool instructs = requests || std::any_of(clauses.begin(), clauses.end(),
                                                 [&](const auto& clause) { return signs.instructs.begin(clause); });
  if (!likes && !instructs) return false;
  if (signs.lasting.in(all)) return true;
  if (likes && known && signs.answers.in(all)) return true;
  return known && signs.with_me.in(all) && (likes || signs.said_to_me.in(all));
}

bool is_general_chinese(View sentence) {
  const ChineseSigns& signs = chinese();
  const std::string text = fold_han(sentence);
  if (signs.other.within(text) || text.starts_with("他") || text.starts_with("她")) return false;
  const bool asks_back = text.ends_with("吗") || text.ends_with("？") || text.ends_with("?");
  if ((asks_back && !signs.asks_kindly.within(text)) || !signs.instructs.within(text)) return false;
  const bool known = is_of_answers(sentence), with_me = signs.with_me.within(text);
  if (signs.lasting.within(text)) return known || with_me || signs.speaks.within(text);
  if (known && signs.likes.within(text) && signs.answers.within(text)) return true;
  return known && with_me && signs.forbids.within(text);
}

}  // namespace

bool is_general_wish(std::string_view sentence) {
  return language_of(sentence) == Language::kChinese ? is_general_chinese(sentence) : is_general_english(sentence);
}

bool may_hold_on(std::string_view sentence) {
  if (is_of_answers(sentence)) return true;
  if (language_of(sentence) == Language::kChinese) return chinese().lasting.within(fold_han(sentence));
  const auto clauses = clauses_of(sentence);
  return std::any_of(clauses.begin(), clauses.end(),
                     [](const std::string& clause) { return english().lasting.in(clause); });
}

}  // namespace weft
