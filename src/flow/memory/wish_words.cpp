#include "flow/memory/wish_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "flow/memory/standing_wish.h"
#include "flow/memory/statement_readers.h"
#include "text/han_fold.h"
#include "text/plain_words.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

constexpr View kPolite =
    "please|pls|kindly|and|also|oh|btw|by the way|so|but|then|ok|okay|hey|hi|could you|can you|would you|will you|"
    "i'd like you to|i would like you to|i want you to|i'd prefer you to|i'd prefer that you|i would prefer that you|"
    "i prefer that you|i need you to|i ask you to|remember to|remember|make sure to|make sure you|make sure that you|"
    "be sure to|try to|you should|you must|you can|you may|feel free to|note|just|in general|generally|as a rule|"
    "if possible|one thing|one more thing|from now on|going forward|in future|in the future|from here on|henceforth|"
    "by default|when answering|"
    "for the future|as always|thanks";
constexpr View kAsks =
    "keep|use|write|answer|reply|respond|speak|talk|give|be|call|address|avoid|stop|don't|do not|dont|never|always|"
    "format|include|add|skip|explain|show|put|list|start|end|begin|finish|assume|convert|refer|treat|spell|stick|limit|"
    "drop|leave out|no more|no|ask|mention|tell|send|quote|cite|translate|round|sort|structure|summarise|summarize|"
    "default|prefer|provide|offer|suggest|recommend|remind|warn|greet|sign|omit|switch to|make";
constexpr View kForbids = "don't|do not|dont|never|stop|no more|avoid|refrain from|no";
constexpr View kSpeaks = "answer|reply|respond|speak|talk|always answer|always reply|write to me|explain";
constexpr View kLikes =
    "i prefer|i'd prefer|i would prefer|i'd rather|i would rather|i like it when you|i like|i love|i hate|i dislike|"
    "i don't like|i do not like|i can't stand|i don't want|i do not want|i want|i'd like|i would like|i appreciate";
constexpr View kAlways =
    "always|never|from now on|in future|in the future|going forward|from here on|henceforth|whenever|every time|each "
    "time|any time|by default|in general|generally|as a rule|all your|all my|all future|in all|every answer|every "
    "reply|"
    "every response|every message|ever again|in every|ever|for good|at all times|without exception|any more|anymore";
constexpr View kOnce =
    "this time|for now|just once|this once|for once|right now|for the moment|for today|today|tonight|until|only here";
constexpr View kPointing =
    "this|that|these|those|it|here|above|below|following|attached|the text|the email|the code|the file|the letter|the "
    "essay|the story|the function|the script|the document|the article|the list|the table|the paragraph|the report|the "
    "first|the last|the second|my email|my letter|my essay|my text|my code|my report";
constexpr View kAnswers =
    "answers|replies|responses|explanations|messages|your answer|your reply|your response|your answers|your tone|"
    "to me|with me|at me|when you|you to|summaries|code examples|code snippets|code samples|sentences|your messages|"
    "in your|you answer|you reply|you write|you use|you explain|yourself|follow-up questions|conversations|chats";
constexpr View kPiece =
    "me a|me an|me the|never mind|the poem|the story|the song|the speech|the essay|the letter|a poem|a story|an "
    "essay|a letter|an email|a song|a list|a summary|write to me "
    "at|never "
    "say never";
constexpr View kWhen =
    "whenever|every time|each time|when you|when i ask|when i say|if i ask|if you|any time|anytime|for code|in "
    "code|for "
    "all";
constexpr View kBringsUp =
    "mention|bring up|suggest|recommend|remind|ask|call|talk about|tell me|apologise|apologize|repeat|lecture|assume";

// After "never" or "always" these go on with the verb of the clause before: "we ship on Mondays, never on Fridays".
constexpr View kGoesOn =
    "about|after|as|at|before|by|during|for|from|if|in|into|less|more|near|of|off|on|over|than|through|to|under|until|"
    "when|while|with|without";

struct Aspect {
  View name, english, chinese;
};
// What an answer can be like; of each there is one wish at a time.
constexpr std::array kAspects{
    Aspect{"units", "metric|imperial|celsius|fahrenheit|kilometres|kilometers|miles|kilograms|kilos|si units|units",
           "公制|英制|摄氏|华氏|公里|英里|公斤|单位"},
    Aspect{"time format", "24-hour|12-hour|24 hour|12 hour|iso dates|date format|time format|am and pm|24-hour clock",
           "24小时制|12小时制|二十四小时制|十二小时制|日期格式|时间格式"},
    Aspect{"currency", "euros|dollars|pounds|yuan|currency|francs|yen",
           "欧元|美元|加元|英镑|港币|韩元|人民币|货币|日元"},
    Aspect{"emoji", "emoji|emojis|emoticon|emoticons|smileys|smiley", "表情|颜文字|emoji"},
    Aspect{"name", "call me|address me|refer to me|my name", "叫我|称呼我|喊我|管我叫"},
    Aspect{"pronouns", "they/them|she/her|he/him|pronouns|my pronouns", "代词"},
    Aspect{"spelling", "british english|american english|british spelling|american spelling|spelling",
           "英式|美式|繁体|简体"},
    Aspect{
        "language",
        "english|chinese|french|german|spanish|italian|portuguese|dutch|russian|japanese|korean|arabic|turkish|polish|"
        "swedish|norwegian|danish|finnish|greek|hindi|mandarin|cantonese|hebrew|czech|hungarian|vietnamese|thai|"
        "ukrainian|romanian|language",
        "中文|英文|英语|法语|德语|日语|韩语|西班牙语|俄语|意大利语|葡萄牙语|普通话|粤语|汉语|母语|双语"},
    Aspect{"code", "python|rust|c++|java|javascript|typescript|kotlin|swift|golang|ruby|php|haskell|scala|c#",
           "python|rust|c++|java|javascript|typescript|kotlin|golang"},
    Aspect{"format",
           "bullet|bullets|bullet points|lists|list|tables|table|markdown|headings|headers|paragraphs|prose|numbered|"
           "bold|plain text|latex",
           "列表|表格|要点|分点|标题|纯文本|加粗|格式|项目符号|段落|markdown"},
    Aspect{
        "length",
        "short|shorter|brief|briefly|concise|concisely|long|longer|detailed|detail|details|verbose|terse|length|"
        "lengthy|to the point|succinct|in depth|thorough|one sentence|two sentences|three sentences|a sentence",
        "简短|简洁|详细|精简|啰嗦|简单点|长一点|短一点|太长|字以内|一句话|两句话|三句话|简明|言简意赅|详尽|篇幅|长篇"},
    Aspect{"tone",
           "formal|formally|informal|informally|casual|casually|friendly|polite|blunt|direct|tone|joke|jokes|humour|"
           "humor|sarcasm|sarcastic|warm|flatter|flattery|compliment|praise|exclamation|swear|slang|jargon|simple",
           "正式|随意|语气|口语|幽默|客气|敬语|玩笑|直接一点|直接点|专业术语|术语|通俗|感叹号|夸我|称赞|网络用语|文言"},
    Aspect{"sources", "cite|sources|source|citations|references|links|link", "来源|出处|引用|链接|参考文献"},
    Aspect{"apologies", "apologise|apologize|apologies|sorry|disclaimers|disclaimer|warnings|caveats",
           "道歉|抱歉|免责|提醒我是AI"},
    Aspect{"questions", "questions|question", "反问|追问|提问|问我"},
    Aspect{"steps", "step by step|steps", "一步一步|分步|步骤"},
    Aspect{"examples", "example|examples|analogies", "例子|举例|示例|比喻"},
    Aspect{"comments", "comments|docstrings|type hints", "注释|类型标注"},
    Aspect{"spoilers", "spoilers|spoiler|spoil", "剧透"},
};

bool any_phrase(View padded, View phrases) {
  const auto all = split_list(phrases, '|');
  return std::any_of(all.begin(), all.end(),
                     [&](View phrase) { return padded.find(" " + std::string(phrase) + " ") != View::npos; });
}

View begun_with(View words, View phrases) {
  View best;
  if (words.empty()) return best;
  for (const View phrase : split_list(phrases, '|')) {
    const bool begins = words.substr(1).starts_with(phrase) && words.substr(1 + phrase.size()).starts_with(' ');
    if (begins && phrase.size() > best.size()) best = phrase;
  }
  return best;
}

bool any_of_list(View text, View list) {
  const auto all = split_list(list, '|');
  return std::any_of(all.begin(), all.end(), [&](View one) { return text.find(one) != View::npos; });
}

View phrases_of(WishSign sign) {
  switch (sign) {
    case WishSign::kAsks: return kAsks;
    case WishSign::kForbids: return kForbids;
    case WishSign::kSpeaks: return kSpeaks;
    case WishSign::kLikes: return kLikes;
    case WishSign::kAlways: return kAlways;
    case WishSign::kOnce: return kOnce;
    case WishSign::kPointing: return kPointing;
    case WishSign::kAnswers: return kAnswers;
    case WishSign::kPiece: return kPiece;
    case WishSign::kWhen: return kWhen;
    case WishSign::kBringsUp: return kBringsUp;
  }
  return {};
}

// Lower case, one blank between words and around them, marks gone but within words.
std::string padded(View clause) {
  std::string text = " ";
  for (const char byte : normalize(clause)) {
    const bool mark = std::string_view("\t\r\n.,;:!?\"()").find(byte) != View::npos;
    const char c = mark ? ' ' : byte;
    if (c != ' ' || text.back() != ' ') text += c;
  }
  if (text.back() != ' ') text += ' ';
  for (auto at = text.find("’"); at != std::string::npos; at = text.find("’")) text.replace(at, 3, "'");
  return text;
}

std::string without_politeness(std::string text) {
  for (View polite = begun_with(text, kPolite); !polite.empty(); polite = begun_with(text, kPolite))
    text.erase(1, polite.size() + 1);
  return text;
}

}  // namespace

WishWords::WishWords(std::string_view clause) : words_(padded(clause)) {
  const bool always = any_phrase(words_, kAlways);
  words_ = without_politeness(std::move(words_));
  if (always && words_.size() > 1 && !any_phrase(words_, kAlways)) words_ += "from now on ";
  if (words_ == " ") words_.clear();
}

bool WishWords::has(WishSign sign) const { return any_phrase(words_, phrases_of(sign)); }
bool WishWords::begins(WishSign sign) const { return !begun_with(words_, phrases_of(sign)).empty(); }

bool only_adds(std::string_view words) {
  for (const View adverb : {" never ", " always "})
    if (words.starts_with(adverb)) return !begun_with(words.substr(adverb.size() - 1), kGoesOn).empty();
  return false;
}

ChineseWish read_chinese_wish(std::string_view clause) {
  std::string text = fold_han(clause);
  ChineseWish wish;
  wish.always = any_of_list(
      text,
      "以后|今后|从现在开始|从现在起|从今以后|从今往后|往后|每次|始终|一律|永远|总是|默认|不要再|别再|再也不要|"
      "所有回答|任何时候|都用|都要用|一直用");
  wish.once = any_of_list(text, "这次|这一次|今天|暂时|先用|目前先|就一次|本次|小时候|以前|当年|从前");
  wish.pointing = any_of_list(text, "这个|这篇|这段|这封|这份|这些|那个|那篇|下面|以下|上面|这句|把");
  wish.speaks = any_of_list(
      text, "回答|回复|答复|说话|跟我说|和我说|跟我聊|解释|语气|讲解|讲|称呼|叫我|聊天|对话|写代码|用词|措辞");
  const bool own =
      text.starts_with("我") &&
      !any_of_list(text, "我希望你|我想让你|我要你|我想要你|我更喜欢|我喜欢你|我不喜欢你|我不想看到|我讨厌你|我希望回");
  const bool asks =
      any_of_list(text,
                  "请|麻烦|希望你|想让你|要你|别|不要|不用|尽量|记得|务必|回答|回复|用|叫我|称呼我|以后|今后|每次|给我|"
                  "不许|禁止|避免|少|多|我更喜欢|我喜欢你|我不喜欢你|保持|使用|写|说|讲");
  const bool question = text.ends_with("吗") || text.ends_with("呢") || text.ends_with("？") || text.ends_with("?") ||
                        any_of_list(text, "怎么|什么|为什么|如何|哪|是不是|有没有");
  wish.asks = asks && !own && !question;
  return wish;
}

std::vector<std::string_view> wish_clauses(std::string_view sentence, bool chinese) {
  std::vector<std::string_view> clauses;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end, std::size_t next) {
    if (end > begin) clauses.push_back(sentence.substr(begin, end - begin));
    begin = next;
  };
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    const std::string_view rest = sentence.substr(at);
    if (chinese) {
      for (const View mark : {"，", ",", "；", ";"})
        if (rest.starts_with(mark)) cut(at, at + mark.size());
      continue;
    }
    for (const View mark : {", and ", ", but ", ", ", "; ", " and ", " but "}) {
      if (!rest.starts_with(mark) || at < begin) continue;
      const WishWords next(rest.substr(mark.size()));
      const bool asks = !next.empty() && next.begins(WishSign::kAsks) && !only_adds(padded(rest.substr(mark.size())));
      if (asks && !padded(sentence.substr(begin, at - begin)).ends_with(" please ")) cut(at, at + mark.size());
      break;
    }
  }
  cut(sentence.size(), sentence.size());
  // "以后，都用中文回答": what only says from when belongs to what follows.
  if (chinese && clauses.size() > 1) {
    std::vector<std::string_view> joined;
    for (std::size_t i = 0; i < clauses.size(); ++i) {
      const bool only_when = clauses[i].size() <= 21 && wish_aspect(clauses[i]).starts_with("of ") &&
                             read_chinese_wish(clauses[i]).always && i + 1 < clauses.size();
      if (!only_when) {
        joined.push_back(clauses[i]);
        continue;
      }
      const char* first = clauses[i].data();
      joined.emplace_back(first, static_cast<std::size_t>(clauses[i + 1].data() + clauses[i + 1].size() - first));
      ++i;
    }
    return joined;
  }
  return clauses;
}

bool is_standing_by_nature(std::string_view aspect) {
  static constexpr std::array<View, 9> kLasting{"units",    "time format", "currency", "emoji",   "name",
                                                "spelling", "apologies",   "spoilers", "comments"};
  return std::find(kLasting.begin(), kLasting.end(), aspect) != kLasting.end();
}

std::string wish_aspect(std::string_view wish) {
  const std::string words = padded(wish), folded = fold_han(normalize(wish));
  for (const Aspect& aspect : kAspects)
    if (any_phrase(words, aspect.english) || any_of_list(folded, aspect.chinese)) return std::string(aspect.name);
  return "of " + value_key(wish);
}

}  // namespace weft
