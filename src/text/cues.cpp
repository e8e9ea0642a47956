#include "text/cues.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/ascii.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Phrases = std::span<const std::string_view>;

/// Where in a message the phrases of a cue count.
enum class Place { kStart, kHead, kBegin, kAnywhere };

struct CueList {
  Cue cue;
  Place english_place;
  Phrases english;
  Place chinese_place;
  Phrases chinese;
};

constexpr std::size_t kEnglishHeadBytes = 400;
constexpr std::size_t kChineseHeadChars = 90;
constexpr std::size_t kEnglishBeginWords = 4;
constexpr std::size_t kChineseBeginChars = 6;
constexpr double kWordsPerChineseCharacter = 0.6;

// English phrases are whole words, lower case, one space between; Chinese ones any run of characters.
constexpr std::string_view kChangeEn[] = {"by the way",
                                          "btw",
                                          "anyway",
                                          "anyways",
                                          "speaking of",
                                          "on another note",
                                          "on a different note",
                                          "on a separate note",
                                          "on another topic",
                                          "on a different topic",
                                          "on a different subject",
                                          "change the subject",
                                          "changing the subject",
                                          "change the topic",
                                          "changing the topic",
                                          "change of subject",
                                          "change of topic",
                                          "change topic",
                                          "change topics",
                                          "different topic",
                                          "different question",
                                          "different subject",
                                          "different matter",
                                          "different thing",
                                          "another topic",
                                          "another question",
                                          "another subject",
                                          "another matter",
                                          "another issue",
                                          "another thing",
                                          "another point",
                                          "new topic",
                                          "new question",
                                          "new subject",
                                          "new task",
                                          "separate topic",
                                          "separate question",
                                          "separate issue",
                                          "separate matter",
                                          "next topic",
                                          "next question",
                                          "next item",
                                          "next point",
                                          "next subject",
                                          "next thing",
                                          "next issue",
                                          "next task",
                                          "last topic",
                                          "last question",
                                          "last item",
                                          "last point",
                                          "last thing",
                                          "last issue",
                                          "final question",
                                          "final point",
                                          "final thing",
                                          "other topic",
                                          "other question",
                                          "other questions",
                                          "other things",
                                          "something else",
                                          "one more thing",
                                          "one more question",
                                          "moving on",
                                          "move on",
                                          "move to",
                                          "moving to",
                                          "next up",
                                          "let's talk",
                                          "let's discuss",
                                          "let's turn",
                                          "let's look",
                                          "let's go",
                                          "let's start",
                                          "let's see",
                                          "let's move",
                                          "let's switch",
                                          "let us talk",
                                          "let us discuss",
                                          "let us turn",
                                          "let us move",
                                          "let us look",
                                          "let us go",
                                          "turn to",
                                          "turning to",
                                          "switch to",
                                          "switching to",
                                          "switch topics",
                                          "unrelated",
                                          "off topic",
                                          "forget that",
                                          "forget about that",
                                          "leave that",
                                          "enough of that",
                                          "start over"};
constexpr std::string_view kChangeZh[] = {
    "顺便",       "话说",       "接下来",   "换个",     "换一个话题", "换一个问题", "换成",    "另外",
    "此外",       "除此之外",   "除了这",   "下一个",   "下个话题",   "下个问题",   "对了",    "还有一个",
    "另一个问题", "另一个话题", "别的问题", "其他问题", "说到",       "谈到",       "聊聊",    "聊一聊",
    "说回",       "回到",       "转到",     "进入下",   "进入到",     "第一个",     "第二个",  "第三个",
    "第四个",     "第五个",     "第六个",   "第一点",   "第二点",     "第三点",     "第一，",  "第二，",
    "第三，",     "最后",       "不说这",   "先不管",   "不聊这",     "题外话",     "言归正传"};
constexpr std::string_view kAddsEn[] = {"also",        "besides",  "in addition",  "additionally", "finally", "lastly",
                                        "furthermore", "moreover", "first of all", "first",        "firstly", "second",
                                        "secondly",    "third",    "thirdly",      "next",         "now",     "then",
                                        "by the way",  "anyway",   "meanwhile"};
constexpr std::string_view kAddsZh[] = {"还有", "另外", "再",   "然后", "接下来", "下面", "最后", "对了",   "顺便",
                                        "其次", "此外", "首先", "现在", "接着",   "还",   "同时", "那么下", "那么接"};
constexpr std::string_view kMoreEn[] = {"what about",    "how about",  "what else",
                                        "anything else", "what other", "any other"};
constexpr std::string_view kMoreZh[] = {"还想",     "还要",   "还打算", "还需要", "我还", "再帮",   "再找",
                                        "再给",     "再推荐", "再问",   "再去",   "再来", "再麻烦", "再查",
                                        "另找",     "另外找", "另外帮", "想再",   "还得", "还准备", "还有什么",
                                        "还有没有", "还有其", "别的",   "其他",   "其它", "呢？",   "呢?"};
constexpr std::string_view kRequestEn[] = {"can you",
                                           "can i",
                                           "can we",
                                           "could you",
                                           "could i",
                                           "could we",
                                           "would you",
                                           "will you",
                                           "may i",
                                           "i'd like",
                                           "i would like",
                                           "i want",
                                           "i need",
                                           "i wish",
                                           "i also want",
                                           "i also need",
                                           "i have a question",
                                           "i have another question",
                                           "tell me",
                                           "help me",
                                           "show me",
                                           "give me",
                                           "explain",
                                           "write",
                                           "i'm looking",
                                           "i am looking",
                                           "i'm interested",
                                           "i am interested",
                                           "i'm wondering",
                                           "i am wondering",
                                           "i was wondering",
                                           "i wonder",
                                           "i'm trying",
                                           "i am trying",
                                           "i'm curious",
                                           "i am curious",
                                           "how do",
                                           "how can",
                                           "how does",
                                           "how should",
                                           "how much",
                                           "how many",
                                           "how long",
                                           "do you know",
                                           "do you have",
                                           "is there",
                                           "are there",
                                           "please",
                                           "where can",
                                           "where do",
                                           "where is",
                                           "any idea",
                                           "recommend"};
constexpr std::string_view kRequestZh[] = {"帮",   "推荐", "我想", "我要",   "我打算",   "想要",   "想找",     "找一",
                                           "找个", "找家", "请问", "有没有", "能不能",   "能否",   "可不可以", "给我",
                                           "需要", "麻烦", "打算", "准备",   "计划",     "怎么样", "怎么办",   "怎么",
                                           "如何", "写一", "写个", "讲讲",   "介绍一下", "解释"};
constexpr std::string_view kAsksYouEn[] = {
    "do you",       "do your",     "do u",         "are you",      "are your",    "are u",         "did you",
    "did your",     "have you",    "were you",     "can you",      "would you",   "is your",       "what do you",
    "what is your", "what's your", "where do you", "how are you",  "how is your", "how about you", "any hobbies",
    "any plans",    "any kids",    "any pets",     "any siblings", "got any"};
constexpr std::string_view kAsksYouZh[] = {
    "你喜欢", "你觉得", "你认为", "你平时",   "你有没有", "你是不是", "你会不会", "你知道",   "你想",  "你是",
    "你有",   "您觉得", "您认为", "您怎么看", "您有",     "您喜欢",   "大家觉得", "大家认为", "怎么看"};
constexpr std::string_view kContinuesEn[] = {
    "yes",         "yeah",     "yep",     "yup",        "no",       "nope",      "ok",         "okay",
    "sure",        "right",    "correct", "exactly",    "true",     "agreed",    "absolutely", "definitely",
    "of course",   "i see",    "really",  "wow",        "cool",     "nice",      "great",      "awesome",
    "oh",          "ah",       "aw",      "aww",        "haha",     "lol",       "hm",         "hmm",
    "mm",          "uh",       "good",    "thank",      "thanks",   "thank you", "sorry",      "that",
    "that's",      "it",       "it's",    "this",       "they",     "they're",   "those",      "these",
    "he",          "he's",     "she",     "she's",      "because",  "why",       "which",      "who",
    "but",         "and",      "so",      "or",         "me too",   "same",      "not",        "i do",
    "i don't",     "i am",     "i'm not", "i have",     "i did",    "maybe",     "sounds",     "understood",
    "interesting", "continue", "go on",   "keep going", "go ahead", "try again", "again",      "still"};
constexpr std::string_view kContinuesZh[] = {"是的", "是", "对",   "好",   "嗯",   "哦",     "噢",     "行",   "可以",
                                             "不",   "没", "那",   "这",   "它",   "他",     "她",     "其",   "所以",
                                             "因为", "但", "可是", "而且", "继续", "为什么", "怎么",   "然后", "就",
                                             "哈",   "谢", "当然", "有的", "明白", "知道",   "收到",   "记下", "原来",
                                             "真",   "太", "OK",   "ok",   "报错", "还是",   "接着说", "重试", "再试"};
constexpr std::string_view kAnswersEn[] = {"yes",      "yeah",   "yep",     "no",      "nope", "ok",     "okay",
                                           "sure",     "right",  "correct", "exactly", "i do", "i am",   "i don't",
                                           "i do not", "i have", "not",     "great",   "good", "thanks", "thank you",
                                           "mm",       "uh",     "hm",      "hmm",     "wow",  "oh"};
constexpr std::string_view kAnswersZh[] = {"是的", "是", "对",   "好",   "嗯",   "哦",   "噢", "行",
                                           "不",   "没", "可以", "谢谢", "收到", "明白", "有", "当然"};
constexpr std::string_view kRefersEn[] = {"it",    "it's",  "its",   "that",  "that's", "this", "they", "they're",
                                          "them",  "those", "these", "he",    "she",    "his",  "her",  "him",
                                          "their", "one",   "ones",  "there", "such",   "same", "else"};
constexpr std::string_view kRefersZh[] = {"这", "那", "它", "他", "她", "该", "其", "此", "上述", "刚才", "同样"};
constexpr std::string_view kThanksEn[] = {"thanks", "thank you", "thx", "appreciate", "thank"};
constexpr std::string_view kThanksZh[] = {"谢", "感谢", "辛苦"};
constexpr std::string_view kClosesEn[] = {"bye",          "goodbye",        "good night",        "see you",
                                          "take care",    "you're welcome", "you are welcome",   "anything else",
                                          "no problem",   "my pleasure",    "glad i could help", "glad to help",
                                          "happy to help"};
constexpr std::string_view kClosesZh[] = {"再见", "拜拜", "不客气", "不用谢", "应该的", "没关系",
                                          "祝您", "祝你", "客气",   "很高兴", "愉快"};
constexpr std::string_view kGreetsEn[] = {"hi",           "hello",          "hey",      "good morning",
                                          "good evening", "good afternoon", "greetings"};
constexpr std::string_view kGreetsZh[] = {"你好",   "您好",   "嗨",     "大家好", "各位",
                                          "早上好", "下午好", "晚上好", "哈喽",   "在吗"};
constexpr std::string_view kNamesTopicEn[] = {
    "topic",   "topics",  "question", "questions", "agenda",  "issue",      "issues",       "subject",
    "point",   "points",  "item",     "items",     "discuss", "discussion", "presentation", "present",
    "meeting", "section", "comment",  "comments",  "report",  "reports",    "next"};
constexpr std::string_view kNamesTopicZh[] = {"话题", "问题", "议题", "环节", "部分",
                                              "方面", "主题", "讨论", "题目", "观点"};
constexpr std::string_view kHandsOverEn[] = {"thank you very much",
                                             "thank you for",
                                             "your turn",
                                             "your question",
                                             "your presentation",
                                             "your report",
                                             "your comments",
                                             "over to you",
                                             "go ahead",
                                             "would you like to",
                                             "do you want to",
                                             "mr",
                                             "mrs",
                                             "ms",
                                             "dr",
                                             "doctor",
                                             "professor",
                                             "so now",
                                             "so what",
                                             "so let",
                                             "so let's",
                                             "so next",
                                             "so the",
                                             "so um",
                                             "so uh",
                                             "okay so",
                                             "okay now",
                                             "okay what",
                                             "okay let's",
                                             "okay um",
                                             "okay uh",
                                             "okay the",
                                             "alright so",
                                             "alright now",
                                             "alright um",
                                             "right so",
                                             "right um",
                                             "right now"};
constexpr std::string_view kHandsOverZh[] = {"有请",   "请我们",   "请您",     "请你",   "请各位", "问一下",
                                             "请教",   "想问",     "想请",     "想听",   "的分享", "的观点",
                                             "的发言", "的介绍",   "的回答",   "把话筒", "把时间", "把机会",
                                             "老师",   "好，感谢", "好，谢谢", "好谢谢", "好感谢", "非常感谢"};
constexpr std::string_view kWhEn[] = {"what",  "what's", "how",   "how's",  "where", "when", "who", "who's",
                                      "which", "why",    "is",    "are",    "do",    "does", "did", "can",
                                      "could", "will",   "would", "should", "have",  "has",  "if",  "may"};
constexpr std::string_view kWhZh[] = {"吗",   "呢",     "什么",   "怎么", "哪",   "几",   "多少",
                                      "如何", "是不是", "有没有", "谁",   "为何", "吧？", "吧?"};
constexpr std::string_view kFirstPersonEn[] = {"i", "my", "we", "our", "i'm", "i've", "i'd"};
constexpr std::string_view kFirstPersonZh[] = {"我", "咱"};

// Words that may stand before the word that counts.
constexpr std::string_view kFillersEn[] = {"oh",      "ok",   "okay",    "great", "thanks", "thank you",
                                           "and",     "so",   "well",    "good",  "nice",   "cool",
                                           "alright", "sure", "perfect", "um",    "uh"};
constexpr std::string_view kFillersZh[] = {"谢谢", "谢了", "好的", "好", "嗯", "哦", "那", "行",
                                           "可以", "ok",   "，",   "。", "！", "、", ",",  "!",
                                           "~",    " ",    "啊",   "吧", "了", "呀", "呢"};

constexpr std::array kLists = {
    CueList{Cue::kChange, Place::kHead, kChangeEn, Place::kHead, kChangeZh},
    CueList{Cue::kAdds, Place::kStart, kAddsEn, Place::kStart, kAddsZh},
    CueList{Cue::kMore, Place::kHead, kMoreEn, Place::kHead, kMoreZh},
    CueList{Cue::kRequest, Place::kHead, kRequestEn, Place::kHead, kRequestZh},
    CueList{Cue::kAsksYou, Place::kHead, kAsksYouEn, Place::kHead, kAsksYouZh},
    CueList{Cue::kContinues, Place::kBegin, kContinuesEn, Place::kBegin, kContinuesZh},
    CueList{Cue::kAnswers, Place::kBegin, kAnswersEn, Place::kBegin, kAnswersZh},
    CueList{Cue::kRefersLater, Place::kHead, kRefersEn, Place::kHead, kRefersZh},
    CueList{Cue::kThanks, Place::kAnywhere, kThanksEn, Place::kAnywhere, kThanksZh},
    CueList{Cue::kCloses, Place::kAnywhere, kClosesEn, Place::kAnywhere, kClosesZh},
    CueList{Cue::kGreets, Place::kBegin, kGreetsEn, Place::kBegin, kGreetsZh},
    CueList{Cue::kNamesTopic, Place::kHead, kNamesTopicEn, Place::kHead, kNamesTopicZh},
    CueList{Cue::kHandsOver, Place::kHead, kHandsOverEn, Place::kHead, kHandsOverZh},
    CueList{Cue::kWh, Place::kStart, kWhEn, Place::kHead, kWhZh},
    CueList{Cue::kFirstPerson, Place::kBegin, kFirstPersonEn, Place::kBegin, kFirstPersonZh},
};

/// A text prepared for matching.
struct Prepared {
  std::string english;             ///< " word word ", lower case
  std::size_t english_head = 0;    ///< bytes of it that are the head
  std::string chinese;             ///< the text from its first visible character, empty without any CJK
  std::size_t chinese_head = 0;
  std::size_t chinese_begin = 0;   ///< bytes of its first few characters
};

bool is_word_byte(unsigned char c) { return is_lower(c) || is_digit(c) || c == '\''; }

/// Lower-case words with one space around each; a curly apostrophe counts as a straight one, other characters as gaps.
std::string english_words(std::string_view text, double& words) {
  std::string out = " ";
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    unsigned char byte = c < 128 ? static_cast<unsigned char>(c) : ' ';
    byte = to_lower(byte);
    if (c == U'\u2019' || c == U'\u2018') byte = '\'';
    if (is_word_byte(byte)) {
      out += static_cast<char>(byte);
    } else if (out.back() != ' ') {
      out += ' ';
      words += 1;
    }
  }
  if (out.back() != ' ') {
    out += ' ';
    words += 1;
  }
  return out;
}

void measure_chinese(std::string_view text, Prepared& prepared, double& words) {
  std::size_t chars = 0;
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (is_cjk(c)) {
      any = true;
      words += kWordsPerChineseCharacter;
    }
    if (++chars == kChineseBeginChars) prepared.chinese_begin = at;
    if (chars == kChineseHeadChars) prepared.chinese_head = at;
  }
  if (!any) return;
  prepared.chinese = text;
  if (prepared.chinese_begin == 0) prepared.chinese_begin = text.size();
  if (prepared.chinese_head == 0) prepared.chinese_head = text.size();
}

bool starts_with_word(std::string_view padded, std::string_view phrase) {
  return padded.size() >= phrase.size() + 2 && padded.substr(1, phrase.size()) == phrase &&
         padded[phrase.size() + 1] == ' ';
}

bool holds_word(std::string_view padded, std::string_view phrase) {
  for (std::size_t at = padded.find(phrase); at != std::string_view::npos; at = padded.find(phrase, at + 1)) {
    const std::size_t end = at + phrase.size();
    if (at > 0 && padded[at - 1] == ' ' && end < padded.size() && padded[end] == ' ') return true;
  }
  return false;
}

std::string_view skip_english_fillers(std::string_view padded) {
  for (bool again = true; again;) {
    again = false;
    for (const auto filler : kFillersEn) {
      if (!starts_with_word(padded, filler)) continue;
      padded.remove_prefix(filler.size() + 1);
      again = true;
      break;
    }
  }
  return padded;
}

std::string_view skip_chinese_fillers(std::string_view text) {
  for (bool again = true; again;) {
    again = false;
    for (const auto filler : kFillersZh) {
      if (!text.starts_with(filler)) continue;
      text.remove_prefix(filler.size());
      again = true;
      break;
    }
  }
  return text;
}

bool match_english(const Prepared& prepared, Place place, Phrases phrases) {
  const std::string_view all = prepared.english;
  if (all.size() < 2) return false;
  const std::string_view head = all.substr(0, prepared.english_head);
  const auto any = [&](auto&& test) { return std::any_of(phrases.begin(), phrases.end(), test); };
  switch (place) {
    case Place::kBegin: return any([&](auto phrase) { return starts_with_word(all, phrase); });
    case Place::kStart: {
      // What follows the fillers counts, and so do the fillers themselves where they are the cue.
      const auto rest = skip_english_fillers(all);
      return any([&](auto phrase) { return starts_with_word(rest, phrase); });
    }
    case Place::kHead: return any([&](auto phrase) { return holds_word(head, phrase); });
    case Place::kAnywhere: return any([&](auto phrase) { return holds_word(all, phrase); });
  }
  return false;
}

bool match_chinese(const Prepared& prepared, Place place, Phrases phrases) {
  const std::string_view all = prepared.chinese;
  if (all.empty()) return false;
  const std::string_view head = all.substr(0, prepared.chinese_head);
  const auto any = [&](auto&& test) { return std::any_of(phrases.begin(), phrases.end(), test); };
  switch (place) {
    case Place::kBegin: return any([&](auto phrase) { return all.starts_with(phrase); });
    case Place::kStart: {
      const auto rest = skip_chinese_fillers(all);
      return any([&](auto phrase) { return rest.starts_with(phrase); });
    }
    case Place::kHead: return any([&](auto phrase) { return head.find(phrase) != std::string_view::npos; });
    case Place::kAnywhere: return any([&](auto phrase) { return all.find(phrase) != std::string_view::npos; });
  }
  return false;
}

/// References in the first words, which say more than later ones.
bool refers_at_once(const Prepared& prepared) {
  std::size_t end = 0;
  for (std::size_t i = 0; i <= kEnglishBeginWords && end != std::string::npos; ++i)
    end = prepared.english.find(' ', end + (i > 0 ? 1 : 0));
  const std::string_view begin = std::string_view(prepared.english).substr(0, end == std::string::npos ? end : end + 1);
  for (const auto phrase : kRefersEn) {
    if (holds_word(begin, phrase)) return true;
  }
  const std::string_view chinese = std::string_view(prepared.chinese).substr(0, prepared.chinese_begin);
  return std::any_of(std::begin(kRefersZh), std::end(kRefersZh),
                     [&](auto phrase) { return chinese.find(phrase) != std::string_view::npos; });
}

std::string_view trim(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

bool ends_asking(std::string_view text) {
  constexpr std::string_view kTails[] = {" ", ".", "!", "~", "。", "！", "～", "\"", ")", "”", "）"};
  for (bool again = true; again;) {
    again = false;
    for (const auto tail : kTails) {
      if (!text.ends_with(tail)) continue;
      text.remove_suffix(tail.size());
      again = true;
    }
  }
  return text.ends_with("?") || text.ends_with("？");
}

}  // namespace

Cues find_cues(std::string_view text) {
  text = trim(text);
  Cues cues;
  Prepared prepared;
  prepared.english = english_words(text, cues.words);
  prepared.english_head = std::min(prepared.english.size(), kEnglishHeadBytes);
  measure_chinese(text, prepared, cues.words);
  const auto set = [&](Cue cue, bool found) { cues.found.set(static_cast<std::size_t>(cue), found); };
  for (const auto& list : kLists) {
    set(list.cue, match_english(prepared, list.english_place, list.english) ||
                      match_chinese(prepared, list.chinese_place, list.chinese));
  }
  set(Cue::kRefers, refers_at_once(prepared));
  set(Cue::kQuestion, text.find('?') != std::string_view::npos || text.find("？") != std::string_view::npos);
  set(Cue::kQuestionEnd, ends_asking(text));
  return cues;
}

bool opens_topic(const Cues& cues) {
  return cues.has(Cue::kChange) || cues.has(Cue::kAdds) || cues.has(Cue::kRequest) || cues.has(Cue::kGreets);
}

bool continues_topic(const Cues& cues) {
  return !cues.has(Cue::kChange) && (cues.has(Cue::kContinues) || cues.has(Cue::kAnswers) || cues.has(Cue::kRefers));
}

}  // namespace weft
