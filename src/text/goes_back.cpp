#include "text/goes_back.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "text/words.h"

namespace weft {
namespace {

using namespace std::string_view_literals;

// What may stand before the words that go back.
constexpr std::array kFillersEn{"ok"sv,        "okay"sv,        "so"sv,
                                "now"sv,       "right"sv,       "well"sv,
                                "anyway"sv,    "anyways"sv,     "but"sv,
                                "and"sv,       "alright"sv,     "thanks"sv,
                                "great"sv,     "good"sv,        "fine"sv,
                                "please"sv,    "let's"sv,       "let us"sv,
                                "can we"sv,    "could we"sv,    "shall we"sv,
                                "may we"sv,    "can i"sv,       "could i"sv,
                                "i want to"sv, "i'd like to"sv, "i would like to"sv,
                                "to"sv,        "hey"sv,         "oh"sv,
                                "um"sv,        "yes"sv,         "just"sv,
                                "then"sv,      "we should"sv,   "by the way"sv,
                                "btw"sv,       "actually"sv,    "i have"sv,
                                "now for"sv};

constexpr std::array kBackEn{"back to "sv,
                             "go back to "sv,
                             "get back to "sv,
                             "going back to "sv,
                             "getting back to "sv,
                             "coming back to "sv,
                             "come back to "sv,
                             "circling back to "sv,
                             "circle back to "sv,
                             "turning back to "sv,
                             "turn back to "sv,
                             "jumping back to "sv,
                             "jump back to "sv,
                             "switching back to "sv,
                             "switch back to "sv,
                             "return to "sv,
                             "returning to "sv,
                             "resuming "sv,
                             "resume "sv,
                             "picking up "sv,
                             "pick up "sv,
                             "continuing with "sv,
                             "continue with "sv,
                             "going on with "sv,
                             "where were we with "sv,
                             "where were we on "sv};

constexpr std::array kBackToNothingEn{"where were we"sv, "where did we stop"sv, "where did we leave off"sv,
                                      "as i was saying"sv, "as we were saying"sv};

// Behind what is named, in its first clause.
constexpr std::array kOfBeforeEn{" we talked about"sv,       " we spoke about"sv,     " we discussed"sv,
                                 " we were talking about"sv, " we were discussing"sv, " i asked about before"sv,
                                 " i asked about earlier"sv, " i mentioned before"sv, " i mentioned earlier"sv,
                                 " from before"sv,           " from earlier"sv,       " again"sv};
constexpr std::array kAboutEn{"about "sv, "as for "sv,     "regarding "sv, "concerning "sv,
                              "on "sv,    "what about "sv, "how about "sv};

constexpr std::array kFillersZh{"好的"sv, "好"sv,   "那么"sv,   "那"sv,   "嗯"sv,    "哦"sv, "对了"sv,
                                "行"sv,   "谢谢"sv, "现在"sv,   "我们"sv, "咱们"sv,  "咱"sv, "我想"sv,
                                "还是"sv, "可以"sv, "能不能"sv, "先"sv,   "让我们"sv};

constexpr std::array kBackZh{"回到"sv,     "说回到"sv,   "说回"sv,       "聊回到"sv,     "聊回"sv,       "谈回"sv,
                             "话说回到"sv, "再说回"sv,   "再聊回"sv,     "继续聊"sv,     "继续说"sv,     "继续谈"sv,
                             "继续讨论"sv, "接着聊"sv,   "接着说"sv,     "接着谈"sv,     "接着讨论"sv,   "关于刚才"sv,
                             "关于之前"sv, "关于前面"sv, "刚才说的"sv,   "刚才说到的"sv, "刚才聊的"sv,   "刚才提到的"sv,
                             "刚才那个"sv, "之前说的"sv, "之前说到的"sv, "之前聊的"sv,   "之前提到的"sv, "之前那个"sv,
                             "前面说的"sv, "前面聊的"sv, "前面提到的"sv, "前面那个"sv};

constexpr std::array kBackToNothingZh{"话说回来"sv,   "言归正传"sv,   "刚才说到哪"sv,
                                      "刚才聊到哪"sv, "我们说到哪"sv, "说到哪"sv};

// A change of subject, said outright.
constexpr std::array kElseEn{"changing the subject"sv,
                             "changing the topic"sv,
                             "change the subject"sv,
                             "change the topic"sv,
                             "change the conversation"sv,
                             "change of subject"sv,
                             "change of topic"sv,
                             "change topics"sv,
                             "change subjects"sv,
                             "changing topics"sv,
                             "changing subjects"sv,
                             "switch topics"sv,
                             "switch subjects"sv,
                             "switching topics"sv,
                             "switching subjects"sv,
                             "switch gears"sv,
                             "switching gears"sv,
                             "switch to another topic"sv,
                             "switch to a different topic"sv,
                             "on a different note"sv,
                             "on another note"sv,
                             "on an unrelated note"sv,
                             "on a separate note"sv,
                             "on a completely different note"sv,
                             "on a totally different note"sv,
                             "on a different topic"sv,
                             "on a different subject"sv,
                             "on another topic"sv,
                             "on another subject"sv,
                             "on another matter"sv,
                             "on a separate matter"sv,
                             "talk about something else"sv,
                             "talk about something different"sv,
                             "speak about something else"sv,
                             "ask about something else"sv,
                             "ask you about something else"sv,
                             "ask something else"sv,
                             "ask you something else"sv,
                             "completely unrelated"sv,
                             "totally unrelated"sv,
                             "unrelated question"sv,
                             "this is unrelated"sv,
                             "this is off topic"sv,
                             "off topic"sv};
// The same where the clause ends with it.
constexpr std::array kElseAloneEn{"another subject"sv,
                                  "another topic"sv,
                                  "next subject"sv,
                                  "next topic"sv,
                                  "new subject"sv,
                                  "new topic"sv,
                                  "different subject"sv,
                                  "different topic"sv,
                                  "a different subject"sv,
                                  "a different topic"sv,
                                  "something else"sv,
                                  "something different"sv,
                                  "something completely different"sv,
                                  "something entirely different"sv,
                                  "something totally different"sv,
                                  "unrelated"sv,
                                  "one more thing that is unrelated"sv};
constexpr std::array kElseZh{"换个话题"sv,     "换一个话题"sv,   "换话题"sv,     "转个话题"sv,   "转换话题"sv,
                             "换个主题"sv,     "说个别的"sv,     "说点别的"sv,   "说些别的"sv,   "说件别的"sv,
                             "聊点别的"sv,     "聊个别的"sv,     "聊些别的"sv,   "谈点别的"sv,   "问个别的"sv,
                             "问点别的"sv,     "问件别的"sv,     "另外一件事"sv, "另一件事"sv,   "另外一个话题"sv,
                             "另一个话题"sv,   "下一个话题"sv,   "题外话"sv,     "说个题外话"sv, "问个题外话"sv,
                             "说个不相关的"sv, "问个不相关的"sv, "不聊这个了"sv, "不说这个了"sv, "不谈这个了"sv};

// Said of a subject in general, which names none.
constexpr std::array kEmptyZh{"话题"sv, "的话题"sv, "的问题"sv, "那件事"sv, "这件事"sv, "的事情"sv, "的事"sv};

constexpr std::size_t kHead = 200;        // bytes in which it is said
constexpr std::size_t kLongestName = 90;  // bytes

// A filler of English is a whole word; sentences of nothing else ("Thanks!") are passed over, too.
template <std::size_t N>
std::string_view without_fillers(std::string_view text, const std::array<std::string_view, N>& fillers, bool words) {
  const auto skip = [&](std::string_view mark) {
    const bool there = text.starts_with(mark);
    if (there) text.remove_prefix(mark.size());
    return there;
  };
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view filler : fillers) {
      const bool whole = !words || text.size() == filler.size() ||
                         (text.size() > filler.size() && " ,.!"sv.find(text[filler.size()]) != std::string_view::npos);
      if (!whole || !skip(filler)) continue;
      while (skip(" ") || skip(",") || skip(".") || skip("!") || skip("，") || skip("。") || skip("！")) {
      }
      again = true;
    }
  }
  return text;
}

// Up to the end of the clause.
std::string_view clause(std::string_view text) {
  std::size_t end = std::min(text.find_first_of(".,;:?!\n"), text.size());
  for (const std::string_view mark : {"，"sv, "。"sv, "："sv, "；"sv, "？"sv, "！"sv, "、"sv, "—"sv, " - "sv})
    end = std::min(end, text.find(mark));
  return text.substr(0, std::min(end, text.size()));
}

std::string name_of(std::string_view text) {
  std::string_view name = clause(text);
  if (name.size() > kLongestName) return {};
  for (const std::string_view article : {"the "sv, "that "sv, "our "sv, "my "sv, "your "sv, "those "sv, "these "sv})
    if (name.starts_with(article)) name.remove_prefix(article.size());
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return std::string(name);
}

std::optional<std::string> in_english(std::string_view text) {
  std::string words;
  for (const char c : text.substr(0, kHead)) words += c == '\n' ? '.' : to_lower(c);
  const std::string_view rest = without_fillers(words, kFillersEn, true);
  for (const std::string_view phrase : kBackToNothingEn)
    if (rest.starts_with(phrase) && clause(rest).size() <= phrase.size() + 1) return std::string();
  for (const std::string_view phrase : kBackEn)
    if (rest.starts_with(phrase)) return name_of(rest.substr(phrase.size()));
  const std::string_view first = clause(rest);
  for (const std::string_view about : kAboutEn) {
    if (!first.starts_with(about)) continue;
    for (const std::string_view before : kOfBeforeEn)
      if (const auto at = first.find(before); at != std::string_view::npos && at > about.size())
        return name_of(first.substr(about.size(), at - about.size()));
  }
  return std::nullopt;
}

std::optional<std::string> in_chinese(std::string_view text) {
  const std::string_view rest = without_fillers(text, kFillersZh, false);
  for (const std::string_view phrase : kBackToNothingZh)
    if (rest.starts_with(phrase)) return std::string();
  for (const std::string_view phrase : kBackZh) {
    if (!rest.starts_with(phrase)) continue;
    std::string name = name_of(rest.substr(phrase.size()));
    for (const std::string_view empty : kEmptyZh)
      if (name == empty) name.clear();
    return name;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> goes_back_to(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  auto found = in_english(text);
  return found ? found : in_chinese(text);
}

bool changes_subject(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  std::string words;
  for (const char c : text.substr(0, kHead)) words += c == '\n' ? '.' : to_lower(c);
  const std::string_view english = without_fillers(words, kFillersEn, true),
                         chinese = without_fillers(text, kFillersZh, false);
  const auto begins = [](std::string_view begun) {
    return [begun](std::string_view phrase) { return begun.starts_with(phrase); };
  };
  const auto is = [alone = clause(english)](std::string_view phrase) { return alone == phrase; };
  return std::any_of(kElseEn.begin(), kElseEn.end(), begins(english)) ||
         std::any_of(kElseAloneEn.begin(), kElseAloneEn.end(), is) ||
         std::any_of(kElseZh.begin(), kElseZh.end(), begins(chinese));
}

}  // namespace weft
