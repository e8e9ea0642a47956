#include "flow/historian/absolutise.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/ascii.h"
#include "flow/historian/absolutise_parts.h"
#include "flow/historian/relative_time.h"
#include "text/protected_spans.h"
#include "text/time_expressions.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kEarlierRead = 4;      // messages
constexpr std::size_t kEarlierBytes = 1500;  // of each, from its end

char32_t peek(std::string_view text) {
  std::size_t at = 0;
  return text.empty() ? 0 : next_code_point(text, at);
}

std::vector<std::string> names_of(const Speech& speech) {
  std::vector<std::string> names = People(speech, {}, Language::kEnglish).names();
  for (const EarlierMessage& message : speech.earlier) {
    if (!message.speaker.empty() && std::find(names.begin(), names.end(), message.speaker) == names.end())
      names.push_back(message.speaker);
  }
  return names;
}

std::vector<Mention> mentions_of(std::string_view text, const Voices& voices, const std::vector<std::string>& names,
                                 const std::vector<std::string>& people) {
  auto mentions = english_mentions(read_latin_words(text, protected_spans(text, names)), text, voices, people);
  auto chinese = chinese_mentions(text, voices, people);
  mentions.insert(mentions.end(), std::make_move_iterator(chinese.begin()), std::make_move_iterator(chinese.end()));
  std::stable_sort(mentions.begin(), mentions.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
  return mentions;
}

// The last bytes of a text from the beginning of a character on.
std::string_view tail(std::string_view text) {
  if (text.size() <= kEarlierBytes) return text;
  std::size_t at = text.size() - kEarlierBytes;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return text.substr(at);
}

std::vector<Mention> earlier_mentions(const Speech& speech, const People& people) {
  std::vector<Mention> mentions;
  const std::size_t first = speech.earlier.size() > kEarlierRead ? speech.earlier.size() - kEarlierRead : 0;
  for (std::size_t i = first; i < speech.earlier.size(); ++i) {
    const EarlierMessage& message = speech.earlier[i];
    // Between two, whoever did not speak was spoken to.
    std::string hearer;
    if (message.speaker == people.sender()) hearer = people.addressee();
    if (message.speaker == people.addressee()) hearer = people.sender();
    for (Mention& mention : mentions_of(tail(message.text), {message.speaker, hearer}, {}, people.names())) {
      mention.distance = static_cast<int>(speech.earlier.size() - i);
      mention.end = 0;
      mentions.push_back(std::move(mention));
    }
  }
  return mentions;
}

// A time that is the subject of its sentence has no preposition: "yesterday was", "tomorrow works".
std::string as_subject(std::string by, std::string_view text, std::size_t begin, std::size_t end) {
  if (by.rfind("on ", 0) != 0 && by.rfind("in ", 0) != 0) return by;
  if (begin > 0 && std::string_view(".!?\n,;").find(
                       text[begin > 1 && text[begin - 1] == ' ' ? begin - 2 : begin - 1]) == std::string_view::npos)
    return by;
  constexpr auto kVerbs = std::to_array<std::string_view>(
      {" is ", " was ", " will ", " would ", " works", " sounds", " has been", " isn't ", " wasn't "});
  const bool subject =
      std::any_of(kVerbs.begin(), kVerbs.end(), [&](auto verb) { return text.compare(end, verb.size(), verb) == 0; });
  return subject ? by.substr(3) : by;
}

// A replacement keeps the capital of a sentence's beginning.
std::string with_case(std::string by, std::string_view what, bool starts_sentence) {
  const bool capital = !what.empty() && is_upper(what.front()) && (what.size() > 1 ? what != "I'" : starts_sentence);
  if ((capital || starts_sentence) && !by.empty() && is_lower(by.front()) && !what.empty() && is_upper(what.front()))
    by.front() = static_cast<char>(by.front() - 'a' + 'A');
  return by;
}

bool begins_sentence(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '"' || text[at - 1] == '*')) --at;
  return at == 0 || std::string_view(".!?\n").find(text[at - 1]) != std::string_view::npos;
}

// "Now" is as long as what is said holds; the minute of speaking would say too much.
bool says_now(std::string_view words) {
  constexpr auto kNow = std::to_array<std::string_view>(
      {"now", "Now", "right now", "Right now", "at the moment", "currently", "现在", "目前", "眼下", "此刻"});
  return std::find(kNow.begin(), kNow.end(), words) != kNow.end();
}

// "For a while now": a stretch of time, not a moment.
bool lasts(std::string_view before) {
  constexpr auto kStretches =
      std::to_array<std::string_view>({"while ", "years ", "months ", "weeks ", "days ", "by ", "until "});
  return std::any_of(kStretches.begin(), kStretches.end(), [&](auto word) {
    return before.size() >= word.size() && before.substr(before.size() - word.size()) == word;
  });
}

std::string now_words(std::string_view words, Time spoken) {
  RelativeTime day;
  day.language = is_cjk(peek(words)) ? Language::kChinese : Language::kEnglish;
  const std::string date = absolute_words(day, spoken, true);
  return day.language == Language::kChinese ? date : "as of " + date;
}

// Opening hours and the like come again every week: "Monday to Friday", "营业时间 08:00-20:00".
bool repeats(std::string_view text, std::size_t begin, std::string_view words) {
  constexpr auto kWeekdays =
      std::to_array<std::string_view>({"周一", "周二", "星期一", "星期二", "Monday", "Mon", "monday", "周六", "周五"});
  constexpr auto kTo = std::to_array<std::string_view>({"至", "到", "-", "~", " to ", " through ", "–"});
  const auto holds = [](std::string_view in, const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](auto word) { return in.find(word) != std::string_view::npos; });
  };
  const bool from_weekday =
      std::any_of(kWeekdays.begin(), kWeekdays.end(), [&](auto day) { return words.substr(0, day.size()) == day; });
  if (from_weekday && holds(words, kTo)) return true;
  if (words.empty() || words[0] < '0' || words[0] > '9') return false;
  constexpr std::size_t kReach = 60;
  constexpr auto kHours = std::to_array<std::string_view>(
      {"营业", "开放", "每天", "每日", "周一至", "周一到", "hours", "open", "Open", "daily", "every"});
  const std::size_t earliest = begin > kReach ? begin - kReach : 0;
  return holds(text.substr(earliest, begin - earliest), kHours);
}

void edit_times(std::string_view text, const std::vector<Span>& spans, Time spoken, std::vector<Edit>& edits) {
  if (spoken.ms == 0) return;
  SpanCursor cursor(spans);
  std::vector<Span> done;
  const auto put = [&](std::size_t begin, std::size_t end, std::string by) {
    Edit edit;
    edit.begin = begin;
    edit.end = end;
    edit.by = as_subject(std::move(by), text, begin, end);
    edit.kind = ChangeKind::kTime;
    edits.push_back(std::move(edit));
    done.push_back({begin, end});
  };
  for (const TimeExpression& time : find_time_expressions(text, spoken)) {
    if (!time.relative || time.absolute.empty() || cursor.covers(time.begin, time.end)) continue;
    const std::string_view words = text.substr(time.begin, time.end - time.begin);
    if (repeats(text, time.begin, words)) continue;
    if (!says_now(words)) {
      put(time.begin, time.end, time.absolute);
    } else if (text.compare(time.end, 1, ",") != 0 && !lasts(text.substr(0, time.begin))) {
      put(time.begin, time.end, now_words(words, spoken));
    }
  }
  const std::vector<Span> found = done;
  SpanCursor again(found);
  constexpr auto kPrepositions = std::to_array<std::string_view>(
      {"for ", "from ", "since ", "until ", "by ", "of ", "on ", "in ", "till ", "to ", "than ", "before ", "after "});
  for (const RelativeTime& time : find_relative_times(text, spans)) {
    if (again.covers(time.begin, time.end)) continue;
    const bool possessive = text.compare(time.end, 2, "'s") == 0 || text.compare(time.end, 4, "’s") == 0;
    const bool bare =
        possessive || std::any_of(kPrepositions.begin(), kPrepositions.end(), [&](auto word) {
          return time.begin >= word.size() && text.compare(time.begin - word.size(), word.size(), word) == 0;
        });
    put(time.begin, time.end, absolute_words(time, spoken, bare));
  }
}

Absolute apply(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  Absolute out;
  std::size_t at = 0;
  for (Edit& edit : edits) {
    if (edit.begin < at || edit.end > text.size()) continue;  // two parts saw the same words: the first holds
    const std::string_view what = text.substr(edit.begin, edit.end - edit.begin);
    const std::string by = with_case(std::move(edit.by), what, begins_sentence(text, edit.begin));
    std::string_view between = text.substr(at, edit.begin - at);
    at = edit.end;
    // Where a word is left out, so is the space before it.
    if (by.empty() && !between.empty() && between.back() == ' ') between.remove_suffix(1);
    out.text += between;
    out.text += by;
    if (!edit.listed) continue;
    out.changes.push_back(
        {edit.begin, edit.end, edit.kind, std::string(what), by, edit.sure, std::move(edit.candidates)});
  }
  out.text += text.substr(at);
  return out;
}

}  // namespace

Absolute absolutise(std::string_view text, const Speech& speech) {
  const People people(speech, text, Language::kEnglish);
  const std::vector<std::string> names = names_of(speech);
  const auto spans = protected_spans(text, names);
  const LatinWords words = read_latin_words(text, spans);
  std::vector<Edit> edits;
  const auto before = earlier_mentions(speech, people);
  const auto within = mentions_of(text, {people.me().text, people.addressee()}, names, people.names());
  Antecedents english(before, within);
  edit_english(text, words, speech, english, edits);
  Antecedents chinese(before, within);
  edit_chinese(text, spans, speech, chinese, edits);
  edit_times(text, spans, speech.time, edits);
  return apply(text, std::move(edits));
}

}  // namespace weft
