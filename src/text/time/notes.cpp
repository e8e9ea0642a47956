#include "text/time/notes.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/time/phrase.h"
#include "text/time/render.h"

namespace weft::timex {
namespace {

using Notes = std::vector<std::string>;

// "It runs in five minutes", "you can learn it in three months": how long something takes.
bool is_length(const std::vector<Token>& tokens, const Node& node, const When& when, const Tense& tense) {
  static const LexiconWords kLeads = lexicon_words("en/plans", "before a time from now");
  static const LexiconWords kCan = lexicon_words("en/plans", "can");
  if (tokens[node.begin].text != "in" || tense.future) return false;
  if (node.end < tokens.size() && tokens[node.end].text == "flat") return true;
  bool led = node.begin == 0;
  for (std::size_t i = node.begin; i > 0 && node.begin - i < 8 && !ends_sentence(tokens, i - 1); --i) {
    if (kCan.contains(tokens[i - 1].text)) return true;
    led = led || kLeads.contains(tokens[i - 1].text);
  }
  return when.counting->unit < Grain::kDay && !led;
}

std::string about(const Phrase& words, const std::string& time) {
  return words.chinese() ? time + "前后" : "around " + time;
}

// "In a second", "in a minute or two": soon.
bool is_soon(const Phrase& phrase) {
  static const auto kSoon = lexicon("en/times", "soon");
  return std::any_of(std::begin(kSoon), std::end(kSoon), [&](std::string_view words) { return phrase.is(words); });
}

// 最近的加油站, 离酒店最近: near in space.
bool means_nearest(const std::vector<Token>& tokens, const Node& node) {
  std::string before, behind;
  for (std::size_t i = 0; i < node.begin; ++i) before += tokens[i].text;
  for (std::size_t i = node.end; i < tokens.size() && i < node.end + 8; ++i) behind += tokens[i].text;
  return timex::means_nearest(before, behind);
}

// "A weekend trip", 周末长跑: on some weekend.
bool is_bare_weekend(const Phrase& words, const std::vector<Token>& tokens, const Node& node) {
  const Token& token = tokens[node.begin];
  if (words.chinese()) return node.end - node.begin == 2 && token.text == "周" && tokens[node.end - 1].text == "末";
  static constexpr std::string_view kLeads[] = {"the", "this", "over", "on", "during"};
  const bool led = node.begin > 0 && is_one_of(tokens[node.begin - 1].text, kLeads);
  return node.end - node.begin == 1 && (token.text == "weekend" || token.text == "weekends") && !led;
}

// A clock time of which the half of the day is unsaid says nothing more about the day.
When plain(const When& when) {
  When bare = when;
  if (bare.clock && bare.clock->ambiguous) bare.clock.reset();
  return bare;
}

// "Labor Day weekend" begins on an evening; its days are told.
bool is_long_weekend(const Phrase& words, const When& when, const Setting& setting) {
  if (!words.has("weekend") || !when.date) return false;
  const auto meaning = resolve(when, setting);
  return meaning && meaning->from && *meaning->from != floor_to(*meaning->from, Grain::kDay);
}

/// Notes on one expression.
class Writer {
 public:
  Writer(const std::vector<Token>& tokens, const Node& node, const Setting& setting, const Tense& tense)
      : tokens_(tokens), node_(node), setting_(setting), tense_(tense), words_(tokens, node) {
    setting_.past = tense.past;
  }

  Told run(const When& when) {
    Notes notes = notes_of(when);
    return {std::move(notes), std::move(meaning_)};
  }

 private:
  Notes notes_of(const When& when) {
    if (when.is_now || (when.dated && !when.deictic)) return {};
    if (auto fuzzy = recent()) return std::move(*fuzzy);
    const Expression expression{tokens_, node_, words_};
    if (is_unnoted(expression, when)) return {};
    if (!tense_.past && !tense_.future && is_regular(expression, when)) return {};
    if (when.counting && when.counting->bound) return {};
    if (words_.chinese() && tokens_[node_.end - 1].text == "内" && named_unit(words_))
      return {unit(setting_.now, *named_unit(words_))};  // 本周内
    if (when.is_stretch()) return stretch(when);
    if (!when.date) return {};  // a clock time alone: on which day, only the talk knows
    if (when.counting) return when.counting->rolls ? span(when) : counted(when);
    return moment(when);
  }

  Notes moment(const When& when) {
    if (is_bare_weekend(words_, tokens_, node_)) {
      if (!words_.chinese()) return {};
      if (is_gone_weekend(tokens_, node_, tense_)) return gone_weekend();
      return is_coming_weekend(tokens_, node_, tense_) ? coming(when) : Notes{};
    }
    if (is_long_weekend(words_, when, setting_)) return long_weekend(when);
    if (auto rough = roughly(when)) return std::move(*rough);
    if (auto season = season_of(when)) return season->empty() ? Notes{} : Notes{std::move(*season)};
    if (auto either = pointed_weekday(when)) return std::move(*either);
    if (words_.begins("in ") && words_.has("past"))
      return {};  // "in the past year": up to now, not that of the calendar
    if (words_.begins("later") || words_.begins("earlier")) return later_or_earlier(when);
    if (when.deictic) return one(when);
    return by_tense(when);
  }

  std::string written(const When& when, const Meaning& meaning) const {
    return words_.chinese() ? chinese_note(when, meaning) : english_note(when, meaning);
  }

  Notes coming(const When& when) {
    Setting ahead = setting_;
    ahead.past = false;
    meaning_ = resolve(when, ahead);
    return meaning_ ? Notes{written(when, *meaning_)} : Notes{};
  }

  Notes one(const When& when) const {
    const When bare = plain(when);
    const bool end = words_.has("end") || words_.has("eom") || words_.has("eoy");
    if (end && (words_.begins("by") || words_.begins("until") || words_.begins("before"))) return end_of(bare);
    const auto meaning = resolve(bare, setting_);
    if (!meaning || (!bare.has_time() && meaning->grain < Grain::kDay)) return {};
    return {written(bare, *meaning)};
  }

  // "by the end of the month": its last day.
  Notes end_of(const When& when) const {
    const auto meaning = resolve(when, setting_);
    return meaning && meaning->to ? Notes{day(*meaning->to - 1)} : Notes{};
  }

  // "Later this week" begins tomorrow; of a month or year the words say no more than its name.
  Notes later_or_earlier(const When& when) const {
    const auto meaning = resolve(when, setting_);
    const auto grain = named_unit(words_);
    if (!meaning || !meaning->from || !meaning->to || !grain || *grain < Grain::kWeek) return one(when);
    if (*grain > Grain::kWeek) return {unit(setting_.now, *grain)};
    Meaning days = *meaning;
    const bool later = words_.begins("later") && *days.to - *days.from > kDaySeconds;
    if (later) days.from = *days.from + kDaySeconds;
    return {written({}, days)};
  }

  // "The past six months", 未来十年: from or up to now, as exactly as the unit is.
  Notes span(const When& when) const {
    const auto meaning = resolve(when, setting_);
    const auto& [count, grain, from_now, rolls, bound] = *when.counting;
    if (!meaning || !meaning->from || !meaning->to || grain < Grain::kDay) return {};
    const bool one = std::abs(count) == 1;
    static constexpr std::string_view kSingular[] = {"day", "week", "month", "quarter", "year", "decade"};
    const bool kind = !one && is_one_of(tokens_[node_.end - 1].text, kSingular);  // "my last 4-day trip"
    if (kind || words_.has("few") || words_.has("several") || !(one || words_.counts())) return {};
    const auto told = rolled(when, setting_);
    return {written({}, told ? *told : *meaning)};
  }

  std::string unit(Moment at, Grain grain) const {
    const Interval interval = unit_at(at, grain);
    Meaning meaning;
    meaning.from = interval.from;
    meaning.to = interval.to;
    meaning.grain = grain;
    return written({}, meaning);
  }
  std::string day(Moment at) const { return unit(at, Grain::kDay); }

  std::optional<Notes> recent() const {
    static const auto kRecently = lexicon_both("times", "recently");
    static constexpr std::string_view kJustNow[] = {"刚才", "刚刚", "方才", "适才"};
    if (words_.counts()) return std::nullopt;
    if (words_.has("最近") && means_nearest(tokens_, node_)) return Notes{};
    if (words_.has(kRecently)) return Notes{about(words_, unit(setting_.now, Grain::kMonth))};
    if (words_.has(kJustNow)) return Notes{day(setting_.now)};
    return std::nullopt;
  }

  Notes stretch(const When& when) {
    if (when.length) return {};  // "a week from Monday": a day to some, a stretch to others
    // 两日之前: two days ago to some, before the second to others.
    const When& edge = when.from ? *when.from : *when.to;
    if (words_.has("日") && edge.fields == kDayField) return {};
    if (!when.from || !when.to) return open(when, edge);
    // "By the end of the month": its last day.
    if (when.from->is_now && words_.has("end") && when.to->grain == Grain::kSecond) return end_of(when);
    if (when.counting) return span(when);
    if (!when.from->date || !when.to->date) return {};
    if ((when.from->clock && when.from->clock->ambiguous) || (when.to->clock && when.to->clock->ambiguous)) return {};
    return when.deictic ? one(when) : by_tense(when);
  }

  // "Since last Monday", "before winter": its one end is told.
  Notes open(const When& when, const When& edge) {
    if (edge.is_now || edge.is_stretch() || !edge.date) return {};
    if (edge.counting) return edge.counting->bound || edge.counting->rolls ? Notes{} : counted(edge);
    Notes notes = moment(edge);
    if (meaning_ && meaning_->from) {
      const auto whole = resolve(when, setting_);
      Meaning meant = whole.value_or(*meaning_);
      (when.from ? meant.from : meant.to) = *meaning_->from;
      meaning_ = meant;
    }
    return notes;
  }

  // "Two weeks ago", "in three days", 三个月后.
  Notes counted(const When& when) const {
    const auto& [count, grain, from_now, rolls, bound] = *when.counting;
    const auto meaning = resolve(when, setting_);
    if (!meaning || !meaning->from || words_.has("过两天") || words_.has("过一阵")) return {};  // soon
    const bool few = words_.has("few") || words_.has("several");
    if (words_.has("from today")) return one(when);
    if (!from_now) {
      // "Two weeks from Monday" is as exact as the Monday; what has been told of counts in its own time.
      if (few || (words_.has("from") && *meaning->from < setting_.now)) return {};
      return grain <= Grain::kWeek ? one(when) : Notes{unit(*meaning->from, grain)};
    }
    // In a story they count from what was told: "three days later he called".
    static constexpr std::string_view kOfStory[] = {"later", "earlier", "back", "before", "prior"};
    if (is_one_of(tokens_[node_.end - 1].text, kOfStory)) return {};
    if (count > 0 && (tense_.past || is_length(tokens_, node_, when, tense_))) return {};
    if (grain < Grain::kDay && is_soon(words_)) return {};
    // A few years ago is no year that can be named.
    const bool rough = few || (words_.has("couple") && grain != Grain::kWeek);
    if (few && grain < Grain::kMonth) return {};
    if (grain >= Grain::kMonth) {
      const std::string told = unit(*meaning->from, grain);
      return {rough ? about(words_, told) : told};
    }
    const std::string told = day(*meaning->from);
    return {grain == Grain::kWeek || (rough && grain == Grain::kDay) ? about(words_, told) : told};
  }

  // The last weekend that has begun.
  Notes gone_weekend() {
    const Moment today = floor_to(setting_.now, Grain::kDay);
    const Moment saturday = today - (weekday(today) + 1) % 7 * kDaySeconds;
    Meaning meaning;
    meaning.from = saturday;
    meaning.to = saturday + 2 * kDaySeconds;
    meaning_ = meaning;
    return {written({}, meaning)};
  }

  Notes long_weekend(const When& when) const {
    Meaning meaning = *resolve(when, setting_);
    meaning.from = floor_to(*meaning.from, Grain::kDay) + kDaySeconds;
    meaning.grain = Grain::kDay;
    return {written({}, meaning)};
  }

  // "Mid-February", "early next week", 月底: the week, month or year says no more than the words.
  std::optional<Notes> roughly(const When& when) const {
    static const auto kRough = lexicon_both("times", "rough");
    if (!words_.has(kRough) || words_.has("周末") || when.has_time()) return std::nullopt;
    if (words_.begins("by") || words_.begins("until") || words_.begins("before")) return std::nullopt;
    if (words_.begins("beginning") && !words_.has("beginning of")) return std::nullopt;  // "beginning next week"
    Setting view = setting_;
    view.past = when.past.value_or(tense_.past);
    const auto meaning = resolve(when, view);
    if (!meaning || !meaning->from || !meaning->to) return Notes{};
    const Moment days = (*meaning->to - *meaning->from) / kDaySeconds;
    if (days <= 1) return std::nullopt;
    const auto told = [&](const Meaning& one) {
      if (words_.has("旬")) return written({}, one);  // the ten days are said
      if (words_.has("end") && days > 100 && days < 200) return about(words_, unit(*one.to - 1, Grain::kMonth));
      const Interval whole = unit_at(*one.from, days <= 4 ? Grain::kWeek : days <= 31 ? Grain::kMonth : Grain::kYear);
      return *one.to > whole.to ? written({}, one) : unit(*one.from, whole.grain);
    };
    if (when.deictic || when.dated || when.past || !words_.chinese()) return Notes{told(*meaning)};
    return either(when, view, *meaning, told);
  }

  // "Last summer" is a name, not a day of the almanac.
  std::optional<std::string> season_of(const When& when) {
    static const auto kNames = lexicon_both("times", "seasons");
    if (!words_.has(kNames) || (when.fields & (kSeasonField | kMonthField)) != kSeasonField) return std::nullopt;
    // Bare, it is as often any: 秋季的天气.
    static const auto kLeads = lexicon("en/times", "before a season");
    const bool led = words_.has(kLeads) || (node_.begin > 0 && is_one_of(tokens_[node_.begin - 1].text, kLeads));
    if (!when.deictic && !led && !tense_.past && !tense_.future) return std::string();
    auto meaning = resolve(when, setting_);
    static constexpr std::string_view kAhead[] = {"before", "until", "till", "by"};
    if (is_one_of(tokens_[node_.begin].text, kAhead)) meaning = meaning_ = coming_season(when);
    if (!meaning || !meaning->from) return std::nullopt;
    return words_.chinese() ? chinese_season(*meaning->from) : english_season(*meaning->from);
  }

  // "Before winter", said in a winter, is before the next.
  std::optional<Meaning> coming_season(const When& when) const {
    Setting view = setting_;
    view.past = false;
    const auto meaning = resolve(when, view);
    if (when.deictic || !meaning || !meaning->from || !meaning->to || *meaning->from > setting_.now) return meaning;
    view.now = *meaning->to;
    return resolve(when, view);
  }

  // "Next Friday", said on a Monday, is that of this week to some and that of the next to others; so with "last
  // Friday".
  std::optional<Notes> pointed_weekday(const When& when) const {
    const auto meaning = resolve(when, setting_);
    if (!when.either_week || !meaning || !meaning->from) return std::nullopt;
    const bool next = *meaning->from > setting_.now, last = !next;
    const Moment today = floor_to(setting_.now, Grain::kDay), meant = floor_to(*meaning->from, Grain::kDay);
    constexpr Moment kWeek = 7 * kDaySeconds;
    Moment near = meant;
    while (next && near - kWeek > today) near -= kWeek;
    while (last && near + kWeek < today) near += kWeek;
    const Moment distance = (next ? near - today : today - near) / kDaySeconds;
    const Moment other = next ? near + kWeek : near - kWeek;
    const bool same_week = floor_to(near, Grain::kWeek) == floor_to(today, Grain::kWeek);
    const std::string a = day(near), b = day(other);
    if (!same_week) return Notes{a};
    if (next && distance <= 1) return Notes{b};
    return next ? Notes{a, b} : Notes{b, a};
  }

  // A date without its year, a bare weekday: the tense of the sentence says on which side it is. Without any, plans are
  // more usual than stories, unless what is past is far nearer.
  Notes by_tense(const When& when) const {
    const When bare = plain(when);
    Setting view = setting_;
    view.past = when.past.value_or(tense_.past);
    const auto meant = resolve(bare, view);
    if (!meant || (!bare.has_time() && !bare.is_stretch() && meant->grain < Grain::kDay)) return {};
    const auto told = [&](const Meaning& one) { return written(bare, one); };
    if (tense_.either && !when.past) return both_sides(bare, view);
    if (bare.fields == kWeekdayField || when.past || (tense_.past && !words_.chinese())) return {told(*meant)};
    return either(bare, view, *meant, told);
  }

  // "Quit on Monday": the one that was, or the one to come.
  Notes both_sides(const When& when, Setting view) const {
    Notes notes;
    for (const bool past : {true, false}) {
      view.past = past;
      const auto meant = resolve(when, view);
      if (!meant) return {};
      if (std::string note = written(when, *meant); notes.empty() || notes.front() != note)
        notes.push_back(std::move(note));
    }
    return notes;
  }

  // What is far nearer on the other side may be meant all the same: Chinese says little of tense, and
  // "11月的数据将公布".
  template <class Told>
  Notes either(const When& when, Setting view, const Meaning& meant, const Told& told) const {
    const bool past = view.past;
    view.past = !past;
    const auto turned = resolve(when, view);
    if (!turned || !turned->from || !turned->to || !meant.from || !meant.to) return {told(meant)};
    const auto away = [&](const Meaning& one) {
      return *one.from > setting_.now ? *one.from - setting_.now : setting_.now - std::min(*one.to, setting_.now);
    };
    // 我二月结婚了; what is to be within weeks may be told so as well: 我们十二月结婚了.
    constexpr Moment kSoon = 31 * kDaySeconds;
    if (tense_.done && away(*turned) > kSoon) return {told(meant)};
    if (3 * away(*turned) >= away(meant)) return {told(meant)};
    Notes both = {told(*turned), told(meant)};
    if (past) std::swap(both[0], both[1]);
    return both;
  }

  const std::vector<Token>& tokens_;
  const Node& node_;
  Setting setting_;
  Tense tense_;
  Phrase words_;
  std::optional<Meaning> meaning_;  ///< where it is not that of the words alone
};

// "A few days ago", 几天前, 前一阵子: nobody knows when.
bool is_vague(const Expression& e) {
  static const auto kVague = lexicon_both("times", "vague");
  if (e.words.has(kVague)) return true;
  // Within three days, but 本周内.
  static constexpr std::string_view kRunning[] = {"本", "这", "今", "年内", "月内", "周内"};
  return e.words.has("内") && (e.words.counts() || !e.words.has(kRunning));
}

// "My last day here" is no yesterday.
bool is_last_day(const Expression& e) { return e.words.is("last day") || e.words.is("the last day"); }

// "The last season" is one of a show or of a club.
bool is_of_show(const Expression& e) { return e.words.has("season") || e.words.has("seasons"); }

// "To dec decide": a word that was cut off and said anew.
bool is_cut_off(const Expression& e) {
  if (e.node.end - e.node.begin != 1 || e.node.end >= e.tokens.size()) return false;
  const Token& word = e.tokens[e.node.begin];
  const std::string& next = e.tokens[e.node.end].text;
  return word.kind == TokenKind::kLetters && !word.capital && next.size() > word.text.size() &&
         next.starts_with(word.text);
}

std::string behind(const Expression& e, std::size_t count) {
  std::string text;
  for (std::size_t i = e.node.end; i < e.tokens.size() && i < e.node.end + count; ++i) text += e.tokens[i].text;
  return text;
}

// 今天这个时代, "the phones on the market today": these days.
bool is_nowadays(const Expression& e) {
  static const auto kEras = lexicon("zh/times", "of nowadays");
  static const auto kWords = lexicon("en/times", "of nowadays");
  if (e.words.is("今天") || e.words.is("今日")) {
    const std::string next = behind(e, 6);
    std::string_view era(next);
    for (const std::string_view skip : {"的", "这个", "这样的", "这样一个", "这种"})
      if (era.starts_with(skip)) era.remove_prefix(skip.size());
    return era.size() < next.size() &&
           std::any_of(std::begin(kEras), std::end(kEras), [&](auto word) { return era.starts_with(word); });
  }
  if (e.tokens[e.node.end - 1].text == "todays")
    return e.node.end < e.tokens.size() && is_one_of(e.tokens[e.node.end].text, kWords);
  static constexpr std::string_view kLeads[] = {"the", "our", "modern", "this"};
  return e.words.is("today") && e.node.begin > 1 && is_one_of(e.tokens[e.node.begin - 1].text, kWords) &&
         is_one_of(e.tokens[e.node.begin - 2].text, kLeads);
}

bool is_weekday_name(std::string_view word) {
  static const LexiconWords kWords = lexicon_words("en/times", "weekdays");
  return kWords.contains(word);
}

// How many tokens the name of a weekday has that stands at a token; none: 0.
std::size_t weekday_at(const std::vector<Token>& tokens, std::size_t at) {
  static constexpr std::string_view kDays[] = {"一", "二", "三", "四", "五", "六", "日", "天"};
  const auto text = [&](std::size_t i) { return i < tokens.size() ? std::string_view(tokens[i].text) : ""; };
  if (is_weekday_name(text(at))) return 1;
  if (text(at) == "周" && is_one_of(text(at + 1), kDays)) return 2;
  const bool week = (text(at) == "星" && text(at + 1) == "期") || (text(at) == "礼" && text(at + 1) == "拜");
  return week && is_one_of(text(at + 2), kDays) ? 3 : 0;
}

std::size_t weekday_before(const std::vector<Token>& tokens, std::size_t at) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(at, 3); ++size)
    if (weekday_at(tokens, at - size) == size) return size;
  return 0;
}

// 周一闭馆, 周日我休息, "Sunday is laundry day": each week.
bool is_each_week(const Expression& e, const When& when) {
  if (when.deictic || when.dated || when.fields != kWeekdayField) return false;
  if (!e.words.chinese()) {
    static constexpr std::string_view kHours[] = {"open", "opens", "closed", "closes"};
    const bool will =
        e.node.begin > 2 && (e.tokens[e.node.begin - 2].text == "be" || e.tokens[e.node.begin - 3].text == "will");
    if (e.node.begin > 0 && is_one_of(e.tokens[e.node.begin - 1].text, kHours)) return !will;
    static const auto kDays = lexicon("en/plans", "days of a kind");
    std::string next;
    for (std::size_t i = e.node.end; i < e.tokens.size() && i < e.node.end + 6 && !ends_sentence(e.tokens, i); ++i)
      next += e.tokens[i].text + " ";
    return next.starts_with("is ") && std::any_of(kDays.begin(), kDays.end(), [&](auto day) {
             return next.find(std::string(day) + " ") != std::string::npos;
           });
  }
  static const auto kEachWeek = lexicon("zh/plans", "each week");
  const std::string next = behind(e, 8);
  std::string_view rest(next);
  for (std::size_t i = e.node.end; weekday_at(e.tokens, i) > 1; i += weekday_at(e.tokens, i))  // 周六周日休息
    for (std::size_t k = i; k < i + weekday_at(e.tokens, i); ++k)
      rest.remove_prefix(std::min(rest.size(), e.tokens[k].text.size()));
  for (const std::string_view who : {",", "我", "他", "她", "们", "店", "全天", "一律"})
    if (rest.starts_with(who)) rest.remove_prefix(who.size());
  return std::any_of(kEachWeek.begin(), kEachWeek.end(), [&](auto word) { return rest.starts_with(word); });
}

// "We usually meet on Monday", 春节我们一般回老家.
bool is_habit(const Expression& e, const When& when) {
  if (when.deictic || when.dated || when.is_stretch()) return false;
  const bool named = when.fields == kWeekdayField || when.fields == kMonthField || when.fields == kSeasonField ||
                     when.fields == kHolidayField;
  return named && tells_habit(e.tokens, e.node);
}

// "8/10", "3-7-07": nothing but numbers, and none of them a year.
bool is_bare_numbers(const Expression& e) {
  static constexpr std::string_view kPlaces[] = {"at", "in", "around", "about", "the"};
  std::size_t begin = e.node.begin;
  while (begin + 1 < e.node.end && is_one_of(e.tokens[begin].text, kPlaces)) ++begin;
  for (std::size_t i = begin; i < e.node.end; ++i) {
    const Token& token = e.tokens[i];
    if (token.kind == TokenKind::kLetters || token.kind == TokenKind::kHan || token.text == ":") return false;
    if (token.kind == TokenKind::kDigits && token.text.size() == 4) return false;
  }
  return true;
}

// "8/10" is as often eight of ten.
bool is_fraction(const Expression& e) {
  static const auto kLeads = lexicon("en/times", "before a number");
  // "Ten points in the 4th" is a quarter of a game.
  const bool ordinal = e.node.end - e.node.begin <= 3 && e.node.begin > 0 && e.tokens[e.node.begin - 1].text == "in" &&
                       e.tokens[e.node.begin].text == "the" && e.tokens[e.node.begin + 1].kind == TokenKind::kDigits;
  const bool quarter = e.tokens[e.node.end - 1].text == "quarter" && e.node.end - e.node.begin <= 5;
  if (ordinal || (e.words.begins("in the") && (e.node.end - e.node.begin <= 4 || quarter) && e.words.digits()))
    return true;
  const bool led = e.node.begin > 0 && is_one_of(e.tokens[e.node.begin - 1].text, kLeads);
  return is_bare_numbers(e) && !led;
}

// "Oct 26 15:50 2016": the year that follows was not read.
bool goes_on_with_year(const Expression& e) {
  if (e.node.end >= e.tokens.size()) return false;
  const Token& next = e.tokens[e.node.end];
  return next.kind == TokenKind::kDigits && next.text.size() == 4 && (next.text[0] == '1' || next.text[0] == '2') &&
         !e.words.chinese();
}

bool is_verb(const std::string& word) {
  return is_base_verb(word) || is_past_form(word) || is_auxiliary(word) || is_modal(word) ||
         (word.size() > 2 && word.back() == 's' && is_base_verb(std::string_view(word).substr(0, word.size() - 1)));
}

bool stands_behind_times(std::string_view word) {
  static const LexiconWords kWords = lexicon_words("en/times", "behind a name of a time");
  return kWords.contains(word);
}

// "The Sunday mass", "on a Sunday afternoon", "the Christmas tree": of a kind, not a day of the calendar.
bool is_attributive(const Expression& e, const When& when) {
  static constexpr unsigned kNames = kWeekdayField | kHolidayField | kSeasonField;
  if (e.words.chinese() || when.deictic || when.dated || (when.fields & ~kNames) != 0 || e.words.digits()) return false;
  if (when.fields == 0 && !e.words.has("weekend")) return false;
  if (e.words.begins("a ") && named_unit(e.words)) return false;  // "a week before Christmas"
  static constexpr std::string_view kIndefinite[] = {"a", "an", "every", "each", "any", "some"};
  const std::string_view before = e.node.begin > 0 ? std::string_view(e.tokens[e.node.begin - 1].text) : "";
  if (is_one_of(before, kIndefinite) || e.words.begins("a ") || e.words.begins("on a ") || e.words.begins("an "))
    return true;
  if (e.node.end >= e.tokens.size()) return false;
  const Token& next = e.tokens[e.node.end];
  return next.kind == TokenKind::kLetters && !next.capital && !is_function_word(next.text) && !is_verb(next.text) &&
         !stands_behind_times(next.text);
}

// "On the 5th floor": a number of something else than the days of the month.
bool numbers_a_noun(const Expression& e, const When& when) {
  static const auto kBehind = lexicon("en/times", "behind a number of a day");
  if (e.words.chinese() || when.fields != kDayField || e.node.end >= e.tokens.size()) return false;
  const Token& next = e.tokens[e.node.end];
  return next.kind == TokenKind::kLetters && !is_one_of(next.text, kBehind);
}

bool is_list_joint(const Token& token, bool& slash) {
  static constexpr std::string_view kJoints[] = {",", "/", "&", "and", "+", "和"};
  slash = slash || token.text == "/";
  return is_one_of(token.text, kJoints);
}

constexpr std::size_t kMostJoints = 2;  // ", and"

std::size_t days_listed_behind(const std::vector<Token>& tokens, std::size_t at, bool& slash) {
  for (std::size_t days = 0;; ++days) {
    std::size_t joints = 0;
    while (joints < kMostJoints && at < tokens.size() && is_list_joint(tokens[at], slash)) ++joints, ++at;
    const std::size_t day = weekday_at(tokens, at);
    if (joints == 0 || day == 0) return days;
    at += day;
  }
}

std::size_t days_listed_before(const std::vector<Token>& tokens, std::size_t at, bool& slash) {
  for (std::size_t days = 0;; ++days) {
    std::size_t joints = 0;
    while (joints < kMostJoints && at > 0 && is_list_joint(tokens[at - 1], slash)) ++joints, --at;
    const std::size_t day = weekday_before(tokens, at);
    if (joints == 0 || day == 0) return days;
    at -= day;
  }
}

// "Mon, Wed and Fri", "Tue/Thu", 周一、周三、周五: the expression is in a list of weekdays.
bool is_in_list(const Expression& e) {
  std::size_t begin = e.node.begin;
  while (begin < e.node.end && weekday_at(e.tokens, begin) == 0) ++begin;
  if (begin == e.node.end) return false;
  bool slash = false;
  const std::size_t others = days_listed_behind(e.tokens, begin + weekday_at(e.tokens, begin), slash) +
                             days_listed_before(e.tokens, begin, slash);
  return others > 1 || (others > 0 && slash);
}

// "Sat 10-2": hours to some, a date to others.
bool has_weekday_and_pair(const Expression& e) {
  bool day = false, pair = false;
  for (std::size_t i = e.node.begin; i < e.node.end; ++i) {
    day = day || weekday_at(e.tokens, i) > 0;
    pair = pair || (e.tokens[i].text == "-" && i > e.node.begin && i + 1 < e.node.end &&
                    e.tokens[i - 1].kind == TokenKind::kDigits && e.tokens[i + 1].kind == TokenKind::kDigits);
  }
  return day && pair;
}

// "Monday to Friday", "Sat 10-2" of a shop: opening hours and the like, also where the Monday went with the hours
// before it.
bool is_schedule(const Expression& e, const When& when) {
  if (when.deictic || when.dated) return false;
  if (has_weekday_and_pair(e)) return true;
  if (when.from && when.to && when.from->fields == kWeekdayField && when.to->fields == kWeekdayField) {
    static const auto kHours = lexicon("en/times", "opening hours");
    if (!when.from->has_time()) return true;
    for (std::size_t i = e.node.begin; i > 0 && e.node.begin - i < 8 && !ends_sentence(e.tokens, i - 1); --i)
      if (is_one_of(e.tokens[i - 1].text, kHours)) return true;
  }
  if ((when.fields == kWeekdayField || when.is_stretch()) && is_in_list(e)) return true;
  return when.to && when.to->fields == kWeekdayField && e.node.begin > 0 &&
         is_weekday_name(e.tokens[e.node.begin - 1].text);
}

// Whether a phrase of a list stands at a token: "name day", 纪念日.
bool list_at(const std::vector<Token>& tokens, std::size_t at, std::span<const std::string_view> list) {
  std::string text;
  for (std::size_t i = at; i < tokens.size() && i < at + 6; ++i) {
    text += (i > at && tokens[i].kind == TokenKind::kLetters ? " " : "") + tokens[i].text;
    if (std::find(list.begin(), list.end(), text) != list.end()) return true;
  }
  return false;
}

// "My birthday is May 3", 我的生日是5月3日, "May 3 is our anniversary", "born on May 3": a day of every year.
bool is_each_year(const Expression& e, const When& when) {
  if (when.deictic || when.dated || (when.fields & ~(kMonthField | kDayField)) != 0 || (when.fields & kMonthField) == 0)
    return false;
  static const auto kDays = lexicon_both("plans", "days of each year");
  static const LexiconWords kBetween = lexicon_both_words("plans", "between such a day and its date");
  const auto is_between = [&](std::size_t i) {
    const std::string& text = e.tokens[i].text;
    return kBetween.contains(text) || text == ":" || text == "'" || text == "’";
  };
  std::size_t at = e.node.begin;
  while (at > 0 && e.node.begin - at < 6 && is_between(at - 1)) --at;
  for (std::size_t size = 1; size <= std::min<std::size_t>(at, 3); ++size) {
    std::string text;
    for (std::size_t i = at - size; i < at; ++i)
      text += (i > at - size && e.tokens[i].kind == TokenKind::kLetters ? " " : "") + e.tokens[i].text;
    if (std::find(kDays.begin(), kDays.end(), text) != kDays.end()) return true;
  }
  // 5月3日是我的生日, "May 3 is my birthday", but "May 3 is my birthday party".
  static const LexiconWords kOccasions = lexicon_both_words("plans", "occasions of such a day");
  constexpr std::size_t kFar = 6;
  const bool is = e.node.end < e.tokens.size() && is_between(e.node.end);
  for (std::size_t i = e.node.end; is && i < e.tokens.size() && i < e.node.end + kFar && !ends_sentence(e.tokens, i);
       ++i) {
    if (!list_at(e.tokens, i, kDays)) continue;
    for (std::size_t k = i; k < e.tokens.size() && k < i + 5 && !ends_sentence(e.tokens, k); ++k)
      if (kOccasions.contains(e.tokens[k].text)) return false;
    return true;
  }
  return false;
}

}  // namespace

Told notes_on(const std::vector<Token>& tokens, const Node& node, const Setting& setting, const Tense& tense) {
  if (node.kind != NodeKind::kTime) return {};
  return Writer(tokens, node, setting, tense).run(*node.when);
}

bool is_regular(const Expression& e, const When& when) {
  if (when.deictic || when.dated || when.fields != kWeekdayField) return false;
  if (e.words.chinese()) {
    static const auto kDone = lexicon("zh/plans", "done each week");
    const std::string next = behind(e, 8);
    std::string_view rest(next);
    for (const std::string_view who : {",", "我", "他", "她", "们"})
      if (rest.starts_with(who)) rest.remove_prefix(who.size());
    return std::any_of(kDone.begin(), kDone.end(), [&](auto word) { return rest.starts_with(word); });
  }
  static const LexiconWords kDone = lexicon_words("en/plans", "done each week"),
                            kWho = {"i", "we", "he", "she", "they"};
  for (std::size_t i = e.node.begin; i > 0 && e.node.begin - i < 8 && !ends_sentence(e.tokens, i - 1); --i) {
    std::string verb = e.tokens[i - 1].text;
    if (!kDone.contains(verb) && verb.ends_with('s')) verb.pop_back();
    if (!kDone.contains(verb) || i < 2) continue;
    return kWho.contains(e.tokens[i - 2].text) &&
           (i < 3 || (!is_auxiliary(e.tokens[i - 3].text) && e.tokens[i - 3].text != "if"));
  }
  return false;
}

bool is_unnoted(const Expression& e, const When& when) {
  if (is_last_day(e) || is_of_show(e) || is_cut_off(e) || is_nowadays(e) || is_each_week(e, when)) return true;
  return is_attributive(e, when) || is_vague(e) || is_schedule(e, when) || is_fraction(e) || numbers_a_noun(e, when) ||
         goes_on_with_year(e) || is_habit(e, when) || is_each_year(e, when);
}

}  // namespace weft::timex
