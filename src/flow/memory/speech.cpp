#include "flow/memory/said_facts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <span>
#include <string>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/standing_wish.h"
#include "text/chat_codes.h"
#include "text/lexicon.h"
#include "text/sentences.h"
#include "text/small_talk.h"
#include "text/speaker_prefix.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;
using List = std::span<const View>;

constexpr View kI = "我";

List words(View list) { return lexicon("zh/speech", list); }

bool begins_with_one(View text, List list) {
  return std::any_of(list.begin(), list.end(), [&](View one) { return text.starts_with(one); });
}

bool has_one(View text, List list) {
  return std::any_of(list.begin(), list.end(), [&](View one) { return text.find(one) != View::npos; });
}

View without_all(View text, List list) {
  for (View one = longest_entry(list, text); !one.empty(); one = longest_entry(list, text))
    text.remove_prefix(one.size());
  return text;
}

struct Quotes {
  View open, close;
};
constexpr std::array<Quotes, 3> kQuotes{{{"“", "”"}, {"「", "」"}, {"『", "』"}}};

// The sentence without what stands in quotation marks, and what does.
struct Told {
  std::string outside, inside;
};

Told by_quotes(View sentence) {
  Told told;
  View close;
  for (std::size_t at = 0; at < sentence.size();) {
    const View rest = sentence.substr(at);
    std::size_t size = 0;
    if (close.empty()) {
      for (const Quotes& marks : kQuotes)
        if (rest.starts_with(marks.open)) {
          close = marks.close;
          size = marks.open.size();
        }
    } else if (rest.starts_with(close)) {
      size = close.size();
      close = {};
    }
    if (size == 0) (close.empty() ? told.outside : told.inside) += sentence[at++];
    at += size;
  }
  return told;
}

// 小说里的主角…, 我写的故事讲…; not 我在游戏里认识了….
bool tells_story(View sentence) {
  const auto clauses = chinese_clauses(sentence);
  if (clauses.empty()) return false;
  const View first = without_all(clauses.front(), words("own stories"));
  if (first.find(kI) != View::npos) return false;
  const List stories = words("stories");
  return std::any_of(stories.begin(), stories.end(), [&](View story) {
    const auto at = first.find(story);
    return at != View::npos && begins_with_one(first.substr(at + story.size()), words("within stories"));
  });
}

constexpr std::size_t kLongestMessage = 8 * 1024;
constexpr View kMarks = ".,;:!?\"()";

bool is_chinese(View text) { return language_of(text) == Language::kChinese; }

const SpacedPhrases& phrases(View list) {
  static const auto all = [] {
    std::map<View, SpacedPhrases> made;
    for (const View name :
         {"works on text", "may work on text", "points", "points back", "texts", "attachments", "openings",
          "tells what a text says", "made up", "letter begins", "letter ends", "letter heads", "speakers", "saying",
          "tells to keep", "works on form", "forms of a text", "reposts", "reports"})
      made.emplace(name, SpacedPhrases(lexicon("en/speech", name)));
    return made;
  }();
  return all.at(list);
}

std::string row_of(View text, View marks = kMarks) { return spaced_words(normalize(text), marks); }

// A row without as many phrases of a list as begin it.
std::string row_without(std::string row, const SpacedPhrases& openings) {
  for (View one = openings.begin_of(row); !one.empty() && one.size() + 2 < row.size(); one = openings.begin_of(row))
    row.erase(0, one.size() + 1);
  return row;
}

bool has_words(const std::string& row, std::initializer_list<View> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](View word) { return row.find(" " + std::string(word) + " ") != std::string::npos; });
}

bool speaks_of_self(View text) {
  if (text.find(kI) != View::npos || text.find("咱") != View::npos || text.find("俺") != View::npos) return true;
  return has_words(row_of(text),
                   {"i", "i'm", "im", "i've", "i'd", "i'll", "my", "me", "mine", "we", "we're", "our", "us"});
}

// The place behind the first colon of a sentence that parts words, and none of 10:30 or https://.
std::size_t behind_colon(View text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (starts_at(text, at, "：")) return at + View("：").size();
    if (text[at] != ':') continue;
    const bool within = at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0x80 &&
                        !is_blank(text[at + 1]) && text[at + 1] != '"';
    if (!within) return at + 1;
  }
  return View::npos;
}

View before_colon(View text) { return text.substr(0, behind_colon(text)); }

// The request in a sentence to work on a text.
struct TextWork {
  bool asked = false;
  bool forward = false;  // with what follows
  bool back = false;     // with what went before, where nothing follows
  bool holds = false;    // the text begins in the sentence itself
};

// "This article", "the link": a thing beside the message.
bool shows_attachment(const std::string& row) {
  static const SpacedPhrases pointing(lexicon("en/speech", "points"));
  for (std::size_t at = 0; at + 1 < row.size(); at = row.find(' ', at + 1)) {
    const View rest = View(row).substr(at);
    if (pointing.begin_of(rest).empty() && !rest.starts_with(" my ") && !rest.starts_with(" the ")) continue;
    const auto next = rest.find(' ', 1);
    if (next != View::npos && !phrases("attachments").begin_of(rest.substr(next)).empty()) return true;
  }
  return false;
}

// The row of the first words of another one.
std::string first_words(const std::string& row, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t i = 0; i <= most && end != std::string::npos; ++i) end = row.find(' ', i == 0 ? 0 : end + 1);
  return end == std::string::npos ? row : row.substr(0, end + 1);
}

TextWork english_work(View clause, View behind, bool quotes) {
  TextWork work;
  const std::string row = row_without(row_of(clause), phrases("openings"));
  const View strong = phrases("works on text").begin_of(row), weak = phrases("may work on text").begin_of(row);
  if (strong.empty() && weak.empty()) return work;
  const std::string rest = row.substr(std::max(strong.size(), weak.size()) + 1);
  const std::string object = first_words(rest, 6);
  const bool colon = !behind.empty() || clause.ends_with(':');
  const bool back = phrases("points back").any_in(object);
  const bool points = phrases("points").any_in(strong.empty() ? first_words(rest, 3) : object);
  const bool text = phrases("texts").any_in(object);
  const bool attached = shows_attachment(row);
  work.holds = !behind.empty();
  if (strong.empty()) {
    if (rest.starts_with(" down ")) return work;
    const bool tells = phrases("tells what a text says").any_in(rest);
    // "Can you improve my text?"
    const bool own = rest.starts_with(" my ") && !phrases("texts").begin_of(View(rest).substr(3)).empty();
    work.asked = colon || quotes || tells || (points && !attached) || (own && !attached) ||
                 (text && row.starts_with(" here")) || (text && row.starts_with(" this is "));
    work.forward = work.asked && !back && (colon || (!tells && !attached && (points || text)));
    work.back = work.asked && (back || (points && text));
    return work;
  }
  work.asked = true;
  const bool bare = !names_matter(row);
  work.forward = !back && (colon || (!quotes && !attached && (points || text || bare)));
  work.back = back || (!attached && !quotes && (points || bare));
  return work;
}

// "Shorten.", "Turn the following into bullet points.", "In Spanish please.": a request for work on a text and nothing
// else. `strong`: its verb asks for that whatever stands beside it.
bool is_only_work_english(View sentence, bool& strong) {
  static const SpacedPhrases languages(lexicon("en/answer_aspects", "language"));
  const std::string row = row_without(row_of(sentence), phrases("openings"));
  const View work = phrases("works on text").begin_of(row), form = phrases("works on form").begin_of(row);
  if (work.empty() && form.empty()) return false;
  strong = !work.empty();
  View rest = View(row).substr(std::max(work.size(), form.size()) + 1);
  const bool bare = rest == " ";
  while (rest.size() > 1) {
    const View next = std::max(phrases("forms of a text").begin_of(rest), languages.begin_of(rest),
                               [](View a, View b) { return a.size() < b.size(); });
    if (next.empty()) return false;
    rest.remove_prefix(next.size() + 1);
  }
  // "Polish." may be an answer, "in" begins nothing by itself.
  return strong ? row != " polish " : !bare || row == " correct " || row == " edit " || row == " improve ";
}

bool is_only_work_chinese(View sentence, bool& strong) {
  View plain = trim_marks(sentence);
  const List openings = lexicon("zh/requests", "openings");
  for (View one = longest_entry(openings, plain); !one.empty(); one = longest_entry(openings, plain))
    plain = trim_words(plain.substr(one.size()), " \t，,");
  plain = without_all(plain, words("asks"));
  const View work = longest_entry(words("works on text"), plain), form = longest_entry(words("works on form"), plain);
  if (work.empty() && form.empty()) return false;
  strong = !work.empty();
  plain.remove_prefix(std::max(work.size(), form.size()));
  return (strong || !plain.empty()) && without_all(plain, words("forms of a text")).empty();
}

bool is_only_work(View sentence, bool& strong) {
  return is_chinese(sentence) ? is_only_work_chinese(sentence, strong) : is_only_work_english(sentence, strong);
}

bool holds(View text, View list) { return holds_any(text, words(list)); }

// 我在翻译一本书, not 帮我翻译.
bool tells_own_work(View clause) {
  for (const View own : words("own work"))
    for (auto at = clause.find(own); at != View::npos; at = clause.find(own, at + 1)) {
      const View before = clause.substr(0, at);
      static constexpr auto kFor = std::to_array<View>({"帮", "给", "替", "请", "让", "教", "为", "跟", "把"});
      if (std::none_of(kFor.begin(), kFor.end(), [&](View one) { return before.ends_with(one); })) return true;
    }
  return false;
}

// `points_within`: where what points at a text is looked for.
TextWork chinese_work(View clause, View points_within, View behind, bool quotes) {
  TextWork work;
  if (tells_own_work(clause)) return work;
  View plain = clause;
  for (View one = longest_entry(lexicon("zh/requests", "openings"), plain); !one.empty();
       one = longest_entry(lexicon("zh/requests", "openings"), plain))
    plain = trim_words(plain.substr(one.size()), " \t，,");
  plain = without_all(plain, words("asks"));
  const bool colon = !behind.empty() || clause.ends_with("：") || clause.ends_with(':');
  const bool back = holds(points_within, "points back"), points = holds(points_within, "points"),
             asks = holds(clause, "asks");
  bool by_verb = false;
  const bool only = colon && is_only_work_chinese(clause, by_verb);
  const bool strong = only || holds(clause, "works on text"), weak = begins_with_one(plain, words("may work on text"));
  work.holds = !behind.empty();
  if (strong) {
    const bool begins = only || begins_with_one(plain, words("works on text"));
    work.asked = begins || asks || points || back || colon || quotes;
    const bool bare = !names_matter(plain);
    work.forward = work.asked && !back && (colon || (!quotes && (points || bare)));
    work.back = work.asked && !quotes && (back || points || bare);
  } else if (weak || (asks && holds(clause, "may work on text"))) {
    work.asked = colon || quotes || points || back;
    work.forward = work.asked && !back && (colon || points);
    work.back = work.asked && (back || points);
  } else if (begins_with_one(plain, words("shows")) && points) {
    work.asked = work.forward = true;
  }
  return work;
}

// The first clause of a sentence that asks for work on a text. What holds from now on is no such request.
TextWork text_work(View sentence, bool quotes) {
  const bool chinese = is_chinese(sentence);
  static const SpacedPhrases always(lexicon("en/standing_wishes", "always"));
  const std::size_t colon = behind_colon(sentence);
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= sentence.size(); ++at) {
    const View rest = sentence.substr(at);
    std::size_t mark = at == sentence.size() ? 1 : 0;
    for (const View one : {", ", "; ", "，", "；", " – ", " — ", ": ", "：", ":\"", "! ", "！"})
      if (rest.starts_with(one)) mark = one.size();
    if (mark == 0) continue;
    const View clause = sentence.substr(begin, at - begin);
    const bool ends_at_colon = colon != View::npos && at < colon && colon <= at + mark;
    const View behind = colon != View::npos && colon >= at ? trimmed(sentence.substr(colon)) : View();
    const std::string before = row_of(sentence.substr(0, at));
    const bool lasts = chinese ? holds_any(before, lexicon("zh/standing_wishes", "always")) : always.any_in(before);
    TextWork work;
    if (!lasts) {
      const View to_colon = ends_at_colon ? sentence.substr(begin, colon - begin) : clause;
      work = chinese ? chinese_work(to_colon, before_colon(sentence), behind, quotes)
                     : english_work(to_colon, behind, quotes);
    }
    if (work.asked) return work;
    begin = at + mark;
    at = begin - 1;
  }
  return {};
}

// "Tom: I moved", 小王：我搬家了: a line of a transcript or an example.
bool has_label(View sentence) {
  constexpr std::size_t kLongest = 40;
  const std::size_t colon = behind_colon(sentence);
  if (colon == View::npos || colon > kLongest || colon == sentence.size()) return false;
  const View label = trimmed(sentence.substr(0, colon), " \t:*_-");
  const View plain = label.ends_with("：") ? label.substr(0, label.size() - View("：").size()) : label;
  if (is_chinese(plain)) {
    constexpr std::size_t kCharacter = 3, kLongestName = 3 * kCharacter;
    const auto speakers = words("speakers");
    if (std::find(speakers.begin(), speakers.end(), plain) != speakers.end()) return true;
    for (const View text : words("points"))
      if (plain.ends_with(text)) return true;  // 英语作文：…
    const bool called = plain.starts_with("小") || plain.starts_with("老") || plain.starts_with("阿");
    const bool surname = plain.size() > kCharacter && is_chinese_surname(plain.substr(0, kCharacter));
    return plain.size() <= kLongestName && plain.size() > kCharacter && (called || surname);
  }
  const std::string row = row_of(plain);
  NameGender gender = NameGender::kUnknown;
  const std::string first = row.substr(1, row.find(' ', 1) - 1);
  const View known = phrases("speakers").begin_of(row);
  return (!known.empty() && known.size() + 2 == row.size()) || is_first_name(first, gender);
}

bool is_clock(View word) {
  const auto colon = word.find(':');
  if (colon == View::npos || colon == 0 || colon > 2 || word.size() < colon + 3) return false;
  return std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == ':' || c == '.'; });
}

bool is_date(View word) {
  return is_digit(word.front()) &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || View("-/.").find(c) != View::npos; });
}

// The head of a pasted chat line: "[10:31] Bob", "小王 10:32", "张三(12345) 09:12:03".
struct ChatHead {
  std::string name;        // in lower case; empty: that is no such head
  bool known_name = false;
  bool sure = false;       // a number, a date or a bracket beside it: programs write so
};

ChatHead chat_head(View head) {
  constexpr std::size_t kLongest = 60, kMostWords = 3;
  ChatHead found;
  if (head.empty() || head.size() > kLongest) return found;
  std::string text(head);
  found.sure = head.find_first_of("[(") != View::npos;
  for (const View mark : {"[", "]", "(", ")", ",", "（", "）", "【", "】", "—", "–", "：", "<", ">"})
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, mark.size(), " ");
  static const LexiconWords beside = lexicon_both_words("speech", "beside times");
  std::vector<std::string> names;
  bool clock = false, capital = true;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = text.find_first_not_of(" \t", at);
    if (begin == std::string::npos) break;
    at = std::min(text.find_first_of(" \t", begin), text.size());
    View word = View(text).substr(begin, at - begin);
    while (word.size() > 1 && word.ends_with(':')) word.remove_suffix(1);
    if (is_clock(word)) {
      clock = true;
    } else if (is_date(word)) {
      found.sure = true;
    } else if (word != "-" && word != "·" && !beside.contains(View(lowered(word)))) {
      const bool ascii = static_cast<unsigned char>(word.front()) < 0x80;
      capital = capital && (!ascii || (word.front() >= 'A' && word.front() <= 'Z'));
      names.push_back(lowered(word));
    }
  }
  if (!clock || names.empty() || names.size() > kMostWords) return found;
  static const LexiconWords own = {"i", "i'm", "im", "my", "we", "our"};
  if (std::any_of(names.begin(), names.end(), [](const std::string& word) { return own.contains(View(word)); }))
    return found;
  const std::string& first = names.front();
  constexpr std::size_t kCharacter = 3, kLongestChinese = 6 * kCharacter;
  if (is_chinese(first)) {
    if (names.size() > 1 || first.size() > kLongestChinese || first.find(kI) != std::string::npos) return found;
    const bool called = first.starts_with("小") || first.starts_with("老") || first.starts_with("阿");
    const bool surname = first.size() > kCharacter && is_chinese_surname(View(first).substr(0, kCharacter));
    found.known_name = first.size() <= 3 * kCharacter && (called || surname);
  } else {
    NameGender gender = NameGender::kUnknown;
    found.known_name = capital && is_first_name(first, gender);
    if (!capital && !found.sure) return found;
  }
  found.name = first;
  return found;
}

// "[10:31] Bob: …", "10:32 Eva: …", "[10:31] <Bob> …".
bool is_chat_line(View sentence) {
  constexpr std::size_t kLongest = 60;
  if (const auto close = sentence.find("> "); sentence.starts_with('[') && close != View::npos && close < kLongest) {
    const View head = sentence.substr(0, close);
    if (head.find('<') != View::npos && !chat_head(head).name.empty()) return true;
  }
  const std::size_t colon = behind_colon(sentence);
  return colon != View::npos && colon <= kLongest && !chat_head(sentence.substr(0, colon)).name.empty();
}

// 转发微博：…, "RT @bob: …".
bool is_repost(View sentence) {
  if (sentence.find("//@") != View::npos || begins_with_one(sentence, words("reposts"))) return true;
  const std::string lower = lowered(sentence);
  return begins_with_one(lower, lexicon("en/speech", "reposts"));
}

// "My horoscope says I am a leader and I love risk.": without what goes on with the report; else the whole.
View without_rest_of_report(View sentence) {
  if (is_chinese(sentence)) return sentence;
  const std::string lower = lowered(sentence);
  for (const View verb : lexicon("en/speech", "reports")) {
    const std::string phrase = " " + std::string(verb) + " ";
    const auto at = lower.find(phrase);
    if (at == std::string::npos || lower.find_first_of(",;:\"") < at) continue;
    const std::string before = row_of(View(lower).substr(0, at));
    if (has_words(before, {"i", "i've", "i'd", "we", "who", "that", "and", "but", "you"})) continue;
    View said = View(lower).substr(at + phrase.size());
    if (said.starts_with("that ")) said.remove_prefix(View("that ").size());
    const auto own = said.substr(0, std::min(said.find(' '), said.size()));
    static const LexiconWords first_person = {"i",    "i'm", "i’m", "i've",  "i’ve", "i'd",
                                              "i'll", "my",  "we",  "we're", "our"};
    if (!first_person.contains(own)) continue;
    for (const View joint :
         {" and i ", " and i'm ", " and i’m ", " and my ", " and i've ", " and we ", ", i ", ", i'm "})
      if (const auto next = lower.find(joint, at); next != std::string::npos && lower.size() == sentence.size())
        return trimmed(sentence.substr(0, next));
  }
  return sentence;
}

// "She wrote: …", "I got this:": what stands behind the colon was said by somebody, or is shown.
bool leads_to_words(View sentence) {
  const std::size_t colon = behind_colon(sentence);
  if (colon == View::npos) return false;
  const View before = sentence.substr(0, colon);
  if (is_chinese(before)) return !holds(before, "tells to keep") && holds(before, "quotes");
  const std::string row = row_of(before);
  return !phrases("tells to keep").any_in(row) && phrases("saying").any_in(row);
}

// "About me:", 我的情况：; else whatever follows a colon at the end of a sentence is handed over.
bool announces_own(View sentence) {
  const std::string row = row_of(sentence);
  if (is_chinese(sentence)) return holds(sentence, "tells to keep") || speaks_of_self(sentence);
  return phrases("tells to keep").any_in(row) || speaks_of_self(sentence);
}

// Behind the mark that closes 'words like these', which no word goes on from; npos: that is no quotation.
std::size_t behind_single_quotes(View text, std::size_t at) {
  const auto is_word = [&](std::size_t place) {
    return place < text.size() && (is_letter(text[place]) || is_digit(text[place]));
  };
  const bool curly = starts_at(text, at, "‘");
  const std::size_t size = curly ? View("‘").size() : 1;
  if (!curly &&
      (text[at] != '\'' || (at > 0 && !is_blank(text[at - 1]) && View("([:\"").find(text[at - 1]) == View::npos)))
    return View::npos;
  if (!is_word(at + size)) return View::npos;
  const View mark = curly ? View("’") : View("'");
  for (auto close = text.find(mark, at + size); close != View::npos; close = text.find(mark, close + 1)) {
    if (text.substr(at, close - at).find('\n') != View::npos) return View::npos;
    if (!is_word(close + mark.size())) return close + mark.size();
  }
  return View::npos;
}

struct Quotation {
  std::size_t begin = 0, end = 0;
};

// Quotations over lines; one that is not closed runs to the end. 5" is a length.
std::vector<Quotation> quotations(View text) {
  static constexpr std::array<Quotes, 5> kAll{{{"“", "”"}, {"「", "」"}, {"『", "』"}, {"«", "»"}, {"\"", "\""}}};
  std::vector<Quotation> found;
  for (std::size_t at = 0; at < text.size();) {
    const Quotes* open = nullptr;
    for (const Quotes& marks : kAll)
      if (starts_at(text, at, marks.open)) open = &marks;
    if (const auto end = behind_single_quotes(text, at); end != View::npos) {
      found.push_back({at, end});
      at = end;
      continue;
    }
    const auto before = at > 0 ? static_cast<unsigned char>(text[at - 1]) : static_cast<unsigned char>(' ');
    const bool straight = open != nullptr && open->open == "\"";
    const bool opens =
        !straight || before >= 0x80 || View(" \t\r\n([{:,-").find(static_cast<char>(before)) != View::npos;
    if (open == nullptr || !opens) {
      ++at;
      continue;
    }
    const auto close = text.find(open->close, at + open->open.size());
    const std::size_t end = close == View::npos ? text.size() : close + open->close.size();
    found.push_back({at, end});
    at = end;
  }
  return found;
}

bool is_closed(View quoted) {
  for (const View mark : {"”", "」", "』", "»", "’", "'"})
    if (quoted.ends_with(mark)) return true;
  return quoted.size() > 1 && quoted.ends_with('"');
}

// Whether somebody speaks there, rather than something being called by a name.
bool is_speech(View quoted) {
  constexpr std::size_t kLong = 60;
  return !is_closed(quoted) || speaks_of_self(quoted) || quoted.size() > kLong;
}

bool is_letter_begin(View sentence) {
  constexpr std::size_t kLongest = 60;
  const bool ends =
      sentence.ends_with(',') || sentence.ends_with(':') || sentence.ends_with("：") || sentence.ends_with("，");
  if (sentence.size() > kLongest) return false;
  if (is_chinese(sentence)) return ends && begins_with_one(sentence, words("letter begins"));
  const std::string row = row_of(sentence);
  return !phrases("letter begins").begin_of(row).empty() && (ends || std::count(row.begin(), row.end(), ' ') <= 4);
}

bool is_letter_head(View sentence) {
  return !phrases("letter heads").begin_of(row_of(trimmed(sentence, " -_*"), ".,;!?\"()")).empty();
}

// Reads a message from its first sentence to its last and strikes out what is not its speaker's.
class Reader {
 public:
  explicit Reader(View message) : message_(message), parts_(sentences(message)), out_(parts_.size()) {}

  std::vector<StatedSentence> run() {
    strike_quotes();
    strike_letters();
    strike_transcript();
    strike_pasted_chat();
    strike_what_is_worked_on();
    strike_text_work();
    strike_what_is_made_up();
    std::vector<StatedSentence> stated;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (!out_[i]) add(parts_[i], stated);
    return stated;
  }

 private:
  std::size_t place(View part) const { return static_cast<std::size_t>(part.data() - message_.data()); }

  void strike(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, parts_.size()); ++i) out_[i] = true;
  }

  bool closes(const Quotation& one) const { return is_closed(message_.substr(one.begin, one.end - one.begin)); }

  // `only`: not where a quotation begins and ends within the sentence and leaves some of it.
  bool is_in_speech(View part, bool only) const {
    const std::size_t begin = place(part), end = begin + part.size();
    return std::any_of(spoken_.begin(), spoken_.end(), [&](const Quotation& one) {
      if (one.end <= begin || one.begin >= end) return false;
      const bool within = one.begin > begin && one.end <= end && closes(one);
      return !only || !within;
    });
  }

  void strike_quotes() {
    for (const Quotation& one : quotations(message_))
      if (is_speech(message_.substr(one.begin, one.end - one.begin))) spoken_.push_back(one);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const View text = without_address(parts_[i]);
      for (const View mark : {"\"", "“", "‘", "「", "『", ">", "|", "```", "#", "<"})
        if (text.starts_with(mark)) out_[i] = true;
      if (is_in_speech(parts_[i], true)) out_[i] = true;
    }
  }

  void strike_letters() {
    std::size_t heads = 0, first = parts_.size();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (is_letter_begin(parts_[i])) return strike(i, parts_.size());
      if (is_letter_head(parts_[i])) {
        if (heads++ == 0) first = i;
        if (parts_[i].find("essage") != View::npos) return strike(i, parts_.size());
      }
      if (is_chinese(parts_[i]) && (parts_[i].starts_with("此致") || parts_[i] == "敬礼" || parts_[i] == "敬礼！"))
        return strike(0, parts_.size());
    }
    if (heads > 1) strike(first, parts_.size());
  }

  void strike_transcript() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const View text = without_address(parts_[i]);
      if (has_label(text) || (behind_colon(text) < text.size() && leads_to_words(text) && !is_work(text)))
        out_[i] = true;
    }
  }

  // What follows in the same line.
  void strike_line(std::size_t i) {
    const auto line_end = std::min(message_.find('\n', place(parts_[i])), message_.size());
    for (; i < parts_.size() && place(parts_[i]) < line_end; ++i) out_[i] = true;
  }

  bool ends_line(std::size_t i) const {
    if (i + 1 >= parts_.size()) return false;
    const std::size_t begin = place(parts_[i]);
    return message_.substr(begin, place(parts_[i + 1]) - begin).find('\n') != View::npos;
  }

  bool begins_line(std::size_t i) const { return i == 0 || ends_line(i - 1); }

  // Lines of a chat that somebody pasted, with a time beside each name.
  void strike_pasted_chat() {
    std::size_t heads = 0, first = parts_.size();
    bool sure = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const View text = trimmed(parts_[i]);
      if (is_chat_line(text) || is_repost(text) || has_label(without_address(text))) strike_line(i);
      if (!begins_line(i) || !ends_line(i)) continue;
      const ChatHead head = chat_head(text);
      if (head.name.empty()) continue;
      if (heads++ == 0) first = i;
      sure = sure || head.known_name || head.sure;
    }
    if (heads > 1 || sure) strike(first, parts_.size());
  }

  // A message that begins with a request for work on a text, which follows.
  void strike_what_is_worked_on() {
    bool begun = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const View text = without_address(parts_[i]);
      const bool pair = begins_with_one(text, words("translation pairs"));
      bool strong = false;
      const bool only =
          (!begun || begins_line(i)) && is_only_work(text, strong) && !is_empty_behind(i) && (strong || !begun);
      if (pair || only) return strike(i, parts_.size());
      begun = begun || !says_nothing(text);
    }
  }

  static bool is_work(View text) { return text_work(text, false).asked; }

  bool is_empty_behind(std::size_t i) const {
    for (std::size_t k = i + 1; k < parts_.size(); ++k)
      if (!says_nothing(parts_[k])) return false;
    return true;
  }

  void strike_text_work() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const View text = without_address(parts_[i]);
      if (out_[i] && !text.ends_with(':')) continue;
      const bool quotes = std::any_of(spoken_.begin(), spoken_.end(),
                                      [&](const Quotation& one) {
                                        return one.begin < place(text) + text.size() && one.end > place(text);
                                      }) ||
                          text.find('"') != View::npos || text.find("“") != View::npos;
      const TextWork work = text_work(text, quotes);
      if (work.asked) {
        out_[i] = true;
        const bool empty = !work.holds && is_empty_behind(i);
        if (work.back && (empty || !work.forward)) strike(0, i);
        if (work.forward && !empty) return strike(i, parts_.size());
      } else if ((text.ends_with(':') || text.ends_with("：")) && (leads_to_words(text) || !announces_own(text))) {
        return strike(i, parts_.size());
      }
    }
  }

  void strike_what_is_made_up() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const View text = without_address(parts_[i]);
      const bool made_up = is_chinese(text)
                               ? begins_with_one(without_all(text, words("asks")), words("made up"))
                               : !phrases("made up").begin_of(row_without(row_of(text), phrases("openings"))).empty();
      if (made_up) return strike(i, parts_.size());
    }
  }

  // The pieces of a sentence between codes; one with a mention within names somebody by a number.
  void add(View part, std::vector<StatedSentence>& stated) const {
    std::vector<View> pieces;
    View rest = without_rest_of_report(without_address(part));
    std::size_t begin = 0;
    for (std::size_t at = 0; at < rest.size();) {
      const ChatCode code = chat_code_at(rest, at);
      if (code.person) return;
      if (code.size > 0) pieces.push_back(rest.substr(begin, at - begin)), begin = at + code.size;
      at += std::max<std::size_t>(1, code.size);
    }
    pieces.push_back(rest.substr(begin));
    for (const View piece : pieces)
      if (const View text = without_address(piece); !text.empty()) stated.push_back({text, is_in_speech(text, false)});
  }

  View message_;
  std::vector<View> parts_;
  std::vector<bool> out_;
  std::vector<Quotation> spoken_;
};

}  // namespace

std::vector<StatedSentence> stated_sentences(View message) {
  const bool read =
      message.size() <= kLongestMessage && message.find("```") == View::npos && !find_invalid_utf8(message);
  return read ? Reader(message).run() : std::vector<StatedSentence>();
}

bool is_said_by_others(View sentence) {
  const Told told = by_quotes(sentence);
  const bool own = told.outside.find(kI) != std::string::npos;
  return (!own && told.inside.find(kI) != std::string::npos && has_one(told.outside, words("saying"))) ||
         tells_story(sentence);
}

}  // namespace weft
