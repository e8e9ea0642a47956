#include "text/chat_codes.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "text/lexicon.h"
#include "text/sentences.h"
#include "text/speaker_prefix.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

constexpr std::size_t kLongestCode = 2000;  // bytes: a card in JSON may be long
constexpr std::size_t kLongestName = 64;
constexpr std::array<View, 11> kStops{"，", "。", "：", "！", "？", "、", "；", "\u3000", "\u00A0", "（", "我"};

// A character written as an entity of HTML, as CQ codes escape their own signs.
struct Entity {
  View written, sign;
};
constexpr std::array<Entity, 10> kEntities{{{"&#91;", "["},
                                            {"&#x5b;", "["},
                                            {"&lbrack;", "["},
                                            {"&lt;", "<"},
                                            {"&#93;", "]"},
                                            {"&#x5d;", "]"},
                                            {"&rbrack;", "]"},
                                            {"&gt;", ">"},
                                            {"&#44;", ","},
                                            {"&amp;", "&"}}};

const Entity* entity_at(View text) {
  if (!text.starts_with('&')) return nullptr;
  const auto found = std::find_if(kEntities.begin(), kEntities.end(), [&](const Entity& one) {
    return lowered(text.substr(0, one.written.size())) == one.written;
  });
  return found == kEntities.end() ? nullptr : &*found;
}

std::string with_signs(View text) {
  std::string signs;
  for (std::size_t at = 0; at < text.size();) {
    const Entity* entity = entity_at(text.substr(at));
    signs += entity == nullptr ? text.substr(at, 1) : entity->sign;
    at += entity == nullptr ? 1 : entity->written.size();
  }
  return signs;
}

// The bytes of `text` that become the first `size` of it with signs for entities.
std::size_t written_size(View text, std::size_t size) {
  std::size_t at = 0;
  for (; size > 0; --size) {
    const Entity* entity = entity_at(text.substr(at));
    at += entity == nullptr ? 1 : entity->written.size();
  }
  return at;
}

bool begins_reply(View inner) {
  for (const View word : lexicon_both("chat_codes", "replies"))
    if (inner.starts_with(word)) return true;
  return false;
}

// [CQ:at,qq=10001], [图片], [回复 小王：我住在上海].
ChatCode bracket_at(View text) {
  std::size_t depth = 0, end = 0;
  for (std::size_t at = 0; at < std::min(text.size(), kLongestCode) && end == 0; ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']' && --depth == 0) end = at + 1;
    if (text[at] == '\n' && !text.starts_with("[CQ:")) return {};
  }
  if (end < 3) return {};
  const View inner = trimmed(text.substr(1, end - 2));
  const std::string lower = lowered(inner);
  static const auto placeholders = lexicon_both_words("chat_codes", "placeholders");
  if (placeholders.contains(View(lower)) || begins_reply(lower)) return {end, false};
  const auto colon = lower.find_first_of(":,");
  if (colon == View::npos) return {};
  const View kind = View(lower).substr(0, colon);
  static const auto bridges = lexicon_words("en/chat_codes", "bridges");
  // [image: a cat] is said with a blank, [image:file=1] is a code.
  const bool code = bridges.contains(kind) && colon + 1 < lower.size() && lower[colon + 1] != ' ';
  if (!code) return {};
  const View what = View(lower).substr(colon + 1);
  const bool person = kind == "at" || kind == "mention" || what.starts_with("at,") || what.starts_with("at:");
  return {end, person};
}

// 【图片】: brackets of Chinese around nothing but such a word.
ChatCode wide_bracket_at(View text) {
  constexpr View kOpen = "【", kClose = "】";
  const auto close = text.substr(0, std::min(text.size(), kLongestName)).find(kClose);
  if (close == View::npos) return {};
  static const auto placeholders = lexicon_both_words("chat_codes", "placeholders");
  const bool code = placeholders.contains(View(lowered(trimmed(text.substr(kOpen.size(), close - kOpen.size())))));
  return code ? ChatCode{close + kClose.size(), false} : ChatCode{};
}

// <@123>, <@!123>, <@&123>, <@U12|ann>, <#123>, <:smile:1>, <a:smile:1>, <t:123:R>, <!here>.
ChatCode id_at(View text) {
  const auto close = text.substr(0, std::min(text.size(), kLongestName * 2)).find('>');
  if (close == View::npos || close < 3) return {};
  const View inner = text.substr(1, close - 1);
  if (inner.find_first_of(" <\n") != View::npos) return {};
  const char first = inner.front();
  if (first == '@') return {close + 1, true};
  if (first == '#' || first == '!') return {close + 1, false};
  const bool face = (first == ':' || inner.starts_with("a:") || inner.starts_with("t:")) &&
                    std::any_of(inner.begin(), inner.end(), is_digit<char>);
  return face ? ChatCode{close + 1, false} : ChatCode{};
}

// <at id="1"/>, <at id="1">Bot</at>, <quote id="1">…</quote>.
ChatCode element_at(View text) {
  std::size_t end = 1;
  const bool closes = end < text.size() && text[end] == '/';
  end += closes ? 1 : 0;
  const std::size_t begin = end;
  while (end < text.size() && is_letter(text[end])) ++end;
  const std::string name = lowered(text.substr(begin, end - begin));
  static const auto elements = lexicon_words("en/chat_codes", "elements");
  static const auto others = lexicon_words("en/chat_codes", "elements with other words");
  if (!elements.contains(name) || end >= text.size()) return {};
  if (View(" />\t").find(text[end]) == View::npos) return {};
  const auto close = text.substr(0, std::min(text.size(), kLongestCode)).find('>', end);
  if (close == View::npos) return {};
  const bool person = name == "at" || name == "mention";
  const bool empty = text[close - 1] == '/';
  if (closes || empty || !others.contains(name)) return {close + 1, person && !closes};
  const std::string tail = "</" + name + ">";
  const auto last = lowered(text.substr(0, std::min(text.size(), kLongestCode))).find(tail, close);
  return {last == std::string::npos ? close + 1 : last + tail.size(), person};
}

bool is_emoji(char32_t c) {
  constexpr char32_t kJoiner = 0x200D, kAsPicture = 0xFE0F, kKeycap = 0x20E3;
  if (c < 0x80) return false;
  const auto code = static_cast<UChar32>(c);
  return c == kJoiner || c == kAsPicture || c == kKeycap || u_hasBinaryProperty(code, UCHAR_EXTENDED_PICTOGRAPHIC) ||
         u_hasBinaryProperty(code, UCHAR_EMOJI_MODIFIER) || u_hasBinaryProperty(code, UCHAR_REGIONAL_INDICATOR);
}

// :smile:, as some programs write emoji.
std::size_t short_name_at(View text) {
  if (text.size() < 4 || text[0] != ':' || !is_letter(text[1])) return 0;
  std::size_t end = 1;
  while (end < text.size() && end < kLongestName && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '_'))
    ++end;
  return end < text.size() && text[end] == ':' && end > 2 ? end + 1 : 0;
}

std::size_t emoji_at(View text) {
  std::size_t at = 0;
  if (text.empty() || static_cast<unsigned char>(text[0]) < 0x80) return short_name_at(text);
  return is_emoji(next_code_point(text, at)) ? at : 0;
}

// @小助手, @bot_1: to the next blank or mark.
std::size_t mention_at(View text) {
  for (const View sign : {"@", "＠"}) {
    if (!text.starts_with(sign)) continue;
    std::size_t end = sign.size();
    while (end < text.size() && end < kLongestName) {
      if (is_blank(text[end]) || View(",:;!?<[(").find(text[end]) != View::npos) break;
      const bool stop =
          std::any_of(kStops.begin(), kStops.end(), [&](View mark) { return text.substr(end).starts_with(mark); });
      if (stop) break;
      ++end;
    }
    // "@bot." at the end of a sentence, an address "@home.example" within.
    while (end > sign.size() && text[end - 1] == '.') --end;
    return end > sign.size() ? end : 0;
  }
  return 0;
}

// "Hey bot, ", "Ann! ": who is spoken to, with the mark behind; 0: nobody is.
std::size_t call_at(View text) {
  constexpr std::size_t kMostWords = 3;
  const auto mark = text.find_first_of(",:!.?;\n");
  if (mark == View::npos || mark > kLongestName || View(",!").find(text[mark]) == View::npos) return 0;
  if (mark + 1 >= text.size() || text[mark + 1] != ' ') return 0;
  const View called = text.substr(0, mark);
  std::string row = spaced_words(lowered(called), "");
  static const SpacedPhrases greetings(lexicon("en/chat_codes", "greetings"));
  const View greeting = greetings.begin_of(row);
  if (!greeting.empty()) row.erase(0, greeting.size() + 1);
  const View name = trimmed(row);
  const auto words = static_cast<std::size_t>(std::count(name.begin(), name.end(), ' ')) + 1;
  if (name.empty() || words > kMostWords) return 0;
  static const LexiconWords addressees = lexicon_words("en/chat_codes", "addressees");
  NameGender gender = NameGender::kUnknown;
  const bool known = addressees.contains(name) || is_first_name(name, gender);
  // "Hello world, I …" calls somebody, "Hi I'm Ann, I …" does not.
  static const LexiconWords own = {"i", "i'm", "im", "my", "we", "we're", "i've", "it", "it's", "this", "that", "the"};
  const View first = name.substr(0, name.find(' '));
  return known || (!greeting.empty() && !own.contains(first)) ? mark + 2 : 0;
}

std::size_t emoji_before(View text) {
  std::size_t at = text.size();
  while (at > 0) {
    std::size_t begin = at - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    std::size_t end = begin;
    if (!is_emoji(next_code_point(text, end))) break;
    at = begin;
  }
  return text.size() - at;
}

// What ends the text and is none of its words: a code, a mention behind a blank, emoji.
std::size_t address_before(View text) {
  if (const std::size_t emoji = emoji_before(text); emoji > 0) return emoji;
  for (const View open : {"[", "<", "&#91;", "&lt;", " ", "\u3000", "\u00A0"}) {
    const auto at = text.rfind(open);
    if (at == View::npos) continue;
    const std::size_t blank = blank_at(text, at);
    const std::size_t size = blank > 0 ? mention_at(text.substr(at + blank)) : chat_code_at(text, at).size;
    if (size > 0 && at + size + blank == text.size()) return text.size() - at;
  }
  return 0;
}

}  // namespace

ChatCode chat_code_at(std::string_view text, std::size_t at) {
  const View rest = text.substr(std::min(at, text.size()));
  if (rest.starts_with('[')) return bracket_at(rest);
  if (rest.starts_with("【")) return wide_bracket_at(rest);
  if (const Entity* entity = entity_at(rest); entity != nullptr && (entity->sign == "[" || entity->sign == "<")) {
    ChatCode code = chat_code_at(with_signs(rest.substr(0, kLongestCode)), 0);
    code.size = written_size(rest, code.size);
    return code;
  }
  if (!rest.starts_with('<')) return {};
  const ChatCode element = element_at(rest);
  return element.size > 0 ? element : id_at(rest);
}

std::string without_chat_codes(std::string_view text) {
  if (text.find_first_of("[<&") == View::npos && text.find("【") == View::npos) return std::string(text);
  std::string out;
  bool escapes = false;  // a program that writes such codes escapes the signs of the text, too
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = chat_code_at(text, at).size;
    if (size == 0) {
      out += text[at++];
      continue;
    }
    escapes = escapes || text[at] == '&' || text.substr(at).starts_with("[CQ:");
    at += size;
    const bool begins = out.empty() || is_blank(out.back());
    while (begins && at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  }
  return escapes ? with_signs(out) : out;
}

std::string_view without_address(std::string_view sentence) {
  View text = without_blanks(sentence);
  for (bool cut = true; cut && !text.empty();) {
    cut = false;
    for (const std::size_t size : {chat_code_at(text, 0).size, mention_at(text), emoji_at(text), call_at(text)}) {
      if (size == 0) continue;
      text = without_blanks(text.substr(size));
      for (const View mark : {",", ":", "，", "：", "、"})
        if (text.starts_with(mark)) text = without_blanks(text.substr(mark.size()));
      cut = true;
      break;
    }
  }
  for (std::size_t size = address_before(text); size > 0; size = address_before(text))
    text = without_blanks(text.substr(0, text.size() - size));
  return text;
}

}  // namespace weft
